"""The ways to study: all that is due, cramming, what failed today, ahead of time, as long as there is time.

Cramming and what failed today are practice: their answers are attempts that are never rated, so no schedule
moves. Reads only; knows no page.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b

from cards.models import Card
from studyhub.study.asking.answers_today import answers_today, barred_today
from studyhub.study.asking.candidates import candidates
from studyhub.study.asking.items import QueueItem, cards_with, items_of
from studyhub.study.asking.ordering import by_need, one_of_a_family
from studyhub.study.asking.queue import counts, due_queue
from studyhub.study.models import Attempt, Learner, Memory
from studyhub.study.pace import seconds_per_card
from studyhub.study.rating import AGAIN
from studyhub.study.shelf import (
    Subject,
    answered_today,
    live,
    published,
    reviews_ahead,
)
from studyhub.study.zones import present

DUE, CRAM, FAILED_TODAY, AHEAD = "due", "cram", "failed_today", "ahead"
KINDS = (DUE, CRAM, FAILED_TODAY, AHEAD)
PRACTICE = (CRAM, FAILED_TODAY)
RIGHT = "correct"
MOST_CARDS = 50
MOST_MINUTES = 600
MOST_DAYS_AHEAD = 30
MOST_ROUNDS = 20


class InvalidSession(ValueError):
    """A session that cannot be held. `field` names what is wrong."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class Session:
    """What a learner wants to study. Slugs and minutes left empty limit nothing.

    due: steps, reviews, new cards. cram: every card of the topic or deck that was met, most forgotten first,
    then those never met. failed_today: what was rated Again on this study day. ahead: reviews that come due
    in the next `days` study days. `minutes`: only as many cards as fit by the learner's own pace, the most
    valuable first. `rounds`: a practice leaves out cards answered right so often. `seed`: another order.
    Raises InvalidSession with the numbers.
    """

    kind: str = DUE
    topic: str = ""
    deck: str = ""
    minutes: int = 0
    seed: int = 0
    days: int = 1
    rounds: int = 1

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InvalidSession("kind", f"{self.kind!r} is none of {', '.join(KINDS)}")
        _within("minutes", self.minutes, 0, MOST_MINUTES)
        _within("days", self.days, 1, MOST_DAYS_AHEAD)
        _within("rounds", self.rounds, 1, MOST_ROUNDS)
        if self.kind == CRAM and not (self.topic or self.deck):
            raise InvalidSession("kind", "cram needs a topic or a deck; name one of them")

    @property
    def subject(self) -> Subject:
        """Its topic and deck."""
        return Subject(self.topic, self.deck)

    @property
    def practice(self) -> bool:
        """Whether its answers leave every schedule as it is."""
        return self.kind in PRACTICE


def study_session(
    learner: Learner, now: datetime, session: Session, limit: int = MOST_CARDS
) -> list[QueueItem]:
    """The cards to ask now, at most `limit` and as many as fit the minutes; [] when the session is over."""
    fits = min(limit, cards_that_fit(learner, now, session.minutes)) if session.minutes else limit
    if session.kind == DUE:
        short = bool(session.minutes)
        return due_queue(learner, now, limit=fits, subject=session.subject, seed=session.seed, short=short)
    rows = cards_with(learner, _chosen(learner, now, session)[:fits])
    return items_of(learner, rows, now, practice=session.practice)


def cards_left(learner: Learner, now: datetime, session: Session) -> int:
    """How many cards the session would still ask now, its minutes left aside."""
    if session.kind == DUE:
        return counts(learner, now, session.topic or None, session.deck).total
    return len(_chosen(learner, now, session))


def cards_that_fit(learner: Learner, now: datetime, minutes: int) -> int:
    """How many cards the learner answers in so many minutes at their own pace; at least one."""
    return max(1, int(minutes * 60 / seconds_per_card(learner, now)))


def _within(field: str, number: int, least: int, most: int) -> None:
    if not least <= number <= most:
        raise InvalidSession(field, f"{field} {number} is not between {least} and {most}")


def _chosen(learner: Learner, now: datetime, session: Session) -> list[int]:
    """The cards of a session other than what is due, in its order."""
    if session.kind == AHEAD:
        return _ahead(learner, now, session)
    cards = _to_cram(learner, now, session) if session.kind == CRAM else _failed(learner, now, session)
    return _still_to_practise(learner, now, cards, session)


def _ahead(learner: Learner, now: datetime, session: Session) -> list[int]:
    """Reviews before their time, most forgotten first; the model counts the shorter wait."""
    coming = reviews_ahead(learner, now, days=session.days, subject=session.subject)
    found = sorted(candidates(learner, coming, now), key=by_need)
    barred = barred_today(learner, now, answers_today(learner, now))
    return [one.card for one in one_of_a_family(found, barred)]


def _to_cram(learner: Learner, now: datetime, session: Session) -> list[int]:
    """Every card of the subject that is neither suspended nor buried."""
    met = live(learner, now, session.subject).exclude(state=Memory.State.NEW)
    known = [one.card for one in sorted(candidates(learner, met, now), key=by_need)]
    apart = Memory.objects.filter(session.subject.filter("card__"), learner=learner)
    put_aside = apart.exclude(state=Memory.State.NEW, suspended=False, buried_until=None)
    cards = Card.objects.filter(published(), session.subject.filter())
    others = cards.exclude(pk__in=put_aside.values("card")).exclude(pk__in=known)
    return known + list(others.order_by("topic__position", "position", "slug").values_list("pk", flat=True))


def _failed(learner: Learner, now: datetime, session: Session) -> list[int]:
    """Cards rated Again today, in an order of the seed."""
    again = answered_today(learner, now).filter(rating=AGAIN).values("card")
    met = live(learner, now, session.subject).filter(card__in=again)
    cards = list(met.values_list("card", flat=True))
    key = f"{learner.pk}:{present(learner, now).study_day}:{session.seed}"
    return sorted(cards, key=lambda card: (blake2b(f"{key}:{card}".encode()).digest(), card))


def _still_to_practise(learner: Learner, now: datetime, cards: Iterable[int], session: Session) -> list[int]:
    """Those not answered right often enough today; the least practised first, else in the order given."""
    since = present(learner, now).rollover_in(0)
    attempts = Attempt.objects.filter(learner=learner, practice=True, created_at__gte=since)
    tried: Counter[int] = Counter()
    right: Counter[int] = Counter()
    for card, outcome in attempts.values_list("card_version__card_id", "outcome"):
        tried[card] += 1
        right[card] += outcome == RIGHT
    left = [card for card in cards if right[card] < session.rounds]
    return sorted(left, key=lambda card: tried[card])
