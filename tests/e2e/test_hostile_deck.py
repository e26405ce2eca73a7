"""A deck whose every field tries to run something, in a real browser: nothing of it runs."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.serving import ROOT, Service

pytestmark = pytest.mark.e2e

PUBLISH = """
import django; django.setup()
from cards.models import Deck, Topic
from tests.studyhub.complaints.hostile import hostile_deck
deck = Deck.objects.create(slug="hostile", title="Hostile")
hostile_deck(Topic.objects.create(slug="hostile", title="Hostile", deck=deck))
"""
RETIRE = """
import django; django.setup()
from cards.models import Card, Topic
Topic.objects.filter(slug="hostile").update(sections=[])
Card.objects.filter(topic__slug="hostile").update(state=Card.State.RETIRED)
"""
RAN = """() => [window, ...Array.from(window.frames)].some((one) => one.ran)
    || Boolean(document.querySelector("main script, main iframe, main object, main embed, main base"))"""


@pytest.fixture
def hostile(service: Service) -> Iterator[Service]:
    """The service with that deck in its data; other tests do not meet it."""
    env = {**os.environ, **service.env, "DJANGO_SETTINGS_MODULE": "studyhub.settings"}
    subprocess.run([sys.executable, "-c", PUBLISH], cwd=ROOT, env=env, check=True)
    yield service
    subprocess.run([sys.executable, "-c", RETIRE], cwd=ROOT, env=env, check=True)


def is_quiet(page: Page) -> None:
    """Nothing of the page has run, its links clicked and its fields focused or not."""
    for link in page.locator("main .question a, main .prose a, main .explanation a").all():
        link.dispatch_event("mouseover")
        link.dispatch_event("focus")
    page.wait_for_timeout(100)
    assert page.evaluate(RAN) is False


def test_row_31_a_hostile_deck_runs_nothing_in_a_browser(page: Page, hostile: Service) -> None:
    """anki PR#5594 (GHSA-jw6j-j4mf-8jgm): a shared deck ran scripts. Here the deck is read, asked, answered
    wrong with a hint, and rated, and no page runs, loads or logs anything that is not its own."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: asked.append(f"dialog: {dialog.message}"))
    for address in ("/topics/", "/topics/hostile/", "/study/?card=options", "/study/?card=points"):
        page.goto(hostile.url + address)
        is_quiet(page)
    page.goto(f"{hostile.url}/study/?card=number")
    page.get_by_label("Your answer").fill("10")
    is_quiet(page)
    page.keyboard.press("Enter")
    expect(page.locator("#result")).to_be_visible()
    is_quiet(page)
    page.locator("rating-bar button").first.click()
    page.wait_for_load_state()
    is_quiet(page)
    assert [url for url in asked if not url.startswith((hostile.url, "data:"))] == []
    page.evaluate("window.ran = 1")  # what looks for it sees it
    assert page.evaluate(RAN) is True
