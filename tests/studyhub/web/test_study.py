"""Studying on plain pages: what a learner without a script sees, and what is kept."""

import re
from typing import Any
from urllib.parse import urlencode

import pytest
import time_machine

from cards.models import CardVersion
from studyhub.study.models import Attempt, Memory, Review

HEADS = "more-than-eight-heads"


def test_the_whole_job_answer_wrong_see_the_mistake_rate_see_when_it_returns(browser: Any) -> None:
    result = browser.answer(HEADS, text="10", check="1")
    words = browser.text(result)
    assert "Not yet: 10 does not divide 768" in words
    assert "Named mistake: heads that do not divide" in words
    assert "10 heads × 76 = 760" in words
    assert "8 left over" in words
    assert "8 heads of 96" in words
    assert "12 heads of 64" in words

    end = browser.text(browser.rate(result, 3))
    assert "Rated Good. Back in" in end
    assert Review.objects.get().rating == 3
    assert Memory.objects.get().reps == 1


@time_machine.travel("2026-11-30 09:00 +0000", tick=False)
def test_an_easy_card_says_the_day_on_which_it_returns(browser: Any) -> None:
    end = browser.text(browser.rate(browser.answer("bert-base-d-head", text="64"), 4))
    days, date = re.search(r"Back in (\d+) days, on (\d+) December", end).groups()
    assert int(date) == int(days)  # 30 November plus so many days


def test_the_next_question_says_when_the_last_card_returns_and_offers_undo(browser: Any) -> None:
    question = browser.open("/study/")
    following = browser.rate(browser.send(question, "/study/", text="64"), 3)
    assert following.redirect_chain[-1][0] == "/study/"
    assert "Rated Good. Back in 10 min" in browser.text(following)
    assert "2 of 20" in browser.text(following)

    again = browser.undo(following)
    assert "Your answer 64" in browser.text(again)
    assert 'name="rating"' in again.content.decode()
    assert Review.objects.filter(kind="void").count() == 1
    assert "1 of 20" in browser.text(again)


def test_a_card_rated_after_an_undo_counts_once(browser: Any) -> None:
    result = browser.answer(HEADS, text="12")
    again = browser.undo(browser.rate(result, 1))
    browser.rate(again, 4)
    assert Memory.objects.get().reps == 1
    assert [review.rating for review in Review.objects.filter(kind="review", voided_by=None)] == [4]


def test_a_rating_sent_again_after_its_undo_is_asked_anew(browser: Any) -> None:
    result = browser.answer(HEADS, text="12")
    browser.undo(browser.rate(result, 3))
    for rating in (3, 4):  # back in the browser: the same form, the same or another button
        again = browser.rate(result, rating)
        assert "That rating had been taken back and does not count" in browser.text(again)
        assert not Review.objects.filter(kind="review", voided_by=None).exists()
    end = browser.text(browser.rate(again, 4))
    assert "Rated Easy. Back in" in end
    assert [review.rating for review in Review.objects.filter(kind="review", voided_by=None)] == [4]
    assert "taken back" not in browser.text(browser.open(again.redirect_chain[-1][0]))


def test_another_rating_of_a_rated_answer_says_which_one_counts_and_offers_to_take_it_back(
    browser: Any,
) -> None:
    result = browser.answer(HEADS, text="12")
    browser.rate(result, 3)
    again = browser.rate(result, 4)  # back in the browser, another button
    words = browser.text(again)
    assert "Already rated Good; undo to change it." in words
    assert "Rated Good. Back in" in words
    undone = browser.undo(again)
    assert "Already rated" not in browser.text(undone)
    assert "Rated Easy. Back in" in browser.text(browser.rate(undone, 4))
    assert [review.rating for review in Review.objects.filter(kind="review", voided_by=None)] == [4]


def test_the_same_rating_again_goes_on(browser: Any) -> None:
    result = browser.answer(HEADS, text="12")
    assert browser.rate(result, 3).redirect_chain[-1] == browser.rate(result, 3).redirect_chain[-1]


