"""A sync stores each event by itself, all of them at once, and says what others changed."""

import gzip
import json
import uuid
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from studyhub.api import sync as sync_module
from studyhub.api.sync import record
from studyhub.study.changes import changes
from studyhub.study.checking import Findings, check
from studyhub.study.models import Attempt, Learner, Memory, Review, learner_of


def review(shelf, name: str = "heads", **changed) -> dict:
    """An answer given offline, with its rating."""
    card = {"card": str(shelf.cards[name].uuid), "card_version": 1, "response": {"text": "12"}}
    return shelf.review(type="review", **card) | changed


def event(shelf, kind: str = "suspend", name: str = "heads", **more) -> dict:
    return {"type": kind, "id": str(uuid.uuid4()), "card": str(shelf.cards[name].uuid), **more}


def void(target: str) -> dict:
    return {"type": "void", "id": str(uuid.uuid4()), "review": target}


def synced(api, *events) -> list[dict]:
    response = api.post("sync", {"events": list(events)})
    assert response.status_code == 200, response.content
    return response.json()["outcomes"]


def statuses(outcomes: list[dict]) -> list[int]:
    return [outcome["status"] for outcome in outcomes]


def test_every_kind_is_stored_in_the_order_sent_and_told_what_it_did(learner_api, shelf):
    events = shelf.events(str(shelf.cards["heads"].uuid))
    outcomes = synced(learner_api, *events)
    assert statuses(outcomes) == [201] * 7 + [200, 404, 422, 422, 422]
    assert [one["id"] for one in outcomes[:10]] == [one["id"] for one in events[:10]]
    assert outcomes[0]["body"] == outcomes[7]["body"]
    assert outcomes[0]["body"]["grade"]["outcome"] == "correct"
    assert [one["body"]["kind"] for one in outcomes[1:7]] == [
        *("suspend", "unsuspend", "reset", "bury", "set_due", "void"),
    ]
    assert [one["problem"]["errors"][0]["field"] for one in outcomes[8:]] == [
        *("review", "response.text", "type", "type"),
    ]
    assert list(Review.objects.order_by("pk").values_list("kind", flat=True)) == [
        *("review", "suspend", "unsuspend", "reset", "bury", "set_due", "void"),
    ]
    assert check(Learner.objects.get()) == Findings()


def test_events_without_a_time_of_their_own_count_in_the_order_sent(learner_api, shelf):
    falling = iter(sorted((str(uuid.uuid4()) for _ in range(9)), reverse=True))  # the fold's last resort
    kinds = ["suspend", "unsuspend", "suspend", "unsuspend", "suspend", "unsuspend"]
    synced(learner_api, review(shelf), *(event(shelf, kind, id=next(falling)) for kind in kinds))
    assert not Memory.objects.get().suspended
    ahead = {"answered_at": (timezone.now() + timedelta(days=9)).isoformat()}
    ratings = ("good", "easy", "again")
    synced(learner_api, *(review(shelf, rating=one, id=next(falling), **ahead) for one in ratings))
    assert Memory.objects.get().as_of.rating == 1


def test_the_same_sync_again_says_the_same_and_stores_nothing(learner_api, shelf):
    events = [review(shelf), review(shelf, "steps", response={"order": []}), event(shelf, "set_due")]
    events[2]["target_day"] = "2027-01-02"
    first = synced(learner_api, *events)
    rows = Review.objects.count()
    again = synced(learner_api, *events)
    assert Review.objects.count() == rows
    assert [one.get("body") for one in again] == [one.get("body") for one in first]
    assert statuses(again) == [200 if status == 201 else status for status in statuses(first)]


def test_a_review_is_the_same_by_either_address(learner_api, shelf):
    body = review(shelf)
    alone = {name: value for name, value in body.items() if name != "type"}
    stored = learner_api.post("reviews", alone)
    [outcome] = synced(learner_api, body)
    assert (stored.status_code, outcome["status"], outcome["body"]) == (201, 200, stored.json())


def test_another_body_under_an_id_is_a_conflict_of_that_event_alone(learner_api, shelf):
    body = review(shelf)
    outcomes = synced(learner_api, body, body | {"rating": "easy"}, review(shelf))
    assert statuses(outcomes) == [201, 422, 201]
    assert outcomes[1]["problem"]["type"] == "/problems/idempotency-conflict"


