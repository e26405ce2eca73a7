"""The ways to study, and which of them move a schedule."""

from datetime import timedelta

import pytest

from studyhub.study.asking.sessions import InvalidSession, Session, cards_that_fit, study_session
from studyhub.study.models import Memory, Review
from studyhub.study.reviews import record_event
from tests.studyhub.study.memories import DAY, MONDAY, known, many_cards, remembered


@pytest.fixture
def shelf(new_card, topic):
    """Cards a to f, in the order of the shelf."""
    return {slug: new_card(slug, topic, position) for position, slug in enumerate("abcdef")}


def asked(room, session: Session, now=MONDAY, **options) -> str:
    return "".join(item.card.slug for item in study_session(room.learner, now, session, **options))


def practise(room, card, text="12", *, now=MONDAY):
    return room.answer(card, text, now=now, practice=True)


def test_cramming_asks_what_is_forgotten_most_first_and_what_was_never_met_last(room, shelf):
    remembered(room, shelf["c"], interval=9, ago=5)
    remembered(room, shelf["e"], interval=9, ago=60)
    remembered(room, shelf["d"], interval=90, ago=1)
    assert asked(room, Session("cram", topic="d-head")) == "ecdabf"
    assert asked(room, Session("cram", deck="transformers"), limit=2) == "ec"


def test_cramming_leaves_out_what_is_suspended_or_buried(room, shelf):
    remembered(room, shelf["a"], interval=9, ago=9, suspended=True)
    remembered(room, shelf["b"], interval=9, ago=9, buried_until=MONDAY.date() + DAY)
    record_event(room.learner, shelf["c"], Review.Kind.SUSPEND, client_id=room.new_id(), now=MONDAY)
    assert asked(room, Session("cram", topic="d-head")) == "def"


def test_row_21_practice_moves_no_schedule_and_is_no_review(room, shelf):
    before = remembered(room, shelf["a"], interval=9, ago=9)
    (item, *_) = study_session(room.learner, MONDAY, Session("cram", topic="d-head"))
    assert item.practice
    attempt = practise(room, shelf["a"])
    assert attempt.practice
    assert Review.objects.count() == 0
    after = Memory.objects.get()
    assert (after.due, after.stability, after.reps) == (before.due, before.stability, before.reps)


def test_a_practised_card_leaves_the_round_once_it_is_right(room, shelf):
    session = Session("cram", topic="d-head")
    practise(room, shelf["a"], "11")
    assert asked(room, session) == "bcdefa"
    practise(room, shelf["a"])
    assert asked(room, session) == "bcdef"
    assert asked(room, Session("cram", topic="d-head", rounds=2)) == "bcdefa"
    assert asked(room, session, MONDAY + DAY) == "abcdef"


def test_what_failed_today_is_what_was_rated_again_and_counts(room, shelf):
    for slug, rating in (("a", 1), ("b", 3), ("c", 1)):
        room.study(shelf[slug], rating)
    room.undo(room.study(shelf["d"], 1))
    room.study(shelf["e"], 1, at=MONDAY - DAY)
    failed = asked(room, Session("failed_today"))
    assert set(failed) == {"a", "c"}
    assert failed == asked(room, Session("failed_today"))
    assert {asked(room, Session("failed_today", seed=seed)) for seed in range(9)} == {"ac", "ca"}
    practise(room, shelf["a"])
    assert asked(room, Session("failed_today")) == "c"


def test_studying_ahead_asks_what_comes_due_and_was_not_answered_today(room, shelf):
    remembered(room, shelf["a"], interval=9, ago=8)
    remembered(room, shelf["b"], interval=9, ago=6)
    remembered(room, shelf["c"], interval=1, ago=0)
    remembered(room, shelf["d"], interval=9, ago=9)
    assert asked(room, Session("ahead")) == "a"
    assert asked(room, Session("ahead", days=3)) == "ab"


def test_an_answer_ahead_of_time_is_a_review_with_the_shorter_wait(room, shelf):
    remembered(room, shelf["a"], interval=20, ago=10)
    (item,) = study_session(room.learner, MONDAY, Session("ahead", days=10))
    early = room.rate(room.answer(item.card), 3, draw=item.draw)
    remembered(room, shelf["b"], interval=20, ago=20)
    on_time = room.study(shelf["b"])
    assert not item.practice
    assert early.outcome["intervals"] == item.intervals
    assert Memory.objects.get(card=shelf["a"]).stability < Memory.objects.get(card=shelf["b"]).stability
    assert (early.kind, early.state_before) == (on_time.kind, on_time.state_before)


def test_so_many_cards_are_asked_as_fit_the_minutes(room, topic):
    known(room, many_cards(topic, 9), interval=20, ago=20)
    assert cards_that_fit(room.learner, MONDAY, 1) == 3  # at 20 s a card, before more is known
    assert len(study_session(room.learner, MONDAY, Session(minutes=1))) == 3
    assert len(study_session(room.learner, MONDAY, Session(minutes=1), limit=2)) == 2


def test_where_time_is_short_steps_come_first_and_then_the_most_forgotten(room, shelf):
    remembered(room, shelf["a"], interval=20, ago=20)
    remembered(room, shelf["b"], interval=20, ago=21)
    remembered(room, shelf["c"], interval=20, ago=22)
    remembered(room, shelf["d"], interval=0, ago=0, state="learning", due=MONDAY - timedelta(minutes=1))
    assert asked(room, Session(minutes=1)) == "dcb"


def test_a_session_of_all_that_is_due_is_the_queue(room, shelf):
    remembered(room, shelf["f"], interval=9, ago=9)
    assert asked(room, Session()) == "fabcde"
    assert asked(room, Session(topic="nothing")) == ""


@pytest.mark.plain
@pytest.mark.parametrize(
    ("values", "field", "reason"),
    [
        ({"kind": "all"}, "kind", "'all' is none of due, cram, failed_today, ahead"),
        ({"kind": "cram"}, "kind", "cram needs a topic or a deck; name one of them"),
        ({"minutes": -1}, "minutes", "minutes -1 is not between 0 and 600"),
        ({"kind": "ahead", "days": 31}, "days", "days 31 is not between 1 and 30"),
        ({"rounds": 0}, "rounds", "rounds 0 is not between 1 and 20"),
    ],
)
def test_a_session_that_cannot_be_held_says_why(values, field, reason):
    with pytest.raises(InvalidSession, match=r".") as error:
        Session(**values)
    assert (error.value.field, str(error.value)) == (field, reason)
