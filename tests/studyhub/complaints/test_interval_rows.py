"""Complaints about intervals that shrank, jumped or were not what was shown. Rows of srs.md."""

import uuid
from collections import Counter
from datetime import datetime, timedelta

import pytest

from studyhub.study.checking import Findings, check
from studyhub.study.models import Memory, Parameters, Review
from studyhub.study.rating import RATINGS
from studyhub.study.rules import rules_of
from studyhub.study.schedules import change_schedule
from studyhub.study.scheduling import DEFAULT_PARAMETERS, fsrs7, next_memory
from studyhub.study.zones import present
from tests.studyhub.study.conftest import MONDAY
from tests.studyhub.study.memories import remembered

from .acting import alone, asked, event, posted, rated, synced, told

DAY = timedelta(days=1)
NAMES = ("again", "hard", "good", "easy")


def version_of(room, numbers, **rules) -> Parameters:
    """Ben's version 1, with these numbers; not in force."""
    steps = {"learning_steps": [60, 600], "relearning_steps": [600]} | rules
    rest = {"version": 1, "origin": Parameters.Origin.FIT, "created_at": MONDAY}
    return Parameters.objects.create(learner=room.learner, numbers=list(numbers), **rest, **steps)


def dues(room) -> dict[int, datetime | None]:
    return dict(Memory.objects.filter(learner=room.learner).values_list("card_id", "due"))


def test_row_02_no_replay_and_no_new_numbers_move_a_due_date(api, room, card, new_card, topic):
    """ankitects/anki PR#4717: mending a stale memory after a sync rescheduled people who never asked for it.
    Here a due date moves by a review or by the act that says so, never by a replay, numbers or settings."""
    cards = [card, *(new_card(f"card-{n}", topic, position=n) for n in range(1, 5))]
    for number, one in enumerate(cards):
        at = MONDAY - (number + 1) * DAY
        synced(api, rated(one, "easy", at=at), rated(one, "hard", at=at + timedelta(hours=1)))
    before, known = dues(room), room.memory(card)
    version_of(room, (*(4 * one for one in DEFAULT_PARAMETERS[:4]), *DEFAULT_PARAMETERS[4:]))
    told_of = posted(api, "study/parameters/1/adopt", {"id": str(uuid.uuid4())}, 200)
    assert told_of == {"version": 1, "moved": 0}
    assert room.memory(card).stability > 2 * known.stability
    assert dues(room) == before
    assert api.send("PATCH", "study/settings", {"desired_retention": 0.97}).status_code == 200
    Memory.objects.filter(card=card).update(stability=1.5)  # stale, as after another server's sync
    Memory.objects.filter(card=cards[1]).delete()
    assert check(room.learner, fix=True).memories_different == 1
    assert (check(room.learner), dues(room)) == (Findings(), before)
    synced(api, event(card, "set_due", (MONDAY + 77 * DAY).date()))
    moved = {pk for pk, due in dues(room).items() if due != before[pk]}
    assert moved == {card.pk}


@pytest.mark.parametrize("rating", [2, 3, 4], ids=["hard", "good", "easy"])
@pytest.mark.parametrize("retention", [0.7, 0.9, 0.97])
def test_row_12_a_pass_never_gives_fewer_days_than_the_last(room, card, rating, retention):
    """anki#4431, #2694: fuzz made an interval shrink after a success. Here none does, whatever the draw,
    early, on the day or late, at a low aim and at a high one."""
    room.learner.desired_retention = retention
    room.learner.save()
    room.study(card, 4)
    days, at = [room.memory(card).interval_days], MONDAY
    for number, draw in enumerate((0.99, 0.0, 0.5, 0.999, 0.0, 0.0, 0.7)):
        at += max(1, days[-1] + (0, -3, 5, 0)[number % 4]) * DAY
        room.rate(room.answer(card, now=at), rating, at=at, draw=draw)
        days.append(room.memory(card).interval_days)
    assert days == sorted(days)
    assert days[-1] > days[0]


def drawn(room, card, rating: int, draws: int = 800) -> Counter[int]:
    """How often each day is drawn, by draws that are spread evenly."""
    rules, moment, memory = rules_of(room.learner, card), present(room.learner, MONDAY), room.memory(card)
    answer = {"moment": moment, "rules": rules, "card": str(card.uuid)}
    landed = (next_memory(memory, rating, **answer, draw=n / draws) for n in range(draws))
    return Counter(memory.interval_days for memory in landed)


def test_row_13_days_are_drawn_equally_often_up_to_the_longest_interval(room, card):
    """anki#3015: under a short maximum all passes fell on one day. Here one that would go beyond it lands on
    each day from the lower bound to the maximum equally often, on none after it, and where all three would go
    beyond, the better ones stand later among the same days. (A card that stands at the maximum stays: row
    12.)"""
    change_schedule(room.learner, {"maximum_interval": 100}, MONDAY)
    remembered(room, card, interval=40, ago=40, stability=40.0)
    assert drawn(room, card, 3) == dict.fromkeys(range(93, 101), 100)
    remembered(room, card, interval=60, ago=60, stability=300.0)
    hard, good, easy = (drawn(room, card, rating) for rating in (2, 3, 4))
    assert hard == dict.fromkeys(range(93, 101), 100)
    for later in (good, easy):
        assert max(later) == 100
        assert len(later) >= 6
        assert max(later.values()) <= 400
    room.rate(room.answer(card), 2, draw=0.0)
    assert room.memory(card).interval_days == 93


