"""A program sent as an answer: graded when a worker is quick, followed when it is not, lost never."""

import threading
import time
import uuid

import pytest
from django.db import connection, connections
from django.utils import timezone

from attention_engine import spec, tasks
from attention_engine.spec import make_spec
from attention_engine.store import contract
from cards.answering import grade, judged
from cards.models import Card
from studyhub.api import attempts
from studyhub.delivery import judging, pictures, publisher
from studyhub.study.models import Attempt, Review
from studyhub.study.settling import settle
from tests.studyhub.api.conftest import publish

SPLIT = "q.view(2, 4, 12, 64).transpose(1, 2)"
CARD = {
    "answer_type": "program",
    "answer": {"type": "program", "reference": SPLIT, "model": "bert-base", "batch": 2, "tokens": 4},
    "mistakes": [{"name": "rows_cut", "program": "q.view(2, 12, 4, 64)", "says": "A view moves nothing."}],
}
RIGHT, CUT, TEN = (
    "rearrange(q, 'b t (h d) -> b h t d', h=12)",
    "q.reshape(B, H, T, D)",
    "q.view(2, 4, 10, 76)",
)
NO_WORKER = "no worker is running; rate yourself, it is graded when one comes"


@pytest.fixture
def api(learner_api, shelf, frame_store, monkeypatch):
    """Ben with a card that asks for a program; 0.3 s are waited for a worker."""
    shelf.cards["program"] = publish(shelf.topic, "program", position=50, **CARD)
    monkeypatch.setattr(attempts, "LONGEST_WAIT", 0.3)
    return learner_api


@pytest.fixture
def at_once(monkeypatch):
    """So long would be waited that who answers within half of it has not waited."""
    monkeypatch.setattr(attempts, "LONGEST_WAIT", 6.0)
    began = time.monotonic()
    yield
    assert time.monotonic() - began < 3.0


@pytest.fixture
def quick(frame_store, monkeypatch):
    """A worker that lives and draws each picture at once, in this process."""
    frame_store.announce("here")
    monkeypatch.setattr(publisher, "send", lambda digest, _queue: tasks.draw(frame_store, digest) or True)


def body(shelf, text: str, **changes) -> dict:
    return shelf.attempt("program", response={"text": text}, **changes)


def draw(store, text: str) -> None:
    """What a worker does once it comes."""
    tasks.draw(store, digest_of(text))


def digest_of(text: str) -> str:
    version = Card.objects.get(slug="program").published_version
    return make_spec(**grade(version, 0, {"text": text}).asks).digest()


@pytest.mark.parametrize(
    ("text", "outcome", "mistake", "rating"),
    [
        (SPLIT, "correct", "", "good"),
        (RIGHT, "correct", "", "good"),
        (CUT, "incorrect", "rows_cut", "again"),
        (TEN, "incorrect", "", "again"),
    ],
)
def test_with_a_quick_worker_the_answer_is_the_verdict(api, shelf, quick, text, outcome, mistake, rating):
    response = api.post("attempts", body(shelf, text))
    answer = response.json()
    assert response.status_code == 201, answer
    grade = answer["grade"]
    assert (grade["outcome"], grade["mistake"], grade["pending"]) == (outcome, mistake, "")
    assert answer["suggested_rating"] == rating
    stored = Attempt.objects.get()
    assert (stored.outcome, stored.response, stored.settled_at is None) == (outcome, {"text": text}, False)


def test_torchs_own_words_come_with_the_line_they_are_about(api, shelf, quick):
    grade = api.post("attempts", body(shelf, f"y = q\n{TEN.replace('q', 'y')}")).json()["grade"]
    assert grade["facts"]["words"].startswith("RuntimeError: shape '[2, 4, 10, 76]' is invalid")
    assert "RuntimeError: shape" in grade["feedback_html"]
    assert grade["place"] == {"field": "text", "start": 6, "end": 26}


