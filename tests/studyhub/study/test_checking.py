"""`checkdb`: each kind of fault, made by SQL past the one writer, is counted, set right, and then gone."""

import uuid
from collections.abc import Callable
from datetime import date, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from studyhub.study.checking import Findings, check
from studyhub.study.ledger import open_ledger
from studyhub.study.models import Attempt, DayRollup, Memory, Review
from studyhub.study.reviews import record_event

from .conftest import MONDAY

Kind = Review.Kind


@pytest.fixture
def studied(room, new_card, topic):
    """Ben with three cards: graduated, lapsed with an undo behind it, and suspended."""
    cards = [new_card(f"card-{number}", topic) for number in range(3)]
    for card in cards:
        room.graduate(card)
    room.study(cards[1], 1, at=MONDAY + timedelta(days=4))
    room.undo(room.study(cards[1], 3, at=MONDAY + timedelta(days=4, minutes=1)), now=MONDAY)
    record_event(room.learner, cards[2], Kind.SUSPEND, client_id=uuid.uuid4(), now=MONDAY)
    return cards


def lines(room, card):
    return Review.objects.filter(learner=room.learner, card=card)


def changed_lines(**values) -> Callable:
    """Breaks the first line of the first card, past the triggers."""

    def damage(room, cards) -> None:
        with open_ledger(connection):
            lines(room, cards[0]).filter(pk=lines(room, cards[0]).earliest("pk").pk).update(**values)

    return damage


def sql(statement: str) -> Callable:
    def damage(room, cards) -> None:
        with connection.cursor() as cursor:
            cursor.execute(statement, {"learner": room.learner.pk, "card": cards[0].pk})

    return damage


def rated_again(room, cards) -> None:
    line = lines(room, cards[0]).earliest("pk")
    line.pk, line.client_id = None, uuid.uuid4()
    line.save(force_insert=True)


def void_of_nothing(room, cards) -> None:
    line = lines(room, cards[0]).earliest("pk")
    line.pk, line.client_id, line.kind, line.rating = None, uuid.uuid4(), Kind.VOID, 0
    line.save(force_insert=True)


def memory_of_a_strange_card(room, cards) -> None:
    strange = cards[0].topic.cards.create(slug="strange")
    Memory.objects.create(learner=room.learner, card=strange, state="review", reps=3)


MENDED = {
    "a memory lost": (sql("DELETE FROM study_memory WHERE card_id = %(card)s"), {"memories_missing": 1}),
    "a memory of no line": (memory_of_a_strange_card, {"memories_extra": 1}),
    "one answer too many": (
        sql("UPDATE study_memory SET reps = reps + 1 WHERE card_id = %(card)s"),
        {"memories_different": 1},
    ),
    "the last bit of a stability": (
        sql("UPDATE study_memory SET stability = stability * 1.0000000000000003 WHERE card_id = %(card)s"),
        {"memories_different": 1},
    ),
    "all of them due at once": (
        sql("UPDATE study_memory SET due = '2026-12-01 04:00:00+00:00' WHERE learner_id = %(learner)s"),
        {"memories_different": 3},
    ),
    "suspended by nobody": (
        sql("UPDATE study_memory SET suspended = NOT suspended WHERE learner_id = %(learner)s"),
        {"memories_different": 3},
    ),
    "the last line forgotten": (
        sql("UPDATE study_memory SET as_of_id = NULL WHERE card_id = %(card)s"),
        {"memories_different": 1},
    ),
    "a day's sums lost": (sql("DELETE FROM study_dayrollup WHERE young_failed > 0"), {"days_different": 1}),
    "a day counted twice": (sql("UPDATE study_dayrollup SET good = good * 2 + 1"), {"days_different": 2}),
    "a study day moved": (
        changed_lines(study_day=date(2026, 11, 29)),
        {"bad_study_days": 1, "memories_different": 1, "days_different": 2},
    ),
}
LEFT = {
    "an answer without its attempt": (changed_lines(attempt=None), {"bad_ratings": 1}),
    "an undo of nothing": (void_of_nothing, {"bad_voids": 1}),
    "a version that is not there": (changed_lines(parameters_version=7), {"bad_versions": 1}),
    "a zone nobody knows": (changed_lines(time_zone="Mars/Olympus"), {"bad_study_days": 1}),
    "an answer rated twice": (
        rated_again,
        {"attempts_rated_twice": 1, "memories_different": 1, "days_different": 1},
    ),
}


def asked(*arguments: str) -> str:
    out = StringIO()
    call_command("checkdb", *arguments, stdout=out)
    return out.getvalue()


def test_what_the_writer_leaves_has_no_fault(room, studied):
    assert check(room.learner) == Findings()
    assert asked() == "ben: no faults\n"


@pytest.mark.parametrize(("damage", "expected"), MENDED.values(), ids=MENDED)
def test_a_fault_is_counted_set_right_and_gone(room, studied, damage, expected):
    damage(room, studied)
    assert check(room.learner) == Findings(**expected)
    with pytest.raises(CommandError, match=r"left; run it with --fix"):
        asked()
    assert "set right" in asked("--fix")
    assert asked() == "ben: no faults\n"


@pytest.mark.parametrize(("damage", "expected"), LEFT.values(), ids=LEFT)
def test_a_fault_of_a_line_is_counted_and_left_to_a_person(room, studied, damage, expected):
    damage(room, studied)
    assert check(room.learner) == Findings(**expected)
    with pytest.raises(CommandError, match="for a person to decide"):
        asked("--fix")
    lines_at_fault = {
        name: n for name, n in expected.items() if name not in ("memories_different", "days_different")
    }
    assert check(room.learner) == Findings(**lines_at_fault)


def test_practice_that_was_rated_is_found(room, studied):
    Attempt.objects.filter(pk=lines(room, studied[0]).earliest("pk").attempt_id).update(practice=True)
    assert check(room.learner) == Findings(practice_rated=1)


def test_without_fix_nothing_is_written(room, studied):
    Memory.objects.update(reps=9)
    DayRollup.objects.update(easy=9)
    with pytest.raises(CommandError, match="5 faults are left"):
        asked()
    assert set(Memory.objects.values_list("reps", flat=True)) == {9}
    assert set(DayRollup.objects.values_list("easy", flat=True)) == {9}


def test_a_fix_that_breaks_half_way_leaves_all_as_it_was(room, studied, monkeypatch):
    def full_disk(*_):
        raise OSError("disk full")

    Memory.objects.update(reps=9)
    DayRollup.objects.update(easy=9)
    monkeypatch.setattr("studyhub.study.rollups.rewrite", full_disk)
    with pytest.raises(OSError, match="disk full"):
        asked("--fix")
    assert set(Memory.objects.values_list("reps", flat=True)) == {9}


def test_one_learner_is_checked_by_name(room, other_room, studied):
    other_room.graduate(studied[0])
    Memory.objects.filter(learner=room.learner).delete()
    assert asked("--learner", "cy") == "cy: no faults\n"
    with pytest.raises(CommandError, match="3 faults"):
        asked("--learner", "ben")
    with pytest.raises(CommandError, match="no learner is named 'eve'"):
        asked("--learner", "eve")
