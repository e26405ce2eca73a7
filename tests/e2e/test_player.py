"""The player in a real browser: each picture at phone and desk width, pointing, links, files, fields."""

import gzip
import json
import re
import struct
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.serving import Service

pytestmark = pytest.mark.e2e

PUT = """([kind, parameters, edit, start, role]) => {
    const element = document.createElement("study-picture");
    const given = {kind, parameters: JSON.stringify(parameters), edit, start, "role-name": role};
    for (const [name, value] of Object.entries(given)) if (value) element.setAttribute(name, value);
    const [title, heading] = ["h1", "h2"].map((tag) => document.createElement(tag));
    [title.textContent, heading.textContent] = ["A picture", kind];
    title.className = "page";
    const card = document.createElement("div");
    card.className = "card panel page";
    card.append(heading, element);
    document.querySelector("main").replaceChildren(title, card);
}"""
PROGRAM = "q = q.view(B, T, H, D)\nq.transpose(1, 2).view(B, T, H * D)"
FIELDS = "d_head keys temperature_percent divisor"
PICTURES = [
    ("answer_executed", {"model": "bert-base", "num_heads": 10}, "", ""),
    ("answer_executed", {"model": "bert-base", "program": PROGRAM, "reference": "q"}, "program", ""),
    ("head_split", {"model": "bert-base"}, "num_heads", "transpose"),
    ("silent_mistake", {"mistake": "view_as_heads"}, "", "wrong"),
    ("memory_tape", {}, "", "transpose"),
    ("saturation", {"divisor": "4"}, FIELDS, "sweep"),
    ("attention_pattern", {"layer": 0, "head": 1}, "sentence layer", "weights"),
]
SIZES = [
    pytest.param({"viewport": {"width": w, "height": 900}, "color_scheme": s}, id=f"{w}-{s}")
    for w in (375, 1440)
    for s in ("light", "dark")
]
CHART = ".series__plot"
MOST_SCRIPT = 60_000
GRAVE = ("serious", "critical")


def show(page: Page, service: Service, kind: str, **asked: object) -> None:
    """A page with one picture on it, drawn."""
    page.goto(f"{service.url}/topics/d-head/")
    put(page, kind, **asked)


def put(page: Page, kind: str, **asked: object) -> None:
    parameters, edit, start = asked.get("parameters", {}), asked.get("edit", ""), asked.get("start", "")
    page.evaluate(PUT, [kind, parameters, edit, start, asked.get("role", "")])
    expect(page.locator("study-picture")).to_have_attribute("data-phase", "drawn", timeout=60_000)


@pytest.mark.parametrize("watched", SIZES, indirect=True)
def test_every_picture_is_accessible_within_its_width_and_its_nodes(
    page: Page, service: Service, shots: Path, request: pytest.FixtureRequest
) -> None:
    for kind, parameters, edit, start in PICTURES:
        show(page, service, kind, parameters=parameters, edit=edit, start=start, role="yours")
        page.wait_for_timeout(900)  # one step of motion
        name = f"player-{kind}{'-program' if 'program' in parameters else ''}"
        page.screenshot(path=shots / f"{name}-{request.node.callspec.id}.png", full_page=True)
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(wide) <= 0, kind
        assert page.locator("study-picture *").count() <= 2000, kind
        found = Axe().run(page).response["violations"]
        serious = [f"{v['id']}: {v['nodes'][0]['html'][:160]}" for v in found if v["impact"] in GRAVE]
        assert serious == [], kind


def test_a_point_of_the_chart_marks_its_row_and_a_row_its_point(page: Page, service: Service) -> None:
    show(page, service, "saturation", parameters={"divisor": "4"}, start="sweep")
    page.get_by_role("button", name="Both").click()
    box = page.locator(CHART).bounding_box()
    assert box
    page.mouse.move(box["x"] + 140, box["y"] + 120)
    row = page.locator("tr[aria-current]")
    expect(row).to_have_count(1)
    x = row.locator("th").inner_text()
    expect(page.get_by_test_id("picture-read")).to_contain_text(f"d_head {x}. ")
    page.locator("tbody tr").last.hover()
    expect(page.get_by_test_id("picture-read")).to_contain_text("d_head 1,024. ")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Picture", exact=True).click()
    expect(page.get_by_test_id("picture-read")).to_contain_text("d_head 1,024. ")


def test_arrows_walk_the_drawing_that_has_focus_and_else_the_steps(page: Page, service: Service) -> None:
    show(page, service, "saturation", start="sweep")
    chart, line = page.locator(CHART), page.get_by_role("slider", name="Step")
    chart.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(chart).to_have_attribute("aria-valuetext", re.compile("^d_head 32"))
    expect(line).to_have_attribute("aria-valuetext", "sweep, step 2 of 3")
    line.focus()
    page.keyboard.press("ArrowRight")
    expect(line).to_have_attribute("aria-valuetext", "model, step 3 of 3")
    page.keyboard.press("Home")
    expect(line).to_have_attribute("aria-valuetext", "histogram, step 1 of 3")


