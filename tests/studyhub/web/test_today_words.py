"""Today says no more than is known."""

from typing import Any

from studyhub.study.models import Review


def test_before_the_first_answer_the_chart_says_that_there_are_none(browser: Any) -> None:
    page = browser.open("/")
    assert "No answers yet" in browser.text(page)
    assert "<svg role" not in page.content.decode()


def test_one_quick_answer_changes_no_pace(browser: Any) -> None:
    browser.rate(browser.answer("bert-base-d-head", text="64"), 3)
    assert Review.objects.get().elapsed_ms < 2000
    page = browser.open("/")
    words = browser.text(page)
    assert "a card, at first 20 s" in words
    assert "19 cards, about 6 minutes" in words
    assert '<svg role="img" aria-label="1 answer in 14 days"' in page.content.decode()
