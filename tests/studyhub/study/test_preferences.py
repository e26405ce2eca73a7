"""What a learner sets holds for lines to come, is checked whole, and says what would do."""

import math

import pytest

from studyhub.study.asking.offering import offer_of
from studyhub.study.models import DeckRules, Learner, Memory, Parameters, Review
from studyhub.study.preferences import NAMES, InvalidPreference, change_preferences, settings_of
from studyhub.study.schedules import InvalidSchedule, change_schedule, schedule_of
from tests.studyhub.study.memories import DAY, MONDAY, remembered

WEEK = ["normal"] * 7


def change(room, **changes) -> None:
    change_preferences(room.learner, changes, MONDAY)


def stored(room) -> Learner:
    return Learner.objects.get(pk=room.learner.pk)


def test_every_setting_is_told_and_can_be_set(room, topic):
    wanted = {
        "desired_retention": 0.85,
        "deck_retention": {"transformers": 0.95},
        "new_per_day": 7,
        "reviews_per_day": 60,
        "rollover_hour": 0,
        "time_zone": "Asia/Tokyo",
        "easy_days": [*WEEK[:5], "reduced", "minimum"],
        "spread_load": False,
    }
    change(room, **wanted, schedule={"leech_after": 5})
    told = settings_of(stored(room))
    assert set(told) == set(NAMES)
    assert told.pop("schedule")["leech_after"] == 5
    assert told == wanted == {name: settings_of(room.learner)[name] for name in wanted}


@pytest.mark.parametrize(
    ("name", "least", "most", "step"),
    [
        ("desired_retention", 0.70, 0.99, 0.001),
        ("new_per_day", 0, 9_999, 1),
        ("reviews_per_day", 0, 9_999, 1),
        ("rollover_hour", 0, 23, 1),
    ],
)
def test_bounds_are_taken_and_what_lies_beyond_is_refused(room, name, least, most, step):
    for value in (least, most):
        change(room, **{name: value})
        assert getattr(stored(room), name) == value
    for value in (least - step, most + step, "7", None, True, math.nan, math.inf):
        with pytest.raises(InvalidPreference, match=str(least)) as error:
            change(room, **{name: value})
        assert error.value.field == name
    assert getattr(stored(room), name) == most


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"time_zone": "Mars/Olympus"}, "time_zone", "'Mars/Olympus' is no time zone; send an IANA name"),
        ({"easy_days": WEEK[:6]}, "easy_days", "are not seven of normal, reduced, minimum"),
        ({"easy_days": [*WEEK[:6], "none"]}, "easy_days", "are not seven of normal, reduced, minimum"),
        ({"easy_days": ["minimum"] * 6 + ["reduced"]}, "easy_days", "no day is normal; leave at least one"),
        ({"spread_load": 1}, "spread_load", "1 is neither true nor false"),
        ({"deck_retention": {"none": 0.9}}, "deck_retention.none", "there is no deck none"),
        ({"deck_retention": {"transformers": 1}}, "deck_retention.transformers", "not between 0.70 and 0.99"),
        ({"deck_retention": []}, "deck_retention", "is no object of deck slugs"),
        ({"schedule": 3}, "schedule", "3 is no object of rules"),
        ({"retention": 0.9}, "retention", "retention is no setting; there are desired_retention, "),
    ],
)
def test_what_cannot_be_set_is_named_and_nothing_of_the_change_is_kept(room, topic, changes, field, reason):
    before = settings_of(room.learner)
    with pytest.raises(InvalidPreference, match=r".") as error:
        change(room, new_per_day=3, **changes)
    assert error.value.field == field
    assert reason in str(error.value)
    assert settings_of(stored(room)) == before


def test_a_schedule_that_is_refused_takes_the_other_settings_with_it(room):
    with pytest.raises(InvalidSchedule):
        change(room, new_per_day=3, schedule={"leech_after": 100})
    assert (stored(room).new_per_day, Parameters.objects.count()) == (20, 0)


def test_a_deck_goes_back_to_the_learners_own_retention(room, topic):
    change(room, deck_retention={"transformers": 0.95})
    change(room, deck_retention={"transformers": None})
    assert DeckRules.objects.count() == 0