def test_the_picture_of_the_grade_is_drawn_already(api, shelf, quick):
    grade = api.post("attempts", body(shelf, CUT)).json()["grade"]
    yours = next(one for one in grade["pictures"] if one["role"] == "yours")
    asked = api.post("visualizations", {name: yours[name] for name in ("kind", "parameters", "seed")})
    assert (asked.status_code, asked.json()["state"]) == (200, "done")
    frames = api.get(f"visualizations/{asked.json()['digest']}").json()["frames"]
    assert frames[-1]["frame"]["verdict"]["outcome"] == "wrong-values"
    assert frames[-1]["frame"]["verdict"]["mistaken"] == 0


@pytest.mark.parametrize("text", ["", "import os", "q.viw(1)", "q.__class__", "x" * 601])
def test_what_cannot_be_read_leaves_no_row_and_asks_no_worker(api, shelf, frame_store, problem, text):
    name, errors = problem(api.post("attempts", body(shelf, text)), 422)
    assert (name, set(errors)) == ("unreadable-answer", {"response.text"})
    assert not Attempt.objects.exists()


@pytest.mark.usefixtures("at_once")
def test_without_a_worker_nothing_is_waited_for_and_it_settles_when_one_comes(api, shelf, frame_store):
    sent = body(shelf, CUT)
    response = api.post("attempts", sent)
    assert response.status_code == 202
    where = response["Location"]
    assert where == f"/api/v1/attempts/{sent['id']}"
    assert int(response["Retry-After"]) >= 10
    answer = response.json()
    assert (answer["grade"]["outcome"], answer["grade"]["pending"]) == ("undecided", "worker")
    assert answer["grade"]["title"] == NO_WORKER
    assert answer["suggested_rating"] == ""

    waiting = api.get(f"attempts/{sent['id']}")
    assert (waiting.status_code, waiting.json()["grade"]["title"]) == (200, NO_WORKER)
    draw(frame_store, CUT)
    settled = api.get(f"attempts/{sent['id']}")
    assert settled.json()["grade"]["mistake"] == "rows_cut"
    assert settled.json()["suggested_rating"] == "again"
    assert "Retry-After" not in settled
    again = api.post("attempts", sent)
    assert (again.status_code, again.json()) == (200, settled.json())
    assert Attempt.objects.count() == 1


def test_a_worker_that_is_slow_is_followed(api, shelf, frame_store):
    frame_store.announce("slow")
    sent = body(shelf, RIGHT)
    began = time.monotonic()
    response = api.post("attempts", sent)
    assert time.monotonic() - began >= 0.3
    assert (response.status_code, response["Retry-After"]) == (202, "1")
    assert response.json()["grade"]["title"] == "the program is being run"
    again = api.post("attempts", sent)  # the same id again waits no second time
    assert (again.status_code, again.json()) == (202, response.json())
    draw(frame_store, RIGHT)
    assert api.get(f"attempts/{sent['id']}").json()["grade"]["outcome"] == "correct"


@pytest.mark.django_db(transaction=True)
def test_a_verdict_that_comes_while_it_is_waited_for_is_the_answer(
    as_user, ben, shelf, frame_store, monkeypatch
):
    shelf.cards["program"] = publish(shelf.topic, "program", position=50, **CARD)
    frame_store.announce("slow")
    later: list[threading.Timer] = []

    def send(digest: str, _queue: str) -> bool:
        later.append(threading.Timer(0.1, tasks.draw, (frame_store, digest)))
        later[-1].start()
        return True

    monkeypatch.setattr(publisher, "send", send)
    response = as_user(ben).post("attempts", body(shelf, CUT))
    for timer in later:
        timer.join()
    assert (response.status_code, response.json()["grade"]["mistake"]) == (201, "rows_cut")


@pytest.mark.usefixtures("at_once")
def test_only_so_many_are_kept_waiting_at_once(api, shelf, frame_store, monkeypatch):
    frame_store.announce("slow")
    monkeypatch.setattr(judging, "_waiting", threading.BoundedSemaphore(1))
    judging._waiting.acquire()
    assert api.post("attempts", body(shelf, RIGHT)).status_code == 202