def test_a_rated_answer_can_be_undone_though_another_was_rated_since(browser: Any) -> None:
    first = browser.answer(HEADS, text="12")
    browser.rate(first, 3)
    browser.rate(browser.answer("bert-base-d-head", text="64"), 3)
    undone = browser.undo(browser.open(first.redirect_chain[-1][0]))
    assert undone.redirect_chain[-1][0] == first.redirect_chain[-1][0]
    assert 'name="rating"' in undone.content.decode()


@time_machine.travel("2026-11-30 20:00 +0000", tick=False)
def test_days_are_those_of_the_clock_beside_the_learner(browser: Any) -> None:
    result = browser.answer("bert-base-d-head", text="64", time_zone="Asia/Tokyo")
    end = browser.text(browser.rate(result, 4))
    review = Review.objects.get()
    assert (review.time_zone, review.study_day.isoformat()) == ("Asia/Tokyo", "2026-12-01")
    days, date = re.search(r"Back in (\d+) days, on (\d+) December", end).groups()
    assert int(date) == int(days) + 1
    assert "Tuesday 1 December" in browser.text(browser.open("/"))


def test_a_sitting_left_overnight_starts_over(browser: Any) -> None:
    with time_machine.travel("2026-11-30 09:00 +0000", tick=False) as clock:
        following = browser.rate(browser.send(browser.open("/study/"), "/study/", text="64"), 3)
        assert "2 of 20" in browser.text(following)
        clock.shift(86_400)
        assert "1 of 21" in browser.text(browser.open("/study/"))
        assert "Nothing to study now" in browser.text(browser.open("/study/done/"))


def test_the_same_form_sent_twice_gives_the_stored_result(browser: Any) -> None:
    question = browser.open(f"/study/?card={HEADS}")
    first = browser.send(question, "/study/", text="10")
    second = browser.send(question, "/study/", text="10")
    assert first.redirect_chain == second.redirect_chain
    assert Attempt.objects.count() == 1
    assert "answered before" not in browser.text(second)


def test_another_answer_with_the_same_form_shows_that_the_first_counts(browser: Any) -> None:
    question = browser.open(f"/study/?card={HEADS}")
    browser.send(question, "/study/", text="10")
    second = browser.text(browser.send(question, "/study/", text="12"))
    assert "the first answer is the one that counts" in second
    assert "Not yet: 10 does not divide 768" in second
    assert Attempt.objects.count() == 1


def test_a_rating_sent_twice_is_one_review(browser: Any) -> None:
    result = browser.answer(HEADS, text="10")
    browser.rate(result, 2)
    browser.rate(result, 2)
    browser.rate(result, 4)
    assert [review.rating for review in Review.objects.all()] == [2]


def test_a_rated_answer_shows_its_rating_instead_of_the_buttons(browser: Any) -> None:
    result = browser.answer(HEADS, text="10")
    browser.rate(result, 3)
    again = browser.open(result.redirect_chain[-1][0])
    assert "Rated Good. Back in" in browser.text(again)
    assert 'name="rating"' not in again.content.decode()


def test_an_unreadable_answer_keeps_its_text_and_leaves_no_row(browser: Any) -> None:
    page = browser.answer(HEADS, text='12 "or" so')
    assert page.status_code == 422
    assert "Not graded: I could not read" in browser.text(page)
    assert 'value="12 &quot;or&quot; so"' in page.content.decode()
    assert 'aria-invalid="true"' in page.content.decode()
    assert Attempt.objects.count() == 0

    assert "Right" in browser.text(browser.send(page, "/study/", text="12"))


@pytest.mark.parametrize("text", ["", "   ", "9" * 5000, "\ud800", "1e999999"])
def test_a_field_of_nonsense_is_not_graded(browser: Any, text: str) -> None:
    page = browser.answer(HEADS, text=text.encode("utf-8", "replace").decode())
    assert page.status_code == 422
    assert Attempt.objects.count() == 0


