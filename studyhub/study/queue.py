"""What a learner studies next and what Today says of it. Reads only; knows no grade and no page."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db.models import Avg, Count, Exists, F, Min, OuterRef, Q, QuerySet
from django.db.models.functions import Least

from cards.models import Card, CardVersion, Topic
from studyhub.study.models import Learner, Memory, Review
from studyhub.study.rating import NAMES
from studyhub.study.replay import memory_value
from studyhub.study.rules import rules_of
from studyhub.study.scheduling import (
    MemoryState,
    interval_seconds,
    moment_of,
    preview,
    recall_chance,
    rollover,
    study_day,
)

STEPS = (Memory.State.LEARNING, Memory.State.RELEARNING)
LONGEST_ANSWER_MS = 120_000  # a longer one was a break
SHORTEST_PACE = 5.0  # seconds a card; less is a key pressed without reading
USUAL_SECONDS = 20.0  # a card, before enough is known of the learner
ENOUGH_ANSWERS = 10


@dataclass(frozen=True)
class QueueItem:
    """A card to ask now; `memory` None = new. `intervals`: button name -> seconds."""

    card: Card
    version: CardVersion
    variant_seed: int
    memory: Memory | None
    intervals: Mapping[str, int]


@dataclass(frozen=True)
class Counts:
    """How much there is: due now, new left today, in steps later today, and when the next of those comes."""

    due: int
    new: int
    later: int = 0
    next_due: datetime | None = None

    @property
    def total(self) -> int:
        """Cards a session would ask now."""
        return self.due + self.new


@dataclass(frozen=True)
class Recall:
    """How many of a topic's cards would be recalled today."""

    expected: float
    seen: int
    cards: int

    @property
    def sentence(self) -> str:
        """The figure in words."""
        if not self.seen:
            return f"Not started, {self.cards} {'card' if self.cards == 1 else 'cards'}."
        return f"You would recall about {round(self.expected)} of {self.cards} today."


def study_queue(
    learner: Learner, now: datetime, limit: int = 50, topic: Topic | str | None = None
) -> list[QueueItem]:
    """At most `limit` cards: learning steps that are due, due reviews (longest overdue first), then new ones.

    Published cards only, not suspended or buried; `topic` is a Topic or its slug. Four queries, however long.
    """
    due = _due(learner, now, topic)
    steps = list(due.filter(state__in=STEPS).order_by("due", "pk")[:limit])
    reviews = list(due.filter(state=Memory.State.REVIEW).order_by("due", "pk")[: limit - len(steps)])
    rows: list[tuple[Card, Memory | None]] = [(memory.card, memory) for memory in (*steps, *reviews)]
    room = min(limit - len(rows), _new_left(learner, now))
    rows += [(card, None) for card in _new_cards(learner, now, topic)[: max(0, room)]]
    return [_item(learner, card, memory=memory, now=now) for card, memory in rows]


def queue_item(learner: Learner, card: Card, now: datetime) -> QueueItem | None:
    """One card asked on its own, due or not; None if it is not published."""
    if card.state != Card.State.PUBLISHED or card.published_version is None:
        return None
    memory = Memory.objects.filter(learner=learner, card=card).first()
    return _item(learner, card, memory=memory, now=now)


def counts(learner: Learner, now: datetime, topic: Topic | str | None = None) -> Counts:
    """What a session of now would hold, and what comes back later today."""
    today = study_day_of(learner, now)
    tomorrow = rollover(today + timedelta(days=1), time_zone=learner.time_zone, hour=learner.rollover_hour)
    later = _live(learner, today, topic).filter(state__in=STEPS, due__gt=now, due__lt=tomorrow)
    coming = later.aggregate(number=Count("pk"), first=Min("due"))
    return Counts(
        due=_due(learner, now, topic).count(),
        new=min(_new_left(learner, now), _new_cards(learner, now, topic).count()),
        later=coming["number"],
        next_due=coming["first"],
    )


def intervals(
    memory: Memory | MemoryState | None, learner: Learner, card: Card, now: datetime
) -> dict[str, int]:
    """What the four buttons give now: {"again": seconds, "hard", "good", "easy"}; a day counts 86,400."""
    value = memory if isinstance(memory, MemoryState) else memory_value(memory)
    moment = moment_of(now, time_zone=learner.time_zone, rollover_hour=learner.rollover_hour)
    offered = preview(value, moment=moment, rules=rules_of(learner), card=str(card.uuid))
    return {NAMES[rating]: interval_seconds(state, now) for rating, state in offered.items()}


def intervals_of(learner: Learner, card: Card, now: datetime) -> dict[str, int]:
    """The same for a card whose memory is not at hand."""
    return intervals(Memory.objects.filter(learner=learner, card=card).first(), learner, card, now)


def study_day_of(learner: Learner, now: datetime) -> date:
    """The learner's study day."""
    return study_day(now, time_zone=learner.time_zone, hour=learner.rollover_hour)


