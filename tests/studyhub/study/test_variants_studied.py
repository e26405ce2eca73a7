"""Cards with drawn values in study: asked anew, graded for their seed, rebuilt from the ledger."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest

from attention_engine.spec import make_spec
from cards.answering import grade, key_text
from cards.generators import concrete, drawn, next_seed
from cards.models import Card
from studyhub.study.asking.queue import queue_item, study_queue
from studyhub.study.models import Attempt, Review
from studyhub.study.reviews import ReviewSubmission, record_review
from tests.shipped import shipped_content

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


@pytest.fixture
def drawn_card(db: None) -> Card:
    """A shipped card that draws: the width of a head."""
    shipped_content()
    return Card.objects.select_related("published_version").get(slug="width-of-one-head")


def digests(pictures) -> list[str]:
    return [make_spec(one["kind"], one["parameters"], one["seed"]).digest() for one in pictures]


def test_a_card_that_draws_is_asked_with_other_numbers_each_time(room, drawn_card):
    version, seen = drawn_card.published_version, []
    for day in range(8):
        now = MONDAY + timedelta(days=day)
        item = queue_item(room.learner, drawn_card, now)
        assert item.variant_seed == queue_item(room.learner, drawn_card, now).variant_seed
        assert drawn(version, item.variant_seed) not in seen[-5:]
        seen.append(drawn(version, item.variant_seed))
        text = str(seen[-1]["d_head"])
        room.rate(room.answer(drawn_card, text, now=now, variant_seed=item.variant_seed), at=now)
    assert set(Attempt.objects.values_list("outcome", flat=True)) == {"correct"}


def test_the_pictures_of_an_answer_are_rebuilt_from_its_line_of_the_ledger(room, drawn_card):
    seed = next_seed(drawn_card.published_version, "any", [])
    attempt = room.answer(drawn_card, "64", variant_seed=seed)
    line = Review.objects.select_related("card_version", "attempt").get(pk=room.rate(attempt, 1).pk)
    assert (line.variant_seed, line.attempt.outcome) == (seed, "incorrect")
    again = grade(line.card_version, line.variant_seed, line.attempt.response)
    stored = line.attempt.grade["pictures"]
    assert digests(again.pictures) == digests(stored)
    values = drawn(line.card_version, line.variant_seed)
    assert {one["parameters"]["num_heads"] for one in stored} == {values["num_heads"]}
    shown = concrete(line.card_version, line.variant_seed)
    assert f"{values['num_heads']} heads" in shown.prompt


def test_an_answer_given_offline_is_graded_for_the_seed_it_was_asked_with(room, drawn_card):
    version = drawn_card.published_version
    seed = next_seed(version, "offline", [])
    review, _ = record_review(
        room.learner,
        ReviewSubmission(
            client_id=uuid.uuid4(), rating=3, answered_at=MONDAY, version=version,
            variant_seed=seed, response={"text": str(drawn(version, seed)["d_head"])},
        ),
        now=MONDAY,
    )  # fmt: skip
    assert (review.variant_seed, review.attempt.variant_seed) == (seed, seed)
    assert (review.attempt.outcome, review.attempt.grade["key_text"]) == ("correct", key_text(version, seed))


def test_a_seed_sent_for_a_card_that_draws_nothing_is_kept_and_changes_no_question(room, card):
    attempt = room.answer(card, "12", variant_seed=77)
    assert (attempt.variant_seed, attempt.outcome) == (77, "correct")
    assert concrete(card.published_version, 77) is card.published_version


def test_a_queue_of_many_cards_draws_without_a_read_for_each(room, drawn_card, django_assert_max_num_queries):
    room.learner.new_per_day = 50
    room.learner.save()
    with django_assert_max_num_queries(25):
        items = study_queue(room.learner, MONDAY, limit=50)
    seeds = {item.card.slug: item.variant_seed for item in items}
    assert seeds.get("bert-base-d-head") == 0
    assert seeds.get("shape-of-scores", 0) > 0
