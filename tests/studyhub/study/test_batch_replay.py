"""The batch replay gives what the incremental fold gives, to the last bit, for lines of every kind."""

import random
import uuid
from dataclasses import replace
from datetime import timedelta
from itertools import count

import pytest
from django.contrib.auth import get_user_model

from cards.models import Card
from studyhub.study.batch_replay import rebuild, replayed
from studyhub.study.memories import memory_value
from studyhub.study.models import Memory, Parameters, Review, learner_of
from studyhub.study.replay import fold
from studyhub.study.rules import versions_of
from studyhub.study.scheduling import MemoryState
from studyhub.study.scheduling.fsrs7 import DEFAULT_PARAMETERS as FSRS7
from studyhub.study.scheduling.traces import DEFAULT_PARAMETERS

from .conftest import MONDAY, make_card, make_topic

Kind = Review.Kind
OTHERS = (Kind.SUSPEND, Kind.UNSUSPEND, Kind.RESET, Kind.BURY, Kind.SET_DUE)
NAMES = count(1)


def versions(learner, number: int = 3) -> None:
    """Versions 1, 2, ... of one learner, each with other numbers and steps."""
    for version in range(1, number + 1):
        Parameters.objects.create(
            learner=learner,
            version=version,
            numbers=FSRS7 if version == 2 else [w * (1 + 0.01 * version) for w in DEFAULT_PARAMETERS],
            learning_steps=[60, 600, 90_000][:version],
            relearning_steps=[600] if version != 2 else [],
            maximum_interval=(36_500, 90, 400)[version % 3],
            leech_after=4,
            leech_suspends=version == 3,
            origin="edit",
            created_at=MONDAY,
        )


def random_ledger(learner, cards, seed: int, *, lines: int, used=(0,)) -> None:
    """Lines as any writer may leave them, straight into the table: the fold alone is asked here."""
    chance, made = random.Random(seed), []
    for number in range(lines):
        at = MONDAY + timedelta(minutes=chance.choice((0, 1, 30, 1440, 5000, 99_999)) * chance.random())
        kind = chance.choices((Kind.REVIEW, *OTHERS), (12, 1, 1, 1, 1, 2))[0]
        day = (at - timedelta(hours=4)).date()
        made.append(
            Review(
                learner=learner,
                client_id=uuid.UUID(int=chance.getrandbits(128)),
                kind=kind,
                card=chance.choice(cards),
                rating=chance.randint(1, 4) if kind == Kind.REVIEW else 0,
                answered_at=at,
                received_at=MONDAY,
                study_day=day,
                device_sequence=number % 3,
                desired_retention=chance.choice((0.9, 0.8)),
                parameters_version=chance.choice(used),
                draw=chance.choice((-1, chance.random())),
                target_day=day + timedelta(days=9) if kind in (Kind.BURY, Kind.SET_DUE) else None,
            )
        )
    Review.objects.bulk_create(made)
    undone = chance.sample(made, lines // 8)
    Review.objects.bulk_create(void_of(line) for line in undone)


def void_of(line: Review) -> Review:
    return Review(
        learner=line.learner, client_id=uuid.uuid4(), kind=Kind.VOID, card_id=line.card_id, voids=line,
        answered_at=line.answered_at, received_at=MONDAY, study_day=line.study_day,
    )  # fmt: skip


@pytest.fixture
def ledger(db):
    """(learner, cards) with a ledger made by chance, whose lines name `used` versions."""

    def made(seed: int, used=(0,), lines: int = 240):
        learner = learner_of(get_user_model().objects.create(username=f"learner {next(NAMES)}"))
        topic = make_topic(f"topic-{learner.pk}")
        cards = [make_card(f"card-{learner.pk}-{number}", topic) for number in range(9)]
        if used != (0,):
            versions(learner)
        random_ledger(learner, cards, seed, lines=lines, used=used)
        return learner

    return made


def one_by_one(learner) -> dict:
    """{card: (memory, last line)} by the incremental fold's own functions."""
    found = {}
    for card in Card.objects.filter(pk__in=Review.objects.filter(learner=learner).values("card")):
        lines = Review.objects.filter(learner=learner, card=card)
        versions, current = versions_of(learner), learner.parameters_version
        memory, last = fold(lines, str(card.uuid), versions, current)
        found[card.pk] = (memory, last.pk if last else None)
    return found


def at_once(learner) -> dict:
    return {one.card: (one.memory, one.as_of) for one in replayed(learner)}


@pytest.mark.parametrize("seed", range(4))
def test_it_equals_the_fold_of_each_card(ledger, seed):
    learner = ledger(seed)
    assert at_once(learner) == one_by_one(learner)


@pytest.mark.parametrize("current", [0, 1, 2, 3])
def test_it_equals_the_fold_where_lines_name_several_versions(ledger, current):
    learner = ledger(10 + current, used=(0, 1, 2, 3))
    learner.parameters_version = current
    assert at_once(learner) == one_by_one(learner)


@pytest.mark.parametrize("used", [(0,), (0, 1, 2, 3)])
def test_a_reset_at_the_end_leaves_nothing_known_under_any_version(ledger, used):
    learner = ledger(40, used=used, lines=60)
    lines = Review.objects.filter(learner=learner)
    end = lines.latest("answered_at").answered_at + timedelta(hours=1)
    for card in set(lines.values_list("card", flat=True)):
        reset = {"kind": Kind.RESET, "client_id": uuid.uuid4(), "card_id": card, "study_day": end.date()}
        Review.objects.create(learner=learner, answered_at=end, received_at=end, **reset)
    found = at_once(learner)
    assert found == one_by_one(learner)
    assert {replace(memory, suspended=False) for memory, _ in found.values()} == {MemoryState()}


def test_new_numbers_change_what_is_known_and_move_no_due_date(ledger):
    learner = ledger(20, used=(0, 1))
    rebuild(learner)
    before = {row.card_id: memory_value(row) for row in Memory.objects.filter(learner=learner)}
    learner.parameters_version = 3
    rebuild(learner)
    after = {row.card_id: memory_value(row) for row in Memory.objects.filter(learner=learner)}
    assert {card: memory.due for card, memory in before.items()} == {
        card: memory.due for card, memory in after.items()
    }
    known = [card for card, memory in before.items() if memory.stability]
    assert known
    assert all(before[card].stability != after[card].stability for card in known)


def test_rebuild_writes_what_differs_and_then_nothing(ledger, django_assert_max_num_queries):
    learner = ledger(30)
    assert rebuild(learner) == 9
    Memory.objects.filter(learner=learner).update(reps=99)
    with django_assert_max_num_queries(8):
        assert rebuild(learner) == 9
    assert rebuild(learner) == 0
    assert at_once(learner) == {
        row.card_id: (memory_value(row), row.as_of_id) for row in Memory.objects.filter(learner=learner)
    }


def test_one_learner_is_rebuilt_without_the_others(ledger):
    learner, other = ledger(40), ledger(41)
    rebuild(learner)
    assert set(Memory.objects.values_list("learner", flat=True)) == {learner.pk}
    assert rebuild(other, cards=[next(iter(at_once(other)))]) == 1
