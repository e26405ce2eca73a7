"""What people mix up, as transforms of a key. Knows no card file and no learner.

`formulas` turns formulas, `matrices` matrix formulas, `numbers` computed numbers, `shapes` shapes, `programs`
lines of code; `einsums` compares two equations. A transform gives every key it may lead to; a bank is tried
in its order.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

Key = TypeVar("Key")


@dataclass(frozen=True)
class Transform(Generic[Key]):
    """A mistake: its name, a few words and a sentence about it, and the wrong keys that it makes."""

    name: str
    title: str
    says: str
    of: Callable[[Key], Iterable[Key]]
