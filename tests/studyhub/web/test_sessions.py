"""Ways to study, a card's own menu, the last 24 hours and catching up, on plain pages."""

import re
from datetime import date, timedelta
from typing import Any

import pytest
import time_machine

from studyhub.study.asking import catching_up
from studyhub.study.models import Attempt, Learner, Memory, Review
from studyhub.study.zones import study_day_of
from studyhub.web.forms import UndoForm

HEADS, BERT = "more-than-eight-heads", "bert-base-d-head"


def custom(browser: Any, **values: Any) -> Any:
    return browser.send(browser.open("/study/custom/"), "/study/custom/", **values)


def act(browser: Any, page: Any, kind: str, **values: Any) -> Any:
    return browser.send(page, "/study/card/", kind=kind, **values)


def failed(browser: Any) -> None:
    """One card rated Again, one Easy."""
    browser.rate(browser.answer(HEADS, text="10"), 1)
    browser.rate(browser.answer(BERT, text="64"), 4)


# Sessions


def test_three_minutes_end_after_the_cards_that_fit_and_the_rest_is_offered(browser: Any) -> None:
    page = browser.send(browser.open("/"), "/study/custom/")
    assert page.redirect_chain[-1][0] == "/study/?minutes=3"
    assert "1 of 9" in browser.text(page)  # 20 s a card
    for _ in range(9):
        page = browser.rate(browser.send(page, "/study/", reveal="1"), 3)
    text = browser.text(page)
    assert page.redirect_chain[-1][0] == "/study/done/"
    assert "9 cards rated" in text
    assert "3 minutes are over. 11 cards left" in text
    assert 'href="/study/"' in page.content.decode()
    assert "1 of 9" in browser.text(browser.send(browser.open("/"), "/study/custom/"))  # three more minutes


def test_cramming_a_topic_shows_results_without_ratings_and_writes_no_review(browser: Any) -> None:
    page = custom(browser, kind="cram", subject="topic:d-head")
    assert page.redirect_chain[-1][0] == "/study/?kind=cram&topic=d-head"
    assert "Practice: nothing is scheduled" in browser.text(page)
    result = browser.send(page, "/study/", reveal="1")
    assert "Practice: nothing is scheduled" in browser.text(result)
    assert 'name="rating"' not in result.content.decode()
    following = browser.client.get("/study/", browser.hidden(result, "/study/"))
    assert "2 of" in browser.text(following)
    assert (Review.objects.count(), Memory.objects.count()) == (0, 0)
    assert Attempt.objects.get().practice
    assert "1 card practised" in browser.text(browser.open("/study/done/"))


def test_what_failed_today_is_practised_until_it_is_right(browser: Any) -> None:
    failed(browser)
    page = custom(browser, kind="failed_today")
    browser.send(page, "/study/", text="10")
    again = browser.open("/study/?kind=failed_today")
    assert "2 of 2" in browser.text(again)
    browser.send(again, "/study/", text="12")
    assert browser.open("/study/?kind=failed_today").redirect_chain[-1][0] == "/study/done/"
    assert Review.objects.count() == 2


def test_reviews_ahead_of_time_are_rated_as_usual(browser: Any) -> None:
    with time_machine.travel("2026-11-30 09:00 +0000", tick=False) as clock:
        browser.rate(browser.answer(BERT, text="64"), 4)
        clock.shift(86_400)
        page = custom(browser, kind="ahead", days="30")
        assert "How wide is one head of BERT-base" in browser.text(page)
        browser.rate(browser.send(page, "/study/", text="64"), 3)
    assert Review.objects.filter(kind="review").count() == 2


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"kind": "cram"}, "Choose a deck or a topic to cram."),
        ({"kind": "due", "minutes": "0"}, "Give a whole number from 1 to 600, or leave it empty."),
        ({"kind": "ahead", "days": "31"}, "Give a whole number from 1 to 30."),
        ({"kind": "failed_today"}, "Nothing of it that was rated Again today is left to practise."),
        ({"kind": "ahead"}, "Nothing of it comes due in that time."),
    ],
)
def test_a_session_that_cannot_be_says_why_and_starts_nothing(
    browser: Any, values: dict[str, str], words: str
) -> None:
    page = custom(browser, **values)
    assert page.status_code == 422
    assert words in browser.text(page)


@pytest.mark.parametrize("query", ["kind=x", "minutes=-1", "days=99", "kind=cram", "deck=a%20b"])
def test_an_address_of_no_session_is_not_found(browser: Any, query: str) -> None:
    assert browser.client.get(f"/study/?{query}").status_code == 404


# How sure one is


def test_how_sure_one_is_goes_with_the_answer_and_stays_while_it_cannot_be_read(browser: Any) -> None:
    page = browser.send(browser.open(f"/study/?card={HEADS}"), "/study/", text="x", confidence="70")
    assert re.search(r'value="70" checked', page.content.decode())
    browser.send(page, "/study/", text="12", confidence="70")
    assert Attempt.objects.get().confidence == 70


def test_who_does_not_know_is_sure_of_nothing(browser: Any) -> None:
    browser.answer(HEADS, reveal="1", confidence="95")
    assert Attempt.objects.get().confidence == 0


def test_no_other_share_is_taken(browser: Any) -> None:
    assert browser.answer(HEADS, text="12", confidence="50").status_code == 400
    assert not Attempt.objects.exists()


# A card's own menu


