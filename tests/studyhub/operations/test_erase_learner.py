"""A person can be erased whole, on purpose only; the others keep all they did."""

import uuid
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction

from cards.models import Card, CardVersion, Deck, Topic
from studyhub.study.models import Attempt, Learner, Memory, Review, learner_of
from studyhub.study.reviews import ReviewSubmission, record_review, void_review

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def erase(*arguments: str) -> str:
    out = StringIO()
    call_command("erase_learner", *arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def card(db: None) -> Card:
    deck = Deck.objects.create(slug="transformers", title="Transformers")
    topic = Topic.objects.create(slug="d-head", deck=deck, title="d_head")
    card = Card.objects.create(slug="heads", topic=topic, state=Card.State.PUBLISHED)
    key = {"compute": "num_heads", "model": "bert-base"}
    card.published_version = CardVersion.objects.create(
        card=card, number=1, answer_type="numeric", answer={"key": key}, prompt="?", content_hash="1"
    )
    card.save()
    return card


@pytest.fixture
def studied(card: Card, ben: Any, cy: Any) -> None:
    """Ben rated twice and took one back; Cy rated once."""
    for user, times in ((ben, 2), (cy, 1)):
        for _ in range(times):
            review = ReviewSubmission(
                uuid.uuid4(), rating=3, answered_at=MONDAY,
                version=card.published_version, response={"text": "12"},
            )  # fmt: skip
            record_review(learner_of(user), review, now=MONDAY)
    mine = Review.objects.filter(learner__user=ben)[0]
    void_review(mine.learner, mine, client_id=uuid.uuid4(), now=MONDAY)


def test_a_learner_is_erased_with_the_account_and_nobody_else(studied: None, ben: Any, cy: Any) -> None:
    assert erase("ben", "--yes") == "ben is erased, with 3 lines of the ledger.\n"
    assert list(get_user_model().objects.all()) == [cy]
    assert list(Learner.objects.values_list("user", flat=True)) == [cy.pk]
    for model in (Attempt, Review, Memory):
        assert model.objects.count() == 1


def test_the_ledger_is_closed_again_afterwards(studied: None) -> None:
    erase("ben", "--yes")
    with pytest.raises(DatabaseError, match="is a ledger"), transaction.atomic():
        Review.objects.update(rating=4)


def test_without_yes_it_says_what_would_go_and_leaves_all(studied: None) -> None:
    with pytest.raises(CommandError, match="ben has 3 lines in the ledger; add --yes"):
        erase("ben")
    assert Review.objects.count() == 4


def test_an_unknown_name_is_said(db: None) -> None:
    with pytest.raises(CommandError, match="no account 'nobody'"):
        erase("nobody", "--yes")


def test_an_account_that_never_studied_goes_too(ben: Any) -> None:
    assert erase("ben", "--yes") == "ben is erased, with 0 lines of the ledger.\n"
    assert not get_user_model().objects.exists()


def test_cards_an_author_wrote_stay_without_the_name(card: Card, ada: Any) -> None:
    CardVersion.objects.create(card=card, number=2, answer_type="numeric", prompt="?", author=ada)
    erase("ada", "--yes")
    assert CardVersion.objects.get(number=2).author is None


def test_a_failure_half_way_leaves_all(studied: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def full_disk(*_: Any, **__: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(get_user_model(), "delete", full_disk)
    with pytest.raises(OSError, match="disk full"):
        erase("ben", "--yes")
    assert (Review.objects.count(), Learner.objects.count()) == (4, 2)
