"""A sitting of one learner as kept in the browser session: what was answered so far and what can be undone.

It lasts one study day at most. Losing it loses a progress line, never a review.
"""

from collections.abc import MutableMapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from studyhub.study.models import Learner
from studyhub.study.queue import study_day_of

KEY = "sitting"
LINE = 30  # pieces a progress line shows at most


@dataclass(frozen=True)
class Returned:
    """The card rated last: which review, in which words it comes back."""

    review: str
    attempt: str
    rating: str
    words: str


class Sitting:
    """The session's own dictionary with names, written back at once. Another study day starts over."""

    def __init__(self, store: MutableMapping[str, Any], day: date) -> None:
        self._store, self._day = store, day.isoformat()
        state = store.get(KEY) or {}
        self._state: dict[str, Any] = dict(state) if state.get("day") == self._day else {}

    @property
    def topic(self) -> str:
        """Slug of the topic being studied, or "" for all that is due."""
        return str(self._state.get("topic", ""))

    @property
    def single(self) -> bool:
        """Whether one card was asked for by name."""
        return bool(self._state.get("single"))

    @property
    def marks(self) -> list[str]:
        """One word for each rated card: done or missed."""
        return list(self._state.get("marks", []))

    @property
    def last(self) -> Returned | None:
        """The review that Undo would take back."""
        last = self._state.get("last")
        return Returned(**last) if last else None

    def about(self, topic: str, *, single: bool = False) -> None:
        """Starts over when the subject changes."""
        if self._state and (self.topic, self.single) == (topic, single):
            return
        kept = {"last": self._state["last"]} if self._state.get("last") else {}
        self._write({"topic": topic, "single": single, "marks": [], **kept})

    def rated(self, returned: Returned, *, missed: bool) -> None:
        """Remembers a rating, once per review."""
        if self.last and self.last.review == returned.review:
            return
        marks = [*self.marks, "missed" if missed else "done"]
        self._write({**self._state, "marks": marks, "last": vars(returned)})

    def undone(self) -> None:
        """Takes the last rating back."""
        self._write({**self._state, "marks": self.marks[:-1], "last": None})

    def _write(self, state: dict[str, Any]) -> None:
        self._state = {**state, "day": self._day}
        self._store[KEY] = self._state


def sitting_of(store: MutableMapping[str, Any], learner: Learner, now: datetime) -> Sitting:
    """The learner's sitting of this study day."""
    return Sitting(store, study_day_of(learner, now))


@dataclass(frozen=True)
class Progress:
    """The progress line: pieces by name, and the sentence that says the same."""

    pieces: tuple[str, ...]
    position: int
    total: int
    sentence: str


def progress(*, marks: list[str], remaining: int, seconds_per_card: float) -> Progress:
    """Where a sitting stands: "7 of 18, about 4 min left"."""
    total = len(marks) + remaining
    left = round(remaining * seconds_per_card / 60)
    words = f"about {left} min left" if left else "under a minute left"
    pieces = (*marks, "current", *["rest"] * max(remaining - 1, 0))
    first = max(min(len(marks) - LINE // 2, len(pieces) - LINE), 0)
    position = min(len(marks) + 1, total) or 1
    return Progress(
        pieces=tuple(pieces[first : first + LINE]),
        position=position,
        total=max(total, 1),
        sentence=f"{position} of {max(total, 1)}, {words}",
    )
