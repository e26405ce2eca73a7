"""What the figures of Progress say in words: one sentence a chart, always with its number. Counts nothing."""

from datetime import date

from studyhub.study.statistics.calibration import Calibration
from studyhub.study.statistics.confidence import Confidence
from studyhub.study.statistics.days import DayAnswers
from studyhub.study.statistics.forecast import Forecast
from studyhub.study.statistics.shares import Share
from studyhub.web import words

SLIGHT = 0.05
PERIODS = {
    "today": "Today",
    "yesterday": "Yesterday",
    "week": "Last 7 days",
    "month": "Last 30 days",
    "year": "Last 365 days",
    "all": "All days",
}
SAID = {40: "Guess, 40%", 70: "Likely, 70%", 95: "Sure, 95%"}
FORETOLD = {
    "schedule": "The schedule",
    "average": "Your average until then",
    "moving_average": "Your average of late",
}


def percent(value: float | None) -> str:
    """0.862 -> "86%"; "none" of nothing."""
    return "none" if value is None else f"{round(100 * value)}%"


def interval(share: Share) -> str:
    """The ends of the 95 % interval: "80 to 91"."""
    return f"{round(100 * share.low)} to {round(100 * share.high)}"


def since(day: date | None, today: date) -> str:
    """ "since 1 June", its year only where it is another; "" of nothing."""
    if day is None:
        return ""
    return f"since {day.day} {day:%B}" + (f" {day.year}" if (today - day).days >= 300 else "")


def promise(found: Calibration) -> str:
    """Whether the schedule keeps its promise."""
    if found.promised is None:
        return "No promise has been tested yet."
    told = f"It promised {percent(found.promised)}, you recalled {percent(found.recalled.value)}."
    return f"{told} {_verdict(found.promised, found.recalled)}"


def _verdict(promised: float, recalled: Share) -> str:
    gap = promised - (recalled.value or 0.0)
    if recalled.few:
        return "Too few answers to judge."
    if recalled.low <= promised <= recalled.high:
        return "No further apart than chance allows."
    extent = "Slightly too" if abs(gap) <= SLIGHT else "Too"
    return f"{extent} {'hopeful' if gap > 0 else 'cautious'}."


def promise_note(found: Calibration, today: date) -> str:
    """What the dots are."""
    number = words.counted(found.number, "answer")
    return (
        f"{number} to cards past learning {since(found.since, today)}. Numbers at dots are answers, "
        "bars are 95% intervals, a hollow dot has fewer than 10. Dashed: promised and recalled are equal."
    )


def coming(found: Forecast, days: int) -> str:
    """What the next days hold."""
    shown = found.days[:days]
    number, most = sum(day.due for day in shown), max((day.due for day in shown), default=0)
    late = (
        f" {words.grouped(found.overdue)} more {'is' if found.overdue == 1 else 'are'} late."
        if found.overdue
        else ""
    )
    reviews = words.counted(number, "review")
    return f"{reviews} in {days} days, at most {words.grouped(most)} in a day, before new cards.{late}"


def run(days: int) -> str:
    """Days in a row, or that today is the first."""
    return f"{words.counted(days, 'day')} in a row" if days else "No day in a row now"


def weeks(days: list[DayAnswers]) -> str:
    """What the calendar adds up to."""
    answers, seconds = sum(day.answers for day in days), sum(day.seconds for day in days)
    active = sum(bool(day.answers) for day in days)
    told = f"{words.counted(answers, 'answer')} on {active} of {words.counted(len(days), 'day')}"
    return f"{told}, {words.span(seconds)} in all." if seconds else f"{told}."


def sureness(found: Confidence) -> str:
    """How well the learner knows what they know."""
    told = f"{words.counted(found.number, 'answer')} with a word on how sure you were."
    return f"{told} Brier score {found.brier:.2f}: 0 is best, 0.25 is what always saying 50% gets."
