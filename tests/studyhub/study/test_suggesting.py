"""What a stored answer suggests: by the learner's own earlier answers, decided once, for one query."""

from datetime import timedelta

import pytest

from cards.models import CardVersion
from studyhub.study.models import Attempt
from studyhub.study.rating import RATINGS
from studyhub.study.statistics import Overrides, overrides
from studyhub.study.suggesting import suggestion_of
from tests.studyhub.study.conftest import MONDAY

DAY = timedelta(days=1)


def timed(room, card, seconds: float, count: int = 20) -> None:
    """As many right answers of earlier days, each a minute after the other."""
    for minute in range(count):
        room.answer(card, elapsed_ms=int(seconds * 1000), now=MONDAY - DAY + timedelta(minutes=minute))


def suggested(attempt: Attempt) -> tuple[str, str]:
    found = suggestion_of(Attempt.objects.get(pk=attempt.pk))
    return found.name, found.reason


def test_a_fast_answer_is_easy_by_the_learners_own_times(room, card):
    timed(room, card, 9)
    assert suggested(room.answer(card, elapsed_ms=4000)) == (
        "easy",
        "Suggested: Easy, right in 4 s; your usual for numbers is 9 s",
    )
    assert suggested(room.answer(card, elapsed_ms=9000, now=MONDAY + DAY))[0] == "good"


def test_nineteen_times_are_too_few(room, card):
    timed(room, card, 9, count=19)
    assert suggested(room.answer(card, elapsed_ms=1000)) == ("good", "Suggested: Good, right")


def test_times_of_another_learner_another_type_or_a_longer_prompt_do_not_count(
    room, other_room, new_card, topic, card
):
    timed(other_room, card, 9)
    timed(room, new_card("other-type", topic), 9)
    CardVersion.objects.filter(card__slug="other-type").update(answer_type="shape")
    timed(room, new_card("long", topic), 9)
    CardVersion.objects.filter(card__slug="long").update(prompt="word " * 40)
    assert suggested(room.answer(card, elapsed_ms=1000))[0] == "good"


@pytest.mark.parametrize("options", [{"assisted": True}, {"elapsed_ms": 0}, {"text": "10"}])
def test_times_with_a_hint_of_a_miss_or_not_known_do_not_count(room, card, options):
    for minute in range(20):
        given = {"elapsed_ms": 9000, "text": "12"} | options
        room.answer(card, now=MONDAY - DAY + timedelta(minutes=minute), **given)
    assert suggested(room.answer(card, elapsed_ms=1000))[0] == "good"


def test_a_miss_of_the_same_study_day_makes_a_right_answer_hard(room, card):
    room.answer(card, "10", now=MONDAY)
    later = room.answer(card, "12", now=MONDAY + timedelta(minutes=10))
    assert suggested(later) == ("hard", "Suggested: Hard, right after a miss today")


def test_a_miss_of_the_day_before_or_of_another_card_does_not(room, card, new_card, topic):
    room.answer(card, "10", now=MONDAY - DAY)
    room.answer(new_card("another", topic), "10", now=MONDAY)
    assert suggested(room.answer(card, now=MONDAY + timedelta(minutes=10)))[0] == "good"


def test_the_day_begins_at_the_rollover_of_the_learners_zone(room, card):
    midnight = MONDAY.replace(hour=0)
    room.answer(card, "10", now=midnight.replace(hour=3, minute=50))
    assert suggested(room.answer(card, now=midnight.replace(hour=4, minute=10)))[0] == "good"


def test_a_miss_counts_though_many_right_answers_came_since(room, card, new_card, topic):
    room.answer(card, "10", now=MONDAY)
    other = new_card("another", topic)
    Attempt.objects.bulk_create(
        Attempt(
            learner=room.learner,
            client_id=room.new_id(),
            card_version=other.published_version,
            outcome="correct",
            score=1,
            elapsed_ms=9000,
            created_at=MONDAY + timedelta(seconds=n),
        )
        for n in range(1, 300)
    )
    assert suggested(room.answer(card, now=MONDAY + timedelta(hours=1)))[0] == "hard"


def test_what_was_suggested_does_not_change_with_later_answers(room, card):
    timed(room, card, 9)
    first = room.answer(card, elapsed_ms=4000)
    timed(room, card, 1, count=40)
    room.answer(card, "10", now=MONDAY)
    assert suggested(first)[0] == "easy"
    assert room.rate(first, 3).suggested_rating == RATINGS["easy"]


def test_an_answer_of_before_suggestions_were_kept_still_has_one(room, card):
    attempt = room.answer(card, "10")
    Attempt.objects.update(suggested_rating=0, reason="")
    assert suggested(attempt) == ("again", "Suggested: Again, a miss")


def test_a_suggestion_costs_two_queries_and_a_miss_none(room, card, django_assert_num_queries):
    from studyhub.study import suggesting

    right, wrong = room.answer(card), room.answer(card, "10")
    with django_assert_num_queries(2):
        suggesting.suggestion_for(room.learner, right, now=MONDAY)
    with django_assert_num_queries(0):
        suggesting.suggestion_for(room.learner, wrong, now=MONDAY)


def test_overrides_are_counted_by_answer_type(
    room, other_room, card, new_card, topic, django_assert_num_queries
):
    aloud = new_card("aloud", topic, answer_type="reveal")
    for rating in (3, 3, 4, 2):
        room.rate(room.answer(card), rating)
    room.undo(room.rate(room.answer(card), 1))
    room.rate(room.answer(aloud, response={"revealed": True}), 2)
    other_room.rate(other_room.answer(card), 1)
    with django_assert_num_queries(1):
        found = overrides(room.learner)
    assert found == [
        Overrides("numeric", kept=2, raised=1, lowered=1),
        Overrides("reveal", unsuggested=1),
    ]
    assert found[0].suggested == 4
    assert overrides()[0].lowered == 2
