"""How much of what is due and new a study day holds: new cards a day, and the cap of catching up. Reads only.

The cap never holds back a usual day: it counts only while more is due than that, so it lifts itself when a
backlog is gone, and counts again after the next break unless it was taken out of the settings.
"""

from datetime import datetime

from django.db.models import Exists, OuterRef

from studyhub.study.models import Learner, Memory, Review
from studyhub.study.pace import usual_reviews
from studyhub.study.shelf import answered_today, due_reviews
from studyhub.study.zones import study_day_of

NO_CAP = 2**31


def new_left(learner: Learner, now: datetime) -> int:
    """How many more cards may be met today: new_per_day less those first answered today."""
    answers = Review.objects.filter(learner=learner, kind=Review.Kind.REVIEW, voided_by=None)
    before = answers.filter(card=OuterRef("card"), study_day__lt=study_day_of(learner, now))
    met = answered_today(learner, now).filter(~Exists(before)).values("card").distinct().count()
    return max(0, learner.new_per_day - met)


def reviews_left(learner: Learner, now: datetime) -> int:
    """How many more reviews the cap lets through today; NO_CAP (2^31) where none holds."""
    if not learner.reviews_per_day:
        return NO_CAP
    done = reviews_done(learner, now)
    if due_reviews(learner, now).count() + done <= usual_reviews(learner, now):
        return NO_CAP
    return max(0, learner.reviews_per_day - done)


def reviews_done(learner: Learner, now: datetime) -> int:
    """Reviews of this study day that count; steps and new cards are none."""
    return answered_today(learner, now).filter(state_before=Memory.State.REVIEW).count()
