"""What Today says after a break: how much waits, what a daily cap would do, which is set. Sets nothing."""

from datetime import date, datetime
from typing import Any

from studyhub.study.asking.catching_up import SMALLEST_BACKLOG, Cap, CatchUp, catch_up_preview
from studyhub.study.asking.queue import Counts
from studyhub.study.models import Learner
from studyhub.study.shelf import due_reviews
from studyhub.web import words


def catch_up_view(learner: Learner, due: Counts, now: datetime) -> dict[str, Any] | None:
    """The section of Today; None where no backlog waits and no cap holds anything back."""
    if not due.held and not _may_be_backlog(learner, due, now):
        return None
    found = catch_up_preview(learner, now)
    if not found.is_backlog and not due.held:
        return None
    return {
        "title": f"{words.counted(found.backlog, 'review')} wait",
        "sentence": _sentence(found),
        "options": [_option(one, found.cap) for one in found.options],
        "cap": found.cap,
    }


def _may_be_backlog(learner: Learner, due: Counts, now: datetime) -> bool:
    """One read before the five of a preview. Siblings wait for each other, so more may wait than is due."""
    return due.due > 0 and due_reviews(learner, now).count() >= SMALLEST_BACKLOG


def _sentence(found: CatchUp) -> str:
    usual = f"A usual day of yours is {found.usual}."
    if found.cap:
        return f"{usual} At most {found.cap:,} a day are asked; the rest waits for later days."
    if not found.options:
        return f"{usual} What is most forgotten comes first."
    return f"{usual} A cap spreads them over days; what is most forgotten comes first."


def _option(one: Cap, present: int) -> dict[str, Any]:
    lost = round(one.forgotten_meanwhile)
    meanwhile = f"about {lost:,} more forgotten meanwhile" if lost else "hardly any more forgotten meanwhile"
    days = words.counted(one.days, "day")
    return {
        "per_day": one.per_day,
        "title": f"{one.per_day:,} a day",
        "words": f"for {days}, until {_day(one.last_day)}; {meanwhile}",
        "set": one.per_day == present,
    }


def _day(day: date) -> str:
    return f"{day.day} {day:%B}"
