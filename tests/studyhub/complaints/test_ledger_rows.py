"""Complaints about reviews that were lost, doubled or erased, each tried on this ledger. Rows of srs.md."""

import uuid
from datetime import timedelta
from itertools import permutations

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.models import ProtectedError
from django.utils import timezone

from cards.models import Card
from studyhub.api.sync import record
from studyhub.celery import app
from studyhub.study.checking import Findings, check
from studyhub.study.models import Attempt, DayRollup, Memory, Parameters, Review
from studyhub.study.schedules import change_schedule
from tests.studyhub.api.conftest import Api
from tests.studyhub.study.conftest import MONDAY
from tests.studyhub.study.converging import memories, new_learner, sums
from tests.studyhub.study.memories import known, many_cards

from .acting import alone, asked, event, posted, rated, synced, told

DAY = timedelta(days=1)


def test_row_01_no_lapse_is_lost_whichever_device_syncs_last(room, card):
    """fsrs4anki-helper#648: with "newest wins", 374 of about 4,000 cards lost lapses. Here the memory is the
    fold of all lines, whichever device comes last and however often."""
    later = MONDAY + 10 * DAY
    phone = [rated(card, "again", at=later, device="phone", device_sequence=2)]
    tablet = [rated(card, "good", at=later + timedelta(minutes=11), device="tablet", device_sequence=1)]
    stale = [rated(card, "easy", at=MONDAY, device="desk", device_sequence=1)]
    stale += [rated(card, "good", at=later + timedelta(hours=1), device="desk", device_sequence=2)]
    stale += [event(card, "suspend", answered_at=(later + timedelta(hours=2)).isoformat(), device="desk")]
    found = []
    for uploads in permutations((phone, tablet, stale)):
        learner = new_learner()
        for events in (*uploads, uploads[0]):
            record(learner, events, later + DAY)
        assert check(learner) == Findings()
        found.append((memories(learner), sums(learner)))
    (memory, _), *_ = found[0][0].values()
    assert (memory.lapses, memory.reps, memory.suspended) == (1, 4, True)
    assert all(one == found[0] for one in found)


class Broken:
    """The line goes dead as the n-th statement is sent."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, execute, sql, params, many, context):
        self.left -= 1
        if not self.left:
            raise OperationalError("server closed the connection unexpectedly")
        return execute(sql, params, many, context)


def cut_at(statement: int, api: Api, events: list[dict], cursor: str) -> tuple[int, int]:
    """Status of an upload and of a download whose service loses its database at a statement."""
    with connection.execute_wrapper(Broken(statement)):
        sent = api.post("sync", {"events": events})
    with connection.execute_wrapper(Broken(statement)):
        read = api.get(f"sync?after={cursor}")
    return sent.status_code, read.status_code


def test_row_03_a_sync_cut_at_any_statement_is_sent_again_and_loses_and_doubles_nothing(api, room, card):
    """ankidroid/Anki-Android#4366: a timeout in mid-sync moved the cursor on, and rows were never sent again.
    Here a cut sync has written nothing, the cursor is the device's own, and sending again is always right."""
    synced(api, rated(card, at=MONDAY - DAY))
    lines, cursor = 1, told(api, "sync")["cursor"]
    for statement in range(1, 60):
        events = [rated(card, at=MONDAY - timedelta(minutes=statement)), event(card, "unsuspend")]
        up, down = cut_at(statement, api, events, cursor)
        assert up == 200 or (up >= 500 and Review.objects.count() == lines)
        assert [one["status"] for one in synced(api, *events)] == [200 if up == 200 else 201] * 2
        lines += 2
        assert Review.objects.count() == lines
        found = told(api, f"sync?after={cursor}")
        assert [one["card"] for one in found["memories"]] == [str(card.uuid)]
        cursor = found["cursor"]
        if (up, down) == (200, 200):
            break
    assert 15 < statement < 59  # it was cut at every statement there is
    assert check(room.learner) == Findings()


def test_row_04_a_slow_line_goes_on_where_it_broke_and_is_never_asked_for_everything(api, room, topic):
    """Anki-Android#3128: a slow link ended in a forced full sync. Here a page that got lost is asked for by
    its cursor again, what follows is the difference alone, and an old cursor is as good as a new one."""
    cards = many_cards(topic, 620)
    known(room, cards, interval=9, ago=1)
    first = told(api, "sync")
    assert (len(first["memories"]), first["more"]) == (500, True)
    lost = told(api, f"sync?after={first['cursor']}")
    again = told(api, f"sync?after={first['cursor']}")
    assert again == lost
    assert (len(again["memories"]), again["more"]) == (120, False)
    assert len({one["card"] for one in first["memories"] + again["memories"]}) == 620
    synced(api, *(rated(one, at=MONDAY) for one in cards[7:10]))
    changed = told(api, f"sync?after={again['cursor']}")["memories"]
    assert {one["card"] for one in changed} == {str(one.uuid) for one in cards[7:10]}
    assert len(told(api, f"sync?after={first['cursor']}")["memories"]) == 120


STUDIED = (
    "sync",
    "reviews",
    "reviews/{0}",
    "reviews/{0}/void",
    "attempts",
    "attempts/{0}",
    "cards/{1}/events",
)


