"""The KV budget and the museum of configs in a real browser: keys, fields, link, table, files, looks."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.e2e.lab_page import LabPage
from tests.serving import Service

pytestmark = pytest.mark.e2e

READ = "[data-testid=picture-read]"
FILTER = ".edits select[name=attention]"
TABLE = "[data-testid=picture-table]"


class Lab(LabPage):
    """Opens a kind by its parameters."""

    def open(self, kind: str, **parameters: Any) -> Locator:
        """The picture of these parameters, drawn."""
        return self.go(kind, urlencode(parameters))


@pytest.fixture(scope="module")
def lab(browser: Browser, service: Service) -> Iterator[Lab]:
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


def test_bars_are_walked_by_keys_and_the_table_marks_the_same_model(lab: Lab) -> None:
    picture = lab.open("kv_budget", model="llama-3-70b")
    picture.locator(".budget__plot").focus()
    lab.page.keyboard.press("ArrowDown")
    expect(picture.locator(READ)).to_contain_text("Llama-3 70B, GQA: 327,680 bytes a token, 2.50 GiB")
    lab.page.keyboard.press("ArrowDown")
    expect(picture.locator(READ)).to_contain_text("same, if MHA: 2,621,440 bytes a token, 20.00 GiB")
    lab.page.keyboard.press("ArrowUp")
    lab.page.keyboard.press("t")
    expect(picture.locator(f"{TABLE} tr[aria-current]")).to_contain_text("Llama-3 70B")
    assert picture.locator(f"{TABLE} tbody tr").count() == 105
    lab.page.keyboard.press("t")


def test_scale_models_and_weights_are_chosen_by_buttons(lab: Lab) -> None:
    picture = lab.open("kv_budget", model="llama-3-70b")
    plot = picture.locator(".budget__plot")
    assert plot.locator(".budget-bar").count() == 18
    expect(plot).to_contain_text("linear scale")
    for name in ("Log", "All models", "On weights"):
        picture.get_by_role("button", name=name, exact=True).click()
        expect(picture.get_by_role("button", name=name, exact=True)).to_have_attribute("aria-pressed", "true")
    expect(plot).to_contain_text("log scale")
    assert plot.locator(".budget-bar").count() == 106
    assert plot.locator(".budget-nominal").count() > 70
    expect(picture.locator(".budget__legend")).to_contain_text("? where no size is told")


def test_tokens_moved_by_the_slider_change_every_bar_and_the_address(lab: Lab) -> None:
    picture = lab.open("kv_budget", model="llama-3-70b")
    slider = picture.get_by_label("Tokens, slider")
    slider.focus()
    for _ in range(4):
        lab.page.keyboard.press("ArrowRight")
    expect(lab.page).to_have_url(re.compile("tokens=131072"))
    expect(picture.locator(".budget-bar.is-asked")).to_contain_text("40.00 GiB")
    lab.page.goto(lab.page.url)
    expect(lab.drawn().locator(".budget-bar.is-asked")).to_contain_text("40.00 GiB")


def test_memory_really_allocated_stands_beside_the_formula(lab: Lab) -> None:
    picture = lab.open("kv_budget", model="deepseek-v3-r1-671b")
    picture.get_by_role("button", name="in memory").click()
    expect(picture.locator(".budget-tensor").first).to_contain_text("latent")
    expect(picture.locator(".budget-tensor").first).to_contain_text("equal to the byte")
    expect(picture.locator(".budget-tensor").last).to_contain_text("70,272")


def test_a_wrong_number_of_bytes_shows_which_factor_it_took(lab: Lab) -> None:
    picture = lab.open("kv_budget", model="llama-3-70b", answer_bytes=2_621_440)
    wrong = picture.locator(".budget-row[data-differs]")
    expect(wrong).to_have_count(1)
    expect(wrong).to_contain_text("K/V heads")
    expect(wrong).to_contain_text("differs")
    field = picture.get_by_label("Your bytes a token")
    field.fill("327680")
    field.press("Enter")
    expect(picture.locator(".budget-row--total")).to_contain_text("equal")
    expect(picture.locator(".budget-row[data-differs]")).to_have_count(0)


def test_the_museum_is_walked_from_mark_to_mark_and_lists_sources(lab: Lab) -> None:
    picture = lab.open("config_museum")
    plot, details = picture.locator(".museum__plot"), picture.locator("[data-testid=museum-details]")
    expect(details).to_contain_text("16 × 256 = 4,096, wider than d_model")
    expect(details).to_contain_text("Source: google/gemma_pytorch")
    plot.focus()
    lab.page.keyboard.press("ArrowRight")
    expect(picture.locator(READ)).to_contain_text("Gemma-2 9B")
    lab.page.keyboard.press("f")
    expect(picture.locator(FILTER)).to_be_focused()


def test_a_crowded_mark_lists_all_who_stand_there_on_enter(lab: Lab) -> None:
    picture = lab.open("config_museum", model="bert-base")
    many = int(re.findall(r"(\d+) models", picture.locator(READ).inner_text())[0])
    assert many > 25
    expect(picture.locator(".museum-entry")).to_have_count(6)
    picture.locator(".museum__plot").focus()
    lab.page.keyboard.press("Enter")
    expect(picture.locator(".museum-entry")).to_have_count(many)
    expect(picture.locator(".museum-entry", has_text="BERT-base").first).to_contain_text("Source: google")


def test_filters_keep_what_they_say_and_the_link_brings_them_back(lab: Lab) -> None:
    picture = lab.open("config_museum")
    lab.page.wait_for_timeout(500)  # the page of the lab notes the address it opened with
    picture.locator(FILTER).select_option("MLA")
    expect(picture.locator(".museum__kept")).to_contain_text("7 of 116 models: in 6 of them")
    expect(lab.page).to_have_url(re.compile("attention=MLA"))
    name = picture.locator(".edits [name=find]")
    name.fill("deepseek")
    name.press("Enter")
    expect(picture.locator(".museum__kept")).to_contain_text("4 of 116 models")
    expect(lab.page).to_have_url(re.compile("find=deepseek"))
    lab.page.goto(lab.page.url)
    expect(lab.drawn().locator(".museum__kept")).to_contain_text("4 of 116 models")


def test_a_config_of_ones_own_is_placed_beside_its_neighbours(lab: Lab) -> None:
    picture = lab.open("config_museum", d_model=2880, num_heads=64, d_head=64)
    expect(picture.locator(".museum__sentence")).to_contain_text("Nearest in the table: gpt-oss-20b")
    expect(picture.locator(".museum-extra.is-own")).to_have_count(1)
    answered = lab.open("config_museum", model="gpt-oss-120b", answer_d_head=45)
    expect(answered.locator(".museum__sentence")).to_contain_text("2,880 / 64 = 45, a convention")


@pytest.mark.parametrize(
    ("kind", "name", "asked"),
    [
        ("kv_budget", "models", {"model": "llama-3-70b"}),
        ("kv_budget", "answer", {"model": "deepseek-v3-r1-671b", "answer_bytes": 4_997_120}),
        ("kv_budget", "memory", {"model": "gpt-oss-120b", "show": "allocated"}),
        ("config_museum", "why", {"answer_d_head": 192, "d_model": 768, "num_heads": 8}),
        ("config_museum", "statements", {"show": "statements", "rule": "breaks"}),
    ],
)
def test_they_are_readable_within_any_width_and_theme(
    lab: Lab, shots: Path, kind: str, name: str, asked: dict[str, Any]
) -> None:
    picture = lab.open(kind, **asked)
    lab.stands(picture, shots, f"{kind}-{name}")


@pytest.mark.parametrize(
    ("kind", "words"),
    [("kv_budget", ("Llama-3 70B", "2.50 GiB")), ("config_museum", ("Gemma-7B", "d_model / num_heads"))],
)
def test_they_are_saved_as_a_drawing_and_as_numbers(
    lab: Lab, tmp_path: Path, kind: str, words: tuple[str, ...]
) -> None:
    lab.open(kind)

    def saved(name: str) -> Path:
        lab.page.locator(".picture__export summary").press("Enter")
        with lab.page.expect_download() as download:
            lab.page.get_by_role("button", name=name, exact=True).press("Enter")
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        return path

    texts = " ".join(ET.parse(saved("SVG")).getroot().itertext())
    assert all(word in texts for word in words)
    assert kind in json.dumps(json.loads(saved("JSON").read_text()))[:2000]
