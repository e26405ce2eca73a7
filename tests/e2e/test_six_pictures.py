"""Every kind of picture after a right and a wrong answer, as a learner's browser gets, draws and saves it."""

import gzip
import json
import re
import struct
import time
import urllib.request
import uuid
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.conftest import Watched, new_learner
from tests.e2e.looks import CHECKED_BY_AXE, GRAVE, LOOKS
from tests.e2e.picture_cards import CARDS, PictureCard, publish_in
from tests.e2e.pixels import drawn as pixels_of
from tests.serving import ROOT, Service

pytestmark = pytest.mark.e2e

MOST_NODES = 2000
MOST_SCRIPT = 60_000
WIRE = {
    "answer_executed": 3_000,
    "head_split": 8_000,
    "silent_mistake": 20_000,
    "memory_tape": 4_000,
    "saturation": 12_000,
    "attention_pattern": 260_000,
}
"""Bytes of a whole picture as received, compressed: facts, frames and tensors."""
CANVAS = "[data-testid=picture-canvas]:visible"
TABLE = "[data-testid=picture-table]:visible"
WITHOUT_BAR = "document.querySelector('.rating').style.visibility = 'hidden'"
AS_READ = 5.1e-4
"""What a table rounds away: it shows three digits after the point."""


@dataclass
class Desk:
    """One learner's page; what it received of pictures, and what it complained of."""

    page: Page
    beside: Page
    """Where the right answer stands, if the page of the wrong one does not show its picture too."""
    watched: Watched
    service: Service
    received: dict[str, int] = field(default_factory=dict)

    def listen(self) -> None:
        """Counts the bytes of bodies as they come over the network, by path."""
        cdp, paths = self.page.context.new_cdp_session(self.page), {}
        cdp.send("Network.enable")

        def asked(event: dict[str, Any]) -> None:
            paths[event["requestId"]] = urlsplit(event["request"]["url"]).path

        def came(event: dict[str, Any]) -> None:
            path = paths.get(event["requestId"], "")
            self.received[path] = self.received.get(path, 0) + event["encodedDataLength"]

        cdp.on("Network.requestWillBeSent", asked)
        cdp.on("Network.dataReceived", came)

    def answer(self, page: Page, card: PictureCard, option: str) -> None:
        """The card answered, every picture of its result drawn."""
        page.goto(f"{self.service.url}/study/?card={card.slug}")
        page.locator(f"input[name=choices][value={option}]").check()
        page.keyboard.press("Enter")
        expect(page.locator("#result")).to_be_visible()
        drawn(page)

    def look(self, width: int, theme: str, *, motion: str = "no-preference") -> None:
        """Another window and another theme for what is open."""
        for page in (self.page, self.beside):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=theme, reduced_motion=motion)  # type: ignore[arg-type]


def drawn(page: Page) -> None:
    """Waits for every picture of the page."""
    waiting = "study-picture:not([data-phase=drawn])"
    expect(page.locator("study-picture").first).to_be_visible()
    expect(page.locator(waiting)).to_have_count(0, timeout=60_000)


@pytest.fixture(scope="module")
def desk(browser: Browser, service: Service) -> Iterator[Desk]:
    """One page for all of them: emulation changes its width and its theme without a reload."""
    publish_in(service)
    weights = service.var / "models"
    if not weights.exists():  # MiniLM, where this machine has it; without it a random layer stands in
        weights.symlink_to(ROOT / "var" / "models")
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, permissions=["clipboard-read", "clipboard-write"]
    )
    desk = Desk(context.new_page(), context.new_page(), Watched(context), service)
    new_learner(desk.page, service, f"learner-{uuid.uuid4().hex[:12]}")
    desk.listen()
    yield desk
    context.close()
    weights.unlink() if weights.is_symlink() else None


@pytest.fixture(scope="module", params=CARDS, ids=lambda card: card.name)
def card(request: pytest.FixtureRequest, desk: Desk) -> PictureCard:
    """A card answered wrong: the learner's own picture and the right one stand on the page."""
    card: PictureCard = request.param
    desk.look(1440, "light")
    desk.page.evaluate("sessionStorage.clear()")  # the view that a test before this one chose
    if card.alone:
        desk.answer(desk.beside, card, "right")
    desk.received.clear()
    desk.answer(desk.page, card, "wrong")
    return card


@pytest.fixture(autouse=True)
def _silent_console(desk: Desk) -> Iterator[None]:
    """Whatever a test does, nothing is logged: no error, no warning, nothing that the policy refuses."""
    desk.watched.complaints.clear()
    yield
    assert desk.watched.complaints == []


