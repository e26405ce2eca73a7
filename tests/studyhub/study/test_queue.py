"""What comes next, in which order, and how much of it there is."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from django.db import connection

from cards.models import Card, Deck, Topic
from studyhub.study.asking import day_order
from studyhub.study.asking.queue import counts, deck_counts, queue_item, seconds_per_card, study_queue
from studyhub.study.keeping import kept
from studyhub.study.models import DayRollup, Memory, Review
from studyhub.study.reviews import record_event
from tests.studyhub.study.memories import known, many_cards, remembered

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
    room.graduate(shelf["e"], at=MONDAY - 90 * DAY)  # recalled far less than f
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
        remembered(room, new_card(f"known-{number}", topic), interval=9, ago=9)
        new_card(f"new-{number}", topic)
        if number in (1, 39):
            kept.clear()
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


def test_the_longest_forgotten_review_is_asked_first(room, shelf):
    remembered(room, shelf["a"], interval=20, ago=21)
    remembered(room, shelf["b"], interval=5, ago=90)
    remembered(room, shelf["c"], interval=20, ago=60)
    room.learner.new_per_day = 0
    assert asked(room) == "bca"


def test_the_order_belongs_to_learner_day_and_seed(room, other_room, topic):
    known(room, many_cards(topic, 30), interval=20, ago=20)
    order = asked(room)
    kept.clear()
    assert asked(room) == order
    assert asked(room, seed=1) != order
    assert asked(room, MONDAY + DAY) != order


def test_neighbours_of_a_topic_are_pulled_apart_and_from_the_card_answered_last(room, new_topic, topic):
    other = new_topic("masks", position=1)
    known(room, [*many_cards(topic, 5), *many_cards(other, 5, prefix="mask")], interval=20, ago=20)
    first = study_queue(room.learner, MONDAY)
    topics = [item.card.topic.slug for item in first]
    assert all(one != other for one, other in pairwise(topics))
    room.study(first[0].card)
    assert study_queue(room.learner, MONDAY)[0].card.topic.slug != topics[0]


@pytest.fixture
def siblings(shelf):
    """Cards a, b and c give one another away."""
    for slug in "abc":
        shelf[slug].family = "heads"
        shelf[slug].save(update_fields=["family"])
    return shelf


def test_of_new_siblings_one_is_asked_a_day(room, siblings):
    assert asked(room) == "adef"
    room.study(siblings["a"])
    assert asked(room) == "def"
    assert asked(room, MONDAY + DAY) == "adef"  # its step is due
    room.study(siblings["a"], at=MONDAY + DAY)
    assert asked(room, MONDAY + 2 * DAY)[0] == "b"


def test_a_due_review_bars_its_siblings_but_for_steps(room, siblings):
    remembered(room, siblings["b"], interval=9, ago=9)
    assert asked(room) == "bdef"
    remembered(room, siblings["c"], interval=0, ago=0, state="learning", due=MONDAY)
    assert asked(room) == "cdef"


def test_a_card_its_learner_wants_again_today_is_not_barred_by_itself(room, siblings):
    remembered(room, siblings["a"], interval=9, ago=9)
    room.study(siblings["a"])
    assert "a" not in asked(room)
    remembered(room, siblings["a"], interval=1, ago=1, due=MONDAY)
    assert asked(room)[0] == "a"


def test_counts_leave_siblings_out_as_the_queue_does(room, siblings):
    for slug in "ab":
        remembered(room, siblings[slug], interval=9, ago=9)
    found = counts(room.learner, MONDAY)
    assert (found.due, found.new) == (1, 3)
    assert found.total == len(study_queue(room.learner, MONDAY))


@pytest.fixture
def capped(room, topic):
    """Forty due reviews, a usual day of ten and a cap of fifteen."""
    cards = many_cards(topic, 40)
    known(room, cards, interval=20, ago=40)
    day_before = MONDAY.date() - DAY
    DayRollup.objects.bulk_create(
        DayRollup(learner=room.learner, study_day=day_before - n * DAY, young_recalled=10) for n in range(9)
    )
    room.learner.reviews_per_day = 15
    room.learner.new_per_day = 0
    return cards


def test_row_18_a_cap_lets_through_what_it_says_and_counts_what_was_done(room, capped):
    assert len(asked(room).split("many")) - 1 == 15
    assert (counts(room.learner, MONDAY).due, counts(room.learner, MONDAY).held) == (15, 25)
    for item in study_queue(room.learner, MONDAY, limit=5):
        room.rate(room.answer(item.card), 3, draw=item.draw)
    assert len(study_queue(room.learner, MONDAY)) == 10
    assert counts(room.learner, MONDAY).due == 10


def test_a_cap_never_holds_back_a_usual_day(room, capped):
    Memory.objects.filter(card__in=capped[10:]).update(due=MONDAY + 9 * DAY)
    room.learner.reviews_per_day = 4
    assert counts(room.learner, MONDAY).due == len(study_queue(room.learner, MONDAY)) == 10


def test_a_cap_is_not_lifted_by_what_was_done_today(room, capped):
    """Twelve are due and ten are usual: after four, fewer than a usual day are left."""
    Memory.objects.filter(card__in=capped[12:]).update(due=MONDAY + 9 * DAY)
    room.learner.reviews_per_day = 6
    for item in study_queue(room.learner, MONDAY, limit=4):
        room.rate(room.answer(item.card), 3, draw=item.draw)
    assert counts(room.learner, MONDAY).due == len(study_queue(room.learner, MONDAY)) == 2


def test_a_deck_is_studied_by_itself(room, shelf, new_card):
    deck = Deck.objects.create(slug="softmax", title="Softmax")
    other = Topic.objects.create(slug="scaling", deck=deck, title="Scaling")
    new_card("z", other)
    assert asked(room, deck="softmax") == "z"
    assert asked(room, deck="transformers") == "abcdef"
    assert asked(room, deck="softmax", topic="d-head") == ""


def test_counts_of_every_deck_are_those_of_each_alone(room, siblings, django_assert_max_num_queries):
    for number in range(6):
        deck = Deck.objects.create(slug=f"deck-{number}", title="A deck")
        topic = Topic.objects.create(slug=f"topic-{number}", deck=deck, title="A topic")
        cards = many_cards(topic, number + 2, prefix=f"of-{number}")
        known(room, cards[:number], interval=9, ago=9)
    room.study(siblings["a"], at=MONDAY - timedelta(minutes=30))
    room.study(siblings["d"])
    room.learner.new_per_day = 4
    with django_assert_max_num_queries(10):
        found = deck_counts(room.learner, MONDAY)
    assert set(found) == {"transformers", *(f"deck-{number}" for number in range(6))}
    assert found == {slug: counts(room.learner, MONDAY, deck=slug) for slug in found}
    assert (found["transformers"].due, found["transformers"].later, found["deck-5"].due) == (1, 1, 5)


def test_a_kept_order_is_the_one_a_fresh_reading_gives(room, topic, monkeypatch):
    monkeypatch.setattr(day_order, "WORTH_KEEPING", 5)
    cards = many_cards(topic, 30)
    known(room, [card for card in cards if card != cards[9]], interval=20, ago=20)
    room.graduate(cards[9], at=MONDAY - 9 * DAY)
    room.learner.new_per_day = 0
    asked(room)  # now it is kept
    for item in study_queue(room.learner, MONDAY)[:6]:
        room.study(item.card) if item.card != cards[9] else None
    record_event(room.learner, cards[7], Review.Kind.SUSPEND, client_id=room.new_id(), now=MONDAY)
    room.undo(room.study(cards[9]))
    as_kept = asked(room)
    kept.clear()
    assert as_kept == asked(room)
    assert cards[9].slug in as_kept
    assert cards[7].slug not in as_kept


def test_a_new_card_is_met_though_what_is_left_was_counted_before(room, shelf, new_card, new_topic):
    assert asked(room) == "abcdef"
    new_card("g", Topic.objects.get(), position=9)
    assert asked(room) == "abcdefg"
    assert counts(room.learner, MONDAY).new == 7


def rows_read(room, now=MONDAY) -> int:
    """Steps of SQLite's machine over a queue and its counts, in hundreds."""
    steps = []
    connection.connection.set_progress_handler(lambda: steps.append(1), 100)
    try:
        study_queue(room.learner, now, limit=20)
        counts(room.learner, now)
    finally:
        connection.connection.set_progress_handler(None, 0)
    return len(steps)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="counts the steps of SQLite's machine")
def test_row_38_a_queue_costs_what_is_due_and_not_what_is_known(room, topic, new_topic):
    many = new_topic("many", position=1)
    known(room, many_cards(topic, 20), interval=20, ago=20)
    known(room, many_cards(many, 200, prefix="not-due"), interval=500, ago=1)
    asked(room)
    few = rows_read(room)
    known(room, many_cards(many, 2_000, prefix="far"), interval=500, ago=1)
    asked(room)
    assert rows_read(room) < 1.5 * few