def test_no_transaction_is_open_while_it_waits(api, shelf, frame_store, monkeypatch):
    outside = len(connection.savepoint_ids)
    seen: list[int] = []
    monkeypatch.setattr(judging, "read_frames", lambda digest, **_: _looked(seen, digest))
    frame_store.announce("slow")
    assert api.post("attempts", body(shelf, RIGHT)).status_code == 202
    assert len(seen) > 2
    assert set(seen) == {outside}


def _looked(seen: list[int], digest: str):
    seen.append(len(connections["default"].savepoint_ids))
    return pictures.read_frames(digest, watched=False)


def test_a_store_that_is_away_keeps_the_answer(api, shelf, frame_store, settings, tmp_path):
    settings.FRAMES_URL = "redis://127.0.0.1:9/0"
    sent = body(shelf, CUT)
    response = api.post("attempts", sent)
    assert response.status_code == 202
    assert "cannot be run now" in response.json()["grade"]["title"]
    assert Attempt.objects.get().response == {"text": CUT}
    settings.FRAMES_URL = f"sqlite:///{tmp_path / 'frames.sqlite3'}"
    assert api.get(f"attempts/{sent['id']}").json()["grade"]["title"] == NO_WORKER
    draw(frame_store, CUT)
    assert api.get(f"attempts/{sent['id']}").json()["grade"]["mistake"] == "rows_cut"


def test_programs_and_pictures_do_not_use_up_each_others_limit(api, shelf, frame_store):
    for text in ("q", "q * 2", "q * 3"):
        assert api.post("attempts", body(shelf, text)).json()["grade"]["title"] == NO_WORKER
    for seed in range(3):
        assert api.post("visualizations", {"kind": "head_split", "seed": seed}).status_code == 202
    fourth = body(shelf, CUT)
    told = api.post("attempts", fourth)
    assert (told.status_code, "three of your programs" in told.json()["grade"]["title"]) == (202, True)
    draw(frame_store, "q")
    assert api.get(f"attempts/{fourth['id']}").json()["grade"]["title"] == NO_WORKER
    draw(frame_store, CUT)
    assert api.get(f"attempts/{fourth['id']}").json()["grade"]["mistake"] == "rows_cut"


def test_a_store_that_is_full_keeps_the_answer(api, shelf, frame_store, monkeypatch):
    sent = body(shelf, CUT)
    with monkeypatch.context() as full:
        full.setattr(contract, "MAX_IN_ALL", 0)
        response = api.post("attempts", sent)
    assert (response.status_code, response["Retry-After"]) == (202, "5")
    assert "many programs are waiting" in response.json()["grade"]["title"]
    api.get(f"attempts/{sent['id']}")
    draw(frame_store, CUT)
    assert api.get(f"attempts/{sent['id']}").json()["grade"]["mistake"] == "rows_cut"


def test_an_engine_of_another_version_judges_it_anew(api, shelf, frame_store, monkeypatch):
    sent = body(shelf, CUT)
    api.post("attempts", sent)
    old = digest_of(CUT)
    monkeypatch.setattr(spec, "ENGINE_VERSION", "another")
    assert digest_of(CUT) != old
    assert api.get(f"attempts/{sent['id']}").json()["grade"]["title"] == NO_WORKER
    draw(frame_store, CUT)
    assert api.get(f"attempts/{sent['id']}").json()["grade"]["mistake"] == "rows_cut"


def test_a_picture_that_is_gone_is_asked_for_again(api, shelf, frame_store):
    sent = body(shelf, CUT)
    api.post("attempts", sent)
    draw(frame_store, CUT)
    frame_store.forget_drawn()
    assert api.get(f"attempts/{sent['id']}").json()["grade"]["pending"] == "worker"
    draw(frame_store, CUT)
    assert api.get(f"attempts/{sent['id']}").json()["grade"]["mistake"] == "rows_cut"


