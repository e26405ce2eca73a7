"""Starts the whole service as `make run` does, in a data folder of its own, for tests that need it alive."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def free_port() -> int:
    """A port nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(url: str) -> bool:
    """True when the address answers 200 within 2 s."""
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


@dataclass
class Service:
    """A running `manage.py up`: its address, its data folder, what it has printed."""

    port: int
    var: Path
    process: subprocess.Popen[str]
    log: Path
    env: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """Without a trailing slash."""
        return f"http://127.0.0.1:{self.port}"

    def printed(self) -> str:
        """Everything the supervisor and its children have written."""
        return self.log.read_text(errors="replace")

    def account(self, name: str) -> tuple[str, str]:
        """(user name, password) of the demo account as printed for a person to read."""
        wait_for_text(self, f"{name} / ")
        found = re.search(rf"\b({name}) / (\S+)", self.printed())
        assert found
        return found.group(1), found.group(2)

    def manage(self, *arguments: str) -> str:
        """What `manage.py` prints with these arguments, beside the running service. Raises where it fails."""
        command = [sys.executable, "manage.py", *arguments]
        ran = subprocess.run(command, cwd=ROOT, env=self.env, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, f"{arguments}:\n{ran.stdout}{ran.stderr}"
        return ran.stdout

    def children(self, word: str) -> list[int]:
        """Process ids of the supervisor's descendants whose command line holds the word."""
        table = subprocess.run(
            ["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
        ).stdout
        rows = [(int(p), int(q), a) for p, q, a in (line.split(None, 2) for line in table.splitlines()[1:])]
        ours, size = {self.process.pid}, 0
        while size != len(ours):
            size = len(ours)
            ours |= {pid for pid, parent, _ in rows if parent in ours}
        return [pid for pid, _, args in rows if pid in ours and pid != self.process.pid and word in args]

    def kill(self, word: str) -> list[int]:
        """kill -9 of those children; answers with their process ids."""
        found = self.children(word)
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return found

    def wait_until_ready(self, seconds: float = 60) -> None:
        """Raises AssertionError with the log when /readyz does not answer in time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            assert self.process.poll() is None, f"the service ended:\n{self.printed()}"
            if answers(f"{self.url}/readyz"):
                return
            time.sleep(0.1)
        raise AssertionError(f"not ready after {seconds} s:\n{self.printed()}")


@contextlib.contextmanager
def running_service(var: Path, **extra: str) -> Iterator[Service]:
    """`manage.py up` with data in `var`, once it is ready; SIGTERM at the end must end it within 30 s."""
    var.mkdir(parents=True, exist_ok=True)
    port, log = free_port(), var / "up.log"
    env = {
        **os.environ,
        "STUDYHUB_VAR": str(var),
        "STUDYHUB_FETCH_MODELS": "0",
        "PYTHONUNBUFFERED": "1",
        **extra,
    }
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--port", str(port)],
            cwd=ROOT, env=env, stdout=output, stderr=subprocess.STDOUT, text=True, start_new_session=True,
        )  # fmt: skip
    service = Service(port=port, var=var, process=process, log=log, env=env)
    try:
        service.wait_until_ready()
        yield service
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise


def wait_for_text(service: Service, text: str, seconds: float = 30) -> None:
    """Raises AssertionError when the service has not printed the text in time."""
    deadline = time.monotonic() + seconds
    while text not in service.printed():
        assert time.monotonic() < deadline, f"{text!r} was not printed:\n{service.printed()}"
        time.sleep(0.05)


def call(url: str, *, body: object = None, headers: dict[str, str] | None = None) -> tuple[int, object]:
    """(status, JSON) of a request; an error status is an answer, not an exception."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")
