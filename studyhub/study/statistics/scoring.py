"""How well the schedule foretold the latest answers, beside two baselines that know no card."""

from collections.abc import Iterable
from datetime import date
from typing import Any

import numpy as np
from django.db.models import CharField, QuerySet
from django.db.models.functions import Cast

from studyhub.study.models import Learner, Review
from studyhub.study.rollups import TESTED
from studyhub.study.scheduling.evaluation import (
    Scores,
    bins_within,
    moving_average,
    running_average,
    scores,
)
from studyhub.study.scheduling.histories import Histories

LATEST = 2_000
"""Answers that are scored: enough for a loss to 0.02, and their cards are read in a tenth of a second."""


def latest_scores(learner: Learner, most: int = LATEST) -> dict[str, Scores]:
    """{"schedule", "average", "moving_average": Scores} of the last `most` tested answers; {} without any.

    The schedule is scored by what it promised at the time. The baselines see these answers alone, in order of
    time, and each is foretold from those before it. Two queries.
    """
    tested = _answers(learner).filter(TESTED, recall_before__gt=0).order_by("-study_day", "-answered_at")
    rows = list(tested.values_list("pk", "card", "rating", "recall_before")[:most])[::-1]
    if not rows:
        return {}
    pks, cards, ratings, promised = zip(*rows, strict=True)
    recalled, bins = np.array(ratings) > 1, _bins(learner, pks, set(cards))
    foretold = {
        "schedule": np.array(promised) / 1000,
        "average": running_average(recalled),
        "moving_average": moving_average(recalled),
    }
    return {name: scores(chances, recalled, bins) for name, chances in foretold.items()}


def _answers(learner: Learner) -> QuerySet[Review]:
    return Review.objects.filter(learner=learner, kind=Review.Kind.REVIEW, voided_by=None)


def _bins(learner: Learner, pks: Iterable[int], cards: set[int]) -> Any:
    """The bin of each answer, from all answers to the same cards."""
    about = _answers(learner).filter(card__in=cards).annotate(day=Cast("study_day", CharField()))
    fold_order = about.order_by("card", "answered_at", "device_sequence", "client_id")
    known, card, rating, day = zip(*fold_order.values_list("pk", "card", "rating", "day"), strict=True)
    number = {text: date.fromisoformat(text).toordinal() for text in set(day)}
    days = np.array([number[text] for text in day])
    bins = bins_within(Histories(np.array(card), np.array(rating), days, days * 86_400.0))
    place = {pk: index for index, pk in enumerate(known)}
    return bins[[place[pk] for pk in pks]]