def answers_by_day(learner: Learner, now: datetime, days: int = 14) -> list[tuple[date, int]]:
    """[(study day, reviews)] for the last `days` study days, today last; days without are 0."""
    today = study_day_of(learner, now)
    first = today - timedelta(days=days - 1)
    rows = _answers(learner).filter(study_day__range=(first, today))
    found = dict(rows.values_list("study_day").annotate(number=Count("pk")))
    return [(day, found.get(day, 0)) for day in (first + timedelta(days=n) for n in range(days))]


def days_in_a_row(learner: Learner, now: datetime) -> int:
    """Study days without a gap up to today; a today not begun does not break it."""
    today = study_day_of(learner, now)
    rows = _answers(learner).filter(study_day__lte=today).order_by("-study_day")
    expected, count = None, 0
    for day in rows.values_list("study_day", flat=True).distinct().iterator():
        if expected is None and day >= today - timedelta(days=1):
            expected = day
        if day != expected:
            break
        expected, count = day - timedelta(days=1), count + 1
    return count


def seconds_per_card(learner: Learner, now: datetime, days: int = 14) -> float:
    """Mean seconds an answer took in the last `days` study days, 5 to 120; 20 until 10 answers are known."""
    since = study_day_of(learner, now) - timedelta(days=days - 1)
    timed = _answers(learner).filter(study_day__gte=since, elapsed_ms__gt=0)
    known = timed.aggregate(mean=Avg(Least(F("elapsed_ms"), LONGEST_ANSWER_MS)), number=Count("pk"))
    if known["number"] < ENOUGH_ANSWERS:
        return USUAL_SECONDS
    return max(float(known["mean"]) / 1000, SHORTEST_PACE)


def topic_recall(learner: Learner, topic: Topic | str, now: datetime) -> Recall:
    """The sum of the chances of recall over a topic's published cards; never seen = 0.

    A card answered today counts with tomorrow's chance: within a day the model makes no prediction.
    """
    today = study_day_of(learner, now)
    memories = Memory.objects.filter(_topic_is(topic, "card__"), _published("card__"), learner=learner)
    seen = [memory_value(memory) for memory in memories.exclude(state=Memory.State.NEW)]
    chances = [recall_chance(memory, max(today, _day_after(memory, today))) for memory in seen]
    return Recall(sum(chances), len(seen), Card.objects.filter(_topic_is(topic), _published()).count())


def _day_after(memory: MemoryState, today: date) -> date:
    return (memory.last_study_day or today) + timedelta(days=1)


def _item(learner: Learner, card: Card, *, memory: Memory | None, now: datetime) -> QueueItem:
    version = card.published_version
    assert version is not None
    return QueueItem(card, version, 0, memory, intervals(memory, learner, card, now))


def _published(prefix: str = "") -> Q:
    return Q(
        **{f"{prefix}state": Card.State.PUBLISHED, f"{prefix}published_version__isnull": False},
    )


def _topic_is(topic: Topic | str | None, prefix: str = "") -> Q:
    if topic is None:
        return Q()
    return Q(**{f"{prefix}topic": topic} if isinstance(topic, Topic) else {f"{prefix}topic__slug": topic})


def _live(learner: Learner, today: date, topic: Topic | str | None) -> QuerySet[Memory]:
    """Memories of cards that may be asked today."""
    return (
        Memory.objects.filter(_published("card__"), _topic_is(topic, "card__"), learner=learner)
        .filter(Q(buried_until=None) | Q(buried_until__lte=today), suspended=False)
        .select_related("card__published_version")
    )


def _due(learner: Learner, now: datetime, topic: Topic | str | None) -> QuerySet[Memory]:
    live = _live(learner, study_day_of(learner, now), topic)
    return live.filter(due__lte=now).exclude(state=Memory.State.NEW)


def _new_cards(learner: Learner, now: datetime, topic: Topic | str | None) -> QuerySet[Card]:
    """Cards never answered (or reset), in the order of the shelf."""
    today = study_day_of(learner, now)
    out = Memory.objects.filter(learner=learner, card=OuterRef("pk")).exclude(
        Q(buried_until=None) | Q(buried_until__lte=today), state=Memory.State.NEW, suspended=False
    )
    cards = Card.objects.filter(~Exists(out), _published(), _topic_is(topic))
    return cards.select_related("published_version").order_by(
        "topic__deck_id", "topic__position", "topic__slug", "position", "slug"
    )


def _new_left(learner: Learner, now: datetime) -> int:
    """How many more cards may be met today: new_per_day less those first answered today."""
    today = study_day_of(learner, now)
    answers = _answers(learner)
    before = answers.filter(card=OuterRef("card"), study_day__lt=today)
    met = answers.filter(~Exists(before), study_day=today).values("card").distinct().count()
    return max(0, learner.new_per_day - met)


def _answers(learner: Learner) -> QuerySet[Review]:
    """Reviews that count: not undone."""
    return Review.objects.filter(learner=learner, kind=Review.Kind.REVIEW, voided_by=None)
