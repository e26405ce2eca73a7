"""A run answer as a learner sees it: at any width, with any number, and its table twin."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.serving import Service

pytestmark = pytest.mark.e2e

PLAYER = "study-picture[kind={}]"


def answer(page: Page, service: Service, card: str, text: str) -> None:
    page.goto(f"{service.url}/study/?card={card}")
    page.get_by_label("Your answer").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator(".result")).to_be_visible()
    players = page.locator("study-picture")
    for n in range(players.count()):
        expect(players.nth(n)).to_have_attribute("data-phase", "drawn", timeout=30_000)


def apart(one: Locator, other: Locator) -> bool:
    """Whether two boxes cover no common point."""
    a, b = one.bounding_box(), other.bounding_box()
    assert a
    assert b
    beside = a["x"] + a["width"] <= b["x"] or b["x"] + b["width"] <= a["x"]
    return beside or a["y"] + a["height"] <= b["y"] or b["y"] + b["height"] <= a["y"]


@pytest.mark.parametrize(
    "watched", [{"viewport": {"width": width, "height": 900}} for width in (320, 768, 1440)], indirect=True
)
def test_sum_rest_other_lines_and_stamp_stand_apart(page: Page, service: Service) -> None:
    answer(page, service, "gpt-3-d-head", "96")
    yours = page.locator(PLAYER.format("answer_executed")).first
    product, rest = yours.locator("[data-testid=picture-sum] > span").all()
    expect(product).to_have_text("96 heads × 96 = 9,216")
    expect(rest).to_have_text("3,072 left over")
    parts = [product, rest, yours.locator(".run__others summary"), yours.locator(".picture__stamp")]
    assert all(apart(one, other) for n, one in enumerate(parts) for other in parts[n + 1 :])


@pytest.mark.parametrize(
    ("number", "drawn"), [("1000000", "1,000,000 heads"), ("2147483647", "2,147,483,647")]
)
def test_a_huge_number_of_heads_leaves_the_page_alive(
    page: Page, service: Service, number: str, drawn: str
) -> None:
    answer(page, service, "more-than-eight-heads", number)
    yours = page.locator(PLAYER.format("answer_executed")).first
    expect(yours.locator("[data-testid=picture-sum]")).to_contain_text(drawn)
    expect(yours.locator("[data-testid=picture-words]")).to_contain_text("RuntimeError")


def test_seven_hundred_heads_make_no_column_without_end(page: Page, service: Service) -> None:
    answer(page, service, "more-than-eight-heads", "768")
    split = page.locator(PLAYER.format("head_split")).first
    expect(split).to_contain_text("704 more are not drawn")
    box = split.bounding_box()
    assert box
    assert box["height"] < 1000


@pytest.mark.parametrize("card", ["derive-d-head", "bert-large-d-head"])
def test_the_table_follows_the_element_that_the_picture_follows(
    page: Page, service: Service, card: str
) -> None:
    answer(page, service, card, "64")
    split = page.locator(PLAYER.format("head_split"))
    expect(split.locator(".split__words")).to_contain_text("stays at")
    words = split.locator(".split__words").inner_text()
    told = re.search(r"Element (t \d+, h \d+, d \d+) stays at .* = ([\d,]+);", words)
    assert told, words
    split.get_by_role("button", name="Table").click()
    cells = split.locator("[data-testid=picture-table] tbody tr").first.locator("th, td").all_inner_texts()
    assert (cells[0], told[2] in cells) == (told[1], True)
    expect(split.locator(".picture__table")).to_contain_text(f"stays at {words.split('stays at ')[1]}")


def test_a_right_answer_shows_nothing_in_red(page: Page, service: Service) -> None:
    answer(page, service, "inner-width-by-floor", "9")
    result = page.locator(".result")
    expect(result).to_contain_text("mat1 and mat2 shapes cannot be multiplied (8x9 and 10x10)")
    expect(result.locator(".rest-words, .run__wrong, .is-incorrect, [data-outcome=incorrect]")).to_have_count(
        0
    )


def test_an_answer_that_no_axis_can_have_is_told_so(page: Page, service: Service) -> None:
    answer(page, service, "bert-base-d-head", "7.5")
    expect(page.get_by_text("A view needs whole numbers of 1 or more; 7.5 is none.")).to_be_visible()