def players(desk: Desk, card: PictureCard) -> dict[str, Locator]:
    """The pictures of the card by role; "more" is one that every answer gets."""
    of_kind = f"study-picture[kind={card.kind}]"
    right = (desk.beside if card.alone else desk.page).locator(f"{of_kind}[role-name=right]")
    found = {"wrong": desk.page.locator(f"{of_kind}[role-name=yours]").first, "right": right.first}
    return found | ({"more": right.nth(1)} if card.more else {})


def prints(player: Locator) -> list[str]:
    """Fingerprints of the canvases, each with more than a few colours."""
    found = [pixels_of(canvas) for canvas in player.locator(CANVAS).all()]
    assert all(colours >= 4 for colours, _ in found), found
    return [shape for _, shape in found]


def settle(desk: Desk) -> None:
    """Waits for what follows a change of width: observers, then a frame or two."""
    for page in (desk.page, desk.beside):
        page.bring_to_front()
        page.evaluate("new Promise(done => setTimeout(() => requestAnimationFrame(done), 100))")


def test_a_wrong_answer_draws_another_picture_than_the_right_one(card: PictureCard, desk: Desk) -> None:
    desk.look(1440, "light")
    settle(desk)
    yours, right = (players(desk, card)[role] for role in ("wrong", "right"))
    assert prints(yours) != prints(right) or not prints(right)
    assert yours.locator(".picture__stage").screenshot() != right.locator(".picture__stage").screenshot()
    assert yours.inner_text() != right.inner_text()


def test_it_is_readable_within_any_width_and_theme(card: PictureCard, desk: Desk, shots: Path) -> None:
    for player in players(desk, card).values():
        player.page.evaluate(WITHOUT_BAR)  # it is fixed, and would cover what is shot
    for width, theme in LOOKS:
        desk.look(width, theme)
        settle(desk)
        for role, player in players(desk, card).items():
            player.screenshot(path=shots / f"{card.name}-{role}-{width}-{theme}.png")
            assert player.locator("*").count() <= MOST_NODES, (role, width)
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert desk.page.evaluate(wide) <= 0, width
        if (width, theme) in CHECKED_BY_AXE:
            found = Axe().run(desk.page).response["violations"]
            serious = [f"{v['id']}: {v['nodes'][0]['html'][:160]}" for v in found if v["impact"] in GRAVE]
            assert serious == [], (width, theme)


def test_all_that_it_receives_stays_within_its_budget(card: PictureCard, desk: Desk) -> None:
    kinds = desk.page.locator("study-picture").evaluate_all("all => all.map(one => one.getAttribute('kind'))")
    parts = {path: size for path, size in desk.received.items() if path.startswith("/api/v1/")}
    assert parts
    assert sum(parts.values()) <= sum(WIRE[kind] for kind in kinds), (kinds, parts)


def saved(player: Locator, name: str, folder: Path) -> Path:
    """The picture as a file, by its own menu."""
    player.locator(".picture__export summary").press("Enter")
    with player.page.expect_download() as download:
        player.get_by_role("button", name=name, exact=True).press("Enter")
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def numbers_in(text: str) -> list[float]:
    """Every number of a text, as the page or the engine writes it."""
    plain = re.sub(r"(?<=\d),(?=\d{3})", "", text.replace("\u2212", "-"))
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", plain)]


def test_its_table_has_the_numbers_of_the_saved_frames(card: PictureCard, desk: Desk, tmp_path: Path) -> None:
    desk.look(1440, "light")
    player = players(desk, card)["wrong"]
    told = json.loads(saved(player, "JSON", tmp_path).read_text())
    assert re.fullmatch("[0-9a-f]{64}", told["digest"])
    assert told["spec"]["kind"] == card.kind
    player.locator(".picture__export summary").press("t")
    table = player.locator(TABLE).first
    expect(table).to_be_visible()
    caption = table.locator("caption").inner_text()
    frame = next(one for one in told["frames"] if caption in (one["title"], one["step"]))
    shown = table.locator("tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(c => c.innerText))"
    )
    assert shown
    named = frame["table"]["columns"][0] == "query"  # a token that stands twice is told with its position
    for cells, row in zip(shown, frame["table"]["rows"], strict=False):
        page, engine = (numbers_in(" ".join(map(str, one[named:]))) for one in (cells, row))
        assert page == pytest.approx(engine, rel=5.1e-3, abs=AS_READ)  # three digits
    player.locator(".picture__export summary").press("t")
    expect(player.locator(".picture__stage")).to_be_visible()