def test_an_undo_that_comes_first_is_taken_once_its_target_has_come(learner_api, shelf):
    rated = review(shelf)
    undo = void(rated["id"])
    assert statuses(synced(learner_api, undo)) == [404]
    assert statuses(synced(learner_api, undo, rated)) == [404, 201]
    assert statuses(synced(learner_api, undo)) == [201]
    assert Memory.objects.get().state == "new"


def test_two_devices_undo_the_same_and_it_is_undone_once(learner_api, shelf):
    rated = review(shelf)
    first, second = void(rated["id"]), void(rated["id"])
    outcomes = synced(learner_api, rated, first, second)
    assert statuses(outcomes) == [201, 201, 200]
    assert outcomes[1]["body"] == outcomes[2]["body"]
    assert Review.objects.filter(kind="void").count() == 1


def test_a_line_older_than_a_day_is_not_undone(learner_api, shelf, problem, time_machine):
    rated = review(shelf)
    synced(learner_api, rated)
    time_machine.move_to(timezone.now() + timedelta(days=3))
    [outcome] = synced(learner_api, void(rated["id"]))
    assert (outcome["status"], outcome["problem"]["type"]) == (422, "/problems/undo-refused")
    assert "came 3 days ago" in outcome["problem"]["detail"]
    alone = learner_api.post(f"reviews/{rated['id']}/void", {"id": str(uuid.uuid4())})
    assert problem(alone, 422)[0] == "undo-refused"


def test_another_learners_review_is_as_good_as_missing(learner_api, shelf, as_user, cy):
    rated = review(shelf)
    synced(learner_api, rated)
    stranger = as_user(cy)
    assert (
        synced(stranger, void(rated["id"]))[0]["problem"]["errors"]
        == (synced(stranger, void(str(uuid.UUID(rated["id"]))))[0]["problem"]["errors"])
    )
    assert Review.objects.count() == 1


def test_a_draft_and_a_card_that_is_not_there_are_told_alike(learner_api, shelf):
    draft, missing = event(shelf, name="draft"), event(shelf) | {"card": str(uuid.uuid4())}
    outcomes = synced(learner_api, draft, missing, event(shelf))
    assert statuses(outcomes) == [404, 404, 201]


def packed(api, raw: bytes):
    return api.client.post(
        "/api/v1/sync", raw, content_type="application/json", headers={"Content-Encoding": "gzip"}
    )


def test_two_hundred_reviews_go_up_in_twenty_kilobytes(learner_api, shelf):
    events = [review(shelf, device="phone", device_sequence=n, elapsed_ms=4000 + n) for n in range(200)]
    body = gzip.compress(json.dumps({"events": events}).encode())
    assert len(body) <= 20_000
    assert statuses(packed(learner_api, body).json()["outcomes"]) == [201] * 200


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"{}", 400),
        (gzip.compress(b"{}")[:-4], 400),
        (gzip.compress(b"{}") + gzip.compress(b"{}"), 400),
        (gzip.compress(b"[" * 2**20 + b"]"), 413),
        (gzip.compress(b" " * 2**27), 413),
    ],
    ids=["plain", "cut off", "two", "a byte too long", "a bomb of 128 MiB"],
)
def test_gzip_that_is_none_or_too_much_is_a_problem(learner_api, problem, raw, status):
    assert set(problem(packed(learner_api, raw), status)[1]) == {"body"}


def test_more_than_two_hundred_events_are_refused_whole(learner_api, shelf, problem):
    events = [event(shelf) for _ in range(201)]
    assert problem(learner_api.post("sync", {"events": events}), 422)[1] == {
        "events": "has 201 items; at most 200 are taken"
    }
    assert not Review.objects.exists()


def test_an_unforeseen_fault_of_one_event_stops_no_other(learner_api, shelf, monkeypatch):
    put_event = sync_module.put_event

    def faulty(desk, card, kind, **rest):
        if kind == "bury":
            raise ZeroDivisionError
        return put_event(desk, card, kind, **rest)

    monkeypatch.setattr(sync_module, "put_event", faulty)
    buried = event(shelf, "bury", target_day="2027-01-02")
    outcomes = synced(learner_api, event(shelf), buried, event(shelf))
    assert statuses(outcomes) == [201, 500, 201]
    assert "ours" in outcomes[1]["problem"]["detail"]


