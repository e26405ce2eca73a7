"""Every page of the main job at phone and desk width, light and dark: accessible, within its width."""

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.serving import Service

pytestmark = pytest.mark.e2e

CANVAS = "[data-testid=picture-canvas]:visible"

SIZES = [
    pytest.param({"viewport": {"width": w, "height": 900}, "color_scheme": s}, id=f"{w}-{s}")
    for w in (375, 1440)
    for s in ("light", "dark")
]


def checked(page: Page, name: str, shots: Path, request: pytest.FixtureRequest) -> None:
    """No serious finding of axe, no sideways scroll; a picture of the page is kept."""
    page.screenshot(path=shots / f"{name}-{request.node.callspec.id}.png", full_page=True)
    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0, f"{name} is {overflow} px wider than the window"
    found = Axe().run(page).response["violations"]
    serious = [
        f"{v['id']}: {v['nodes'][0]['html'][:160]}" for v in found if v["impact"] in ("serious", "critical")
    ]
    assert serious == [], name


@pytest.mark.parametrize("watched", SIZES, indirect=True)
def test_the_pages_of_the_main_job_look_right_and_are_accessible(
    page: Page, service: Service, shots: Path, request: pytest.FixtureRequest
) -> None:
    checked(page, "today", shots, request)
    page.goto(f"{service.url}/topics/d-head/")
    expect(page.locator(CANVAS).first).to_be_visible(timeout=30_000)
    checked(page, "topic", shots, request)
    page.goto(f"{service.url}/study/?card=more-than-eight-heads")
    page.get_by_label("Your answer").fill("10")
    checked(page, "study-question", shots, request)
    page.keyboard.press("Enter")
    expect(page.get_by_text("is invalid for input of size 6144")).to_be_visible(timeout=30_000)
    expect(page.locator(f"study-picture[kind=head_split] {CANVAS}").first).to_be_visible(timeout=30_000)
    page.wait_for_timeout(700)  # one step of motion
    checked(page, "study-wrong", shots, request)
    page.locator("rating-bar button").nth(2).click()
    page.goto(f"{service.url}/study/?card=where-librarians-fail")
    checked(page, "study-choice", shots, request)
    page.locator("input[name=choices]").first.check()
    page.get_by_role("button", name=re.compile("^Check")).click()
    expect(page.locator(f"study-picture[kind=attention_pattern] {CANVAS}").first).to_be_visible(
        timeout=30_000
    )
    page.wait_for_timeout(700)
    checked(page, "study-attention", shots, request)
    page.goto(f"{service.url}/study/?card=pipeline-order")
    checked(page, "study-ordering", shots, request)
    page.goto(f"{service.url}/study/done/")
    checked(page, "done", shots, request)
    page.goto(f"{service.url}/progress/")
    checked(page, "progress", shots, request)
    for switch in page.locator(".switch input[value=table]").all():
        switch.evaluate("one => { one.checked = true }")  # the bar at the foot of a phone may cover it
    checked(page, "progress-tables", shots, request)


@pytest.mark.parametrize("watched", SIZES, indirect=True)
def test_the_doors_are_accessible(
    watched, service: Service, shots: Path, request: pytest.FixtureRequest
) -> None:
    page = watched.context.new_page()
    for name in ("login", "signup"):
        page.goto(f"{service.url}/accounts/{name}/")
        checked(page, name, shots, request)
