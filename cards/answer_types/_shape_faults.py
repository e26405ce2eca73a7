"""What is wrong about a shape, seen by comparing it with the right one. Knows no text and no card.

Axes are anything that can be compared: whole numbers, or the sizes of a name at several assignments.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Seen:
    """A name, a title and a sentence."""

    name: str
    title: str
    says: str


@dataclass(frozen=True)
class Written:
    """A shape with the text of each axis, and of the whole."""

    axes: Sequence[Any]
    texts: Sequence[str]
    text: str


def seen(given: Written, key: Written, count: str, *, kind: str = "sizes") -> Seen:
    """What differs, without knowing why. `count` says how many numbers either holds, `kind` what axes are."""
    if len(given.axes) != len(key.axes):
        belongs = f"{len(key.axes)} belong{'s' if len(key.axes) == 1 else ''}"
        says = f"{key.text} has {axes(len(key.axes))}."
        return Seen("wrong_rank", f"{axes(len(given.axes))} where {belongs}", says)
    places = [i for i, pair in enumerate(zip(given.axes, key.axes, strict=True)) if pair[0] != pair[1]]
    if sorted(given.axes) != sorted(key.axes):
        first = places[0]
        title = f"axis {first} is {key.texts[first]}, not {given.texts[first]}"
        return Seen("wrong_size", title, count)
    if len(places) == 2:
        first, second = places
        there = f"{key.texts[first]} at axis {first} and {key.texts[second]} at axis {second}"
        title = f"axes {first} and {second} are swapped"
        return Seen("axes_swapped", title, f"The {kind} are right; {key.text} has {there}.")
    says = f"The {kind} are right; their order is {key.text}."
    return Seen("axes_swapped", "the axes are in another order", says)


def axes(count: int) -> str:
    """ "1 axis", "4 axes"."""
    return f"{count} {'axis' if count == 1 else 'axes'}"


def of_step(step: str) -> str:
    """The sentence that says which step a shape belongs to; "" for none."""
    return f"That is the shape {'of the input' if step == 'input' else f'after {step}'}." if step else ""
