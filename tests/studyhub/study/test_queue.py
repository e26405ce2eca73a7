"""What comes next, and what Today says."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.core.cache import cache

from cards.models import Card
from studyhub.study.models import Review
from studyhub.study.queue import (
    counts,
    queue_item,
    seconds_per_card,
    study_queue,
)
from studyhub.study.reviews import record_event

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def shelf(new_card, topic):
    """Cards a to f, in the order of the shelf."""
    return {slug: new_card(slug, topic, position) for position, slug in enumerate("abcdef")}


def asked(room, now=MONDAY, **options) -> str:
    return "".join(item.card.slug for item in study_queue(room.learner, now, **options))


def test_new_cards_come_in_the_order_of_the_shelf(room, shelf):
    assert asked(room) == "abcdef"
    assert asked(room, limit=2) == "ab"


def test_learning_comes_before_reviews_and_new_cards_last(room, shelf):
    room.graduate(shelf["e"], at=MONDAY - 9 * DAY)
    room.graduate(shelf["f"], at=MONDAY - 8 * DAY)
    room.study(shelf["d"], at=MONDAY - timedelta(minutes=30))
    assert asked(room) == "defabc"
    assert asked(room, limit=2) == "de"


def test_a_step_is_not_asked_before_its_time(room, shelf):
    room.study(shelf["a"])
    assert "a" not in asked(room, MONDAY + timedelta(minutes=9, seconds=59))
    assert asked(room, MONDAY + timedelta(minutes=10))[0] == "a"


def test_a_card_due_today_is_due_from_the_rollover_on(room, card):
    due = room.graduate(card).outcome["due"]
    rollover = datetime.fromisoformat(due)
    assert (rollover.hour, rollover.minute) == (4, 0)
    assert asked(room, rollover - timedelta(seconds=1)) == ""
    assert asked(room, rollover) == card.slug


def test_new_per_day_counts_cards_first_answered_today(room, shelf):
    room.learner.new_per_day = 2
    room.study(shelf["a"])
    assert asked(room) == "b"
    room.study(shelf["b"])
    assert asked(room) == ""
    tomorrow = MONDAY + DAY
    assert asked(room, tomorrow) == "abcd"


def test_an_undone_first_answer_is_not_counted(room, shelf):
    room.learner.new_per_day = 1
    room.undo(room.study(shelf["a"]))
    assert asked(room) == "a"


def test_a_card_met_yesterday_is_not_new_today(room, shelf):
    room.learner.new_per_day = 1
    room.study(shelf["a"], at=MONDAY - DAY)
    room.study(shelf["a"])
    assert asked(room) == "b"


@pytest.mark.parametrize("state", [Card.State.DRAFT, Card.State.RETIRED])
def test_only_published_cards_are_asked(room, shelf, state):
    room.graduate(shelf["a"], at=MONDAY - 9 * DAY)
    Card.objects.filter(slug__in="ab").update(state=state)
    assert asked(room) == "cdef"


def test_suspended_cards_are_not_asked_be_they_new_or_known(room, shelf):
    room.graduate(shelf["a"], at=MONDAY - 9 * DAY)
    for slug in "ab":
        record_event(room.learner, shelf[slug], Review.Kind.SUSPEND, client_id=room.new_id(), now=MONDAY)
    assert asked(room) == "cdef"


def test_buried_cards_come_back_on_their_day(room, shelf):
    room.graduate(shelf["a"], at=MONDAY - 9 * DAY)
    for slug in "ab":
        record_event(
            room.learner, shelf[slug], Review.Kind.BURY,
            client_id=room.new_id(), now=MONDAY, target_day=date(2026, 12, 1),
        )  # fmt: skip
    assert asked(room) == "cdef"
    assert asked(room, MONDAY + DAY) == "abcdef"


def test_reset_card_is_new_again(room, shelf):
    room.graduate(shelf["c"], at=MONDAY - 9 * DAY)
    record_event(room.learner, shelf["c"], Review.Kind.RESET, client_id=room.new_id(), now=MONDAY)
    assert asked(room) == "abcdef"


def test_topic_filters_by_slug_or_by_topic(room, shelf, new_topic, new_card):
    other = new_topic("masks", position=1)
    new_card("z", other)
    assert asked(room, topic="masks") == asked(room, topic=other) == "z"
    assert counts(room.learner, MONDAY, topic="masks").new == 1
    assert asked(room, topic="nothing") == ""


def test_learners_do_not_see_each_others_cards(room, other_room, shelf):
    room.graduate(shelf["f"], at=MONDAY - 9 * DAY)
    assert asked(other_room) == "abcdef"


def test_item_shows_the_four_intervals(room, card):
    (item,) = study_queue(room.learner, MONDAY)
    assert list(item.intervals) == ["again", "hard", "good", "easy"]
    assert (item.version, item.variant_seed, item.memory) == (card.published_version, 0, None)
    assert queue_item(room.learner, card, MONDAY) == item


def test_an_unpublished_card_gives_no_item(room, card):
    card.state = Card.State.DRAFT
    assert queue_item(room.learner, card, MONDAY) is None


def test_a_queue_takes_as_many_queries_for_forty_cards_as_for_two(
    room, new_card, topic, django_assert_max_num_queries
):
    counted = []
    for number in range(40):
        room.graduate(new_card(f"known-{number}", topic), at=MONDAY - 9 * DAY)
        new_card(f"new-{number}", topic)
        if number in (1, 39):
            cache.clear()
            with django_assert_max_num_queries(17) as queries:
                queue = study_queue(room.learner, MONDAY, limit=200)
                assert all(item.version.prompt and item.intervals for item in queue)
            counted.append(len(queries))
            assert len(queue) == number + 1 + min(number + 1, room.learner.new_per_day)
    assert counted[0] == counted[1]


def test_counts_say_what_is_due_new_and_later_today(room, shelf):
    room.graduate(shelf["a"], at=MONDAY - 9 * DAY)
    room.study(shelf["b"])
    found = counts(room.learner, MONDAY)
    assert (found.due, found.new, found.total) == (1, 4, 5)
    assert (found.later, found.next_due) == (1, MONDAY + timedelta(minutes=10))


def test_counts_agree_with_the_queue(room, shelf):
    room.learner.new_per_day = 3
    room.graduate(shelf["a"], at=MONDAY - 9 * DAY)
    room.study(shelf["b"], at=MONDAY - timedelta(minutes=20))
    assert counts(room.learner, MONDAY).total == len(study_queue(room.learner, MONDAY))


@pytest.mark.parametrize(
    ("times", "seconds"),
    [
        ([], 20.0),
        ([1_000], 20.0),
        ([1_000] * 9, 20.0),
        ([0] * 20, 20.0),
        ([1_000] * 10, 5.0),
        ([10_000] * 9 + [0, 3_600_000], (9 * 10 + 120) / 10),
    ],
    ids=["no answer", "one", "nine", "untimed", "ten too quick", "ten, one of them a break"],
)
def test_seconds_per_card_are_the_usual_ones_until_ten_answers_are_known(room, card, times, seconds):
    for ms in times:
        room.rate(room.answer(card, elapsed_ms=ms))
    assert seconds_per_card(room.learner, MONDAY) == pytest.approx(seconds)
