"""All heads of a model in a real browser: walked, sorted, searched, pinned, opened and saved by keyboard."""

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from attention_engine.kinds.head_atlas import SMALL_BYTES
from tests.e2e.conftest import Watched, new_learner
from tests.e2e.lab_page import trained_models
from tests.e2e.looks import CHECKED_BY_AXE, LOOKS, MOST_NODES, WIDE, grave
from tests.serving import Service

pytestmark = pytest.mark.e2e

PAINTED = "canvas => canvas.toDataURL()"
SHOWN = {
    "maps": "",
    "pair": "show=pair",
    "smollm2": "model=smollm2&show=sink",
    "counted": "model=llama-3-70b",
    "largest": "model=gpt-3-175b",
    "odd": "sentence=%F0%9F%99%82%20%D7%A9%D7%9C%D7%95%D7%9D%20%E6%B3%A8%E6%84%8F%E5%8A%9B&query=zebra",
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


def look(page: Page, width: int, theme: Any, *, motion: Any = "reduce") -> None:
    page.set_viewport_size({"width": width, "height": 1000})
    page.emulate_media(color_scheme=theme, reduced_motion=motion)


def opened(page: Page, service: Service, query: str) -> Locator:
    """The canvas of the atlas, its picture drawn."""
    page.goto(f"{service.url}/lab/head_atlas/?{query}")
    expect(page.locator("study-picture")).to_have_attribute("data-phase", "drawn", timeout=60_000)
    canvas = page.locator(".atlas canvas[data-arrows]:visible").first
    expect(canvas).to_be_visible()
    return canvas


def said(page: Page) -> str:
    """What is spoken of the chosen head."""
    return page.locator("[data-testid=atlas-said]").first.text_content() or ""


@pytest.mark.parametrize("name", SHOWN)
def test_the_atlas_stands_at_every_width(desk: Page, service: Service, shots: Path, name: str) -> None:
    look(desk, 1440, "light")
    opened(desk, service, SHOWN[name])
    for width, theme in LOOKS:
        look(desk, width, theme)
        desk.wait_for_timeout(200)
        desk.screenshot(path=shots / f"atlas-{name}-{width}-{theme}.png", full_page=True)
        assert desk.evaluate(WIDE) <= 0, (width, theme)
        assert desk.locator("*").count() <= MOST_NODES
        if (width, theme) in CHECKED_BY_AXE:
            assert grave(desk) == [], (width, theme)


def test_heads_are_walked_sorted_searched_and_pinned_by_keyboard(desk: Page, service: Service) -> None:
    look(desk, 1440, "light")
    canvas = opened(desk, service, "")
    canvas.focus()
    assert said(desk).startswith("Layer 3, head 1: entropy 1.31 nats")
    desk.keyboard.press("ArrowDown")
    assert said(desk).startswith("Layer 4, head 1")
    desk.keyboard.press("p")
    desk.keyboard.press("ArrowRight")
    desk.keyboard.press("p")
    expect(desk.locator(".atlas__pin b")).to_have_text(["1. Layer 4, head 1", "2. Layer 4, head 2"])
    desk.get_by_role("button", name="sink", exact=False).first.click()
    expect(desk.locator(".atlas__words")).to_contain_text("from 0.90 in layer 4, head 5")
    desk.keyboard.press("/")
    expect(desk.get_by_test_id("atlas-pattern")).to_be_focused()
    desk.get_by_test_id("atlas-pattern").select_option("next token")
    assert said(desk).startswith("Layer 1, head 8")
    canvas.focus()
    desk.keyboard.press("r")
    expect(desk.get_by_role("button", name="Smallest first")).to_be_visible()


def test_a_link_brings_back_step_head_search_and_pins(desk: Page, service: Service) -> None:
    look(desk, 1440, "light")
    opened(desk, service, "").focus()
    desk.keyboard.press("ArrowDown")
    desk.keyboard.press("p")
    desk.get_by_role("button", name="entropy", exact=False).first.click()
    before = said(desk)
    desk.get_by_role("button", name="Copy link").first.click()
    link = desk.evaluate("navigator.clipboard.readText()")
    desk.goto("about:blank")
    desk.goto(link)
    expect(desk.locator("study-picture")).to_have_attribute("data-phase", "drawn", timeout=60_000)
    expect(desk.locator(".atlas__pin b")).to_have_text(["1. Layer 4, head 1"])
    expect(desk.locator(".stages [aria-pressed=true]")).to_contain_text("entropy")
    assert said(desk) == before


def test_enter_opens_the_head_whole_as_attention_pattern_draws_it(desk: Page, service: Service) -> None:
    look(desk, 1440, "light")
    canvas = opened(desk, service, "")
    canvas.focus()
    desk.keyboard.press("Enter")
    expect(desk.locator(".atlas__open h3")).to_have_text("Layer 3, head 1, whole")
    expect(desk.locator(".atlas__open .readout__bars tbody tr").first).to_contain_text(
        "animal", timeout=30_000
    )
    expect(desk.locator(".atlas__open canvas")).to_be_focused()
    href = desk.locator(".atlas__open a").get_attribute("href") or ""
    desk.keyboard.press("Escape")
    expect(desk.locator(".atlas__open")).to_be_hidden()
    expect(canvas).to_be_focused()
    desk.goto(href)
    expect(desk.locator("study-picture")).to_have_attribute("data-phase", "drawn", timeout=60_000)
    expect(desk.locator(".readout__words").first).to_contain_text("animal")


def test_another_pair_is_asked_for_and_the_ranking_follows(desk: Page, service: Service) -> None:
    look(desk, 1440, "light")
    opened(desk, service, "show=pair")
    desk.locator("form.edits [name=key]").fill("street")
    desk.keyboard.press("Enter")
    expect(desk.locator(".atlas__words")).to_contain_text("From “it” to “street”", timeout=30_000)
    desk.keyboard.press("Escape")
    desk.get_by_role("button", name="Table", exact=True).click()
    cells = desk.locator("[data-testid=picture-table] tbody td.number").all_text_contents()
    assert cells[:10] == sorted(cells[:10], key=float, reverse=True)
    desk.get_by_role("button", name="Picture", exact=True).click()


def test_sorting_moves_heads_only_where_motion_is_wanted(desk: Page, service: Service) -> None:
    for motion, moves in (("no-preference", True), ("reduce", False)):
        look(desk, 1440, "light", motion=motion)
        canvas = opened(desk, service, "show=sink")
        desk.get_by_role("button", name="own", exact=False).first.click()
        early = canvas.evaluate(PAINTED)
        desk.wait_for_timeout(900)
        assert (canvas.evaluate(PAINTED) != early) == moves, motion


def test_all_small_maps_of_a_long_sentence_come_within_120_kb(desk: Page, service: Service) -> None:
    look(desk, 1440, "light")
    sizes: dict[str, int] = {}
    cdp, paths = desk.context.new_cdp_session(desk), {}
    cdp.send("Network.enable")
    cdp.on("Network.requestWillBeSent", lambda e: paths.update({e["requestId"]: e["request"]["url"]}))
    cdp.on(
        "Network.loadingFinished",
        lambda e: sizes.update({paths.get(e["requestId"], ""): e["encodedDataLength"]}),
    )
    opened(desk, service, "sentence=" + "The%20animal%20was%20tired.%20" * 70)
    tensors = [size for url, size in sizes.items() if "/api/v1/tensors/" in url]
    assert tensors
    assert max(tensors) <= SMALL_BYTES + 1000, tensors
    cdp.detach()


def test_it_is_saved_as_a_drawing_and_as_numbers(desk: Page, service: Service, tmp_path: Path) -> None:
    look(desk, 1440, "light")
    opened(desk, service, "show=sink")
    for name in ("JSON", "SVG", "PNG"):
        desk.locator(".picture__export summary").press("Enter")
        with desk.expect_download() as download:
            desk.get_by_role("button", name=name, exact=True).press("Enter")
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        assert path.stat().st_size > 5_000
        if name == "JSON":
            told = json.loads(path.read_text())
            assert {frame["step"] for frame in told["frames"]} >= {"maps", "sink", "pair"}
        if name == "SVG":
            assert "Layer" in path.read_text()