def test_row_14_the_interval_shown_is_the_interval_given_and_the_same_when_asked_again(
    api, room, topic, new_card
):
    """ts-fsrs#113, #131, go-fsrs#25: fuzz could not be repeated, or came from the clock. Here the draw goes
    out with the four intervals and comes back with the rating; asked later on the day, it is the same."""
    cards = [new_card(f"card-{n}", topic, position=n) for n in range(4)]
    synced(api, *(rated(one, "easy", at=MONDAY - 31 * DAY) for one in cards))
    for one, rating in zip(cards, NAMES, strict=True):
        shown = {item["card"]: item for item in told(api, "study/queue")}[str(one.uuid)]
        again = {item["card"]: item for item in told(api, "study/queue")}[str(one.uuid)]
        assert (shown["draw"], shown["intervals"]) == (again["draw"], again["intervals"])
        sent = alone(rated(one, rating, at=MONDAY, draw=shown["draw"]))
        given = posted(api, "reviews", sent)
        assert given["intervals"] == shown["intervals"]
        memory = room.memory(one)
        seconds = memory.interval_days * 86_400 if rating != "again" else 600
        assert seconds == shown["intervals"][rating]
        posted(api, f"reviews/{sent['id']}/void", {"id": str(uuid.uuid4())})
        posted(api, "reviews", sent | {"id": str(uuid.uuid4())})
        assert room.memory(one) == memory


@pytest.mark.parametrize("target", [2, 400, 2_400])
def test_row_15_a_due_date_set_by_hand_teaches_nothing(api, room, card, new_card, topic, clock, target):
    """anki#3634: Set Due Date was fed back into stability, and 27 days became 6.67 years. Here it moves the
    due date alone, and the next answer makes of stability what it would have made without."""
    twin = new_card("twin", topic, position=1)
    start = MONDAY - 27 * DAY
    synced(api, rated(card, "easy", at=start), rated(twin, "easy", at=start))
    before, wanted = room.memory(card), (MONDAY + target * DAY).date()
    moved = {"id": str(uuid.uuid4()), "kind": "set_due", "target_day": str(wanted)}
    posted(api, f"cards/{card.uuid}/events", moved)
    after = room.memory(card)
    assert (after.stability, after.difficulty, after.reps) == (before.stability, before.difficulty, 1)
    assert after.due.date() == wanted
    clock.move_to(MONDAY + 3 * DAY)
    for answered in (card, twin):
        synced(api, rated(answered, "good", at=MONDAY + 2 * DAY))
    one, other = room.memory(card), room.memory(twin)
    assert (one.stability, one.difficulty) == (other.stability, other.difficulty)
    promised = dict(
        Review.objects.filter(kind="review").order_by("pk").values_list("card_id", "recall_before")
    )
    assert promised[card.pk] == promised[twin.pk]


def test_row_16_what_would_be_forgotten_within_the_day_comes_back_within_the_day(api, room, card, clock):
    """fsrs4anki#651: a stability under a day still gave a day. With FSRS-7 a lapse without steps waits hours,
    in seconds, never under a minute; and FSRS-6, which counts whole days, says a day or more."""
    none = {"learning_steps": [], "relearning_steps": []}
    version_of(room, fsrs7.DEFAULT_PARAMETERS, **none)
    posted(api, "study/parameters/1/adopt", {"id": str(uuid.uuid4())}, 200)
    [shown] = told(api, "study/queue")
    waits = [shown["intervals"][name] for name in NAMES]
    assert 60 <= waits[0] < 43_200
    assert waits == sorted(waits)
    sent = rated(card, "again", at=MONDAY, draw=shown["draw"])
    [outcome] = synced(api, sent)
    due = datetime.fromisoformat(outcome["body"]["due"])
    assert (due - MONDAY).total_seconds() == waits[0]
    assert asked(api) == []
    clock.move_to(due)
    assert asked(api) == [str(card.uuid)]
    posted(api, "study/parameters/0/adopt", {"id": str(uuid.uuid4())}, 200)
    change_schedule(room.learner, none, due)
    assert told(api, "study/queue")[0]["intervals"]["again"] % 86_400 == 0


def test_row_12_no_button_of_the_queue_offers_fewer_days_than_the_last(api, room, topic, new_card):
    """The same issues on the queue: of many due cards, no pass is offered below the last interval."""
    cards = [new_card(f"card-{n}", topic, position=n) for n in range(12)]
    for number, one in enumerate(cards):
        remembered(room, one, interval=number + 1, ago=number + 1)
    for item in told(api, "study/queue"):
        last = next(n for n, one in enumerate(cards, 1) if str(one.uuid) == item["card"])
        passes = [item["intervals"][name] for name in RATINGS if name != "again"]
        assert passes == sorted(passes)
        assert passes[0] >= last * 86_400
