"""All figures of a learner at once. Counts nothing itself; knows no page."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from studyhub.study.models import Learner
from studyhub.study.scheduling.evaluation import Scores
from studyhub.study.statistics.calibration import Calibration, calibration
from studyhub.study.statistics.confidence import Confidence, confidence
from studyhub.study.statistics.days import DayAnswers, Totals, days_in_a_row, heat_map, totals
from studyhub.study.statistics.forecast import Forecast, forecast
from studyhub.study.statistics.leeches import Leech, leeches
from studyhub.study.statistics.mastery import TopicMastery, mastery
from studyhub.study.statistics.retention import true_retention
from studyhub.study.statistics.scoring import latest_scores
from studyhub.study.statistics.shares import Share
from studyhub.study.zones import study_day_of


@dataclass(frozen=True)
class Figures:
    """What the modules of this room say of a learner on one study day."""

    study_day: date
    totals: Totals
    days_in_a_row: int
    true_retention: Mapping[str, Mapping[str, Share]]
    forecast: Forecast
    heat_map: list[DayAnswers]
    topics: list[TopicMastery]
    calibration: Calibration
    scores: Mapping[str, Scores]
    confidence: Confidence
    leeches: list[Leech]


def figures(learner: Learner, now: datetime) -> Figures:
    """Everything, in about fifteen queries however long the history."""
    return Figures(
        study_day=study_day_of(learner, now),
        totals=totals(learner),
        days_in_a_row=days_in_a_row(learner, now),
        true_retention=true_retention(learner, now),
        forecast=forecast(learner, now),
        heat_map=heat_map(learner, now),
        topics=mastery(learner, now),
        calibration=calibration(learner),
        scores=latest_scores(learner),
        confidence=confidence(learner),
        leeches=leeches(learner),
    )
