"""A running service and a real browser; every page is watched for script errors and policy violations."""

import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests.serving import Service, running_service

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or ""
PASSWORD = "a-long-pass-768"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What tests measured, at the end of a run, also where it was spread over processes."""
    reports = [report for found in ("passed", "failed") for report in terminalreporter.stats.get(found, ())]
    for report in reports:
        for name, value in getattr(report, "user_properties", ()):
            if name == "measured" and report.when == "call":
                terminalreporter.write_line(str(value))


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service for the whole session; each test studies as a learner of its own."""
    with running_service(tmp_path_factory.mktemp("e2e") / "var") as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium."""
    if not CHROMIUM:
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


class Watched:
    """A context whose pages may log nothing above a note.

    But that a picture has to wait: who leaves a page before a starting worker has drawn its three pictures is
    answered 429 for the next, the player asks again, and the browser logs the answer by itself."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.complaints: list[str] = []
        context.on("console", self._note)
        context.on("weberror", lambda error: self.complaints.append(f"script error: {error.error}"))

    def _note(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and "429 (Too Many Requests)" not in message.text:
            self.complaints.append(f"{message.type}: {message.text}")


def new_learner(page: Page, service: Service, name: str) -> None:
    """Signs up, so that no test meets what another has studied; 20 a minute may, so it waits its turn."""
    for _ in range(14):
        page.goto(f"{service.url}/accounts/signup/")
        page.fill("[name=username]", name)
        page.fill("[name=password1]", PASSWORD)
        with page.expect_navigation() as moved:
            page.click("main button[type=submit]")
        if moved.value.status != 429:
            break
        page.wait_for_timeout(5_000)
    page.wait_for_url(f"{service.url}/")


@pytest.fixture
def watched(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Watched]:
    """A desk with the options of the test's `context` marker; fails on any complaint."""
    options = getattr(request, "param", {})
    context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, **options})
    watched = Watched(context)
    yield watched
    context.close()
    assert watched.complaints == []


@pytest.fixture
def page(watched: Watched, service: Service) -> Page:
    """A signed-in learner's page."""
    page = watched.context.new_page()
    new_learner(page, service, f"learner-{uuid.uuid4().hex[:12]}")
    return page


@pytest.fixture(scope="session")
def shots() -> Path:
    """Where screenshots go: test-results/, which git ignores."""
    folder = Path(__file__).resolve().parents[2] / "test-results"
    folder.mkdir(exist_ok=True)
    return folder
