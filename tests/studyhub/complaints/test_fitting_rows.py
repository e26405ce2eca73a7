"""Complaints about fits that broke or said nothing, and figures of what was no recall. Rows of srs.md."""

import json
import uuid
from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from benchmarks.fsrs_learners import Course, answers, true_numbers
from studyhub.operations import jobs, running
from studyhub.operations.models import Job
from studyhub.study.checking import Findings, check
from studyhub.study.history import answers_of, training_answers
from studyhub.study.models import Attempt, Memory, Parameters, Review
from studyhub.study.scheduling import DEFAULT_PARAMETERS
from studyhub.study.tasks import fit
from tests.studyhub.study.conftest import MONDAY
from tests.studyhub.study.memories import many_cards

from .acting import event, posted, rated, synced, told

DAY = timedelta(days=1)


def test_row_17_a_hundred_cards_marked_in_bulk_are_kept_and_teach_a_fit_nothing(api, room, topic, card):
    """fsrs4anki#720: more than 100 new cards graded in bulk wrecked the fit. Here they are lines as any, and
    a fit leaves them out and says how many; what was answered one by one stays."""
    cards = many_cards(topic, 100)
    for n in range(5):
        synced(api, rated(card, at=MONDAY - (9 - n) * DAY))
    synced(
        api, *(rated(one, "easy", at=MONDAY + n * timedelta(milliseconds=20)) for n, one in enumerate(cards))
    )
    assert Review.objects.count() == 105
    kept = training_answers(answers_of(room.learner))
    assert set(kept.histories.card.tolist()) == {card.pk}
    assert (len(kept.histories), kept.dropped["in_bulk"]) == (5, 100)
    report = fit(room.learner.pk, lambda percent: None)
    assert (report["reviews"], report["dropped"]["in_bulk"]) == (5, 100)


def due_days(room) -> Counter:
    return Counter(due.date() for due in Memory.objects.values_list("due", flat=True))


@pytest.fixture
def rescheduled(api, room, topic):
    """Forty cards in days, and numbers offered under which they would come back all at once."""
    cards = many_cards(topic, 40)
    at = MONDAY - 60 * DAY
    synced(api, *(rated(one, "easy", at=at + n * timedelta(minutes=1)) for n, one in enumerate(cards)))
    weak = (*(max(one / 20, 0.1) for one in DEFAULT_PARAMETERS[:4]), *DEFAULT_PARAMETERS[4:])
    last = MONDAY - DAY
    synced(api, *(rated(one, "good", at=last + n * timedelta(minutes=1)) for n, one in enumerate(cards)))
    steps = {"learning_steps": [60, 600], "relearning_steps": [600]}
    rest = {"version": 1, "origin": Parameters.Origin.FIT, "created_at": MONDAY}
    Parameters.objects.create(learner=room.learner, numbers=list(weak), **rest, **steps)
    return {"due": dict(Memory.objects.values_list("card", "due")), "days": due_days(room)}


def test_row_18_rescheduling_is_shown_first_spread_over_days_and_taken_back(api, room, rescheduled):
    """fsrs4anki-helper#3, fsrs4anki#382, #506: rescheduling dumped 7,600 to 7,800 due cards on a day. Here
    what it would do is shown before and changes nothing, a limit a day is kept to, and undo gives each day
    back."""
    shown = told(api, "study/parameters/1/difference")
    assert dict(Memory.objects.values_list("card", "due")) == rescheduled["due"]
    assert (shown["cards"], shown["moved"], shown["sooner"]) == (40, 40, 40)
    assert max(day["then"] for day in shown["days"]) + shown["overdue_then"] > 10
    body = {"id": str(uuid.uuid4()), "reschedule": True, "per_day": 5}
    assert posted(api, "study/parameters/1/adopt", body, 200) == {"version": 1, "moved": 40}
    days = due_days(room)
    assert max(days.values()) == 5
    assert min(days) >= MONDAY.date()
    assert check(room.learner) == Findings()
    undone = posted(api, "study/parameters/undo", {"id": str(uuid.uuid4()), "version": 1}, 200)
    assert undone == {"version": 0, "moved": 40}
    assert dict(Memory.objects.values_list("card", "due")) == rescheduled["due"]
    assert check(room.learner) == Findings()


