"""What a sitting is about, as addresses and forms carry it, and how much of it is left. Knows no template."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from studyhub.study.asking.sessions import InvalidSession, Session, cards_left, cards_that_fit
from studyhub.study.models import Learner
from studyhub.web.forms import PlanForm
from studyhub.web.session import Sitting

NAMES = ("kind", "topic", "deck", "minutes", "days")
_USUAL = Session()


def plan_of(values: Mapping[str, Any]) -> Session:
    """The session of what a form has read; what is empty is as usual. Raises InvalidSession."""
    return Session(**{name: values[name] for name in NAMES if values.get(name)})


def asked_plan(query: Mapping[str, Any]) -> Session:
    """The session an address names. Raises InvalidSession."""
    form = PlanForm(query)
    if not form.is_valid():
        raise InvalidSession(next(iter(form.errors)), "there is no such session")
    return plan_of(form.cleaned_data)


def words_of(plan: Session) -> dict[str, str]:
    """What an address has to say of a session: whatever is not as usual."""
    return {name: str(getattr(plan, name)) for name in NAMES if _differs(plan, name)}


def enter(sitting: Sitting, learner: Learner, now: datetime, plan: Session, *, single: bool = False) -> None:
    """Goes on with this session, or starts it where the sitting is about another."""
    if not sitting.is_about(words_of(plan), single=single):
        begin(sitting, learner, now, plan, single=single)


def begin(sitting: Sitting, learner: Learner, now: datetime, plan: Session, *, single: bool = False) -> None:
    """Starts this session. How many cards fit its minutes is settled here, so that it ends."""
    fits = cards_that_fit(learner, now, plan.minutes) if plan.minutes else 0
    sitting.begin(words_of(plan), single=single, fits=fits)


def plan_in(sitting: Sitting) -> Session:
    """The session a sitting is about."""
    return asked_plan(sitting.plan)


def is_over(sitting: Sitting) -> bool:
    """Whether as many cards were answered as fit the minutes."""
    return 0 < sitting.fits <= len(sitting.marks)


def left(sitting: Sitting, learner: Learner, now: datetime) -> int:
    """How many cards the sitting still has."""
    if sitting.single:
        return 1
    cards = cards_left(learner, now, plan_in(sitting))
    return min(cards, max(0, sitting.fits - len(sitting.marks))) if sitting.fits else cards


def _differs(plan: Session, name: str) -> bool:
    return bool(getattr(plan, name) != getattr(_USUAL, name))
