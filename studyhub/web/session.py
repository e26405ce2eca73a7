"""A sitting of one learner as kept in the browser session: what was answered so far and what can be undone.

It lasts one study day at most. Losing it loses a progress line, never a review.
"""

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from studyhub.study.asking.queue import study_day_of
from studyhub.study.models import Learner

KEY = "sitting"
LINE = 30  # pieces a progress line shows at most


@dataclass(frozen=True)
class Returned:
    """The line written last: which, what it was and in which words the card comes back.

    `counted`: it is a rating, so that it stands on the progress line."""

    review: str
    attempt: str
    rating: str
    words: str
    counted: bool = True


class Sitting:
    """The session's own dictionary with names, written back at once. Another study day starts over."""

    def __init__(self, store: MutableMapping[str, Any], day: date) -> None:
        self._store, self._day = store, day.isoformat()
        state = store.get(KEY) or {}
        self._state: dict[str, Any] = dict(state) if state.get("day") == self._day else {}

    @property
    def plan(self) -> dict[str, str]:
        """What is being studied, as addresses name it; {} for all that is due."""
        return dict(self._state.get("plan", {}))

    @property
    def fits(self) -> int:
        """How many cards fit the minutes of it; 0 = as many as there are."""
        return int(self._state.get("fits", 0))

    @property
    def single(self) -> bool:
        """Whether one card was asked for by name."""
        return bool(self._state.get("single"))

    @property
    def marks(self) -> list[str]:
        """One word for each card rated or practised: done or missed."""
        return list(self._state.get("marks", []))

    @property
    def last(self) -> Returned | None:
        """The review that Undo would take back."""
        last = self._state.get("last")
        return Returned(**last) if last else None

    def is_about(self, plan: Mapping[str, str], *, single: bool) -> bool:
        """Whether it has begun and this is its subject."""
        return bool(self._state) and (self.plan, self.single) == (dict(plan), single)

    def begin(self, plan: Mapping[str, str], *, single: bool = False, fits: int = 0) -> None:
        """Starts over with another subject, or the same once more."""
        kept = {"last": self._state["last"]} if self._state.get("last") else {}
        self._write({"plan": dict(plan), "single": single, "fits": fits, "marks": [], **kept})

    def rated(self, returned: Returned, *, missed: bool) -> None:
        """Remembers a rating, once per review."""
        if self.last and self.last.review == returned.review:
            return
        marks = [*self.marks, "missed" if missed else "done"]
        self._write({**self._state, "marks": marks, "last": vars(returned)})

    def practised(self, *, missed: bool) -> None:
        """Remembers an answer that is not rated."""
        self._write({**self._state, "marks": [*self.marks, "missed" if missed else "done"]})

    def put_aside(self, returned: Returned) -> None:
        """Remembers what was done with a card that was not rated, so that it can be taken back."""
        self._write({**self._state, "last": vars(returned)})

    def undone(self) -> None:
        """Takes the last line back."""
        marks = self.marks[:-1] if self.last and self.last.counted else self.marks
        self._write({**self._state, "marks": marks, "last": None})

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
