"""A card's own menu: how it stands, and what can be done with it besides answering. Writes nothing."""

import uuid
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from cards.models import Card
from studyhub.study.models import Learner, Memory, Review
from studyhub.study.rules import rules_of
from studyhub.study.scheduling.leech import is_leech
from studyhub.study.zones import study_day_of
from studyhub.web import words

Kind = Review.Kind
FARTHEST = timedelta(days=36_500)


@dataclass(frozen=True)
class Act:
    """Something that can be done with a card: its button, and what happens then."""

    kind: Kind
    title: str
    happens: str


SUSPEND = Act(Kind.SUSPEND, "Suspend", "It is not asked until you take it up again.")
UNSUSPEND = Act(Kind.UNSUSPEND, "Take up again", "It is asked when it is due.")
BURY = Act(Kind.BURY, "Bury until tomorrow", "It is not asked again today.")
DIG_UP = Act(Kind.BURY, "Ask it today", "It is asked again from now on.")
SET_DUE = Act(Kind.SET_DUE, "Set the day it is due", "It comes back on that day; what is known of it stays.")
RESET = Act(Kind.RESET, "Reset", "It is new again; answers so far count no more for it.")


def card_menu(
    learner: Learner, card: Card, now: datetime, *, day: str = "", error: str = ""
) -> dict[str, Any]:
    """What the menu shows. `day`, `error`: a day that cannot be, as it was given, and why."""
    memory = Memory.objects.filter(learner=learner, card=card).first()
    today = study_day_of(learner, now)
    buried = bool(memory and memory.buried_until and memory.buried_until > today)
    suspended = bool(memory and memory.suspended)
    acts = [UNSUSPEND if suspended else SUSPEND, *([DIG_UP if buried else BURY] if not suspended else [])]
    known = memory is not None and memory.state != Memory.State.NEW
    return {
        "card": card.slug,
        "client_id": uuid.uuid4(),
        "acts": acts,
        "set_due": SET_DUE if known else None,
        "reset": RESET if known else None,
        "day": day or (today + timedelta(days=1)).isoformat(),
        "first_day": today.isoformat(),
        "last_day": (today + FARTHEST).isoformat(),
        "error": error,
        "stands": _stands(memory, suspended=suspended, buried=buried),
        "leech": _leech(learner, card, memory),
    }


def target_day(learner: Learner, kind: Kind, given: str, now: datetime) -> date | None:
    """The day of an event, None where it takes none. Raises ValueError with the days that would do."""
    today = study_day_of(learner, now)
    if kind == Kind.BURY:
        return today if given == "today" else today + timedelta(days=1)
    if kind != Kind.SET_DUE:
        return None
    try:
        day = date.fromisoformat(given)
    except ValueError:
        raise ValueError(
            f"{given[:20] or 'Nothing'} is no date. Give one such as {today.isoformat()}."
        ) from None
    if not today <= day <= today + FARTHEST:
        raise ValueError(f"{given} is not between {today} and {today + FARTHEST}.")
    return day


def event_words(kind: str, day: date | None) -> dict[str, str]:
    """What was done with a card, and what follows: "Buried", "Not asked before 2 December"."""
    on = f"{day.day} {day:%B} {day.year}" if day else ""
    return {
        Kind.SUSPEND: {"title": "Suspended", "words": "Not asked until you take it up again"},
        Kind.UNSUSPEND: {"title": "Taken up again", "words": "Asked when it is due"},
        Kind.BURY: {"title": "Buried", "words": f"Not asked before {on}"},
        Kind.SET_DUE: {"title": "Due day set", "words": f"Comes back on {on}"},
        Kind.RESET: {"title": "Reset", "words": "New again"},
    }[Kind(kind)]


def _stands(memory: Memory | None, *, suspended: bool, buried: bool) -> str:
    """How it is put aside, "" where it is not."""
    if suspended:
        return "Suspended: it is not asked in any session."
    if memory and memory.buried_until and buried:
        return f"Buried: it is not asked before {memory.buried_until.day} {memory.buried_until:%B}."
    return ""


def _leech(learner: Learner, card: Card, memory: Memory | None) -> dict[str, str] | None:
    """A card that keeps slipping, and what helps; None for any other."""
    after = rules_of(learner, card).leech_after
    if memory is None or not is_leech(memory.lapses, after):
        return None
    return {
        "title": f"This card has lapsed {words.counted(memory.lapses, 'time')}.",
        "topic": card.topic.slug,
        "topic_html": words.title_html(card.topic.title),
    }
