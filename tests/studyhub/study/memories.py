"""Memories as they stand after many answers, without giving the answers."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import OuterRef, Subquery

from cards.models import Card, CardVersion, Topic
from studyhub.study.models import Memory
from studyhub.study.scheduling.days import rollover

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)
HEADS = {"type": "numeric", "key": {"compute": "num_heads", "model": "bert-base"}, "tolerance": "exact"}


def remembered(room: Any, card: Card, *, interval: int, ago: int, **values: Any) -> Memory:
    """A card in review, answered `ago` days before Monday, to come back after `interval` days."""
    last = (MONDAY - ago * DAY).date()
    told = {
        "state": Memory.State.REVIEW,
        "stability": float(interval),
        "difficulty": 5.0,
        "reps": 4,
        "interval_days": interval,
        "last_review": MONDAY - ago * DAY,
        "last_study_day": last,
        "due": rollover(last + interval * DAY, time_zone="UTC", hour=4),
    }
    return Memory.objects.update_or_create(learner=room.learner, card=card, defaults=told | values)[0]


def known(room: Any, cards: list[Card], *, interval: int, ago: int) -> None:
    """The same of many cards at once."""
    last = (MONDAY - ago * DAY).date()
    due = rollover(last + interval * DAY, time_zone="UTC", hour=4)
    Memory.objects.bulk_create(
        Memory(
            learner=room.learner,
            card=card,
            state=Memory.State.REVIEW,
            stability=interval,
            difficulty=5.0,
            reps=4,
            interval_days=interval,
            last_review=MONDAY - ago * DAY,
            last_study_day=last,
            due=due,
        )
        for card in cards
    )


def many_cards(topic: Topic, number: int, *, prefix: str = "many") -> list[Card]:
    """Published cards of one wording, in few statements."""
    start = Card.objects.count()
    slugs = [f"{prefix}-{start + n}" for n in range(number)]
    Card.objects.bulk_create(Card(slug=slug, topic=topic, position=n) for n, slug in enumerate(slugs))
    cards = list(Card.objects.filter(slug__in=slugs).order_by("position"))
    wording = {"number": 1, "answer_type": "numeric", "prompt": "How many heads?", "content_hash": "1"}
    CardVersion.objects.bulk_create(CardVersion(card=card, answer=HEADS, **wording) for card in cards)
    version = CardVersion.objects.filter(card=OuterRef("pk")).values("pk")
    Card.objects.filter(pk__in=[card.pk for card in cards]).update(
        state=Card.State.PUBLISHED, published_version=Subquery(version)
    )
    return list(Card.objects.filter(slug__in=slugs).select_related("published_version").order_by("position"))
