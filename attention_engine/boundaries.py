"""Where a long computation may be given up: it says so between two pieces, and whoever runs it decides.

Knows neither what is computed nor why it should end."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ASKED: ContextVar[Callable[[], None] | None] = ContextVar("boundary", default=None)


def boundary() -> None:
    """Between two pieces of work of some ten ms; raises what the runner raises to end the computation."""
    asked = _ASKED.get()
    if asked is not None:
        asked()


@contextmanager
def asking(asked: Callable[[], None]) -> Iterator[None]:
    """Calls `asked` at every boundary that this thread comes to in the block."""
    token = _ASKED.set(asked)
    try:
        yield
    finally:
        _ASKED.reset(token)
