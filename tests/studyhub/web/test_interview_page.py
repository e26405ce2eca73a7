"""The interview's page: set and refused, its plan in every state, put to use and taken back; Today's line."""

import re
import uuid
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from cards.models import Card
from studyhub.operations import messages
from studyhub.operations.models import Job
from studyhub.study.interviews import interview_of, store_plan
from studyhub.study.models import Interview, Learner, Memory, learner_of
from studyhub.study.readiness import Readiness, finish_day
from studyhub.study.zones import study_day_of
from studyhub.web import interview_said
from studyhub.web.job_words import job_said
from studyhub.web.planning_chart import curve
from tests.studyhub.web.conftest import Browser

DAY = timedelta(days=1)
MONDAY = date(2026, 11, 30)
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def course(retention: float, pace: int, expected: float, low: int, high: int) -> dict[str, Any]:
    return {
        "retention": retention, "new_per_day": pace, "expected": expected, "low": low, "high": high,
        "minutes": 9.6, "unseen": 0,
    }  # fmt: skip


PLAN: dict[str, Any] = {
    "desired_retention": 0.94, "new_per_day": 7, "expected": 205.9, "low": 189, "high": 213, "minutes": 16.0,
    "cards": 216, "new_left": 51, "unseen": 0, "finish_day": "2026-12-10", "made_on": "2026-11-30", "seed": 1,
    "curve": [course(0.8, 9, 180, 160, 195), course(0.94, 7, 205.9, 189, 213)],
    "now": course(0.9, 20, 203.2, 188, 212),
    "sentences": ["51 of 216 cards are still new. At 7 a day you finish on 8 December."],
}  # fmt: skip


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "send", lambda *_: True)


@pytest.fixture
def learner(ben: Any) -> Learner:
    return learner_of(ben)


def tomorrow(learner: Learner, ahead: int = 12) -> str:
    return (study_day_of(learner, timezone.now()) + ahead * DAY).isoformat()


def ask(browser: Browser, day: str, minutes: str = "20", topics: Any = ("d-head",)) -> Any:
    return browser.send(
        browser.open("/interview/"), "/interview/", day=day, minutes_per_day=minutes, topics=topics
    )


@pytest.fixture
def planned(browser: Browser, learner: Learner) -> Interview:
    """Ben's interview with its plan made."""
    ask(browser, tomorrow(learner))
    interview = interview_of(learner)
    assert interview
    assert store_plan(interview, dict(PLAN), timezone.now())
    Job.objects.filter(learner=learner).update(state="done")
    return interview


def test_a_day_that_is_set_gets_its_plan_made_and_the_page_says_so(
    browser: Browser, learner: Learner
) -> None:
    page = ask(browser, tomorrow(learner))
    interview, job = interview_of(learner), Job.objects.get(learner=learner, kind="plan")
    assert interview
    assert (interview.minutes_per_day, interview.topics, job.state) == (20, [], "queued")  # every topic
    assert "The plan waits" in browser.text(page)
    assert "for a worker." in browser.text(page)
    assert 'id="plan" data-live' in page.content.decode()
    assert page.redirect_chain[-1][0] == "/interview/#plan"


REFUSED = (
    ("2020-01-01", "20", ["d-head"], "1 January 2020 cannot be planned for today"),
    ("", "20", ["d-head"], "Choose the day of the interview."),
    ("soon", "20", ["d-head"], "This is no date; write it as 2026-12-30."),
    ("9999-12-31", "20", ["d-head"], "Choose a day from"),
    ("+12", "0", ["d-head"], "Write how many whole minutes a day you study, 1 to 720."),
    ("+12", "x", ["d-head"], "Write how many whole minutes a day you study, 1 to 720."),
    ("+12", "9" * 400, ["d-head"], "Write how many whole minutes a day you study, 1 to 720."),
    ("+12", "20", [], "Choose at least one topic."),
    ("+12", "20", ["nowhere"], "There is no topic nowhere any more"),
)


def test_what_cannot_be_is_said_beside_its_field_and_changes_nothing(
    browser: Browser, learner: Learner
) -> None:
    for day, minutes, topics, said in REFUSED:
        page = ask(browser, tomorrow(learner) if day == "+12" else day, minutes, topics)
        assert said in browser.text(page)
        assert re.search(r'aria-describedby="(day|minutes|topics)-error"', page.content.decode())
    assert interview_of(learner) is None
    assert not Job.objects.exists()


