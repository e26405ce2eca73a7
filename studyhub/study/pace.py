"""How fast a learner answers and how much a day of theirs usually holds. Reads only; knows no card."""

from datetime import datetime, timedelta
from statistics import median

from django.db.models import Avg, Count, F
from django.db.models.functions import Least

from studyhub.study.models import DayRollup, Learner, Review
from studyhub.study.zones import study_day_of

LONGEST_ANSWER_MS = 120_000  # a longer one was a break
SHORTEST_PACE = 5.0  # seconds a card; less is a key pressed without reading
USUAL_SECONDS = 20.0  # a card, before enough is known of the learner
ENOUGH_ANSWERS = 10
USUAL_REVIEWS = 20  # a day, before enough is known of the learner
ACTIVE_DAYS = 30
ENOUGH_DAYS = 5
_TESTED = F("young_failed") + F("young_recalled") + F("mature_failed") + F("mature_recalled")


def seconds_per_card(learner: Learner, now: datetime, days: int = 14) -> float:
    """Mean seconds an answer took in the last `days` study days, 5 to 120; 20 until 10 answers are known."""
    since = study_day_of(learner, now) - timedelta(days=days - 1)
    answers = Review.objects.filter(learner=learner, kind=Review.Kind.REVIEW, voided_by=None)
    timed = answers.filter(study_day__gte=since, elapsed_ms__gt=0)
    known = timed.aggregate(mean=Avg(Least(F("elapsed_ms"), LONGEST_ANSWER_MS)), number=Count("pk"))
    if known["number"] < ENOUGH_ANSWERS:
        return USUAL_SECONDS
    return max(float(known["mean"]) / 1000, SHORTEST_PACE)


def usual_reviews(learner: Learner, now: datetime) -> int:
    """Reviews of a usual day: the median of the last 30 study days with any, today left out.

    Steps do not count. 20 until five such days are known. However long the break, one read of 30 rows.
    """
    rollups = DayRollup.objects.filter(learner=learner, study_day__lt=study_day_of(learner, now))
    active = rollups.annotate(tested=_TESTED).filter(tested__gt=0).order_by("-study_day")
    days = list(active.values_list("tested", flat=True)[:ACTIVE_DAYS])
    return max(1, round(median(days))) if len(days) >= ENOUGH_DAYS else USUAL_REVIEWS