def test_row_19_a_fit_of_nothing_of_one_review_or_of_failures_alone_ends_with_a_reason(
    api, room, card, monkeypatch, topic, clock
):
    """anki#5530, #3498, PR#3106: a fit failed silently or with a 500 on bad data or a single review. Here it
    is asked for with 202, ends as done, says why in words and numbers, and leaves in force what was."""
    monkeypatch.setattr(jobs.messages, "send", lambda *sent: True)
    reasons = []
    again = many_cards(topic, 30)
    data = [[], [rated(card, at=MONDAY - 90 * DAY)]]
    minutes = [timedelta(minutes=n) for n in range(30)]
    days = [MONDAY - n * DAY for n in (80, 79, 77, 70)]
    data += [[rated(one, "again", at=at + n) for at in days for one, n in zip(again, minutes, strict=True)]]
    for minute, events in enumerate(data):
        clock.move_to(MONDAY + timedelta(minutes=minute), tick=False)
        synced(api, *events)
        job = posted(api, "study/fits", {}, 202)
        assert posted(api, "study/fits", {}, 202)["id"] == job["id"]
        running.run(uuid.UUID(job["id"]))
        done = told(api, f"jobs/{job['id']}")
        result = done["result"]
        assert done["state"] == Job.State.DONE, done
        assert json.dumps(result, allow_nan=False)
        assert result["outcome"] == ("too_few" if minute < 2 else "better" if result["version"] else "kept")
        reasons.append(result["reason"])
        assert told(api, "study/parameters")["last_fit"] == result
    assert reasons[0] == reasons[1] != reasons[2]
    assert all(any(sign.isdigit() for sign in one) and one.endswith(".") for one in reasons)
    room.learner.refresh_from_db()
    assert room.learner.parameters_version == 0


def ledger_of(room, topic) -> None:
    """Answers of somebody who forgets otherwise than the built-in numbers say, as lines that were
    imported."""
    chance = np.random.default_rng(7)
    (found,) = answers(true_numbers(1, chance), Course(120, 10, 60), chance)
    cards = many_cards(topic, int(found.card.max()) + 1)
    times = [datetime.fromtimestamp(86_400 * 20_000 + second, UTC) for second in found.at.tolist()]
    rest = {"learner": room.learner, "kind": Review.Kind.IMPORT, "body_digest": "-", "received_at": MONDAY}
    lines = zip(found.card.tolist(), found.rating.tolist(), times, strict=True)
    Review.objects.bulk_create(
        Review(
            card=cards[card],
            rating=rating,
            answered_at=at,
            study_day=at.date(),
            client_id=room.new_id(),
            **rest,
        )
        for card, rating, at in lines
    )


def test_row_20_a_fit_shows_both_losses_on_held_out_reviews_and_how_sure_the_difference_is(api, room, topic):
    """fsrs4anki#644, anki#5182: "already optimal" left people guessing. Here the report has the loss of the
    numbers in force, of the fitted ones and of plain averages, on reviews none of them saw, with the 95 %
    interval of the difference, and says the verdict with these figures."""
    ledger_of(room, topic)
    report = fit(room.learner.pk, lambda percent: None)
    scores, difference = report["scores"], report["differences"]["current"]
    assert set(scores) == {"defaults", "current", "fitted", "average", "moving_average"}
    assert {one["number"] for one in scores.values()} == {report["held_out"]}
    assert 0 < report["held_out"] < report["terms"] < report["reviews"] == Review.objects.count()
    gain = scores["fitted"]["log_loss"] - scores["current"]["log_loss"]
    assert difference["mean"] == pytest.approx(gain, abs=2e-6)
    assert difference["low"] < difference["mean"] < difference["high"]
    for shown in (f"{scores['fitted']['log_loss']:.4f}", f"{report['held_out']:,}"):
        assert shown in report["reason"]
    assert (report["version"] > 0) == (report["outcome"] == "better") == Parameters.objects.exists()


def test_row_21_what_was_crammed_set_or_put_aside_is_no_recall(api, room, card, new_card, topic, clock):
    """anki#3453, fsrs4anki-helper#320: cramming and rows written by hand counted as recall. Here true
    retention is that of answers of cards past their steps alone, as Anki defines it; practice is no review at
    all."""
    other = new_card("other", topic, position=1)
    start = MONDAY - 40 * DAY
    synced(api, *(rated(one, "easy", at=start) for one in (card, other)))  # first answers test nothing
    synced(api, rated(card, "good", at=start + 8 * DAY), rated(other, "again", at=start + 8 * DAY))
    synced(api, rated(other, "good", at=start + 8 * DAY + timedelta(minutes=11)))  # a step
    counted = {"passed": 1, "number": 2}
    for one, kind in ((card, "set_due"), (other, "bury")):
        synced(api, event(one, kind, MONDAY.date()))
    clock.move_to(MONDAY + timedelta(hours=1))
    for number, kind in enumerate(("suspend", "unsuspend", "reset")):
        synced(api, event(other, kind, device_sequence=number))
    for item in told(api, "study/queue?kind=cram&topic=d-head"):
        attempt = {"id": str(uuid.uuid4()), "card": item["card"], "card_version": 1, "practice": True}
        posted(api, "attempts", attempt | {"response": {"text": "12"}})
        body = {"id": str(uuid.uuid4()), "attempt": attempt["id"], "rating": "good", "time_zone": "UTC"}
        refused = posted(api, "reviews", body | {"answered_at": MONDAY.isoformat()}, 422)
        assert "practice" in refused["errors"][0]["reason"]
    assert Attempt.objects.filter(practice=True).count() == 2
    periods = {one["period"]: one for one in told(api, "study/statistics")["true_retention"]}
    assert {name: periods["all"]["all"][name] for name in counted} == counted
    assert periods["today"]["all"]["number"] == 0
