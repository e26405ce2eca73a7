"""The fit's page: asked for when there is enough, its report in every outcome, adopted and taken back."""

import uuid
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from studyhub.operations import messages
from studyhub.operations.models import Job
from studyhub.study.dues import DayLoad, DueDifference, difference
from studyhub.study.models import Memory, Parameters, Review, learner_of
from studyhub.study.scheduling import DEFAULT_PARAMETERS
from studyhub.web import fit_said
from studyhub.web.due_chart import HEIGHT, TOP, due_columns
from tests.seeded_learner import seed
from tests.studyhub.web.conftest import Browser

MONDAY = date(2026, 11, 30)
WEAKER = [*(0.1 * number for number in DEFAULT_PARAMETERS[:4]), *DEFAULT_PARAMETERS[4:]]


def scored(log_loss: float | None) -> dict[str, Any]:
    return {"number": 660, "log_loss": log_loss, "rmse": 0.11, "auc": None}


def apart(mean: float) -> dict[str, float]:
    return {"mean": mean, "low": mean - 0.0195, "high": mean + 0.0195}


BETTER: dict[str, Any] = {
    "outcome": "better",
    "reason": "Better: the fitted numbers predict better than the built-in ones: 0.5077 against 0.5370.",
    "reviews": 849, "terms": 793, "cards": 55, "held_out": 660, "version": 1,
    "dropped": {"in_bulk": 12, "before_reset": 0, "begun_elsewhere": 3},
    "scores": {
        "fitted": scored(0.5077), "current": scored(0.54), "defaults": scored(0.537), "average": scored(0.6),
    },
    "differences": {"current": apart(-0.0323), "defaults": apart(-0.0293), "average": apart(-0.0923)},
}  # fmt: skip
TOO_FEW = {
    "outcome": "too_few",
    "reason": "Kept: 3 reviews came a day or more after the one before; fitting starts at 64.",
    "reviews": 9, "terms": 3, "cards": 4, "dropped": {}, "version": 0,
}  # fmt: skip


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "send", lambda *_: True)


@pytest.fixture
def studied(browser: Browser, ben: Any) -> Any:
    """Ben after weeks of five cards: answers enough for a fit."""
    seed("ben", days=90, most=5)
    return learner_of(ben)


@pytest.fixture
def offered(studied: Any) -> Any:
    """Ben with a fit that is done and offers version 1."""
    now = timezone.now()
    Parameters.objects.create(
        learner=studied, version=1, numbers=WEAKER, learning_steps=[60, 600], relearning_steps=[600],
        origin="fit", report=BETTER, created_at=now,
    )  # fmt: skip
    Job.objects.create(
        kind="fit", learner=studied, key="k", state="done", result=BETTER, sent_at=now, created_at=now,
        finished_at=now,
    )  # fmt: skip
    return studied


def dues(learner: Any) -> dict[int, datetime | None]:
    return dict(Memory.objects.filter(learner=learner).values_list("card_id", "due"))


def test_too_few_answers_are_counted_and_nothing_is_asked_of_a_worker(browser: Browser) -> None:
    page = browser.open("/progress/fit/")
    assert "A fit needs 64 answers a day or more after the one before. You have 0." in browser.text(page)
    assert "disabled>Not yet" in page.content.decode()
    browser.client.post("/progress/fit/")
    assert not Job.objects.exists()


def test_progress_leads_to_the_fit(browser: Browser, studied: Any) -> None:
    page = browser.open("/progress/")
    assert 'href="/progress/fit/">Fit<' in page.content.decode()
    assert "enough to fit your own" in browser.text(page)


def test_a_fit_is_asked_for_once_and_told_in_words(browser: Browser, studied: Any) -> None:
    page = browser.send(browser.open("/progress/fit/"), "/progress/fit/")
    assert "The fit waits" in browser.text(page)
    assert 'id="fit" data-live' in page.content.decode()
    assert "Fit to my answers" not in browser.text(page)
    browser.client.post("/progress/fit/")
    Job.objects.update(state="running", progress=30)
    assert "The fit is being computed: 30% done." in browser.text(browser.open("/progress/fit/"))
    Job.objects.get().delete()


