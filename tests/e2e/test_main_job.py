"""The main job in a real browser: read, answer, see it executed, rate, see when it comes back."""

import re
import time

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.pixels import drawn
from tests.serving import Service

pytestmark = pytest.mark.e2e

CANVAS = "[data-testid=picture-canvas]:visible"


def wait_until_drawn(canvas: Locator, seconds: float = 30) -> tuple[int, str]:
    """Waits for more than a few colours on the canvas."""
    deadline = time.monotonic() + seconds
    while (found := drawn(canvas))[0] < 4:
        assert time.monotonic() < deadline, f"the canvas has {found[0]} colours after {seconds} s"
        time.sleep(0.1)
    return found


def other_picture(canvas: Locator, before: str, seconds: float = 30) -> str:
    """Waits until the canvas shows something else."""
    deadline = time.monotonic() + seconds
    while (found := drawn(canvas))[1] == before or found[0] < 4:
        assert time.monotonic() < deadline, f"the same picture after {seconds} s"
        time.sleep(0.1)
    return found[1]


def answer(page: Page, service: Service, card: str, text: str) -> None:
    page.goto(f"{service.url}/study/?card={card}")
    page.get_by_label("Your answer").fill(text)
    page.keyboard.press("Enter")


def test_a_learner_reads_answers_wrong_sees_it_executed_rates_and_sees_the_due_date(
    page: Page, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    page.goto(f"{service.url}/topics/")
    page.locator("main a[href='/topics/d-head/']").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("how wide is one head?")

    # A numeric card, answered wrong.
    page.goto(f"{service.url}/study/?card=more-than-eight-heads")
    page.get_by_label("Your answer").fill("10")
    expect(page.locator("study-echo")).to_contain_text("Read as the whole number 10")
    started = time.monotonic()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Not yet: 10 does not divide 768")).to_be_visible()
    graded = time.monotonic()
    expect(page.get_by_text("768 = 10 × 76 + 8")).to_be_visible()
    chips = page.locator(".result__foot .chip")
    expect(chips).to_have_text([re.compile(r"8\s+heads of 96"), re.compile(r"12\s+heads of 64")])
    torch_words = "RuntimeError: shape '[2, 4, 10, 76]' is invalid for input of size 6144"
    expect(page.get_by_text(torch_words)).to_be_visible(timeout=30_000)

    # Frames of 12 heads, drawn from this question's numbers; then 16 heads, which must look different.
    split = page.locator("study-picture[kind=head_split]")
    canvas = split.locator(CANVAS).first
    twelve = wait_until_drawn(canvas)[1]
    with capsys.disabled():
        print(f"\nanswer to grade {1000 * (graded - started):.0f} ms, "
              f"to the drawn picture {1000 * (time.monotonic() - started):.0f} ms")  # fmt: skip
    expect(split).to_contain_text("(2, 12, 4, 64)")
    field = split.get_by_test_id("try-another")
    field.fill("16")
    field.press("Enter")
    expect(split).to_contain_text("(2, 16, 4, 48)", timeout=30_000)
    assert other_picture(canvas, twelve) != twelve
    field.blur()  # a letter or digit acts only while no field has the focus

    # The four buttons say when; the suggestion is Again; after it the next due time is on the page.
    buttons = page.locator("rating-bar button")
    expect(buttons).to_have_count(4)
    expect(buttons.nth(0)).to_contain_text("in 1 min")
    expect(buttons.nth(0)).to_have_attribute("data-suggested", "")
    page.locator("body").press("1")
    expect(page.get_by_role("status").filter(has_text="Again")).to_contain_text("min")


def test_a_choice_and_an_ordering_are_answered_by_keys_alone(page: Page, service: Service) -> None:
    page.goto(f"{service.url}/study/?card=where-librarians-fail")
    page.locator("body").press("a")
    expect(page.locator("input[name=choices]").first).to_be_checked()
    page.keyboard.press("Enter")
    expect(page.locator("#result")).to_have_text(re.compile("^(Right|Not yet)"))
    wait_until_drawn(page.locator(f"study-picture[kind=attention_pattern] {CANVAS}").first)
    page.locator("body").press("3")

    page.goto(f"{service.url}/study/?card=pipeline-order")
    wanted = ["project", "view", "transpose", "attend", "merge", "output"]
    rows = page.locator("study-ordering li[data-id]")
    for place, name in enumerate(wanted):
        now = rows.evaluate_all("rows => rows.map(row => row.dataset.id)").index(name)
        row = page.locator(f"study-ordering li[data-id={name}]")
        row.focus()
        for _ in range(now - place):
            page.keyboard.press("Alt+ArrowUp")
    assert rows.evaluate_all("rows => rows.map(row => row.dataset.id)") == wanted
    page.get_by_role("button", name=re.compile("^Check")).click()
    expect(page.locator("#result")).to_have_text(re.compile("^Right"))
    page.keyboard.press("Enter")  # takes the suggested rating
    expect(page.get_by_role("status").filter(has_text="Good")).to_be_visible()


def test_undo_takes_the_last_rating_back(page: Page, service: Service) -> None:
    answer(page, service, "bert-base-d-head", "64")
    expect(page.locator("#result")).to_have_text(re.compile("^Right"))
    page.locator("body").press("3")
    expect(page.get_by_role("status").filter(has_text="Good")).to_be_visible()
    page.locator("body").press("u")
    expect(page.locator("rating-bar button")).to_have_count(4)


@pytest.mark.parametrize("watched", [{"java_script_enabled": False}], indirect=True)
def test_without_javascript_a_learner_answers_rates_and_sees_the_due_date(
    page: Page, service: Service
) -> None:
    page.goto(f"{service.url}/study/?card=more-than-eight-heads")
    page.get_by_label("Your answer").fill("10")
    page.get_by_role("button", name=re.compile("^Check")).click()
    expect(page.get_by_role("heading", name="Not yet: 10 does not divide 768")).to_be_visible()
    expect(page.get_by_text("768 = 10 × 76 + 8")).to_be_visible()
    page.locator("rating-bar button").nth(0).click()
    expect(page.get_by_text("Back in 1 min")).to_be_visible()

    page.goto(f"{service.url}/study/?card=where-librarians-fail")
    page.locator("input[name=choices]").first.check()
    page.get_by_role("button", name=re.compile("^Check")).click()
    expect(page.locator("#result")).to_have_text(re.compile("^(Right|Not yet)"))
    page.locator("rating-bar button").nth(0).click()

    page.goto(f"{service.url}/study/?card=pipeline-order")
    for place, name in enumerate(["project", "view", "transpose", "attend", "merge", "output"], 1):
        page.locator(f"select[name='place-{name}']").select_option(str(place))
    page.get_by_role("button", name=re.compile("^Check")).click()
    expect(page.locator("#result")).to_have_text(re.compile("^Right"))


def test_an_unreadable_answer_keeps_its_text_and_counts_nothing(
    page: Page, service: Service, watched
) -> None:
    answer(page, service, "bert-base-d-head", "64 or so")
    expect(page.get_by_role("alert")).to_contain_text("Not graded")
    expect(page.get_by_label("Your answer")).to_have_value("64 or so")
    # The browser itself logs the 422; nothing else may be logged.
    watched.complaints[:] = [line for line in watched.complaints if "422" not in line]
