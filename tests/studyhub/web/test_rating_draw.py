"""A button of the rating bar gives the interval it shows: the form carries the draw of its offer."""

from typing import Any

import pytest

from studyhub.study.models import Review

CARD = "more-than-eight-heads"


def test_the_form_sends_the_draw_of_its_offer_with_the_rating(browser: Any) -> None:
    page = browser.answer(CARD, text="10")
    draw = float(browser.hidden(page, "/study/rate/")["draw"])
    browser.rate(page, 4)
    review = Review.objects.get()
    assert 0 <= review.draw == draw < 1
    assert f"in {review.outcome['intervals']['easy'] // 86_400} days" in browser.text(page)


def test_a_form_without_a_draw_is_rated_all_the_same(browser: Any) -> None:
    page = browser.answer(CARD, text="10")
    browser.send(page, "/study/rate/", rating=4, draw="")
    assert Review.objects.get().draw == -1


@pytest.mark.parametrize("draw", ["1", "-0.1", "nan", "x"])
def test_a_draw_that_is_none_is_a_bad_request_and_rates_nothing(browser: Any, draw: str) -> None:
    page = browser.answer(CARD, text="10")
    assert browser.send(page, "/study/rate/", rating=4, draw=draw).status_code == 400
    assert Review.objects.count() == 0
