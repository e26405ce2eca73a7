"""A lane for heavy jobs: one runs at a time, the others wait and hold no thread. Knows no job."""

import threading
from collections.abc import Callable


class Lane:
    """Whoever finds the lane taken leaves the name of the job there and goes; whoever has it does them all.

    Names are kept in memory alone: those of a process that ends are sent again by their readers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, None] = {}
        self._taken = self._closed = False

    def run(self, name: str, job: Callable[[str], None]) -> None:
        """Does the job now, and then those that came meanwhile; or leaves it to whoever is at it."""
        with self._lock:
            self._waiting[name] = None
            if self._taken or self._closed:
                return
            self._taken = True
        try:
            while (due := self._next()) is not None:
                job(due)
        except BaseException:
            self._taken = False
            raise

    def close(self) -> None:
        """No job begins any more; the one that runs is done to its end."""
        self._closed = True

    def _next(self) -> str | None:
        """The name that has waited longest; None, and the lane is free, where none waits."""
        with self._lock:
            due = None if self._closed else next(iter(self._waiting), None)
            if due is None:
                self._taken = False
            else:
                del self._waiting[due]
            return due
