"""The rows of the charts and tables of Progress. Counts nothing itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from studyhub.study.scheduling.evaluation import Scores
from studyhub.study.statistics.confidence import Confidence
from studyhub.study.statistics.days import DayAnswers
from studyhub.study.statistics.forecast import Forecast
from studyhub.study.statistics.leeches import Leech
from studyhub.study.statistics.mastery import TopicMastery
from studyhub.study.statistics.shares import Share
from studyhub.web import charts, words
from studyhub.web import progress_said as said

SHOWN_DAYS = 14


@dataclass(frozen=True)
class Observed:
    """A share in words and as a strip."""

    share: Share

    @property
    def strip(self) -> charts.Strip | None:
        """Where it stands on a line from 0 to 100."""
        return charts.strip(self.share)

    @property
    def percent(self) -> str:
        """Its value in words."""
        return said.percent(self.share.value)

    @property
    def interval(self) -> str:
        """Its 95 % interval, in per cent."""
        return f"{said.interval(self.share)}%" if self.share.number else "none"

    @property
    def note(self) -> str:
        """Its interval and number."""
        few = ", few" if self.share.number < charts.FEW_WORDS else ""
        return f"{said.interval(self.share)}, from {words.counted(self.share.number, 'answer')}{few}"


def topics(found: list[TopicMastery]) -> list[dict[str, Any]]:
    """A row for each topic."""
    return [
        {
            "slug": topic.topic,
            "title_html": words.title_html(topic.title),
            "cards": topic.cards,
            "seen": topic.seen,
            "expected": round(topic.expected),
            "mean": said.percent(topic.mean_recall),
            "observed": Observed(topic.observed),
        }
        for topic in found
    ]


def retention(found: Mapping[str, Mapping[str, Share]]) -> list[dict[str, Any]]:
    """A row for each period that saw a tested answer."""
    return [
        {
            "period": said.PERIODS[period],
            "shares": [Observed(shares[age]) for age in ("young", "mature", "all")],
        }
        for period, shares in found.items()
        if shares["all"].number
    ]


def confidence(found: Confidence) -> list[dict[str, Any]]:
    """A row for each confidence that was used."""
    return [
        {"said": said.SAID[row.said], "aim": row.said, "observed": Observed(row.share)} for row in found.rows
    ]


def scores(found: Mapping[str, Scores]) -> list[dict[str, Any]]:
    """A row for who foretold."""
    return [
        {
            "name": said.FORETOLD[name],
            "log_loss": f"{one.log_loss:.3f}",
            "rmse": f"{one.rmse:.3f}",
            "auc": "none" if one.auc is None else f"{one.auc:.3f}",
            "number": one.number,
        }
        for name, one in found.items()
    ]


def leeches(found: list[Leech]) -> list[dict[str, Any]]:
    """A row for each card that keeps slipping."""
    return [{**vars(one), "title_html": words.title_html(one.title)} for one in found]


def due_bars(found: Forecast) -> tuple[charts.Bar, ...]:
    """The next fortnight as bars."""
    rows = [(day.due, str(day.day.day), f"{day.day:%A}"[:1]) for day in found.days[:SHOWN_DAYS]]
    return charts.bars(rows, late=found.overdue)


def interview_bar(found: Forecast, bars: Sequence[charts.Bar], day: date | None) -> charts.Bar | None:
    """The bar of the day of the interview; None if it is not shown."""
    days = [one.day for one in found.days[:SHOWN_DAYS]]
    return bars[days.index(day) - len(days)] if day in days else None


def weeks(days: list[DayAnswers]) -> list[dict[str, Any]]:
    """A row for each week, newest first: the counts of its seven days, None for those to come."""
    found = [days[start : start + 7] for start in range(0, len(days), 7)]
    return [
        {"monday": week[0].day, "days": [*(day.answers for day in week), *[None] * (7 - len(week))]}
        for week in reversed(found)
    ]
