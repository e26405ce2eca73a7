"""Kinds of jobs for tests, in a real worker: quick, long, and one that takes its worker along."""

import os
import signal
import time
from collections.abc import Callable
from typing import Any

from studyhub.operations import jobs

KINDS = {name: f"{__name__}:{name}" for name in ("quick", "long", "poison")}


def register() -> None:
    """Makes them known to this process."""
    jobs.KINDS.update(KINDS)


def quick(learner_id: int | None, progress: Callable[[int], None]) -> dict[str, Any]:
    """Tells who asked."""
    progress(50)
    return {"learner": learner_id}


def long(learner_id: int | None, progress: Callable[[int], None]) -> dict[str, Any]:
    """Two seconds, with a word every tenth."""
    for percent in range(0, 100, 5):
        progress(percent)
        time.sleep(0.1)
    return {"learner": learner_id}


def poison(learner_id: int | None, progress: Callable[[int], None]) -> dict[str, Any]:
    """Ends the worker it runs in, as the kernel does where memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)
    return {}