def test_a_nul_in_the_answer_is_not_graded(browser: Any) -> None:
    assert browser.answer(HEADS, text="1\0").status_code in (400, 422)
    assert Attempt.objects.count() == 0


def test_i_do_not_know_shows_the_answer_and_suggests_again(browser: Any) -> None:
    result = browser.answer(HEADS, text="", reveal="1")
    assert "Suggested: Again, the answer was shown" in browser.text(result)
    assert "12 heads × 64 = 768" in browser.text(result)


def test_a_hint_opens_the_next_one_keeps_the_text_and_lowers_the_rating(browser: Any) -> None:
    question = browser.open(f"/study/?card={HEADS}")
    hints = CardVersion.objects.get(card__slug=HEADS).hints
    assert hints[0] not in browser.text(question)
    assert "Rating at most Hard" in browser.text(question)

    hinted = browser.send(question, "/study/", text="12", hint="1")
    assert hinted.status_code == 200
    assert hints[0] in browser.text(hinted)
    assert hints[1] not in browser.text(hinted)
    assert 'value="12"' in hinted.content.decode()
    assert Attempt.objects.count() == 0

    assert "Suggested: Hard" in browser.text(browser.send(hinted, "/study/", text="12"))
    assert Attempt.objects.get().assisted


def test_a_wrong_choice_says_its_letter_and_its_mistake(browser: Any) -> None:
    page = browser.open("/study/?card=view-without-transpose").content.decode()
    letter = re.search(r'value="raises"[^>]*>\s*<kbd>([A-D])</kbd>', page)[1]
    result = browser.text(browser.answer("view-without-transpose", choices="raises"))
    assert f"Your answer {letter}" in result
    assert "Named mistake: view expected to refuse" in result
    assert "Right answer: It runs and has the right shape" in result


def test_choosing_nothing_is_not_graded(browser: Any) -> None:
    page = browser.answer("view-without-transpose", check="1")
    assert page.status_code == 422
    assert "Not graded:" in browser.text(page)


def rows_of(page: Any) -> list[str]:
    return re.findall(r'<select name="place-([^"]+)"', page.content.decode())


def right_order() -> list[str]:
    items = CardVersion.objects.get(card__slug="pipeline-order").answer["items"]
    return [item["id"] for item in items]


def test_rows_are_put_in_order_by_their_places(browser: Any) -> None:
    places = {f"place-{row}": str(place) for place, row in enumerate(right_order(), 1)}
    result = browser.answer("pipeline-order", **places)
    assert "Right" in browser.text(result)
    assert Attempt.objects.get().outcome == "correct"


def test_a_wrong_order_stands_beside_the_right_one_with_its_first_wrong_place_marked(browser: Any) -> None:
    order = right_order()
    order[0], order[1] = order[1], order[0]
    page = browser.answer("pipeline-order", **{f"place-{row}": str(n) for n, row in enumerate(order, 1)})
    lists = re.findall(r'<ol class="order">.*?</ol>', page.content.decode(), re.DOTALL)
    rows = [re.findall(r"<li.*?<span>(\w+): <code>", one, re.DOTALL) for one in lists]
    assert rows == [order, right_order()]
    assert [one.count("first wrong place") for one in lists] == [1, 0]
    assert "first wrong place" in lists[0].split("</li>")[0]
    assert "→" not in browser.text(page)


def test_a_right_order_is_not_shown_twice_and_one_asked_for_is_shown_alone(browser: Any) -> None:
    places = {f"place-{row}": str(place) for place, row in enumerate(right_order(), 1)}
    assert '<ol class="order">' not in browser.answer("pipeline-order", **places).content.decode()
    shown = browser.answer("pipeline-order", reveal="1").content.decode()
    assert shown.count('<ol class="order">') == 1
    assert "Your order" not in shown