def test_the_plan_is_shown_with_its_interval_curve_and_table(browser: Browser, planned: Interview) -> None:
    page = browser.open("/interview/")
    said, html = browser.text(page), page.content.decode()
    assert PLAN["sentences"][0] in said
    assert "The plan: 206 of 216 cards, 189 to 213 (90%)." in said
    assert "With what you have now, a recall of 90% and 20 new cards a day, expect 203 of 216 cards" in said
    assert "The plan adds 3 cards and takes 16 minutes a day." in said
    assert "Sets a recall of 94% and 7 new cards a day. No due date moves" in said
    assert "data-live" not in html
    assert html.count("<table") == 1
    assert html.count('<th scope="row">') == len(PLAN["curve"]) + 1
    assert "style=" not in html.split("<main")[1]


def test_the_plan_is_put_to_use_and_taken_back(
    browser: Browser, learner: Learner, planned: Interview
) -> None:
    page = browser.send(browser.open("/interview/"), "/interview/use/")
    learner.refresh_from_db()
    assert (learner.desired_retention, learner.new_per_day) == (0.94, 7)
    assert "In use. New answers are scheduled for a recall of 94% and 7 new cards a day." in browser.text(
        page
    )
    assert "That was a recall of 90% and 20 new cards a day." in browser.text(page)
    back = browser.send(page, "/interview/use/")
    learner.refresh_from_db()
    assert (learner.desired_retention, learner.new_per_day) == (0.9, 20)
    assert "Back to before" not in browser.text(back)


def test_a_page_of_yesterday_puts_nothing_to_use(browser: Browser, learner: Learner) -> None:
    page = browser.client.post("/interview/use/", follow=True)
    assert (page.status_code, learner.desired_retention) == (200, 0.9)


def test_a_plan_that_failed_says_why_and_can_be_asked_for_again(browser: Browser, learner: Learner) -> None:
    ask(browser, tomorrow(learner))
    Job.objects.update(state="failed", reason="The worker was lost 3 times.")
    page = browser.open("/interview/")
    assert "The plan could not be made. The worker was lost 3 times." in browser.text(page)
    assert "data-live" not in page.content.decode()
    ask(browser, tomorrow(learner))
    assert Job.objects.filter(learner=learner, state="queued").count() == 1


def test_the_interview_is_removed_and_settings_stay(
    browser: Browser, learner: Learner, planned: Interview
) -> None:
    browser.send(browser.open("/interview/"), "/interview/use/")
    page = browser.send(browser.open("/interview/"), "/interview/remove/")
    learner.refresh_from_db()
    assert (interview_of(learner), learner.new_per_day) == (None, 7)
    assert "Make a plan" in browser.text(page)


def test_a_day_that_has_passed_asks_for_the_next(browser: Browser, planned: Interview) -> None:
    Interview.objects.update(day=timezone.now().date() - 3 * DAY)
    page = browser.open("/interview/")
    assert "Interview is over" in browser.text(page)
    assert "Use this plan" not in browser.text(page)
    assert "Interview is over" in browser.text(browser.open("/"))


def test_today_says_how_many_cards_are_new_and_when_they_are_met(
    browser: Browser, learner: Learner, planned: Interview
) -> None:
    cards = list(Card.objects.filter(state="published"))
    Memory.objects.create(learner=learner, card=cards[0], state="review", suspended=True)
    Memory.objects.create(learner=learner, card=cards[1], state="review")
    said = browser.text(browser.open("/"))
    assert "Interview in 12 days" in said
    assert f"{len(cards) - 2} of {len(cards) - 1} cards are still new. At 20 a day you finish on" in said
    learner.new_per_day = 0
    learner.save()
    assert "You have set 0 new cards a day" in browser.text(browser.open("/"))


def test_today_offers_to_set_one_where_there_is_none(browser: Browser) -> None:
    assert 'href="/interview/">Set one' in browser.open("/").content.decode()