@pytest.mark.parametrize("watched", [{"permissions": ["clipboard-read", "clipboard-write"]}], indirect=True)
def test_a_copied_link_opens_the_same_step_number_and_element(page: Page, service: Service) -> None:
    page.goto(f"{service.url}/topics/d-head/")
    split = page.locator("study-picture[kind=head_split]").first
    expect(split).to_have_attribute("data-phase", "drawn", timeout=60_000)
    split.get_by_test_id("try-another").fill("8")
    page.keyboard.press("Enter")
    expect(split.locator(".split__pane").last).to_contain_text("8")
    line = split.get_by_role("slider", name="Step")
    line.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("]")
    expect(split.locator(".split__words")).to_contain_text("sqrt(96)", timeout=60_000)  # 8 heads are drawn
    words = split.locator(".split__words").inner_text()
    split.get_by_role("button", name="Copy link").click()
    expect(split.get_by_role("status").last).to_contain_text("copied")
    link = page.evaluate("navigator.clipboard.readText()")
    asked = parse_qs(urlsplit(link).query)
    assert {name: asked[name] for name in ("picture", "step", "num_heads")} == {
        "picture": ["head_split"],
        "step": ["attend"],
        "num_heads": ["8"],
    }
    page.goto(link)
    expect(split.locator(".split__words")).to_have_text(words, timeout=60_000)
    expect(line).to_have_attribute("aria-valuetext", re.compile("^attend"))


def test_a_picture_is_saved_as_svg_png_and_json_of_the_same_numbers(
    page: Page, service: Service, tmp_path: Path
) -> None:
    show(page, service, "attention_pattern", parameters={"layer": 0, "head": 1})
    page.wait_for_timeout(500)
    saved = {}
    for name in ("SVG", "PNG", "JSON"):
        page.locator(".picture__export summary").focus()
        page.keyboard.press("Enter")
        with page.expect_download() as download:
            page.get_by_role("button", name=name, exact=True).press("Enter")
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        saved[name] = path
    told = json.loads(saved["JSON"].read_text())
    digest = told["digest"]
    assert {path.stem for path in saved.values()} == {f"attention_pattern-{digest[:12]}"}
    assert [frame["step"] for frame in told["frames"]][-1] == "output"
    drawn = saved["SVG"].read_text()
    assert drawn.count("data:image/png;base64,") == 13  # the map and twelve heads
    assert ">animal</text>" in drawn
    assert "Computed for this question" in drawn
    assert service.url not in drawn
    head = saved["PNG"].read_bytes()[:24]
    width, height = struct.unpack(">II", head[16:24])
    assert (head[:8], width > 600, height > 600) == (b"\x89PNG\r\n\x1a\n", True, True)


def test_another_number_asks_for_its_own_picture(page: Page, service: Service) -> None:
    show(page, service, "saturation", edit=FIELDS, start="sweep")
    field = page.locator("[name=d_head]")
    expect(field).to_have_value("64")
    field.fill("128")
    page.keyboard.press("Enter")
    expect(page.locator(".frame-head__sentence")).to_contain_text("At d_head 128", timeout=30_000)
    page.locator("[name=divisor]").select_option("none")
    expect(page.locator(".frame-head__sentence")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator("[name=d_head]").fill("half")
    page.keyboard.press("Enter")
    expect(page.locator(".edits__note")).to_have_text("d_head: give one whole number of 1 or more.")


@pytest.mark.parametrize("watched", [{"reduced_motion": "reduce"}], indirect=True)
def test_with_reduced_motion_play_is_one_step(page: Page, service: Service) -> None:
    show(page, service, "memory_tape", start="start")
    line = page.get_by_role("slider", name="Step")
    page.get_by_role("button", name="Next step").click()
    expect(line).to_have_attribute("aria-valuetext", re.compile("^view, step 2"))


def test_a_picture_asks_nobody_but_this_service(page: Page, service: Service) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for kind, parameters, edit, start in PICTURES:
        show(page, service, kind, parameters=parameters, edit=edit, start=start)
    assert [url for url in asked if not url.startswith((service.url, "blob:", "data:"))] == []


def test_two_heads_are_compared_row_by_row_and_a_link_opens_both(page: Page, service: Service) -> None:
    page.goto(f"{service.url}/topics/d-head/?picture=attention_pattern&at=3.2.5")
    parameters = {"model": "random", "num_heads": 8}
    put(page, "attention_pattern", parameters=parameters, start="weights")
    heads = page.locator(".readout__row b")
    expect(heads.get_by_text("Layer 0, head 5")).to_be_visible(timeout=20_000)
    first, second = page.locator(".heat__map canvas").all()
    first.focus()
    page.keyboard.press("ArrowDown")
    for one in (first, second):
        expect(one).to_have_attribute("aria-label", re.compile("query “t”"))
    page.set_viewport_size({"width": 375, "height": 900})
    page.get_by_role("button", name="Head 5").first.click()
    expect(first).not_to_be_visible()
    expect(second).to_be_visible()
    page.get_by_test_id("compare").click()
    expect(first).to_be_visible()
    expect(heads.get_by_text("Layer 0, head 5")).not_to_be_visible()


def test_a_page_loads_the_scripts_of_its_own_pictures_and_they_are_small(
    page: Page, service: Service
) -> None:
    bodies: dict[str, bytes] = {}
    page.on("response", lambda got: bodies.update({got.url: got.body()} if got.url.endswith(".js") else {}))
    page.goto(f"{service.url}/topics/d-head/")
    opened = page.locator("details.unfold[open] study-picture").first
    expect(opened).to_have_attribute("data-drawn", "", timeout=60_000)
    assert not {"memory-tape.js", "sharing.js"} & {Path(url).name for url in bodies}, "a section is folded"
    folded = page.locator("details.unfold:has([kind=memory_tape])")
    folded.locator("summary").first.click()
    expect(folded.locator("study-picture")).to_have_attribute("data-drawn", "", timeout=60_000)
    page.wait_for_load_state("networkidle")  # the browser tells of a script after it has run
    names = {Path(url).name for url in bodies}
    assert {"app.js", "grid.js", "memory-tape.js"} <= names
    assert not {"heat.js", "silent.js", "files.js", "sharing.js"} & names
    assert sum(len(gzip.compress(body, 6)) for body in bodies.values()) <= MOST_SCRIPT
