"""The interview and the fit in a real browser with real workers: planned, used, taken back; their looks."""

import re
import uuid
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import Watched, new_learner
from tests.e2e.test_looks import SIZES, checked
from tests.serving import Service

pytestmark = pytest.mark.e2e

SEED = "from tests.seeded_learner import seed; seed({name!r})"
WORKER = 60_000  # ms, until a worker that may be starting has done a job


def name_of(page: Page) -> str:
    label = page.locator(".account > summary").get_attribute("aria-label") or ""
    return label.split(", ")[-1]


def plan(page: Page, service: Service, *, ahead: int = 20) -> None:
    """Sets an interview and waits for its plan without a word of the browser."""
    page.goto(f"{service.url}/interview/")
    page.get_by_label("Day of the interview").fill((date.today() + timedelta(days=ahead)).isoformat())
    page.get_by_label("Minutes a day").fill("15")
    page.get_by_role("button", name="Make a plan").click()
    expect(page.get_by_role("heading", name="Which recall leaves most")).to_be_visible(timeout=WORKER)


def test_an_interview_gets_a_plan_that_is_used_and_taken_back(page: Page, service: Service) -> None:
    plan(page, service)
    expect(page.locator("job-watch [role=status]")).to_have_text("The plan is here.")
    expect(page.get_by_text(re.compile(r"expect to recall \d+ of \d+ cards; 9 times of 10"))).to_be_visible()
    page.get_by_role("button", name="Use this plan").click()
    expect(page.get_by_text("In use.")).to_be_visible()
    page.get_by_role("button", name="Back to before").click()
    expect(page.get_by_role("button", name="Use this plan")).to_be_visible()
    page.goto(f"{service.url}/")
    expect(page.get_by_role("heading", name=re.compile(r"Interview in (19|20|21) days"))).to_be_visible()
    page.get_by_role("link", name="Plan").click()
    page.get_by_label("Day of the interview").fill("2020-01-01")
    page.get_by_role("button", name="Plan anew").click()
    expect(page.get_by_text("1 January 2020 cannot be planned for today")).to_be_visible()
    page.get_by_role("button", name="Remove the interview").click()
    expect(page.get_by_role("button", name="Make a plan")).to_be_visible()


def test_a_fit_is_asked_for_reported_adopted_and_taken_back(page: Page, service: Service) -> None:
    service.manage("shell", "-c", SEED.format(name=name_of(page)))
    page.goto(f"{service.url}/progress/")
    page.get_by_role("link", name=re.compile("^Fit")).click()
    page.get_by_role("button", name="Fit to my answers").click()
    expect(page.get_by_role("heading", name="Numbers fitted to you predict better")).to_be_visible(
        timeout=WORKER
    )
    expect(page.get_by_text("Beside the built-in ones the fitted numbers predict better by")).to_be_visible()
    page.locator("input[value=table]").check(force=True)
    expect(page.get_by_role("row", name=re.compile("^Late"))).to_be_visible()
    page.get_by_label("Cards a day at most").fill("5")
    page.get_by_role("button", name="Use and reschedule").click()
    expect(page.get_by_text(re.compile(r"^It moved \d+ cards to another day\.$"))).to_be_visible()
    page.get_by_role("button", name="Back to the built-in numbers").click()
    expect(page.get_by_role("heading", name="The built-in numbers schedule your cards")).to_be_visible()
    page.get_by_role("button", name="Use from now on").click()
    expect(page.get_by_role("heading", name="Version 1 schedules your cards")).to_be_visible()


@pytest.fixture(scope="module")
def account(browser: Browser, service: Service) -> dict[str, Any]:
    """Somebody with an interview, its plan, and a fit that offers numbers: what their browser keeps."""
    context = browser.new_context()
    page = context.new_page()
    new_learner(page, service, f"planner-{uuid.uuid4().hex[:12]}")
    service.manage("shell", "-c", SEED.format(name=name_of(page)))
    plan(page, service)
    page.goto(f"{service.url}/progress/fit/")
    page.get_by_role("button", name="Fit to my answers").click()
    expect(page.get_by_role("heading", name="What would version 1 change?")).to_be_visible(timeout=WORKER)
    state: Any = context.storage_state()
    context.close()
    return dict(state)


@pytest.mark.parametrize("watched", SIZES, indirect=True)
def test_the_pages_look_right_and_are_accessible(
    watched: Watched, account: Any, service: Service, shots: Path, request: pytest.FixtureRequest
) -> None:
    watched.context.add_cookies(account["cookies"])
    page = watched.context.new_page()
    for name, address in (("interview", "/interview/"), ("fit", "/progress/fit/"), ("today-interview", "/")):
        page.goto(f"{service.url}{address}")
        if "dark" in request.node.callspec.id:  # charts by day, tables by night
            for switch in page.locator(".switch input[value=table]").all():
                switch.evaluate("one => { one.checked = true }")  # the foot of a phone may cover it
        checked(page, name, shots, request)
    page.goto(f"{service.url}/interview/")
    page.get_by_role("button", name="Remove the interview").scroll_into_view_if_needed()
    page.get_by_label("Minutes a day").fill("0")
    page.get_by_role("button", name="Plan anew").click()
    expect(page.get_by_text("Write how many whole minutes a day you study")).to_be_visible()
    checked(page, "interview-refused", shots, request)


def test_without_a_script_the_plan_comes_by_looking_again(
    browser: Browser, account: Any, service: Service
) -> None:
    context = browser.new_context(java_script_enabled=False, storage_state=account)
    page = context.new_page()
    page.goto(f"{service.url}/interview/")
    page.get_by_label("Minutes a day").fill("25")
    page.get_by_role("button", name="Plan anew").click()
    for _ in range(60):
        again = page.get_by_role("link", name="Look again")
        if not again.count():
            break
        page.wait_for_timeout(500)
        again.click()
    expect(page.get_by_role("button", name="Use this plan")).to_be_visible()
    context.close()


@pytest.mark.parametrize("watched", [SIZES[0], SIZES[-1]], indirect=True)
def test_cards_that_do_not_stick_look_right_to_an_author(
    watched: Watched, account: Any, service: Service, shots: Path, request: pytest.FixtureRequest
) -> None:
    page = watched.context.new_page()
    name, password = service.account("author")
    page.goto(f"{service.url}/accounts/login/?next=/author/sticking/")
    page.fill("[name=login]", name)
    page.fill("[name=password]", password)
    page.click("main button[type=submit]")
    expect(page.get_by_role("heading", name="Cards that do not stick")).to_be_visible()
    expect(page.get_by_role("heading", name="What might help").first).to_be_visible()
    checked(page, "sticking", shots, request)
