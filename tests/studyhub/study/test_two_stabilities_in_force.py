"""Thirty-four numbers in force: memories are folded anew, no due day moves, an undo goes all the way back."""

import re
from datetime import timedelta

import pytest

from studyhub.study.adopting import adopt, undo_adoption
from studyhub.study.batch_replay import replayed
from studyhub.study.memories import known_memories, memory_value
from studyhub.study.models import Memory, Parameters
from studyhub.study.rules import rules_of, versions_of
from studyhub.study.scheduling import fsrs7, preview
from studyhub.study.scheduling.state import Moment, trace_of
from studyhub.study.statistics.mastery import mastery
from studyhub.study.zones import study_day_of

from .conftest import MONDAY

DAY = timedelta(days=1)


@pytest.fixture
def studied(room, topic, new_card):
    """Six cards in days, the first of them forgotten once; version 1 of 34 numbers is offered."""
    cards = [new_card(f"card-{number}", topic, position=number) for number in range(6)]
    for number, card in enumerate(cards):
        room.graduate(card, at=MONDAY + timedelta(minutes=number))
    room.study(cards[0], rating=1, at=MONDAY + 4 * DAY)
    Parameters.objects.create(
        learner=room.learner, version=1, numbers=list(fsrs7.DEFAULT_PARAMETERS), learning_steps=[60, 600],
        relearning_steps=[600], origin="fit", created_at=MONDAY,
    )  # fmt: skip
    return cards


def stored(room) -> dict:
    return {row.card_id: memory_value(row) for row in Memory.objects.filter(learner=room.learner)}


def test_memories_are_folded_anew_and_no_due_day_moves(room, studied):
    before = stored(room)
    adopt(room.learner, 1, now=MONDAY + 5 * DAY, client_id=room.new_id())
    after = stored(room)
    assert all(memory.short_stability > 0 for memory in after.values())
    assert all(memory.short_stability == 0 for memory in before.values())
    assert {pk: memory.due for pk, memory in after.items()} == {
        pk: memory.due for pk, memory in before.items()
    }
    known = known_memories(room.learner, list(after))
    assert all(known[one.card].memory == one.memory for one in replayed(room.learner))


def test_the_next_answer_is_foretold_and_given_by_them_and_none_waits_less_than_a_minute(room, studied):
    now = MONDAY + 5 * DAY
    adopt(room.learner, 1, now=now, client_id=room.new_id())
    rules = rules_of(room.learner, studied[1])
    assert len(rules.parameters) == 34
    moment = Moment(now, study_day_of(room.learner, now), "UTC", 4)
    offered = preview(stored(room)[studied[1].pk], moment=moment, rules=rules, card=str(studied[1].uuid))
    waits = [(offered[rating].due - now).total_seconds() for rating in (1, 2, 3, 4)]
    assert min(waits) >= 60
    assert waits == sorted(waits)
    room.study(studied[1], rating=3, at=now)
    given = stored(room)[studied[1].pk]
    assert (given.stability, given.short_stability) == (offered[3].stability, offered[3].short_stability)


def test_an_undo_brings_back_memories_without_a_short_stability(room, studied):
    before = stored(room)
    adopt(room.learner, 1, now=MONDAY + 5 * DAY, client_id=room.new_id(), reschedule=True)
    undo_adoption(room.learner, 1, now=MONDAY + 6 * DAY, client_id=room.new_id())
    assert stored(room) == before


def test_undoing_many_moves_asks_for_their_lines_at_once(room, studied, django_assert_max_num_queries):
    """Each card by itself would be a query or more a card; six cards then were beyond this."""
    adopted = adopt(room.learner, 1, now=MONDAY + 5 * DAY, client_id=room.new_id(), reschedule=True)
    assert adopted.moved >= 3
    with django_assert_max_num_queries(40) as asked:
        undo_adoption(room.learner, 1, now=MONDAY + 6 * DAY, client_id=room.new_id())
    single = re.compile(r'"study_review"\."card_id" = \d')
    assert not [one for one in asked.captured_queries if single.search(one["sql"])]


def test_what_is_shown_is_the_time_to_ninety_percent_and_not_the_long_stability(room, studied):
    adopt(room.learner, 1, now=MONDAY + 5 * DAY, client_id=room.new_id())
    model = versions_of(room.learner)[1].model
    trace = trace_of(stored(room)[studied[1].pk])
    shown = model.shown_stability(trace)
    assert shown == pytest.approx(model.interval(trace, 0.9))
    assert abs(shown - trace.stability) > 0.01 * trace.stability
    (found,) = [one for one in mastery(room.learner, MONDAY + 5 * DAY) if one.seen]
    assert 0 < found.mean_recall < 1