def test_a_worker_that_breaks_settles_it_as_undecided(api, shelf, frame_store):
    sent = body(shelf, CUT)
    api.post("attempts", sent)

    def broken(_spec):
        raise ZeroDivisionError

    tasks.draw(frame_store, digest_of(CUT), picture=broken)
    grade = api.get(f"attempts/{sent['id']}").json()["grade"]
    assert (grade["outcome"], grade["pending"]) == ("undecided", "")
    assert "engine broke" in grade["feedback_html"]


def test_a_picture_that_no_worker_took_is_asked_for_once_more(api, shelf, frame_store, monkeypatch):
    sent = body(shelf, CUT)
    api.post("attempts", sent)
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now + 301)
    assert api.get(f"attempts/{sent['id']}").json()["grade"]["title"] == NO_WORKER
    monkeypatch.setattr("time.time", lambda: now + 340)
    assert api.get(f"attempts/{sent['id']}").json()["grade"]["title"] == NO_WORKER
    draw(frame_store, CUT)
    assert api.get(f"attempts/{sent['id']}").json()["grade"]["mistake"] == "rows_cut"


def test_a_rating_given_meanwhile_stays_and_the_first_verdict_counts(api, shelf, frame_store):
    sent = body(shelf, CUT)
    api.post("attempts", sent)
    rated = api.post("reviews", shelf.review(attempt=sent["id"], rating="hard"))
    assert (rated.status_code, rated.json()["grade"]["pending"]) == (201, "worker")
    kept = Review.objects.values().get()
    draw(frame_store, CUT)
    assert api.get(f"attempts/{sent['id']}").json()["grade"]["mistake"] == "rows_cut"
    assert Review.objects.values().get() == kept

    attempt = Attempt.objects.get()
    other = judged(attempt.card_version, 0, attempt.response, {"outcome": "equal"})
    assert settle(attempt, other, timezone.now()) == (attempt, False)
    assert Attempt.objects.get().outcome == "incorrect"


@pytest.mark.usefixtures("at_once")
def test_a_program_that_comes_offline_with_its_rating_is_asked_for_and_not_waited_for(
    api, shelf, frame_store
):
    frame_store.announce("slow")
    review = shelf.review(
        card=str(shelf.cards["program"].uuid), card_version=1, response={"text": CUT}, rating="good"
    )
    stored = api.post("reviews", review)
    assert (stored.status_code, stored.json()["grade"]["pending"]) == (201, "worker")
    draw(frame_store, CUT)
    attempt = Attempt.objects.get()
    assert api.get(f"attempts/{attempt.client_id}").json()["grade"]["mistake"] == "rows_cut"
    assert api.post("reviews", review).json() == stored.json()


def test_an_offline_program_that_cannot_be_read_leaves_nothing(api, shelf, problem):
    review = shelf.review(card=str(shelf.cards["program"].uuid), card_version=1, response={"text": "q("})
    assert problem(api.post("reviews", review), 422)[0] == "unreadable-answer"
    assert not Attempt.objects.exists()
    assert not Review.objects.exists()


def test_anothers_attempt_and_one_that_never_was_are_the_same_404(api, shelf, as_user, cy, quick, problem):
    sent = body(shelf, CUT)
    api.post("attempts", sent)
    for attempt in (sent["id"], str(uuid.uuid4()), "nonsense"):
        name, errors = problem(as_user(cy).get(f"attempts/{attempt}"), 404)
        assert (name, set(errors)) == ("not-found", {"attempt_id"})


def test_any_answer_can_be_asked_for_again(api, shelf):
    sent = shelf.attempt("heads")
    first = api.post("attempts", sent)
    asked = api.get(f"attempts/{sent['id']}")
    assert (asked.status_code, asked.json()) == (200, first.json())


def test_a_program_that_was_shown_is_a_miss_at_once(api, shelf):
    response = api.post("attempts", shelf.attempt("program", response={"revealed": True}))
    assert response.status_code == 201
    assert response.json()["grade"]["key_text"] == SPLIT
