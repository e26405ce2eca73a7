"""The queue of a deck, of a number of minutes, of practice; settings; and what waits after a break."""

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from cards.models import Deck, Topic
from studyhub.study.models import Learner, Memory, Review

from .conftest import publish


@pytest.fixture
def second_deck(shelf):
    """A deck of one card."""
    deck = Deck.objects.create(slug="softmax", title="Softmax")
    topic = Topic.objects.create(slug="scaling", deck=deck, title="Scaling", sections=[{"kind": "rule"}])
    heads = shelf.cards["heads"].published_version
    return publish(topic, "divisor", position=0, answer_type="numeric", answer=heads.answer)


def cards(response) -> list[str]:
    return [item["card"] for item in response.json()]


def rated(api, shelf, name: str, rating: str, **changes) -> dict:
    """An answer to a card and its rating."""
    attempt = shelf.attempt(name)
    assert api.post("attempts", attempt).status_code == 201
    body = shelf.review(
        attempt=attempt["id"], rating=rating, answered_at=timezone.now().isoformat(), **changes
    )
    review = api.post("reviews", body)
    assert review.status_code == 201, review.content
    return review.json()


def test_a_deck_is_asked_alone(learner_api, second_deck, problem):
    assert cards(learner_api.get("study/queue?deck=softmax")) == [str(second_deck.uuid)]
    assert len(cards(learner_api.get("study/queue?deck=transformers"))) == 5
    assert problem(learner_api.get("study/queue?deck=none"), 404)[1] == {"deck": "no deck none"}


def test_the_draw_of_a_card_gives_its_intervals(learner_api, shelf):
    item = next(
        i for i in learner_api.get("study/queue").json() if i["card"] == str(shelf.cards["heads"].uuid)
    )
    review = rated(learner_api, shelf, "heads", "easy", draw=item["draw"])
    assert review["intervals"] == item["intervals"]


def test_practice_is_marked_and_leaves_the_round_when_it_is_right(learner_api, shelf):
    practice = "study/queue?kind=cram&topic=d-head"
    items = learner_api.get(practice).json()
    assert len(items) == 5
    assert all(item["practice"] for item in items)
    heads = shelf.attempt("heads", response={"text": "12"}, practice=True)
    assert learner_api.post("attempts", heads).status_code == 201
    assert str(shelf.cards["heads"].uuid) not in cards(learner_api.get(practice))
    assert len(cards(learner_api.get(f"{practice}&rounds=2"))) == 5
    assert Review.objects.count() == Memory.objects.count() == 0


def test_what_failed_today_can_be_practised(learner_api, shelf):
    rated(learner_api, shelf, "heads", "again")
    found = learner_api.get("study/queue?kind=failed_today").json()
    assert [(item["card"], item["practice"]) for item in found] == [(str(shelf.cards["heads"].uuid), True)]


def test_minutes_bound_the_queue_by_the_learners_pace(learner_api):
    assert len(cards(learner_api.get("study/queue?minutes=1"))) == 3
    assert len(cards(learner_api.get("study/queue?minutes=0"))) == 5


@pytest.mark.parametrize(
    ("query", "field", "reason"),
    [
        ("kind=all", "kind", "must be one of due, cram, failed_today, ahead"),
        ("kind=cram", "kind", "cram needs a topic or a deck; name one of them"),
        ("minutes=601", "minutes", "must be an integer from 0 to 600"),
        ("kind=ahead&days=0", "days", "must be an integer from 1 to 30"),
        ("rounds=21", "rounds", "must be an integer from 1 to 20"),
    ],
)
def test_a_session_that_cannot_be_held_is_named(learner_api, problem, query, field, reason):
    assert problem(learner_api.get(f"study/queue?{query}"), 422)[1] == {field: reason}


def test_what_is_sent_is_set_and_the_rest_stays(learner_api, ben):
    before = learner_api.get("study/settings").json()
    changes = {"new_per_day": 5, "deck_retention": {"transformers": 0.95}, "schedule": {"leech_after": 4}}
    after = learner_api.send("PATCH", "study/settings", changes)
    assert after.status_code == 200
    expected = before | {"new_per_day": 5, "deck_retention": {"transformers": 0.95}}
    expected["schedule"] = before["schedule"] | {"version": 1, "leech_after": 4}
    assert after.json() == learner_api.get("study/settings").json() == expected
    assert Learner.objects.get(user=ben).new_per_day == 5


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"retention": 0.9}, "retention"),
        ({"desired_retention": 0.5}, "desired_retention"),
        ({"desired_retention": "0.9"}, "desired_retention"),
        ({"deck_retention": {"none": 0.9}}, "deck_retention.none"),
        ({"easy_days": ["minimum"] * 6 + ["reduced"]}, "easy_days"),
        ({"easy_days": ["normal"] * 6}, "easy_days"),
        ({"schedule": {"learning_steps": [60] * 11}}, "schedule.learning_steps"),
        ({"schedule": {"learning_steps": [60, 0]}}, "schedule.learning_steps.1"),
        ({"schedule": {"steps": []}}, "schedule.steps"),
        ({}, "body"),
    ],
)
def test_a_setting_that_cannot_be_is_named_and_nothing_is_set(learner_api, problem, changes, field):
    before = learner_api.get("study/settings").json()
    sent = {"new_per_day": 5, **changes} if changes else {}
    name, errors = problem(learner_api.send("PATCH", "study/settings", sent), 422)
    assert name == "invalid-request"
    assert set(errors) == {field}
    assert learner_api.get("study/settings").json() == before


def test_settings_of_one_learner_are_not_anothers(learner_api, as_user, cy):
    assert learner_api.send("PATCH", "study/settings", {"new_per_day": 5}).status_code == 200
    assert as_user(cy).get("study/settings").json()["new_per_day"] == 20


def test_a_backlog_comes_with_its_caps_and_a_cap_that_is_set_holds(learner_api, shelf, ben):
    topic, learner, now = shelf.topic, Learner.objects.get(user=ben), timezone.now()
    answer = shelf.cards["heads"].published_version.answer
    due = {"state": "review", "stability": 60.0, "difficulty": 5.0, "interval_days": 60, "reps": 3}
    due |= {"due": now - timedelta(days=30), "last_review": now - timedelta(days=90)}
    for number in range(45):
        card = publish(topic, f"old-{uuid.uuid4()}", position=number, answer_type="numeric", answer=answer)
        last = (now - timedelta(days=90)).date()
        Memory.objects.create(learner=learner, card=card, last_study_day=last, **due)
    found = learner_api.get("study/catch-up").json()
    assert (found["backlog"], found["usual"], found["is_backlog"], found["cap"]) == (45, 20, True, 0)
    cap = found["options"][0]
    assert (cap["per_day"], cap["days"] > 1) == (25, True)
    assert (
        learner_api.send("PATCH", "study/settings", {"reviews_per_day": 25, "new_per_day": 0}).status_code
        == 200
    )
    assert len(learner_api.get("study/queue").json()) == 25
    assert learner_api.get("study/catch-up").json()["cap"] == 25


def test_without_a_backlog_there_is_nothing_to_choose(learner_api):
    found = learner_api.get("study/catch-up").json()
    assert found == {"backlog": 0, "usual": 20, "is_backlog": False, "cap": 0, "options": []}