def test_a_sync_of_many_costs_few_queries(learner_api, shelf, django_assert_max_num_queries):
    events = [review(shelf, answered_at=f"2026-11-30T09:15:{n:02}+01:00") for n in range(50)]
    with django_assert_max_num_queries(40):
        assert statuses(synced(learner_api, *events)) == [201] * 50
    assert (Attempt.objects.count(), Memory.objects.get().reps) == (50, 50)


@pytest.mark.parametrize("kind", ["named", "undone", "undone twice"])
def test_what_many_events_name_is_read_at_once(learner_api, shelf, kind, django_assert_max_num_queries):
    def events(number: int) -> list[dict]:
        answers = [shelf.attempt("heads") for _ in range(number)]
        assert all(learner_api.post("attempts", answer).status_code == 201 for answer in answers)
        rated = [shelf.review(type="review", attempt=answer["id"]) for answer in answers]
        if kind == "named":
            return rated
        assert statuses(synced(learner_api, *rated)) == [201] * number
        voids = [void(one["id"]) for one in rated]
        return (
            voids if kind == "undone" else [void(one["id"]) for one in rated if synced(learner_api, *voids)]
        )

    few, many = events(2), events(20)
    with CaptureQueriesContext(connection) as counted:
        assert set(statuses(synced(learner_api, *few))) <= {200, 201}
    with django_assert_max_num_queries(len(counted) + 2):
        assert set(statuses(synced(learner_api, *many))) <= {200, 201}
    assert check(Learner.objects.get()) == Findings()


def test_an_answer_that_came_along_can_be_rated_anew_in_the_same_sync(learner_api, shelf):
    first = review(shelf)
    answer = str(uuid.uuid5(uuid.UUID(first["id"]), "attempt"))
    anew = shelf.review(type="review", attempt=answer, rating="hard")
    outcomes = synced(learner_api, first, anew, void(first["id"]), anew)
    assert statuses(outcomes) == [201, 422, 201, 201]
    assert list(Attempt.objects.get().reviews.filter(voided_by=None).values_list("rating", flat=True)) == [2]


