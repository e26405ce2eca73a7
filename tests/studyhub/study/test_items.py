"""A card with variants is asked anew each time, and its schedule belongs to the card."""

from datetime import timedelta

import pytest

from cards.generators import drawn
from cards.models import Card, CardVersion
from studyhub.study.asking.items import variant_seeds
from studyhub.study.asking.queue import queue_item, study_queue
from studyhub.study.asking.sessions import Session, study_session
from studyhub.study.models import Memory, Review
from tests.studyhub.study.memories import MONDAY

WIDTHS = [512, 768, 1024, 1280, 1600, 2048, 4096]


@pytest.fixture
def varied(topic) -> Card:
    """How wide one of 64 heads is, of a d_model that is drawn."""
    card = Card.objects.create(slug="width-of-a-head", topic=topic)
    version = CardVersion.objects.create(
        card=card,
        number=1,
        answer_type="numeric",
        prompt="How wide is one of 64 heads of d_model {{ $width }}?",
        prompt_html="<p>How wide is one of 64 heads of d_model {{ $width }}?</p>",
        answer={"type": "numeric", "key": {"compute": "quotient", "d_model": "$width", "num_heads": 64}},
        parameters={"variants": {"width": WIDTHS}},
        content_hash="1",
    )
    card.state, card.published_version = Card.State.PUBLISHED, version
    card.save()
    return card


def asked(room, card, now) -> int:
    """The seed a card is asked with; it is answered and rated."""
    seed = queue_item(room.learner, card, now).variant_seed
    width = drawn(card.published_version, seed)["width"]
    attempt = room.answer(card, str(width // 64), now=now, variant_seed=seed)
    assert attempt.outcome == "correct"
    assert room.rate(attempt, 3, at=now).variant_seed == seed
    return seed


def test_no_variant_of_the_last_five_is_asked_again(room, varied):
    widths = []
    for number in range(12):
        seed = asked(room, varied, MONDAY + timedelta(days=number))
        widths.append(drawn(varied.published_version, seed)["width"])
    for end in range(5, len(widths)):
        assert widths[end] not in widths[end - 5 : end]
    assert Memory.objects.count() == 1
    assert Memory.objects.get().reps == Review.objects.count() == 12


def test_the_same_question_waits_until_it_is_answered(room, varied):
    first, again = (study_queue(room.learner, MONDAY)[0].variant_seed for _ in range(2))
    assert first == again > 0


def test_practice_draws_another_variant_too(room, varied):
    session, widths = Session("cram", topic="d-head", rounds=20), []
    for _ in range(6):
        (item,) = study_session(room.learner, MONDAY, session)
        widths.append(drawn(item.version, item.variant_seed)["width"])
        room.answer(varied, "1", variant_seed=item.variant_seed, practice=True)
    assert len(set(widths)) == 6
    assert Review.objects.count() == 0


def test_a_card_without_variants_costs_no_look_at_what_was_asked(room, card, django_assert_num_queries):
    card = Card.objects.select_related("published_version").get(pk=card.pk)
    with django_assert_num_queries(0):
        assert variant_seeds(room.learner, [(card, None)], MONDAY) == [0]
