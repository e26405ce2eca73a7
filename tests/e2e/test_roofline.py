"""A sweep over head widths in a real browser: it fills while measured; keys, one more width, anew, files."""

import json
import re
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.e2e.lab_page import LabPage
from tests.serving import Service

pytestmark = pytest.mark.e2e

MOST_BYTES = 6_000
PICTURE = "study-picture[kind=roofline]"
SMALL = "tokens=32&d_heads=32,64,128&repeats=1"


class Lab(LabPage):
    """Opens the sweep."""

    def open(self, query: str = SMALL) -> Locator:
        """The picture of this address, measured."""
        return self.go("roofline", query)


@pytest.fixture(scope="module")
def lab(browser: Browser, service: Service) -> Iterator[Lab]:
    lab = Lab(browser, service, timezone_id="UTC")
    yield lab
    lab.page.context.close()


@pytest.fixture(autouse=True)
def _silent_console(lab: Lab) -> Iterator[None]:
    lab.watched.complaints.clear()
    lab.page.set_viewport_size({"width": 1440, "height": 950})
    lab.page.evaluate("() => { try { sessionStorage.clear() } catch {} }")
    yield
    assert lab.watched.complaints == []


def when(picture: Locator) -> str:
    return picture.locator(".roofline__when span").inner_text()


WATCH = """
window.stepsSeen = [];
setInterval(() => {
  const step = document.querySelector("study-picture .scrub")?.getAttribute("aria-valuetext");
  if (step && window.stepsSeen.at(-1) !== step) window.stepsSeen.push(step);
}, 4);
"""


def test_it_fills_while_it_is_measured_and_ends_at_the_sweep(lab: Lab) -> None:
    page = lab.page.context.new_page()
    page.add_init_script(WATCH)
    page.goto(f"{lab.service.url}/lab/roofline/?tokens=256&again={uuid.uuid4().int % 10**6}")
    picture = page.locator(f"{PICTURE}[data-phase=drawn]")
    expect(picture).to_be_visible(timeout=60_000)
    expect(picture.locator(".scrub")).to_have_attribute("aria-valuetext", "sweep, step 9 of 10")
    seen = page.evaluate("window.stepsSeen")
    assert len([step for step in seen if step.startswith("d_head")]) >= 1, seen
    assert seen == sorted(seen, key=lambda step: int(step.split()[-3])), seen
    assert re.match(r"Measured at \d\d:\d\d on .* on CPU, .*1 thread\. ", when(picture))
    page.close()


def test_keys_walk_the_points_of_chart_and_roof(lab: Lab) -> None:
    picture = lab.open()
    plot = picture.get_by_role("slider", name="Point of the chart")
    plot.focus()
    lab.page.keyboard.press("ArrowRight")
    lab.page.keyboard.press("ArrowRight")
    expect(picture.locator(".series .series__read")).to_contain_text("d_head 64. GFLOP/s: written out ")
    expect(picture.locator(".roofline__more")).to_have_text(
        "12 heads; SDPA kernel: flash; padding: none known."
    )
    picture.locator(".scrub").focus()
    lab.page.keyboard.press("End")
    roof = picture.get_by_role("slider", name="Point of the roofline")
    roof.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        lab.page.keyboard.press(key)
    read = roof.get_attribute("aria-valuetext") or ""
    assert re.match(r"SDPA at d_head 64: [\d.,]+ GFLOP/s at 8 FLOPs a byte, \d+% of the", read), read
    lab.page.keyboard.press("t")
    marked = picture.locator("[data-testid=picture-table] tr[aria-current]")
    expect(marked).to_contain_text("SDPA")
    expect(marked).to_contain_text("64")
    lab.page.keyboard.press("t")


def test_the_table_holds_the_figures_of_the_lines(lab: Lab) -> None:
    picture = lab.open()
    picture.get_by_role("button", name="Table", exact=True).click()
    table = picture.locator("[data-testid=picture-table]")
    heads = table.locator("thead th").all_inner_texts()
    assert heads[:3] == ["d_head", "heads", "GFLOP/s, written out"]
    assert heads[-2:] == ["SDPA kernel", "padded to"]
    assert [row.locator("td").first.inner_text() for row in table.locator("tbody tr").all()] == [
        "24",
        "12",
        "6",
    ]


def test_one_more_width_is_measured_with_the_heads_that_fit(lab: Lab) -> None:
    picture = lab.open()
    field = lab.page.get_by_role("textbox", name="One more width", exact=True)
    assert field.input_value() == ""
    field.fill("80")
    field.press("Enter")
    expect(lab.page).to_have_url(re.compile("d_head=80"), timeout=30_000)
    expect(picture.locator(".scrub")).to_contain_text("80", timeout=30_000)
    lab.drawn()
    picture.get_by_role("button", name="Table", exact=True).click()
    row = picture.locator("[data-testid=picture-table] tbody tr", has_text="80").first
    expect(row).to_contain_text("9")
    lab.page.get_by_role("button", name="Picture", exact=True).click()


def test_it_is_measured_anew_when_asked_and_else_read_from_what_is_kept(lab: Lab) -> None:
    def figures(picture: Locator) -> list[str]:
        lines = picture.locator(".series__line").all()
        return [str(line.get_attribute("d")) for line in lines[:4]]

    picture = lab.open()
    first = figures(picture)
    lab.open()
    assert figures(picture) == first
    picture.get_by_role("button", name="Measure again").click()
    expect(lab.page).to_have_url(re.compile("again=1"), timeout=30_000)
    lab.page.wait_for_function(
        "before => [...document.querySelectorAll('.series__line')].slice(0, 4)"
        ".map(line => line.getAttribute('d')).join() !== before.join()",
        arg=first,
        timeout=30_000,
    )


def test_a_kernel_that_torch_refuses_is_absent_with_its_words(lab: Lab) -> None:
    picture = lab.open(f"{SMALL}&backend=efficient")
    expect(picture.locator(".run__words")).to_contain_text(
        "Could not run 'aten::_scaled_dot_product_efficient"
    )
    expect(picture.locator(".frame-head__sentence")).to_contain_text(
        "SDPA at d_head 32, 64, 128 is not measured"
    )


@pytest.mark.parametrize("step", ["machine", "sweep", "roofline"])
def test_it_is_readable_within_any_width_and_theme(lab: Lab, shots: Path, step: str) -> None:
    picture = lab.open(f"{SMALL}&show={step}")
    lab.stands(picture, shots, f"roofline-{step}")


def test_it_is_saved_as_a_drawing_and_as_numbers(lab: Lab, tmp_path: Path) -> None:
    lab.open(f"{SMALL}&show=roofline")

    def saved(name: str) -> Path:
        lab.page.locator(".picture__export summary").press("Enter")
        with lab.page.expect_download() as download:
            lab.page.get_by_role("button", name=name, exact=True).press("Enter")
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        return path

    drawing = saved("SVG").read_text()
    assert "matmul peak" in drawing
    assert "Measure again" not in drawing
    numbers: dict[str, Any] = json.loads(saved("JSON").read_text())
    assert "roofline" in json.dumps(numbers)
    assert "measured" in json.dumps(numbers)