class Broken:
    """Breaks the connection as the n-th statement is sent."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, execute, sql, params, many, context):
        self.left -= 1
        if not self.left:
            raise OperationalError("server closed the connection unexpectedly")
        return execute(sql, params, many, context)


@pytest.mark.django_db(transaction=True)
def test_a_connection_lost_at_any_statement_loses_and_doubles_nothing(ben, shelf):
    learner, now = learner_of(ben), timezone.now()
    record(learner, [review(shelf)], now)  # not the first sync
    cut, lines = 0, 1
    while cut < 60:
        cut += 1
        rated = review(shelf, answered_at=f"2026-11-30T09:{cut % 60:02}:00+01:00")
        events = [rated, event(shelf), void(rated["id"]), review(shelf)]
        try:
            with connection.execute_wrapper(Broken(cut)):
                record(learner, events, now)
            break
        except OperationalError:
            assert Review.objects.count() == lines  # none of it
        assert statuses(record(learner, events, now)[0]) == [201] * 4
        assert statuses(record(learner, events, now)[0]) == [200] * 4
        lines += 4
        assert Review.objects.count() == lines
    assert 10 < cut < 60  # it was broken at every statement there is
    assert check(learner) == Findings()


@pytest.mark.django_db(transaction=True)
def test_an_answer_lost_after_the_commit_doubles_nothing(ben, shelf, monkeypatch):
    learner, now, events = learner_of(ben), timezone.now(), [review(shelf), event(shelf)]
    commit = connection.commit

    def committed_and_gone():
        commit()
        raise OperationalError("server closed the connection unexpectedly")

    with monkeypatch.context() as patched:
        patched.setattr(connection, "commit", committed_and_gone)
        with pytest.raises(OperationalError):
            record(learner, events, now)
    assert statuses(record(learner, events, now)[0]) == [200, 200]
    assert (Review.objects.count(), Attempt.objects.count()) == (2, 1)
    assert check(learner) == Findings()


def pull(api, cursor: str = "") -> dict:
    response = api.get(f"sync?after={cursor}")
    assert response.status_code == 200, response.content
    return response.json()


def test_another_device_learns_what_has_changed_and_only_that(learner_api, shelf):
    synced(learner_api, review(shelf), event(shelf, name="shelf"))
    first = pull(learner_api)
    assert {one["card"] for one in first["memories"]} == {
        str(shelf.cards["heads"].uuid),
        str(shelf.cards["shelf"].uuid),
    }
    assert not first["more"]
    assert first["settings"]["schedule"]["version"] == 0
    assert pull(learner_api, first["cursor"]) | {"settings": 0} == first | {"memories": [], "settings": 0}
    synced(learner_api, event(shelf, "bury", target_day="2027-01-02"))
    [changed] = pull(learner_api, first["cursor"])["memories"]
    assert (changed["card"], changed["buried_until"]) == (str(shelf.cards["heads"].uuid), "2027-01-02")
    assert changed["state"] == "learning"


def test_a_late_answer_and_an_undo_are_changes_too(learner_api, shelf):
    rated = review(shelf)
    synced(learner_api, rated)
    cursor = pull(learner_api)["cursor"]
    synced(learner_api, review(shelf, answered_at="2026-11-01T09:15:00+01:00"))
    late = pull(learner_api, cursor)
    assert len(late["memories"]) == 1
    synced(learner_api, void(rated["id"]))
    assert len(pull(learner_api, late["cursor"])["memories"]) == 1


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_lose_nothing_that_changes_between_them(learner_api, shelf, ben, limit):
    learner, names = learner_of(ben), ["heads", "shelf", "steps", "written"]
    synced(learner_api, *(event(shelf, name=name) for name in names))
    seen, page = {}, changes(learner, limit=limit)
    synced(learner_api, event(shelf, "unsuspend", "heads"), event(shelf, name="aloud"))
    while True:
        seen |= {memory.card.slug: memory.suspended for memory in page.memories}
        if not page.more and not page.memories:
            break
        page = changes(learner, page.cursor, limit=limit)
    assert seen == {"heads": False, "shelf": True, "steps": True, "written": True, "aloud": True}


@pytest.mark.parametrize("cursor", ["x", "1-2-3", "-1", "1e3", "9" * 30, "１"])
def test_a_cursor_that_was_not_given_out_is_named(learner_api, problem, cursor):
    assert set(problem(learner_api.get(f"sync?after={cursor}"), 422)[1]) == {"after"}


def test_recent_lines_are_told_last_first_until_they_are_undone(learner_api, shelf):
    rated = review(shelf, device="phone")
    synced(learner_api, rated, event(shelf))
    suspended, told = learner_api.get("reviews").json()
    assert (suspended["kind"], told["kind"], told["rating"], told["device"]) == (
        *("suspend", "review", "good", "phone"),
    )
    assert learner_api.get("reviews?limit=1").json() == [suspended]
    assert (
        learner_api.post(f"reviews/{suspended['review']}/void", {"id": str(uuid.uuid4())}).status_code == 201
    )
    assert learner_api.get("reviews").json() == [told]


def test_an_event_of_a_card_by_its_own_address(learner_api, shelf, problem):
    path, body = f"cards/{shelf.cards['heads'].uuid}/events", {"id": str(uuid.uuid4()), "kind": "suspend"}
    first, again = learner_api.post(path, body), learner_api.post(path, body)
    assert (first.status_code, again.status_code) == (201, 200)
    assert (
        first.json() == again.json() == {"review": body["id"], "kind": "suspend", "due": None, "state": "new"}
    )
    conflict = learner_api.post(path, body | {"kind": "unsuspend"})
    assert problem(conflict, 422)[0] == "idempotency-conflict"
    assert set(problem(learner_api.post(path, {"id": str(uuid.uuid4()), "kind": "bury"}), 422)[1]) == {
        "target_day"
    }
    for card in ("none", uuid.uuid4(), shelf.cards["draft"].uuid):
        assert problem(learner_api.post(f"cards/{card}/events", body), 404) == (
            "not-found",
            {"card": "no such card"},
        )


def test_a_practice_answer_moves_nothing_and_is_not_rated(learner_api, shelf, problem):
    attempt = shelf.attempt("heads", practice=True, confidence=70)
    answer = learner_api.post("attempts", attempt)
    assert set(answer.json()) == {"id", "grade", "suggested_rating", "reason"}
    assert Attempt.objects.get().confidence == 70
    assert set(problem(learner_api.post("reviews", shelf.review(attempt=attempt["id"])), 422)[1]) == {
        "attempt"
    }
    assert not Memory.objects.exists()
