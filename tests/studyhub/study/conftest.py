"""A shelf of small numeric cards, the learner Ben, and a study room to act in."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from django.contrib.auth import get_user_model

from cards.models import Card, CardVersion, Deck, Topic
from studyhub.study.models import Attempt, Learner, Memory, Review, learner_of
from studyhub.study.replay import memory_value
from studyhub.study.reviews import (
    AttemptSubmission,
    ReviewSubmission,
    record_attempt,
    record_review,
    void_review,
)
from studyhub.study.scheduling import MemoryState

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
BERT_HEADS = {
    "type": "numeric",
    "key": {"compute": "num_heads", "model": "bert-base"},
    "tolerance": "exact",
}


def make_topic(slug: str = "d-head", position: int = 0) -> Topic:
    deck, _ = Deck.objects.get_or_create(slug="transformers", defaults={"title": "Transformers"})
    return Topic.objects.create(slug=slug, deck=deck, title=slug, position=position)


def make_card(slug: str, topic: Topic, position: int = 0, *, answer_type: str = "numeric") -> Card:
    """A published card asking for BERT-base's 12 heads."""
    card = Card.objects.create(slug=slug, topic=topic, position=position)
    answer = BERT_HEADS if answer_type == "numeric" else {"type": "reveal", "rubric": ["twelve"]}
    version = CardVersion.objects.create(
        card=card,
        number=1,
        answer_type=answer_type,
        prompt="How many heads?",
        answer=answer,
        content_hash="1",
    )
    card.state, card.published_version = Card.State.PUBLISHED, version
    card.save()
    return card


@dataclass
class Room:
    """Ben's study room: short names for what a client does."""

    learner: Learner
    numbers: Any = field(default_factory=lambda: count(1))

    def new_id(self) -> uuid.UUID:
        return uuid.UUID(int=next(self.numbers))

    def answer(self, card: Card, text: str = "12", *, now: datetime = MONDAY, **options: Any) -> Attempt:
        submission = AttemptSubmission(
            client_id=options.pop("client_id", None) or self.new_id(),
            version=card.published_version,
            response=options.pop("response", {"text": text}),
            **options,
        )
        return record_attempt(self.learner, submission, now=now)[0]

    def rate(self, attempt: Attempt, rating: int = 3, *, at: datetime = MONDAY, **options: Any) -> Review:
        submission = ReviewSubmission(
            client_id=options.pop("client_id", None) or self.new_id(),
            rating=rating,
            answered_at=at,
            attempt=attempt,
            **options,
        )
        return record_review(self.learner, submission, now=at)[0]

    def study(self, card: Card, rating: int = 3, *, at: datetime = MONDAY) -> Review:
        return self.rate(self.answer(card, now=at), rating, at=at)

    def graduate(self, card: Card, *, at: datetime = MONDAY) -> Review:
        """Through both learning steps, into days."""
        self.study(card, 3, at=at)
        return self.study(card, 3, at=at + timedelta(minutes=10))

    def undo(self, review: Review, *, now: datetime = MONDAY) -> Review:
        return void_review(self.learner, review, client_id=self.new_id(), now=now)[0]

    def memory(self, card: Card) -> MemoryState:
        return memory_value(Memory.objects.filter(learner=self.learner, card=card).first())


@pytest.fixture
def new_topic(db: None) -> Callable[..., Topic]:
    return make_topic


@pytest.fixture
def new_card(db: None) -> Callable[..., Card]:
    return make_card


@pytest.fixture
def topic(db: None) -> Topic:
    return make_topic()


@pytest.fixture
def card(topic: Topic) -> Card:
    return make_card("bert-base-heads", topic)


@pytest.fixture
def room(db: None) -> Room:
    """Ben's; without a password, for hashing one takes longer than the test."""
    return Room(learner_of(get_user_model().objects.create(username="ben")))


@pytest.fixture
def other_room(db: None) -> Room:
    """Cy's."""
    return Room(learner_of(get_user_model().objects.create(username="cy")))
