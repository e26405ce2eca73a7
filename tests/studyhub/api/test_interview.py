"""The interview over HTTP: set, planned by a job, put to use, taken back, forgotten; and a job by its id."""

import json
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from studyhub.operations import jobs, messages, running
from studyhub.operations.models import Job
from studyhub.study.models import Interview, learner_of
from studyhub.study.zones import study_day_of


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch) -> None:
    monkeypatch.setattr(messages, "send", lambda *_: True)


def ahead(user, days: int) -> str:
    today = study_day_of(learner_of(user), datetime.now(UTC))
    return (today + timedelta(days=days)).isoformat()


@pytest.fixture
def put(learner_api, ben):
    """PUT study/interview as Ben."""

    def send(**changes):
        body = {"day": ahead(ben, 12), "minutes_per_day": 15, "topics": ["d-head"]} | changes
        return learner_api.client.put(
            "/api/v1/study/interview", json.dumps(body), content_type="application/json"
        )

    return send


@pytest.fixture
def planned(put, learner_api):
    """Ben's interview with its plan, made as a worker makes it."""
    job = put().json()["job"]
    running.run(uuid.UUID(job["id"]))
    return learner_api.get("study/interview").json()


def test_without_an_interview_all_is_empty(learner_api) -> None:
    assert learner_api.get("study/interview").json() == {
        "day": None,
        "minutes_per_day": 0,
        "topics": [],
        "planned_at": None,
        "in_use": False,
        "can_undo": False,
    }


def test_setting_it_asks_for_a_plan_that_comes_with_a_job(put, learner_api) -> None:
    response = put()
    assert response.status_code == 202
    job = response.json()["job"]
    assert (job["kind"], job["state"], "plan" in response.json()) == ("plan", "queued", False)
    asked = learner_api.get(f"jobs/{job['id']}")
    assert (asked.json(), asked["Retry-After"]) == (job, "2")
    running.run(uuid.UUID(job["id"]))
    done = learner_api.get(f"jobs/{job['id']}")
    assert (done.json()["state"], done.json()["progress"], "Retry-After" in done) == ("done", 100, False)
    plan = learner_api.get("study/interview").json()["plan"]
    assert plan["cards"] == 5
    assert plan["sentences"][0].startswith("5 of 5 cards are still new.")


def test_the_same_again_is_200_and_asks_for_nothing(planned, put) -> None:
    response = put()
    assert (response.status_code, response.json()) == (200, planned)
    assert Job.objects.count() == 1


def test_another_day_is_planned_anew(planned, put, ben) -> None:
    response = put(day=ahead(ben, 30))
    assert response.status_code == 202
    assert "plan" not in response.json()
    assert Job.objects.count() == 2


def test_a_plan_is_put_to_use_and_taken_back(planned, learner_api, ben) -> None:
    used = learner_api.post("study/interview/use", {"undo": False}).json()
    assert (used["in_use"], used["can_undo"]) == (True, True)
    learner = learner_of(ben)
    assert learner.desired_retention == used["plan"]["desired_retention"]
    assert learner.new_per_day == used["plan"]["new_per_day"]
    back = learner_api.post("study/interview/use", {"undo": True}).json()
    assert (back["in_use"], back["can_undo"]) == (False, False)
    assert learner_of(ben).new_per_day == 20


@pytest.mark.parametrize("undo", [False, True])
def test_where_there_is_no_plan_use_is_404(learner_api, put, problem, undo) -> None:
    problem(learner_api.post("study/interview/use", {"undo": undo}), 404)
    put()
    problem(learner_api.post("study/interview/use", {"undo": undo}), 404)


def test_it_is_forgotten_and_twice_too(planned, learner_api) -> None:
    for _ in range(2):
        assert learner_api.send("DELETE", "study/interview").json()["day"] is None
    assert learner_api.get("study/interview").json()["day"] is None


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"day": "2001-01-01"}, "day"),
        ({"day": "2026-02-30"}, "day"),
        ({"day": "2099-12-31"}, "day"),
        ({"minutes_per_day": 0}, "minutes_per_day"),
        ({"minutes_per_day": 721}, "minutes_per_day"),
        ({"topics": ["d-head", "nowhere"]}, "topics.1"),
        ({"topics": "d-head"}, "topics"),
        ({"seed": 3}, "seed"),
    ],
)
def test_what_cannot_be_is_refused_by_field_and_nothing_is_kept(put, problem, changes, field) -> None:
    name, errors = problem(put(**changes), 422)
    assert (name, set(errors)) == ("invalid-request", {field})
    assert not Interview.objects.exists()
    assert not Job.objects.exists()


def test_a_failed_plan_says_why(put, learner_api, monkeypatch) -> None:
    taken = jobs.take(uuid.UUID(put().json()["job"]["id"]), now=datetime.now(UTC))
    jobs.fail(taken, "refused", "no card is left to plan for", now=datetime.now(UTC))
    job = learner_api.get("study/interview").json()["job"]
    assert (job["state"], job["code"], job["reason"]) == ("failed", "refused", "no card is left to plan for")


def test_a_plan_being_made_again_stays_readable_meanwhile(planned, learner_api, ben) -> None:
    jobs.enqueue("plan", learner_of(ben), now=datetime.now(UTC))
    again = learner_api.get("study/interview").json()
    assert again["plan"] == planned["plan"]
    assert again["job"]["state"] == "queued"


def test_anothers_interview_and_job_are_not_there(planned, as_user, cy, problem) -> None:
    stranger = as_user(cy)
    assert stranger.get("study/interview").json()["day"] is None
    for job in (str(Job.objects.get().pk), str(uuid.uuid4()), "nonsense"):
        name, errors = problem(stranger.get(f"jobs/{job}"), 404)
        assert (name, set(errors)) == ("not-found", {"job_id"})


def test_plans_are_asked_for_so_often_a_minute_and_reading_is_free(put, learner_api, problem) -> None:
    found = [put(minutes_per_day=minutes) for minutes in range(1, 14)]
    assert [response.status_code for response in found[:12]] == [202] * 12
    assert problem(found[12], 429)[0] == "rate-limited"
    assert found[12]["Retry-After"]
    assert learner_api.get("study/interview").json()["minutes_per_day"] == 12
    assert Job.objects.count() == 1