def test_row_05_nothing_a_device_sends_erases_a_review_and_what_is_taken_back_returns(api, room, card):
    """Anki-Android#3180, #8033: a one-way sync erased decks, and the reviews of a day were reset. Here no
    address takes DELETE, an empty device changes nothing, a line never goes, and a reset can be undone."""
    synced(api, rated(card, "easy", at=MONDAY - timedelta(hours=1)))
    before, day = room.memory(card), told(api, "study/statistics")["heat_map"][-1]
    line = Review.objects.get()
    for path in (*STUDIED, "cards/{1}/events"):
        assert api.send("DELETE", path.format(line.client_id, card.uuid)).status_code in (404, 405), path
    fresh = Api(room.learner.user)
    assert synced(fresh) == []
    assert len(told(fresh, "sync")["memories"]) == 1
    reset = event(card, "reset")
    synced(fresh, reset)
    assert room.memory(card).reps == 0
    assert told(api, "study/statistics")["heat_map"][-1] == day
    posted(api, f"reviews/{reset['id']}/void", {"id": str(uuid.uuid4())})
    assert room.memory(card) == before
    for erase in (line.delete, Review.objects.all().delete, card.delete):
        with transaction.atomic(), pytest.raises((IntegrityError, ProtectedError)):
            erase()
    assert Review.objects.count() == 3


def test_row_05_a_card_taken_from_the_shelf_comes_back_with_what_is_known_of_it(api, room, card):
    """The same issues: a deck that goes is a mark on its cards, and no review of them goes with it."""
    synced(api, rated(card, "easy", at=MONDAY - 99 * DAY))
    before = room.memory(card)
    assert asked(api) == [str(card.uuid)]
    Card.objects.filter(pk=card.pk).update(state=Card.State.RETIRED)
    assert asked(api) == []
    assert Review.objects.count() == 1
    Card.objects.filter(pk=card.pk).update(state=Card.State.PUBLISHED)
    assert asked(api) == [str(card.uuid)]
    assert room.memory(card) == before


def test_row_06_after_years_away_everything_is_there(room, card, clock):
    """anki#4611: the server's data were gone after some inactivity. Here nothing that runs by itself deletes:
    every task of the clock is run, years later, and each row is as it was."""
    import studyhub.operations.tasks  # noqa: F401 - the worker's own: what the clock names is in there

    room.graduate(card)
    change_schedule(room.learner, {"leech_after": 5}, MONDAY)
    models = (Review, Attempt, Memory, DayRollup, Parameters)
    before = [list(model.objects.order_by("pk").values()) for model in models]
    clock.move_to(MONDAY + 1_500 * DAY)
    names = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert len(names) >= 2
    for name in names:
        app.tasks[name].run()
    assert [list(model.objects.order_by("pk").values()) for model in models] == before
    assert asked(Api(room.learner.user)) == [str(card.uuid)]


def test_row_26_one_undo_takes_back_one_act_with_all_it_did_and_the_card_is_asked_again(
    api, room, card, new_card, topic
):
    """anki#4399, fsrs4anki-helper#547, Anki-Android#14482: undo undid another thing, or did not go back to
    the card. Here the void of a lapse that made a leech unsuspends it, takes the lapse out of every sum, bars
    no sibling, and the card is the next one; another device's act in between stays."""
    sibling = new_card("sibling", topic, position=1)
    Card.objects.filter(topic=topic).update(family="heads")
    change_schedule(room.learner, {"leech_after": 1, "leech_suspends": True}, MONDAY)
    synced(api, rated(card, "easy", at=MONDAY - 99 * DAY))
    other = new_card("other", topic, position=2)
    before, days = room.memory(card), list(DayRollup.objects.values())
    lapse = rated(card, "again", at=MONDAY)
    synced(api, lapse)
    assert room.memory(card).suspended
    assert asked(api) == [str(other.uuid)]  # neither the leech nor its sibling
    elsewhere = event(other, "suspend", device="desk")
    synced(api, elsewhere)
    assert [one["review"] for one in told(api, "reviews?limit=2")] == [elsewhere["id"], lapse["id"]]
    posted(api, f"reviews/{lapse['id']}/void", {"id": str(uuid.uuid4())})
    assert room.memory(card) == before
    assert list(DayRollup.objects.values()) == days
    assert room.memory(other).suspended
    assert asked(api) == [str(card.uuid)]
    assert not Memory.objects.filter(card=sibling).exists()
    attempt = Attempt.objects.get(reviews__client_id=lapse["id"])
    anew = {"id": str(uuid.uuid4()), "attempt": str(attempt.client_id), "rating": "hard"}
    posted(api, "reviews", anew | {"answered_at": MONDAY.isoformat(), "time_zone": "UTC"})
    assert (room.memory(card).lapses, room.memory(card).reps) == (0, 2)
    assert check(room.learner) == Findings()


def test_row_27_a_button_pressed_ten_times_is_one_review_with_one_answer_and_skips_no_card(
    api, room, card, new_card, topic
):
    """Anki-Android#19642, PR#7177: a double tap gave an error, lost the undo and skipped a card. Here the
    same id again is answered with the same words, and undo and the next card are as after one tap."""
    following = new_card("following", topic, position=1)
    tap = alone(rated(card, at=timezone.now()))
    answers = [api.post("reviews", tap) for _ in range(10)]
    assert [one.status_code for one in answers] == [201] + [200] * 9
    assert len({one.content for one in answers}) == 1
    assert (Review.objects.count(), Attempt.objects.count(), room.memory(card).reps) == (1, 1, 1)
    assert asked(api) == [str(following.uuid)]
    void = {"id": str(uuid.uuid4())}
    undone = [api.post(f"reviews/{tap['id']}/void", void) for _ in range(10)]
    assert [one.status_code for one in undone] == [201] + [200] * 9
    assert len({one.content for one in undone}) == 1
    assert room.memory(card).reps == 0
    assert asked(api) == [str(card.uuid), str(following.uuid)]
