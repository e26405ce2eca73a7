"""From a grade to the rating it suggests, with the reason in words. Pure: no ORM, no clock, no schedule."""

from dataclasses import dataclass
from typing import Protocol

NONE, AGAIN, HARD, GOOD, EASY = 0, 1, 2, 3, 4
NAMES = {AGAIN: "again", HARD: "hard", GOOD: "good", EASY: "easy"}
RATINGS = {name: number for number, name in NAMES.items()}
PASSING_SCORE = 0.8


class Graded(Protocol):
    """Anything with a verdict: a Grade or a stored Attempt."""

    @property
    def outcome(self) -> str:
        """correct, partial, incorrect or undecided."""
        ...

    @property
    def score(self) -> float:
        """0 to 1."""
        ...


@dataclass(frozen=True)
class Suggestion:
    """A rating (1..4; 0 = none, the learner rates) and why, as the rating bar says it."""

    rating: int
    reason: str

    @property
    def name(self) -> str:
        """again, hard, good or easy; "" for none."""
        return NAMES.get(self.rating, "")


def suggest(grade: Graded, assisted: bool = False, *, revealed: bool = False) -> Suggestion:
    """The rating an answer suggests. One key overrides it; nothing is rated by this alone.

    `assisted`: a hint was taken, so Hard at most. `revealed`: the answer was shown first. Easy is never
    suggested: whether it was, only the learner knows.
    """
    if grade.outcome == "undecided":
        return Suggestion(NONE, "Rate it yourself")
    if revealed or grade.outcome == "incorrect":
        return Suggestion(AGAIN, f"Suggested: Again, {'the answer was shown' if revealed else 'a miss'}")
    if grade.outcome == "partial":
        return _of_a_part(grade.score)
    if assisted:
        return Suggestion(HARD, "Suggested: Hard, right with a hint")
    return Suggestion(GOOD, "Suggested: Good, right")


def _of_a_part(score: float) -> Suggestion:
    percent = int(score * 100)
    if score >= PASSING_SCORE:
        return Suggestion(HARD, f"Suggested: Hard, {percent} of 100 right")
    return Suggestion(AGAIN, f"Suggested: Again, {percent} of 100 right")