@pytest.mark.parametrize("address", ["/interview/", "/interview/use/", "/interview/remove/"])
def test_the_interview_is_for_those_who_are_signed_in_and_its_own(
    db: None, cy: Any, learner: Learner, address: str
) -> None:
    Interview.objects.create(learner=learner, day=MONDAY)
    assert Client().post(address)["Location"].startswith("/accounts/login/")
    stranger = Client()
    stranger.force_login(cy)
    stranger.post(address)
    assert interview_of(learner)
    if address != "/interview/":
        assert stranger.get(address).status_code == 405


def test_a_form_from_elsewhere_is_refused(browser: Browser, ben: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ben)
    assert client.post("/interview/", {"day": "2027-01-01"}).status_code == 403


@pytest.mark.plain
@pytest.mark.parametrize(
    ("new", "per_day", "left", "day"),
    [(0, 5, 0, 30), (5, 5, 5, 30), (51, 5, 5, 40), (51, 5, 0, 41), (50, 5, 5, 39), (3, 0, 0, None)],
)
def test_the_last_new_card_is_met_when_the_pace_says(
    new: int, per_day: int, left: int, day: int | None
) -> None:
    found = finish_day(new, per_day, left_today=left, today=MONDAY)
    assert found == (None if day is None else date(2026, 11, 1) + (day - 1) * DAY)


@pytest.mark.plain
@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            Readiness(216, 51, 5, date(2026, 12, 10)),
            "51 of 216 cards are still new. At 5 a day you finish on 10 December.",
        ),
        (
            Readiness(216, 51, 1, date(2027, 1, 20)),
            "51 of 216 cards are still new. At 1 a day you finish on 20 January 2027, "
            "not before the interview.",
        ),
        (Readiness(216, 1, 5, MONDAY), "1 of 216 cards is still new. You can meet the last of them today."),
        (Readiness(216, 0, 5, MONDAY), "You have met all 216 cards."),
    ],
)
def test_the_standing_is_told_with_its_numbers(found: Readiness, said: str) -> None:
    assert interview_said.standing(found, date(2026, 12, 12), MONDAY) == said
    assert interview_said.countdown(date(2026, 12, 12), MONDAY) == "Interview in 12 days"
    assert interview_said.long_day(date(2026, 12, 12), MONDAY) == "Saturday 12 December"


@pytest.mark.plain
def test_the_chart_stands_where_its_numbers_are() -> None:
    drawn = curve(PLAN)
    ticks = {tick.value: tick.at for tick in drawn.ys}
    low, chosen = drawn.candidates
    assert (low.chosen, chosen.chosen) == (False, True)
    assert low.y == pytest.approx(ticks[180])
    assert low.x < chosen.x
    assert drawn.now is not None
    assert low.x < drawn.now.x < chosen.x
    assert all(one.high <= one.y <= one.low for one in (*drawn.candidates, drawn.now))
    assert all(min(ticks.values()) <= one.high and one.low <= max(ticks.values()) for one in drawn.candidates)
    same = PLAN["now"] | {"retention": 0.94, "new_per_day": 7}
    assert curve(PLAN | {"now": same}).now is None
    nothing = [course(0.9, 1, 0.0, 0, 0)]
    assert curve(PLAN | {"curve": nothing, "now": nothing[0], "cards": 1}).candidates


@pytest.mark.plain
@pytest.mark.parametrize(
    ("job", "sentence", "progress"),
    [
        ({"state": "queued"}, "The plan waits for 30 s for a worker.", None),
        ({"state": "running", "progress": 40}, "The plan is being computed: 40% done.", 40),
        (
            {"state": "running", "attempts": 2, "progress": 5},
            "The plan is being computed, attempt 2 of 3: 5% done.",
            5,
        ),
    ],
)
def test_a_job_is_told_in_words_with_what_still_works(
    job: dict[str, Any], sentence: str, progress: int | None
) -> None:
    row = Job(id=uuid.uuid4(), kind="plan", created_at=NOW - timedelta(seconds=30), **job)
    said = job_said(row, "the plan", NOW)
    assert said is not None
    assert (said.sentence, said.progress, said.live) == (sentence, progress, True)
    assert said.note == "You may leave this page; it will be here."
    assert job_said(Job(state="done"), "the plan", NOW) is None
