"""A prompt continued behind a cache in a real browser: stepped, walked, evicted, linked, saved by keys."""

import json
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from attention_engine.trained import models
from tests.e2e.conftest import Watched, new_learner
from tests.e2e.lab_page import trained_models
from tests.e2e.looks import CHECKED_BY_AXE, LOOKS, MOST_NODES, WIDE, grave
from tests.serving import ROOT, Service

pytestmark = pytest.mark.e2e

SHOWN = {
    "random": ("model=random&keep=sink_window&window=5", "t4"),
    "counted": ("model=llama-3-8b&keep=window", "t6"),
    "evicted": ("keep=window&new_tokens=6", "evicted"),
    "whole": ("new_tokens=6", "whole"),
    "odd": ("prompt=%F0%9F%99%82%20%D7%A9%D7%9C%D7%95%D7%9D%20%E6%B3%A8&new_tokens=4", "t2"),
}


@pytest.fixture(scope="module")
def desk(browser: Browser, service: Service) -> Iterator[Page]:
    """One learner's page, with the trained models where this machine has them."""
    context = browser.new_context(
        viewport={"width": 1440, "height": 1000}, permissions=["clipboard-read", "clipboard-write"]
    )
    watched, page = Watched(context), context.new_page()
    new_learner(page, service, f"learner-{uuid.uuid4().hex[:12]}")
    with trained_models(service):
        yield page
        context.close()
    assert watched.complaints == []


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that has SmolLM2, or a skip that says how to get it."""
    monkeypatch.setenv("STUDYHUB_VAR", str(ROOT / "var"))
    if models.why_missing("smollm2"):
        pytest.skip("SmolLM2 is not installed: make models")


def look(page: Page, width: int, theme: Any) -> None:
    page.set_viewport_size({"width": width, "height": 1000})
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")


def opened(page: Page, service: Service, query: str) -> Locator:
    """The strip of tokens, its picture drawn to the end."""
    page.goto(f"{service.url}/lab/decode_cache/?{query}")
    expect(page.locator("study-picture")).to_have_attribute("data-phase", "drawn", timeout=60_000)
    return page.get_by_test_id("decode-strip")


def said(page: Page) -> str:
    """What is spoken of the token that is pointed at."""
    return page.get_by_test_id("decode-strip").get_attribute("aria-valuetext") or ""


@pytest.mark.usefixtures("trained")
@pytest.mark.parametrize("name", SHOWN)
def test_the_cache_stands_at_every_width(desk: Page, service: Service, shots: Path, name: str) -> None:
    query, step = SHOWN[name]
    look(desk, 1440, "light")
    opened(desk, service, f"{query}&step={step}")
    for width, theme in LOOKS:
        look(desk, width, theme)
        desk.wait_for_timeout(150)
        desk.screenshot(path=shots / f"decode-{name}-{width}-{theme}.png", full_page=True)
        assert desk.evaluate(WIDE) <= 0, (width, theme)
        assert desk.locator("*").count() <= MOST_NODES
        if (width, theme) in CHECKED_BY_AXE:
            assert grave(desk) == [], (width, theme)


def test_steps_and_tokens_are_walked_by_keyboard(desk: Page, service: Service) -> None:
    look(desk, 1440, "light")
    strip = opened(desk, service, "model=random&keep=sink_window&sinks=2&window=3&prompt=one+two+three+four")
    strip.focus()
    for _ in range(3):
        desk.keyboard.press("ArrowRight")
    expect(desk.locator(".decode__says")).to_contain_text("The cache holds 5 of 7 tokens")
    desk.keyboard.press("Home")
    expect(desk.locator(".decode__says")).to_contain_text("The prompt is read whole: 4 tokens")
    for _ in range(3):
        desk.keyboard.press("ArrowRight")
    for _ in range(8):
        desk.keyboard.press("ArrowUp")
    desk.keyboard.press("ArrowDown")
    expect(strip).to_have_attribute("aria-valuetext", re.compile("“two”, position 1: weight 0\\."))
    desk.keyboard.press("ArrowDown")
    assert said(desk) == "“three”, position 2: evicted, not in the cache."
    expect(desk.locator(".is-out .decode__word").first).to_have_text("out")


def test_what_is_kept_is_changed_by_its_fields_and_stands_in_the_address(
    desk: Page, service: Service
) -> None:
    look(desk, 1440, "light")
    opened(desk, service, "model=llama-3-8b&new_tokens=4&prompt=one+two+three")
    desk.wait_for_timeout(600)  # until the page has noted the address it was opened with
    desk.locator("form.edits [name=keep]").select_option("window")
    expect(desk.locator("form.edits [name=window]")).to_be_visible()
    desk.locator("form.edits [name=window]").fill("2")
    desk.keyboard.press("Enter")
    expect(desk.locator(".decode__big")).to_contain_text("tokens")
    desk.locator(".scrub").focus()
    desk.keyboard.press("End")
    expect(desk.locator(".decode__big")).to_have_text("262,144 bytes, 2 of 7 tokens")
    expect(desk).to_have_url(re.compile("window=2"))


def test_table_link_and_export_tell_the_same_step(desk: Page, service: Service, tmp_path: Path) -> None:
    look(desk, 1440, "light")
    opened(desk, service, "model=random&prompt=one+two+three+four&step=t2").focus()
    before = said(desk)
    desk.keyboard.press("t")
    rows = desk.locator("[data-testid=picture-table]:visible tbody tr")
    expect(rows).to_have_count(6)
    expect(rows.first).to_contain_text("one")
    desk.get_by_role("button", name="Picture").first.click()
    desk.get_by_role("button", name="Copy link").first.click()
    link = desk.evaluate("navigator.clipboard.readText()")
    desk.goto("about:blank")
    desk.goto(link)
    expect(desk.locator("study-picture")).to_have_attribute("data-phase", "drawn", timeout=60_000)
    assert said(desk) == before
    desk.get_by_text("Export", exact=True).first.click()
    with desk.expect_download() as saved:
        desk.get_by_role("button", name="JSON").first.click()
    kept = tmp_path / "picture.json"
    saved.value.save_as(kept)
    frames = json.loads(kept.read_text())["frames"]
    assert [frame["step"] for frame in frames][:3] == ["prompt", "t1", "t2"]


@pytest.mark.usefixtures("trained")
def test_two_caches_are_compared_text_beside_text(desk: Page, service: Service) -> None:
    look(desk, 1440, "light")
    opened(desk, service, "keep=window&new_tokens=6&step=evicted")
    here, whole = (text.strip() for text in desk.locator(".decode__text").all_text_contents())
    assert here != whole
    assert desk.locator(".decode__text .is-parted").count() > 0
    expect(desk.locator(".decode__says")).to_contain_text("On the same 5 tokens")
    desk.locator(".series__plot").first.focus()
    desk.keyboard.press("ArrowRight")
    desk.keyboard.press("ArrowRight")
    expect(desk.locator(".series__read").first).to_contain_text("new tokens 2. log p: this cache")