def test_a_buried_card_gives_way_to_the_next_and_comes_back_by_undo(browser: Any) -> None:
    page = browser.open("/study/")
    slug = browser.hidden(page, "/study/")["card"]
    following = act(browser, page, "bury")
    text = browser.text(following)
    assert browser.hidden(following, "/study/")["card"] != slug
    assert "Buried. Not asked before" in text
    assert "1 of 20" in text
    undone = browser.undo(following)
    assert browser.hidden(undone, "/study/")["card"] == slug
    assert Review.objects.filter(kind="void").count() == 1


def test_a_suspended_card_says_so_is_listed_and_taken_up_again(browser: Any) -> None:
    act(browser, browser.open(f"/study/?card={HEADS}"), "suspend")
    assert "Suspended: it is not asked in any session." in browser.text(browser.open(f"/study/?card={HEADS}"))
    aside = browser.open("/study/suspended/")
    assert "1 card put aside" in browser.text(aside)
    after = browser.send(aside, "/study/card/")
    assert "No card is put aside" in browser.text(after)
    assert not Memory.objects.get().suspended


def test_the_day_a_card_is_due_is_set_and_a_day_that_cannot_be_changes_nothing(
    browser: Any, ben: Any
) -> None:
    browser.rate(browser.answer(BERT, text="64"), 4)
    today = study_day_of(Learner.objects.get(user=ben), Memory.objects.get().last_review)
    page = browser.open(f"/study/?card={BERT}")
    for day, words in (("", "is no date"), ("1999-01-01", "is not between"), ("31.12.", "is no date")):
        refused = act(browser, page, "set_due", day=day)
        assert refused.status_code == 422
        assert words in browser.text(refused)
    assert Review.objects.count() == 1
    act(browser, page, "set_due", day=str(today + timedelta(days=5)))
    assert Review.objects.get(kind="set_due").target_day == today + timedelta(days=5)
    assert Memory.objects.get().due.date() == today + timedelta(days=5)


def test_the_same_button_twice_is_one_event_and_another_is_its_own(browser: Any) -> None:
    browser.rate(browser.answer(BERT, text="64"), 4)
    page = browser.open(f"/study/?card={BERT}")
    for kind in ("suspend", "suspend", "reset"):
        act(browser, page, kind)
    assert sorted(Review.objects.values_list("kind", flat=True)) == ["reset", "review", "suspend"]


@pytest.mark.parametrize("values", [{"kind": "void"}, {"kind": ""}, {"card": "a b"}, {"client_id": "x"}])
def test_a_form_that_was_bent_leaves_no_line(browser: Any, values: dict[str, str]) -> None:
    page = browser.open(f"/study/?card={HEADS}")
    assert act(browser, page, **({"kind": "bury"} | values)).status_code == 400
    assert not Review.objects.exists()


def test_a_card_that_is_not_there_is_not_found(browser: Any) -> None:
    assert act(browser, browser.open(f"/study/?card={HEADS}"), "bury", card="no-such-card").status_code == 404


def test_a_card_that_keeps_slipping_says_so_and_where_to_read(browser: Any, ben: Any) -> None:
    browser.rate(browser.answer(BERT, text="64"), 4)
    Memory.objects.update(lapses=8)
    page = browser.open(f"/study/?card={BERT}")
    assert "This card has lapsed 8 times." in browser.text(page)
    assert 'href="/topics/d-head/"' in page.content.decode()


# The last 24 hours


def test_lines_of_the_last_day_can_each_be_taken_back_and_then_say_so(browser: Any) -> None:
    failed(browser)
    page = browser.open("/study/recent/")
    assert "2 lines from all devices" in browser.text(page)
    after = browser.undo(page)  # the last one
    text = browser.text(after)
    assert after.redirect_chain[-1][0] == "/study/recent/"
    assert "Taken back at" in text
    assert "Rated Easy" in text
    assert [review.rating for review in Review.objects.filter(kind="review", voided_by=None)] == [1]


def test_a_line_of_the_day_before_yesterday_is_not_among_them(browser: Any) -> None:
    with time_machine.travel("2026-11-30 09:00 +0000", tick=False) as clock:
        failed(browser)
        clock.shift(25 * 3600)
        assert "stand here for 24 hours" in browser.text(browser.open("/study/recent/"))


def test_an_undo_goes_back_to_no_other_place_than_its_lists() -> None:
    form = UndoForm({"client_id": "x", "review": "x", "back": "//elsewhere"})
    assert "back" in form.errors


# Catching up


def test_a_backlog_is_offered_a_cap_that_one_press_sets_and_another_lifts(
    browser: Any, ben: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = (catching_up.Cap(40, 17, date(2026, 12, 18), 6.2),)
    found = catching_up.CatchUp(212, 30, True, 0, options)
    monkeypatch.setattr("studyhub.web.catch_up_said.catch_up_preview", lambda *_: found)
    monkeypatch.setattr("studyhub.web.catch_up_said._may_be_backlog", lambda *_: True)
    page = browser.open("/")
    text = browser.text(page)
    assert "212 reviews wait A usual day of yours is 30." in text
    assert "40 a day for 17 days, until 18 December; about 6 more forgotten meanwhile" in text
    browser.send(page, "/study/catch-up/")
    assert Learner.objects.get(user=ben).reviews_per_day == 40
    browser.client.post("/study/catch-up/", {"per_day": 0})
    assert Learner.objects.get(user=ben).reviews_per_day == 0
    assert browser.client.post("/study/catch-up/", {"per_day": "lots"}).status_code == 400


def test_without_a_backlog_today_says_nothing_of_caps(browser: Any) -> None:
    assert "a day at most" not in browser.text(browser.open("/"))
    assert "catch-up" not in browser.open("/").content.decode()