def test_a_rollover_hour_moves_no_line_and_no_due_date(room, card):
    line = room.graduate(card)
    due = Memory.objects.get().due
    change(room, rollover_hour=10)
    assert (Memory.objects.get().due, Review.objects.get(pk=line.pk).study_day) == (due, line.study_day)
    early = room.study(card, at=due)  # 4 o'clock is the day before by now
    assert early.rollover_hour == 10
    assert early.study_day == due.date() - DAY


def test_a_retention_holds_for_the_next_answer(room, card):
    remembered(room, card, interval=20, ago=20)
    usual = offer_of(room.learner, card, MONDAY).intervals["good"]
    due = Memory.objects.get().due
    change(room, desired_retention=0.97)
    assert Memory.objects.get().due == due
    assert offer_of(room.learner, card, MONDAY).intervals["good"] < usual


def test_a_change_of_the_schedule_is_a_new_version_and_old_lines_keep_theirs(room, card):
    old = room.study(card)
    version = change_schedule(room.learner, {"learning_steps": [30, 90, 270]}, MONDAY)
    assert (version.version, version.based_on, version.origin) == (1, 0, "edit")
    new = room.study(card)
    assert (old.parameters_version, new.parameters_version) == (0, 1)
    assert new.outcome["interval_seconds"] == 270
    assert schedule_of(stored(room)) == {
        "version": 1,
        "learning_steps": [30, 90, 270],
        "relearning_steps": [600],
        "maximum_interval": 36_500,
        "leech_after": 8,
        "leech_suspends": False,
    }


def test_each_version_is_made_from_the_one_before(room):
    change_schedule(room.learner, {"leech_after": 4}, MONDAY)
    change_schedule(room.learner, {"maximum_interval": 365}, MONDAY)
    rows = Parameters.objects.order_by("version").values_list("version", "based_on", "leech_after")
    assert list(rows) == [(1, 0, 4), (2, 1, 4)]
    assert (stored(room).parameters_version, room.learner.parameters_version) == (2, 2)


def test_what_changes_nothing_makes_no_version(room):
    assert change_schedule(room.learner, {"leech_after": 8, "learning_steps": [60, 600]}, MONDAY) is None
    assert (Parameters.objects.count(), stored(room).parameters_version) == (0, 0)


@pytest.mark.parametrize(
    "changes",
    [
        {"learning_steps": []},
        {"learning_steps": [1] * 10},
        {"relearning_steps": [30 * 86_400]},
        {"maximum_interval": 1},
        {"leech_after": 0, "leech_suspends": True},
        {"leech_after": 99},
    ],
)
def test_the_bounds_of_a_schedule_are_taken(room, card, changes):
    change_schedule(room.learner, changes, MONDAY)
    assert {name: schedule_of(stored(room))[name] for name in changes} == changes
    assert room.graduate(card).outcome["interval_seconds"] > 0


@pytest.mark.parametrize(
    ("changes", "field", "reason"),
    [
        ({"learning_steps": [1] * 11}, "learning_steps", "11 are not at most 10 steps, in seconds"),
        ({"learning_steps": [60, 0]}, "learning_steps.1", "0 is no whole number from 1 to 2,592,000"),
        ({"relearning_steps": [0.5]}, "relearning_steps.0", "0.5 is no whole number from 1 to 2,592,000"),
        ({"relearning_steps": "600"}, "relearning_steps", "'600' are not at most 10 steps, in seconds"),
        ({"maximum_interval": 0}, "maximum_interval", "0 is no whole number from 1 to 36,500"),
        ({"maximum_interval": 36_501}, "maximum_interval", "36501 is no whole number from 1 to 36,500"),
        ({"leech_after": 100}, "leech_after", "100 is no whole number from 0 to 99"),
        ({"leech_suspends": "no"}, "leech_suspends", "'no' is neither true nor false"),
        ({"steps": []}, "steps", "steps is no rule of the schedule; there are learning_steps, "),
    ],
)
def test_a_schedule_that_cannot_be_is_named_and_no_version_is_made(room, changes, field, reason):
    with pytest.raises(InvalidSchedule, match=r".") as error:
        change_schedule(room.learner, {"leech_after": 3, **changes}, MONDAY)
    assert error.value.field == field
    assert reason in str(error.value)
    assert (Parameters.objects.count(), stored(room).parameters_version) == (0, 0)
