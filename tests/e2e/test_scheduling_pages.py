"""Pages round the schedule at a browser: settings, sessions of one's own, a card's menu, the last day."""

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.looks import LOOKS
from tests.serving import Service

pytestmark = pytest.mark.e2e


def looked_at(page: Page, name: str, shots: Path) -> None:
    """At phone and desk width, light and dark: no serious finding of axe, no sideways scroll."""
    for width, scheme in LOOKS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        page.screenshot(path=shots / f"{name}-{width}-{scheme}.png", full_page=True)
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{name} is {wide} px wider than a window of {width}"
        found = Axe().run(page).response["violations"]
        serious = [
            f"{one['id']}: {one['nodes'][0]['html'][:160]}"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]
        assert serious == [], (name, width, scheme)
    page.set_viewport_size({"width": 1440, "height": 900})


def test_settings_are_saved_and_shown_again(page: Page, service: Service, shots: Path) -> None:
    page.get_by_label("Your account").click()
    page.get_by_role("link", name="Settings").click()
    looked_at(page, "settings", shots)
    page.get_by_label("Recall to aim at").fill("93")
    page.get_by_label("Steps of a new card").fill("2m 1d")
    page.get_by_label("Sunday").select_option("minimum")
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_role("status")).to_contain_text("Saved.")
    expect(page.get_by_label("Recall to aim at")).to_have_value("93")
    expect(page.get_by_label("Steps of a new card")).to_have_value("2m 1d")
    expect(page.get_by_label("Sunday")).to_have_value("minimum")
    expect(page.get_by_role("row", name="93% now")).to_be_visible()


def test_three_minutes_a_card_put_aside_and_taken_up_again(page: Page, service: Service, shots: Path) -> None:
    page.get_by_role("button", name="Only 3 minutes today").click()
    expect(page.get_by_text("1 of 9, about 3 min left")).to_be_visible()
    asked = page.locator("#question").inner_text()
    page.get_by_text("More", exact=True).click()
    looked_at(page, "card-menu", shots)
    page.keyboard.press("Escape")  # closes the menu and ends nothing
    expect(page.locator("details.more[open]")).to_have_count(0)
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Bury until tomorrow").click()
    expect(page.get_by_role("status").filter(has_text="Buried. Not asked before")).to_be_visible()
    expect(page.locator("#question")).not_to_have_text(asked)
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    expect(page.locator("#question")).to_have_text(asked, use_inner_text=True)
    page.keyboard.press("F2")
    page.keyboard.press("F2")
    expect(page.get_by_label("Likely 70%")).to_be_checked()


def test_a_cram_goes_by_keys_and_writes_no_line_and_a_rating_is_taken_back_from_the_last_day(
    page: Page, service: Service, shots: Path
) -> None:
    page.goto(f"{service.url}/study/custom/")
    looked_at(page, "custom", shots)
    page.get_by_label("Cram").check()
    page.get_by_label("Of what").select_option("topic:d-head")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("Practice: nothing is scheduled")).to_be_visible()
    asked = page.locator("#question").inner_text()
    page.keyboard.press("Shift+Enter")
    expect(page.get_by_label("Practice", exact=True)).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#answer-form")).to_be_visible()
    expect(page.locator("#question")).not_to_have_text(asked)
    page.goto(f"{service.url}/study/recent/")
    expect(page.get_by_text("stand here for 24 hours")).to_be_visible()

    page.goto(f"{service.url}/study/?card=bert-base-d-head")
    page.get_by_label("Your answer").fill("64")
    page.keyboard.press("Enter")
    page.locator("rating-bar button").nth(2).click()
    page.wait_for_url("**/study/done/")
    page.goto(f"{service.url}/study/recent/")
    looked_at(page, "recent", shots)
    page.get_by_role("button", name=re.compile("Undo.*Rated Good")).click()
    expect(page.get_by_text("Taken back at")).to_be_visible()
