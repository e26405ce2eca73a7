"""Fits, versions and their coming into force, over HTTP."""

import uuid
from datetime import UTC, datetime

import pytest

from studyhub.operations.models import Job
from studyhub.study import tasks
from studyhub.study.models import Parameters, learner_of

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.fixture
def version(ben) -> Parameters:
    """Ben's version 1."""
    return Parameters.objects.create(
        learner=learner_of(ben),
        version=1,
        numbers=[1.0] * 21,
        learning_steps=[60, 600],
        relearning_steps=[600],
        origin="fit",
        report={"outcome": "better"},
        created_at=NOW,
    )


def test_a_fit_is_a_job_and_asked_for_twice_it_is_one(learner_api):
    first, second = (learner_api.post("study/fits", {}) for _ in range(2))
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json()["id"] == second.json()["id"]
    assert first.json()["kind"] == "fit"


def test_row_19_a_fit_of_nothing_says_so(ben):
    found = tasks.fit(learner_of(ben).pk, lambda percent: None)
    assert (found["outcome"], found["version"], found["reviews"]) == ("too_few", 0, 0)


def test_a_fit_of_nobody_is_refused(db):
    with pytest.raises(tasks.NoLearner):
        tasks.fit(None, lambda percent: None)


def test_versions_are_listed_with_the_built_in_one_and_the_last_fit(learner_api, ben, version):
    result = {"outcome": "kept", "reason": "Kept: x."}
    Job.objects.create(
        kind="fit", learner=learner_of(ben), key="k", state="done", result=result, sent_at=NOW,
        created_at=NOW, finished_at=NOW,
    )  # fmt: skip
    found = learner_api.get("study/parameters").json()
    assert [one["version"] for one in found["versions"]] == [1, 0]
    assert found["current"] == 0
    assert found["last_fit"] == result
    assert len(found["versions"][1]["numbers"]) == 21


def test_a_version_is_looked_at_adopted_and_taken_back(learner_api, version):
    shown = learner_api.get("study/parameters/1/difference").json()
    assert (shown["version"], shown["cards"], len(shown["days"])) == (1, 0, 30)
    adopted = learner_api.post("study/parameters/1/adopt", {"id": str(uuid.uuid4())})
    assert adopted.json() == {"version": 1, "moved": 0}
    assert learner_api.get("study/parameters").json()["current"] == 1
    undone = learner_api.post("study/parameters/undo", {"id": str(uuid.uuid4()), "version": 1})
    assert undone.json() == {"version": 0, "moved": 0}


@pytest.mark.parametrize("number", [2, 10**18])
def test_a_version_that_is_not_there_is_404(learner_api, version, problem, number):
    body = {"id": str(uuid.uuid4())}
    for response in (
        learner_api.get(f"study/parameters/{number}/difference"),
        learner_api.post(f"study/parameters/{number}/adopt", body),
        learner_api.post("study/parameters/undo", body | {"version": number}),
    ):
        assert problem(response, 404)[0] == "not-found"


def test_a_strangers_version_is_404(as_user, cy, version, problem):
    response = as_user(cy).post("study/parameters/1/adopt", {"id": str(uuid.uuid4())})
    assert problem(response, 404)[0] == "not-found"


@pytest.mark.parametrize("wrong", [{}, {"id": "x"}, {"id": str(uuid.UUID(int=1)), "per_day": -1}])
def test_a_body_that_does_not_do_is_named(learner_api, version, problem, wrong):
    assert problem(learner_api.post("study/parameters/1/adopt", wrong), 422)[1]


def test_the_model_of_34_numbers_is_asked_for_by_their_count_and_no_other_count_is_known(learner_api):
    asked = learner_api.post("study/fits", {"numbers": 34})
    assert (asked.status_code, asked.json()["kind"]) == (202, "fit_34")
    assert learner_api.post("study/fits", {"numbers": 21}).json()["kind"] == "fit"
    refused = learner_api.post("study/fits", {"numbers": 22})
    assert refused.status_code == 422
    assert "send 21 or 34" in refused.content.decode()


def test_a_fit_of_34_numbers_says_how_many_it_fits(ben):
    found = tasks.fit_34(learner_of(ben).pk, lambda percent: None)
    assert (found["outcome"], found["numbers"], found["version"]) == ("too_few", 34, 0)