def test_two_rows_in_one_place_are_not_graded_and_stay_where_they_are(browser: Any) -> None:
    question = browser.open("/study/?card=pipeline-order")
    rows = rows_of(question)
    places = {f"place-{row}": "1" for row in rows}
    page = browser.send(question, "/study/", **places)
    assert page.status_code == 422
    assert "Place 1 is taken twice" in browser.text(page)
    assert page.content.decode().count('value="1" selected') == len(rows)


def test_a_row_without_a_place_is_counted_out_loud(browser: Any) -> None:
    question = browser.open("/study/?card=pipeline-order")
    rows = rows_of(question)
    page = browser.send(
        question, "/study/", **{f"place-{row}": "" for row in rows} | {f"place-{rows[0]}": "1"}
    )
    assert f"1 of {len(rows)} rows have a place" in browser.text(page)


def test_showing_the_points_of_a_spoken_answer_is_rated_by_the_learner(browser: Any) -> None:
    result = browser.answer("why-64-to-128", reveal="1")
    words = browser.text(result)
    assert "Compare with these points" in words
    assert "Rate it yourself" in words
    assert "data-suggested" not in result.content.decode()


def test_another_number_of_heads_is_run_without_touching_the_grade(browser: Any) -> None:
    result = browser.answer(HEADS, text="10")
    address = result.redirect_chain[-1][0]
    tried = browser.text(browser.open(f"{address}&try=16"))
    assert "16 heads instead" in tried
    assert "16 heads × 48 = 768" in tried
    assert Attempt.objects.get().outcome == "incorrect"


@pytest.mark.parametrize("value", ["0", "-1", "x", "2.5", "abc", "99999", "١٢", " "])
def test_a_number_of_heads_that_is_none_is_told_so_and_kept(browser: Any, value: str) -> None:
    address = browser.answer(HEADS, text="10").redirect_chain[-1][0]
    page = browser.open(f"{address}&{urlencode({'try': value})}")
    assert "Give one whole number of 1 or more." in browser.text(page)
    assert "instead" not in browser.text(page)
    assert f'value="{value}"' in page.content.decode()


def test_more_heads_than_are_run_are_told_the_most(browser: Any) -> None:
    address = browser.answer(HEADS, text="10").redirect_chain[-1][0]
    assert "4,096 heads are the most that are run here." in browser.text(browser.open(f"{address}&try=5,000"))
    assert "Give one" not in browser.text(browser.open(f"{address}&try=1,024"))
    assert "Give one" not in browser.text(browser.open(f"{address}&try="))


def test_a_wrong_shape_stands_beside_the_right_one(browser: Any) -> None:
    result = browser.answer("shape-after-transpose", text="(2, 4, 12, 64)")
    words = browser.text(result)
    assert "Not yet: heads and tokens are swapped" in words
    assert "as many as there are" in words
    assert re.search(r"shape\s+\( 2 , 12 , 4 , 64 \)", words)


def test_a_picture_asks_for_this_questions_numbers_and_never_claims_itself(browser: Any) -> None:
    page = browser.answer(HEADS, text="10").content.decode()
    asked = re.findall(r'<study-picture kind="(\w+)" parameters="([^"]+)"', page)
    assert [kind for kind, _ in asked] == ["answer_executed", "answer_executed", "head_split"]
    assert "&quot;num_heads&quot;:10" in asked[0][1]
    assert "&quot;num_heads&quot;:12" in asked[1][1]


def test_ending_keeps_what_was_rated_and_can_be_taken_up_again(browser: Any) -> None:
    question = browser.open("/study/")
    browser.rate(browser.send(question, "/study/", text="64"), 3)
    end = browser.open("/study/done/")
    assert "1 card rated" in browser.text(end)
    assert "19 cards left" in browser.text(end)
    assert "Rated Good" in browser.text(end)


def test_a_topic_without_due_cards_leads_to_the_end(browser: Any) -> None:
    page = browser.open("/study/?topic=nothing-here")
    assert page.redirect_chain[-1][0] == "/study/done/"
