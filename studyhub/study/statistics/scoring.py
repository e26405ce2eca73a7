"""How well the schedule foretold the latest answers, beside two baselines that know no card."""

import numpy as np
from django.db.models import QuerySet

from studyhub.study.models import Learner, Review
from studyhub.study.rollups import TESTED
from studyhub.study.scheduling.evaluation import (
    Scores,
    bins_within,
    moving_average,
    running_average,
    scores,
)
from studyhub.study.scheduling.histories import Histories, Integers
from studyhub.study.statistics.columns import DayNumber, Floats, columns

CHUNK = 10_000
LATEST = 1_000
"""Answers that are scored: enough for a loss to 0.02, and all answers to their cards are read at once."""


def latest_scores(learner: Learner, most: int = LATEST) -> dict[str, Scores]:
    """{"schedule", "average", "moving_average": Scores} of the last `most` tested answers; {} without any.

    The schedule is scored by what it promised at the time. The baselines see these answers alone, in order of
    time, and each is foretold from those before it. Two queries.
    """
    tested = _answers(learner).filter(TESTED, recall_before__gt=0).order_by("-study_day", "-answered_at")
    rows = tested.values_list("pk", "card", "rating", "recall_before")[:most]
    pks, cards, ratings, promised = columns(rows, 4)[:, ::-1]
    if not len(pks):
        return {}
    recalled, bins = ratings > 1, _bins(learner, pks, set(cards.astype(int).tolist()))
    foretold = {
        "schedule": promised / 1000,
        "average": running_average(recalled),
        "moving_average": moving_average(recalled),
    }
    return {name: scores(chances, recalled, bins) for name, chances in foretold.items()}


def _answers(learner: Learner) -> QuerySet[Review]:
    return Review.objects.filter(learner=learner, kind=Review.Kind.REVIEW, voided_by=None)


def _bins(learner: Learner, pks: Floats, cards: set[int]) -> Integers:
    """The bin of each answer, from all answers to the same cards."""
    about = _answers(learner).filter(card__in=cards).annotate(day=DayNumber("study_day"))
    fold_order = about.order_by("card", "answered_at", "device_sequence", "client_id")
    known, card, rating, day = columns(
        fold_order.values_list("pk", "card", "rating", "day").iterator(CHUNK), 4
    )
    days = day.astype(np.int64)
    bins = bins_within(Histories(card.astype(np.int64), rating.astype(np.int64), days, days * 86_400.0))
    order = np.argsort(known)
    return np.asarray(bins[order[np.searchsorted(known, pks, sorter=order)]])
