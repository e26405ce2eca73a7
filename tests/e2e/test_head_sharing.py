"""Four ways of sharing keys and values in a real browser: keys, slider, link, table, files, looks."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.e2e.lab_page import LabPage, trained_models
from tests.serving import Service

pytestmark = pytest.mark.e2e

MOST_BYTES = 25_000
PICTURE = "study-picture[kind=head_sharing]"


class Lab(LabPage):
    """Counts the bytes that each address sends."""

    def __init__(self, browser: Browser, service: Service) -> None:
        super().__init__(browser, service)
        self.received: dict[str, int] = {}
        self._listen()

    def _listen(self) -> None:
        cdp, paths = self.page.context.new_cdp_session(self.page), {}
        cdp.send("Network.enable")

        def asked(event: dict[str, Any]) -> None:
            paths[event["requestId"]] = urlsplit(event["request"]["url"]).path

        def came(event: dict[str, Any]) -> None:
            path = paths.get(event["requestId"], "")
            self.received[path] = self.received.get(path, 0) + event["encodedDataLength"]

        cdp.on("Network.requestWillBeSent", asked)
        cdp.on("Network.dataReceived", came)

    def open(self, **parameters: Any) -> Locator:
        """The picture of these parameters, drawn."""
        asked = "&".join(f"{name}={value}" for name, value in parameters.items())
        self.received.clear()
        return self.go("head_sharing", asked)


@pytest.fixture(scope="module")
def lab(browser: Browser, service: Service) -> Iterator[Lab]:
    with trained_models(service):
        lab = Lab(browser, service)
        yield lab
        lab.page.context.close()


@pytest.fixture(autouse=True)
def _silent_console(lab: Lab) -> Iterator[None]:
    lab.watched.complaints.clear()
    lab.page.set_viewport_size({"width": 1440, "height": 950})
    lab.page.evaluate("() => { try { sessionStorage.clear() } catch {} }")
    yield
    assert lab.watched.complaints == []


def chosen(picture: Locator) -> str:
    return picture.locator(".sharing-cards [aria-pressed=true] .sharing-cards__name").inner_text()


def test_it_opens_at_the_models_own_scheme_within_its_budget(lab: Lab) -> None:
    picture = lab.open(model="llama-3-70b")
    assert chosen(picture) == "GQA"
    expect(picture.locator(".sharing__words")).to_contain_text("Query heads 16 to 23 read pair kv 2.")
    expect(picture.locator(".sharing-cache tbody tr[aria-current]")).to_contain_text("327,680")
    parts = {path: size for path, size in lab.received.items() if path.startswith("/api/v1/")}
    assert 0 < sum(parts.values()) <= MOST_BYTES, parts
    lab.open(model="deepseek-v3-r1-671b")
    assert chosen(picture) == "MLA"


def test_keys_choose_schemes_and_follow_heads(lab: Lab) -> None:
    picture = lab.open(model="llama-3-70b")
    picture.locator(".sharing__main canvas").focus()
    for key, name in (("1", "MHA"), ("3", "MQA"), ("4", "MLA"), ("2", "GQA")):
        lab.page.keyboard.press(key)
        assert chosen(picture) == name
    words = picture.locator(".sharing__words")
    lab.page.keyboard.press("ArrowRight")
    expect(words).to_contain_text("24 to 31 read pair kv 3")
    lab.page.keyboard.press("]")
    lab.page.keyboard.press("t")
    expect(picture.locator("[data-testid=picture-table] tr[aria-current]")).to_contain_text("25")
    assert picture.locator("[data-testid=picture-table] tbody tr").count() == 64
    lab.page.keyboard.press("t")


def test_the_slider_stops_at_divisors_and_the_link_brings_all_of_it_back(lab: Lab) -> None:
    picture = lab.open(model="llama-3-70b")
    slider = picture.locator(".sharing-stops input")
    slider.focus()
    lab.page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "16 K/V heads"
    expect(picture.locator(".sharing__formula")).to_contain_text("655,360")  # before the worker is asked
    expect(lab.page).to_have_url(re.compile("num_kv_heads=16"))
    lab.drawn()
    picture.locator(".sharing__main canvas").focus()
    lab.page.keyboard.press("ArrowLeft")
    expect(lab.page).to_have_url(re.compile(r"at=\d+"))
    asked = {name: value[0] for name, value in parse_qs(urlsplit(lab.page.url).query).items()}
    assert (asked["num_kv_heads"], asked["show"]) == ("16", "gqa")
    said = picture.locator(".sharing__words").inner_text()
    lab.page.goto(lab.page.url)
    lab.drawn()
    assert picture.locator(".sharing__words").inner_text() == said
    assert slider.get_attribute("aria-valuetext") == "16 K/V heads"


def test_an_answer_meets_torchs_words_and_the_nearest_runs(lab: Lab) -> None:
    picture = lab.open(model="llama-3-70b", answer_kv_heads=5)
    expect(picture.locator(".sharing__torch")).to_contain_text(
        "The size of tensor a (64) must match the size of tensor b (60)"
    )
    picture.get_by_role("button", name="8 query heads each").click()
    expect(picture.locator(".sharing__torch")).to_contain_text("8 divides 64: 8 query heads read each pair.")


def test_maps_are_those_of_the_head_that_is_followed(lab: Lab) -> None:
    picture = lab.open(model="llama-3-8b", step="maps")
    expect(picture.locator(".sharing-maps canvas")).to_have_count(4)
    lab.page.locator(".sharing-cards__card").first.focus()
    lab.page.keyboard.press("]")
    expect(picture.locator(".sharing-maps canvas").first).to_have_attribute(
        "aria-label", "Weights of query head 9 under MHA, 14 by 14"
    )


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("gqa", {"model": "llama-3-70b"}),
        ("mla", {"model": "deepseek-v3-r1-671b"}),
        ("mha", {"model": "falcon-180b", "step": "mha"}),
        ("compare", {"model": "smollm2", "step": "compare", "layer": 12}),
        ("answer", {"model": "falcon-7b", "answer_kv_heads": 8}),
    ],
)
def test_it_is_readable_within_any_width_and_theme(
    lab: Lab, shots: Path, name: str, asked: dict[str, Any]
) -> None:
    picture = lab.open(**asked)
    lab.stands(picture, shots, f"head-sharing-{name}")


def test_it_is_saved_as_a_drawing_and_as_numbers(lab: Lab, tmp_path: Path) -> None:
    lab.open(model="llama-3-70b")

    def saved(name: str) -> Path:
        lab.page.locator(".picture__export summary").press("Enter")
        with lab.page.expect_download() as download:
            lab.page.get_by_role("button", name=name, exact=True).press("Enter")
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        return path

    drawing = ET.parse(saved("SVG")).getroot()
    texts = " ".join(drawing.itertext())
    assert "kv 2" in texts
    assert "327,680" in texts
    told = json.loads(saved("JSON").read_text())
    assert "head_sharing" in json.dumps(told)[:2000]
