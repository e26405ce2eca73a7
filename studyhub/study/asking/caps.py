"""How much of what is due and new a study day holds: new cards a day, and the cap of catching up. Reads only.

The cap never holds back a usual day: it counts only while more is due than that, so it lifts itself when a
backlog is gone, and counts again after the next break unless it was taken out of the settings.
"""

from datetime import datetime

from studyhub.study.asking.answers_today import AnswersToday
from studyhub.study.models import Learner
from studyhub.study.pace import usual_reviews
from studyhub.study.shelf import due_reviews

NO_CAP = 2**31


def new_left(learner: Learner, answered: AnswersToday) -> int:
    """How many more cards may be met today: new_per_day less those that were new today."""
    return max(0, learner.new_per_day - answered.new_cards)


def reviews_left(learner: Learner, now: datetime, answered: AnswersToday) -> int:
    """How many more reviews the cap lets through today; NO_CAP (2^31) where none holds."""
    if not learner.reviews_per_day:
        return NO_CAP
    if due_reviews(learner, now).count() + answered.reviews <= usual_reviews(learner, now):
        return NO_CAP
    return max(0, learner.reviews_per_day - answered.reviews)
