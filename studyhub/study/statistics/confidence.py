"""How sure a learner was before the verdict, beside how it fell. Never enters the schedule."""

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count

from studyhub.study.models import Attempt, Learner
from studyhub.study.statistics.shares import Share

SAID = (40, 70, 95)
"""Guess, likely, sure: per cent."""
GRADED = ("correct", "partial", "incorrect")


@dataclass(frozen=True)
class ConfidenceRow:
    """Answers given with one confidence (per cent), and how many of them were right."""

    said: int
    share: Share


@dataclass(frozen=True)
class Confidence:
    """`brier`: mean squared distance of what was said from what came, 0 best; None of no answers."""

    rows: tuple[ConfidenceRow, ...]
    brier: float | None
    number: int


def confidence(learner: Learner) -> Confidence:
    """Every graded answer with a confidence, practice too; partly right is not right. One query.

    An answer that nothing could grade tells nothing.
    """
    attempts = Attempt.objects.filter(learner=learner, confidence__in=SAID)
    graded = attempts.filter(outcome__in=GRADED).values_list("confidence", "outcome")
    counts: Counter[tuple[int, bool]] = Counter()
    for said, outcome, number in graded.annotate(Count("pk")).order_by():
        counts[said, outcome == "correct"] += number
    shares = {said: Share(counts[said, True], counts[said, True] + counts[said, False]) for said in SAID}
    rows = tuple(ConfidenceRow(said, share) for said, share in shares.items() if share.number)
    return Confidence(rows, _brier(counts), counts.total())


def _brier(counts: Counter[tuple[int, bool]]) -> float | None:
    distances = sum(number * (said / 100 - right) ** 2 for (said, right), number in counts.items())
    return distances / counts.total() if counts.total() else None
