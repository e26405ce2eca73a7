"""A line is scheduled by the version it names and the retention of its deck, whatever changes later."""

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model

from studyhub.study.models import DeckRules, Parameters, learner_of
from studyhub.study.reviews import InvalidSubmission
from studyhub.study.rules import UnknownVersion, retentions_of, rules_of, versions_of
from studyhub.study.scheduling import Rules
from studyhub.study.scheduling.traces import DEFAULT_PARAMETERS

from .conftest import MONDAY


def a_version(learner, version: int = 1, **changes) -> Parameters:
    values = {"learning_steps": [120], "relearning_steps": [], "maximum_interval": 100, "origin": "edit"}
    numbers = [w * 1.1 for w in DEFAULT_PARAMETERS]
    row = {
        "learner": learner,
        "version": version,
        "numbers": numbers,
        "created_at": MONDAY,
        **values,
        **changes,
    }
    return Parameters.objects.create(**row)


def test_without_versions_the_built_in_one_counts_and_nothing_is_asked(room, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert rules_of(room.learner) == Rules()


def test_the_current_version_schedules(room, card):
    a_version(room.learner, leech_after=4, leech_suspends=True)
    room.learner.parameters_version = 1
    room.learner.save()
    rules = rules_of(room.learner, card)
    assert (rules.learning_steps, rules.relearning_steps, rules.maximum_interval) == ((120,), (), 100)
    assert (rules.leech_after, rules.leech_suspends) == (4, True)
    assert rules.parameters == tuple(w * 1.1 for w in DEFAULT_PARAMETERS)
    review = room.study(card, 1)
    assert (review.parameters_version, review.outcome["interval_seconds"]) == (1, 120)


def test_a_version_that_is_not_there_is_named(room):
    with pytest.raises(UnknownVersion, match="no parameters of version 7"):
        versions_of(room.learner)[7]


def test_a_deck_has_a_retention_of_its_own_and_the_line_keeps_it(room, card, new_topic, new_card):
    DeckRules.objects.create(learner=room.learner, deck=card.topic.deck, desired_retention=0.8)
    line = room.study(card)
    assert line.desired_retention == 0.8
    DeckRules.objects.all().delete()
    assert room.study(card).desired_retention == 0.9
    line.refresh_from_db()
    assert line.desired_retention == 0.8


def test_rules_of_many_cards_ask_for_all_decks_at_once(
    room, card, new_card, topic, django_assert_num_queries
):
    DeckRules.objects.create(learner=room.learner, deck=topic.deck, desired_retention=0.95)
    cards = [card, *(new_card(f"card-{n}", topic) for n in range(5))]
    with django_assert_num_queries(1):
        read = {"retentions": retentions_of(room.learner), "versions": versions_of(room.learner)}
        assert {rules_of(room.learner, one, **read).desired_retention for one in cards} == {0.95}


def test_versions_of_others_are_not_ones_own(room, card):
    other = learner_of(get_user_model().objects.create(username="cy"))
    a_version(other)
    assert set(versions_of(room.learner)) == {0}


def test_new_numbers_leave_due_days_and_change_what_comes_next(room, card):
    room.graduate(card)
    due = room.memory(card).due
    a_version(room.learner, relearning_steps=[900])
    room.learner.parameters_version = 1
    room.learner.save()
    assert room.memory(card).due == due
    room.study(card, 1, at=MONDAY + timedelta(days=5))
    assert room.memory(card).due == MONDAY + timedelta(days=5, minutes=15)


def test_a_leech_is_suspended_by_the_fold_and_its_undo_wakes_it(room, card):
    a_version(room.learner, relearning_steps=[], leech_after=2, leech_suspends=True)
    room.learner.parameters_version = 1
    room.learner.save()
    room.study(card, 4)
    lapses = [room.study(card, 1, at=MONDAY + timedelta(days=60 * n)) for n in (1, 2)]
    assert room.memory(card).suspended
    room.undo(lapses[1], now=lapses[1].received_at)
    assert not room.memory(card).suspended


def test_practice_is_kept_and_never_rated(room, card):
    attempt = room.answer(card, practice=True, confidence=95)
    assert (attempt.practice, attempt.confidence) == (True, 95)
    with pytest.raises(InvalidSubmission, match="practice"):
        room.rate(attempt)
    with pytest.raises(InvalidSubmission, match="confidence 50"):
        room.answer(card, confidence=50)


@pytest.mark.parametrize("draw", [-0.1, 1.0, float("nan")])
def test_a_draw_outside_its_range_is_refused(room, card, draw):
    with pytest.raises(InvalidSubmission, match="draw"):
        room.rate(room.answer(card), draw=draw)


def test_the_draw_that_was_sent_decides_the_day_for_good(room, card):
    first = room.rate(room.answer(card), 4, draw=0.0)
    room.undo(first)
    last = room.rate(room.answer(card), 4, draw=0.999)
    assert first.outcome["interval_seconds"] < last.outcome["interval_seconds"]
    assert first.outcome["intervals"]["easy"] == first.outcome["interval_seconds"]