def test_the_model_of_two_stabilities_is_asked_for_after_a_first_fit_and_watched_the_same(
    browser: Browser, offered: Any
) -> None:
    assert "Try a model of two stabilities" in browser.text(browser.open("/progress/fit/"))
    browser.client.post("/progress/fit/", {"numbers": "34"})
    assert Job.objects.filter(kind="fit_34", state="queued").count() == 1
    assert "The fit waits" in browser.text(browser.open("/progress/fit/"))


def test_a_better_fit_is_reported_with_its_intervals_and_what_it_would_move(
    browser: Browser, offered: Any
) -> None:
    page = browser.open("/progress/fit/")
    said, html = browser.text(page), page.content.decode()
    assert "Numbers fitted to you predict better" in said
    assert (
        "Beside the built-in ones the fitted numbers predict better by 0.0293 of log loss "
        "(95%: 0.0098 to 0.0488), on 660 held-out answers."
    ) in said
    assert "Left out: 12 marked in bulk and 3 of imported cards whose beginning is missing." in said
    found = difference(offered, 1, timezone.now())
    assert found.moved >= 1
    assert f"{found.moved} of {found.cards} cards in days would move: {found.sooner} sooner" in said
    assert html.count('<th scope="row">') == 4 + 31 + 2  # who foretold, late and 30 days, versions
    assert "style=" not in html.split("<main")[1]


def test_used_from_now_on_no_due_date_moves(browser: Browser, offered: Any) -> None:
    before = dues(offered)
    page = browser.send(browser.open("/progress/fit/"), "/progress/fit/use/")
    assert "Version 1 schedules your cards" in browser.text(page)
    assert dues(offered) == before
    assert "What would version 1 change?" not in browser.text(page)
    look = browser.text(browser.open("/progress/fit/?version=1"))
    assert "In force. It decides" in look
    assert "Use from now on" not in look


def test_used_and_rescheduled_cards_move_and_an_undo_brings_them_back(browser: Browser, offered: Any) -> None:
    before, moved = dues(offered), difference(offered, 1, timezone.now()).moved
    form = browser.hidden(browser.open("/progress/fit/"), "/progress/fit/use/")
    for _ in range(2):  # sent twice, moved once
        page = browser.client.post(
            "/progress/fit/use/", {**form, "reschedule": "1", "per_day": "2"}, follow=True
        )
    assert f"It moved {moved} cards to another day." in browser.text(page)
    loads = [due.date() for card, due in dues(offered).items() if due and due != before[card]]
    assert max(map(loads.count, loads)) <= 2
    assert "Back to the built-in numbers" in browser.text(page)
    page = browser.send(page, "/progress/fit/undo/")
    assert "The built-in numbers schedule your cards" in browser.text(page)
    assert dues(offered) == before
    assert Review.objects.filter(learner=offered, kind="set_due", voided_by=None).count() == 0


def test_a_limit_that_cannot_be_is_said_at_its_field(browser: Browser, offered: Any) -> None:
    form = browser.hidden(browser.open("/progress/fit/"), "/progress/fit/use/")
    for per_day in ("0", "-1", "x", "10000", "1.5"):
        page = browser.client.post("/progress/fit/use/", {**form, "reschedule": "1", "per_day": per_day})
        assert "Write a whole number from 1 to 9,999, or nothing for no limit." in browser.text(page)
        assert f'value="{per_day}"' in page.content.decode()
    offered.refresh_from_db()
    assert offered.parameters_version == 0


def test_what_is_not_there_is_not_found(browser: Browser, offered: Any, cy: Any) -> None:
    ids = {"client_id": str(uuid.uuid4())}
    for address in ("/progress/fit/?version=2", "/progress/fit/?version=x", "/progress/fit/?version=-1"):
        assert browser.client.get(address).status_code == 404
    for wrong in ({}, {"version": "1"}, ids, ids | {"version": "9"}, ids | {"version": "x"}):
        for address in ("/progress/fit/use/", "/progress/fit/undo/"):
            assert browser.client.post(address, wrong).status_code == 404
    stranger = Client()
    stranger.force_login(cy)
    assert stranger.get("/progress/fit/?version=1").status_code == 404
    assert stranger.post("/progress/fit/use/", ids | {"version": "1"}).status_code == 404
    assert Client().get("/progress/fit/").status_code == 302


