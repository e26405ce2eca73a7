"""From a grade to the rating it suggests, with the reason in words. Pure: no ORM, no clock, no schedule.

Wrong, below the pass, or shown first: Again, never Hard, for Hard is a pass. A hint, a miss of the same day
or a part missing: Hard at most. Right: Good. Time tells Good from Easy alone, by the learner's own times.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import median
from typing import Protocol

NONE, AGAIN, HARD, GOOD, EASY = 0, 1, 2, 3, 4
NAMES = {AGAIN: "again", HARD: "hard", GOOD: "good", EASY: "easy"}
RATINGS = {name: number for number, name in NAMES.items()}
PASSING_SCORE = 0.8
LONGEST_MS = 120_000
"""A longer thought was a break."""
ENOUGH_TIMES = 20
GUESSED = frozenset({"choice", "multi_choice"})
"""A right one may be a guess, so it is never Easy."""
OWN_WORD = frozenset({"reveal", "rubric"})
"""The learner is the grader, so how fast it went says nothing."""
KINDS = {
    "numeric": "numbers",
    "formula": "formulas",
    "matrix_formula": "matrix formulas",
    "shape": "shapes",
    "program": "lines of code",
    "einsum": "einsums",
    "ordering": "orders",
    "table": "tables",
    "cloze": "gaps",
    "words": "words",
}


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
class Circumstances:
    """How an answer came about: `times_ms` are the learner's own, of earlier right answers of its kind.

    `elapsed_ms` 0 = not known. `missed_today`: the same card was not right earlier on this study day.
    """

    answer_type: str = ""
    assisted: bool = False
    revealed: bool = False
    missed_today: bool = False
    elapsed_ms: int = 0
    times_ms: Sequence[int] = ()
    passing: float = PASSING_SCORE
    pending: str = ""


@dataclass(frozen=True)
class Suggestion:
    """A rating (1..4; 0 = none, the learner rates) and why, as the rating bar says it."""

    rating: int
    reason: str

    @property
    def name(self) -> str:
        """again, hard, good or easy; "" for none."""
        return NAMES.get(self.rating, "")


def suggest(grade: Graded, how: Circumstances | None = None) -> Suggestion:
    """The rating an answer suggests. One key overrides it; nothing is rated by this alone."""
    how = how or Circumstances()
    if grade.outcome == "undecided":
        return Suggestion(NONE, _self_rated(how))
    if how.revealed or grade.outcome == "incorrect":
        return Suggestion(AGAIN, f"Suggested: Again, {'the answer was shown' if how.revealed else 'a miss'}")
    if grade.outcome == "partial":
        return _of_a_part(grade.score, how.passing)
    if how.assisted or how.missed_today:
        why = "with a hint" if how.assisted else "after a miss today"
        return Suggestion(HARD, f"Suggested: Hard, right {why}")
    return _of_full_marks(how)


def is_pass(grade: Graded, how: Circumstances) -> bool:
    """Whether more than the verdict decides: only then are earlier answers worth looking up."""
    return grade.outcome == "correct" and not how.revealed and not how.assisted


def _self_rated(how: Circumstances) -> str:
    """What stands where no rating is suggested. Nothing was graded, so a pass is Hard at most."""
    if how.pending == "ticks":
        return "Tick the points you named, or rate it yourself"
    if how.pending == "worker":
        return "Rate it yourself, or wait for the worker's verdict"
    if how.answer_type in OWN_WORD or not how.answer_type:
        return "Rate it yourself"
    return "Rate it yourself: Hard if you had it, Again if not"


def _of_a_part(score: float, passing: float) -> Suggestion:
    percent, needed = int(score * 100 + 1e-9), round(passing * 100)
    if score >= passing:
        return Suggestion(HARD, f"Suggested: Hard, {percent} of 100 right")
    return Suggestion(AGAIN, f"Suggested: Again, {percent} of 100 right, {needed} is a pass")


def _of_full_marks(how: Circumstances) -> Suggestion:
    """Good, or Easy where it was faster than a quarter of the learner's own right answers of this kind."""
    times = _usable(tuple(how.times_ms))
    timed = how.elapsed_ms > 0 and len(times) >= ENOUGH_TIMES
    if not timed or how.answer_type in GUESSED | OWN_WORD:
        return Suggestion(GOOD, "Suggested: Good, right")
    kind = KINDS.get(how.answer_type, "this kind")
    told = f"right in {_seconds(how.elapsed_ms)}; your usual for {kind} is {_seconds(median(times))}"
    if how.elapsed_ms < _quartile(times):
        return Suggestion(EASY, f"Suggested: Easy, {told}")
    return Suggestion(GOOD, f"Suggested: Good, {told}")


@lru_cache(maxsize=64)
def _usable(times_ms: tuple[int, ...]) -> tuple[int, ...]:
    """Sorted times of thought. Kept: the answers of a sync are compared with the same times."""
    return tuple(sorted(min(one, LONGEST_MS) for one in times_ms if one > 0))


def _quartile(times: Sequence[int]) -> int:
    """The 25th percentile of sorted times: a quarter of them lie below it."""
    return times[len(times) // 4]


def _seconds(milliseconds: float) -> str:
    """ "4 s", "4.2 s", "31 s"."""
    seconds = min(milliseconds, LONGEST_MS) / 1000
    return f"{seconds:.0f} s" if seconds >= 10 else f"{round(seconds, 1):g} s"
