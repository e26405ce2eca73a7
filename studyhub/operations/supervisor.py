"""Runs a few processes as one: starts them, starts them again, ends all of them in time. Knows no service."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from studyhub.operations.tied import tied

GRACE = 4.0  # seconds between SIGTERM and SIGKILL
LONGEST_PAUSE = 30.0  # seconds before a child that keeps dying is started again
STEADY = 30.0  # seconds after which a child counts as healthy again
LOOK_EVERY = 0.1


@dataclass
class Child:
    """One process in a session of its own, so that the terminal's Ctrl-C reaches its parent alone.

    On Linux it ends with its parent, however that ends."""

    name: str
    command: Sequence[str]
    folder: Path
    env: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    falls: int = 0
    began: float = 0.0
    due: float = 0.0

    def start(self) -> None:
        """Starts it now."""
        self.began = time.monotonic()
        self.process = subprocess.Popen(  # noqa: S603 - our own command
            tied(self.command),
            cwd=self.folder,
            env=os.environ | self.env,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    @property
    def alive(self) -> bool:
        """It runs."""
        return self.process is not None and self.process.poll() is None

    def send(self, number: signal.Signals) -> None:
        """Sends the signal to the process alone; its own children are its business."""
        if self.alive and self.process is not None:
            self.process.send_signal(number)

    def sweep(self) -> None:
        """Kills what is left of its group, also after it ended: an orphan would keep the port."""
        if self.process is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Supervisor:
    """Keeps children alive until `stopping` is set, then ends them within GRACE."""

    def __init__(self, children: Sequence[Child], *, say: Callable[[str], object]) -> None:
        self.children = children
        self.stopping = threading.Event()
        self._say = say

    def install_handlers(self) -> None:
        """SIGINT, SIGTERM and SIGHUP ask for the end, whatever the shell has set for them before."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: self.stopping.set())

    def start(self) -> None:
        """Starts every child."""
        for child in self.children:
            child.start()

    def run(self) -> None:
        """Returns when somebody asked for the end."""
        while not self.stopping.wait(LOOK_EVERY):
            self.look()

    def look(self) -> None:
        """Notes who has fallen and starts who is due."""
        now = time.monotonic()
        for child in self.children:
            if child.process is not None and not child.alive:
                self._fallen(child, now)
            elif child.process is None and child.due <= now:
                child.start()

    def stop(self) -> None:
        """SIGTERM to all at once, SIGKILL to the groups of those who take longer than GRACE."""
        for child in self.children:
            child.send(signal.SIGTERM)
        deadline = time.monotonic() + GRACE
        while any(child.alive for child in self.children) and time.monotonic() < deadline:
            time.sleep(0.02)
        for child in self.children:
            child.sweep()

    def _fallen(self, child: Child, now: float) -> None:
        assert child.process is not None
        code = child.process.returncode
        child.sweep()
        child.falls = 1 if now - child.began > STEADY else child.falls + 1
        pause = min(2.0 ** (child.falls - 1) / 2, LONGEST_PAUSE)
        child.process, child.due = None, now + pause
        self._say(f"{child.name} ended with status {code}; starting it again in {pause:g} s")