def test_a_fit_that_failed_says_why_beside_what_was_found_before(browser: Browser, offered: Any) -> None:
    now = timezone.now() + timedelta(seconds=1)
    Job.objects.create(
        kind="fit", learner=offered, key="j", state="failed", reason="This job broke 3 times.", sent_at=now,
        created_at=now,
    )  # fmt: skip
    said = browser.text(browser.open("/progress/fit/"))
    assert "The fit could not be made. This job broke 3 times." in said
    assert "Numbers fitted to you predict better" in said


@pytest.mark.plain
def test_each_outcome_has_its_words() -> None:
    few = fit_said.report(TOO_FEW)
    assert (few["title"], few["gains"], few["rows"]) == ("Too few answers to fit", [], [])
    assert few["counts"] == "Read: 9 answers to 4 cards. 3 came a day or more after the one before."
    found = fit_said.report(BETTER)
    assert [row["name"] for row in found["rows"]] == [
        "Fitted to you", "Built-in numbers", "Numbers in force then", "Your average until then",
    ]  # fmt: skip
    assert found["rows"][1]["behind"] == "0.0293 (0.0098 to 0.0488)"
    same = BETTER | {"differences": {"current": apart(0.01), "defaults": apart(0.01)}}
    assert fit_said.gains(same) == [
        "Beside the built-in ones the fitted numbers predict worse by 0.0100 of log loss "
        "(95%: \N{MINUS SIGN}0.0095 to 0.0295), on 660 held-out answers."
    ]
    without = BETTER | {"scores": {"fitted": scored(None)}, "differences": {"defaults": {"mean": None}}}
    assert (fit_said.gains(without | {"outcome": "kept"}), fit_said.rows(without)) == ([], [])


def made_up(moved: int, *, cards: int = 9, overdue: int = 0) -> DueDifference:
    days = [DayLoad(MONDAY + timedelta(days=n), n % 4, 3 * (n % 2)) for n in range(30)]
    return DueDifference(1, cards, moved, moved, 0, 0, overdue, days)


@pytest.mark.plain
def test_what_would_move_is_told_with_its_numbers() -> None:
    assert fit_said.moving(made_up(0, cards=0)).startswith("No card is past its steps")
    assert fit_said.moving(made_up(0)).startswith("None of 9 cards in days would move")
    assert fit_said.moving(made_up(4, overdue=2)) == (
        "4 of 9 cards in days would move: 4 sooner, 0 later. 2 would be late at once; "
        "at most 3 fall on one day."
    )


@pytest.mark.plain
def test_bars_and_lines_share_one_scale_and_late_cards_stand_first() -> None:
    drawn = due_columns(made_up(4, overdue=7))
    late, first = drawn.columns[:2]
    assert (late.label, late.then, len(drawn.columns)) == ("late", 7, 31)
    ticks = {tick.value: tick.at for tick in drawn.ticks}
    assert ticks == {0: TOP + HEIGHT, 4: TOP + HEIGHT / 2, 8: TOP}
    assert late.y + late.height == pytest.approx(TOP + HEIGHT)
    assert drawn.columns[4].now_y == pytest.approx(TOP + HEIGHT * 5 / 8, abs=0.1)
    assert first.x > late.right - 0.01
    assert len(due_columns(made_up(4)).columns) == 30


@pytest.mark.plain
def test_versions_are_listed_newest_first_with_where_they_come_from() -> None:
    made = datetime(2026, 11, 29, 9, tzinfo=UTC)
    rows = [Parameters(version=2, origin="edit", based_on=1, created_at=made)]
    listed = fit_said.versions(rows, 2, time_zone="UTC", now=made)
    assert [(one["version"], one["origin"], one["in_force"]) for one in listed] == [
        (2, "Changed in settings", True), (0, "Built in", False),
    ]  # fmt: skip
    assert listed[0]["day"] == "29 November"