def colours_of(png: bytes) -> int:
    """How many values the pixels of a PNG of 8 bits a channel have, as its rows are stored.

    Filters are left in place: a blank image has a few values whatever they are, a drawn one has many."""
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert (png[:8], depth) == (b"\x89PNG\r\n\x1a\n", 8)
    each, at, packed = {2: 3, 6: 4}[kind], 8, b""
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        packed += png[at + 8 : at + 8 + size] if png[at + 4 : at + 8] == b"IDAT" else b""
        at += size + 12
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, width * each + 1)
    pixels = rows[:, 1:].reshape(-1, each).astype(np.uint32)
    return len(np.unique(pixels @ (256 ** np.arange(each, dtype=np.uint32))))


def test_it_is_saved_as_an_image_and_as_a_drawing(card: PictureCard, desk: Desk, tmp_path: Path) -> None:
    desk.look(1440, "light")
    player = players(desk, card)["right"]
    png = saved(player, "PNG", tmp_path).read_bytes()
    assert colours_of(png) >= 4
    drawing = saved(player, "SVG", tmp_path)
    root = ET.fromstring(drawing.read_text())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    words = " ".join(node.text or "" for node in root.iter("{http://www.w3.org/2000/svg}text"))
    assert "torch 2" in words  # where its numbers come from
    assert len(list(root.iter())) > 4
    assert desk.service.url not in drawing.read_text()


def line_of(player: Locator) -> Locator:
    """The steps of a player."""
    return player.get_by_role("slider", name="Step")


def test_keys_step_show_the_table_and_copy_a_link_that_opens_the_same_step(
    card: PictureCard, desk: Desk
) -> None:
    desk.look(1440, "light")
    player = players(desk, card)["right"]
    page = player.page
    page.bring_to_front()
    if all_at_once(card, player):
        return
    focus, steps = (
        player.locator(".picture__controls button:visible, .picture__controls [tabindex='0']:visible"),
        [],
    )
    focus.first.focus()
    page.keyboard.press("Home")
    for _ in range(2):
        steps.append(step_of(player))
        page.keyboard.press("ArrowRight")
    steps.append(step_of(player))
    assert len(set(steps)) == 3, steps
    page.keyboard.press("t")
    expect(player.locator(TABLE).first).to_be_visible()
    page.keyboard.press("t")
    expect(player.locator(".picture__stage")).to_be_visible()
    page.keyboard.press("l")
    expect(player.locator(".picture__stamp")).to_contain_text("copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert parse_qs(urlsplit(link).query)["picture"] == [card.kind]
    fresh = page.context.new_page()
    fresh.goto(link)
    drawn(fresh)
    same = fresh.locator(f"study-picture[kind={card.kind}][role-name=right]").first
    deadline = time.monotonic() + 10
    while step_of(same) != steps[-1]:
        assert time.monotonic() < deadline, (step_of(same), steps)
        time.sleep(0.05)
    fresh.close()


def all_at_once(card: PictureCard, player: Locator) -> bool:
    """Whether every frame stands on the page together: then there are no steps to go to."""
    expect(player.locator(".picture__controls")).to_be_visible(visible=card.kind != "answer_executed")
    return card.kind == "answer_executed"


def step_of(player: Locator) -> str:
    """The step that a player stands at, as it is told to who cannot see it."""
    chosen = player.locator(".picture__controls [aria-current], .picture__controls [aria-pressed=true]")
    slider = line_of(player)
    if slider.count():
        return str(slider.get_attribute("aria-valuetext"))
    return chosen.first.inner_text()


def test_with_reduced_motion_a_step_shows_its_end_at_once(card: PictureCard, desk: Desk) -> None:
    desk.look(1440, "light", motion="reduce")
    player = players(desk, card)["right"]
    if all_at_once(card, player):
        return
    focus = player.locator(".picture__controls button:visible, .picture__controls [tabindex='0']:visible")
    focus.first.focus()
    page = player.page
    page.keyboard.press("Home")
    settle(desk)
    page.bring_to_front()
    page.keyboard.press("ArrowRight")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    once = prints(player)
    page.wait_for_timeout(300)
    assert prints(player) == once


def test_the_script_of_the_pages_is_small(service: Service) -> None:
    request = urllib.request.Request(
        f"{service.url}/static/studyhub/dist/app.js", headers={"Accept-Encoding": "gzip"}
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        body, packed = answer.read(), answer.headers.get("Content-Encoding") == "gzip"
    # Without a file packed beforehand it is the proxy before the service that packs it.
    assert len(body if packed else gzip.compress(body, 6)) <= MOST_SCRIPT
