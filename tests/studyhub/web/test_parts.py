"""The small parts of pages, without a page: words, drawings, the sitting, what a form says."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.http import QueryDict

from cards.grading import Unreadable
from studyhub.web import words
from studyhub.web.drawings import bands, day_bars, longest_shape, pieces
from studyhub.web.forms import order_of, response_of, thinking_ms, whole
from studyhub.web.result import code_parts
from studyhub.web.session import Returned, Sitting, progress
from studyhub.web.templatetags.study import has_parts, takes_room

MONDAY = date(2026, 11, 30)
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "1 s"),
        (59, "59 s"),
        (59.6, "1 min"),
        (600, "10 min"),
        (3570, "1 h"),
        (5 * 3600, "5 h"),
        (86_399, "1 day"),
        (86_400, "1 day"),
        (49 * 86_400, "49 days"),
        (730 * 86_400, "2.0 years"),
    ],
)
def test_a_span_is_said_in_its_one_fitting_unit(seconds: float, said: str) -> None:
    assert words.span(seconds) == said


def test_a_card_back_in_days_names_the_learners_own_date() -> None:
    due = datetime(2026, 12, 1, 22, 30, tzinfo=UTC)
    said = words.comes_back(due, seconds=2 * 86_400, time_zone="Asia/Tokyo", now=NOON)
    assert said == "Back in 2 days, on 2 December"


def test_a_date_in_another_year_says_the_year_once_it_could_be_mistaken() -> None:
    assert words.day(NOON + timedelta(days=49), time_zone="UTC", now=NOON) == "18 January"
    assert words.day(NOON + timedelta(days=400), time_zone="UTC", now=NOON) == "4 January 2028"


def test_an_unknown_zone_is_taken_for_utc() -> None:
    assert words.zone("Mars/Olympus").key == "UTC"


def test_names_in_a_title_are_set_as_formulas_and_an_authors_own_are_left() -> None:
    assert words.title_html("d_head: how wide?").startswith("<math")
    assert words.title_html("my_d_heads") == "my_d_heads"
    assert words.title_html(r"Why $\sqrt{d_k}$").count("<math") == 1
    assert words.title_html("<b>d</b>") == "&lt;b&gt;d&lt;/b&gt;"


def test_heads_that_do_not_divide_leave_a_rest_on_the_bar() -> None:
    bar = bands(features=768, num_heads=10, d_head=76)
    assert (len(bar.bands), bar.total, bar.left_over, bar.over) == (10, 760, 8, 0)
    assert bar.covered + bar.rest == pytest.approx(100)


def test_heads_wider_than_q_mark_where_q_ends() -> None:
    bar = bands(features=3072, num_heads=16, d_head=256)
    assert (bar.total, bar.left_over, bar.over) == (4096, 0, 1024)
    assert bar.features_end == 75.0


def test_no_heads_have_no_bar() -> None:
    assert bands(features=768, num_heads=0, d_head=64) is None


@pytest.mark.parametrize(("num_heads", "d_head", "drawn"), [(129, 5, 1), (10**9, 3, 1), (10**9, 0, 0)])
def test_more_heads_than_can_be_seen_are_one_block(num_heads: int, d_head: int, drawn: int) -> None:
    bar = bands(features=768, num_heads=num_heads, d_head=d_head)
    assert (len(bar.bands), bar.total, bar.lumped) == (drawn, num_heads * d_head, bool(drawn))
    assert bar.covered + bar.rest == pytest.approx(100, abs=0.01)


def test_pieces_of_a_shape_add_up_as_their_product_does() -> None:
    longest = longest_shape([(2, 4, 768)])
    whole = pieces(axes=("B", "T", "d_model"), shape=(2, 4, 768), longest=longest)
    split = pieces(axes=("B", "T", "H", "D"), shape=(2, 4, 12, 64), longest=longest)
    assert split[2].width + split[3].width == pytest.approx(whole[2].width, abs=0.05)
    assert [piece.axis for piece in split] == ["B", "T", "H", "D"]
    assert split[-1].start + split[-1].width <= 100.01


def test_the_tallest_day_fills_the_chart_and_an_idle_one_is_flat() -> None:
    bars = day_bars([(date(2026, 11, 29), 0), (date(2026, 11, 30), 9)])
    assert [(bar.height, bar.y) for bar in bars] == [(0, 44), (44, 0)]


@pytest.mark.parametrize(
    ("html", "room", "parts"),
    [
        ("<p>How wide is one head?</p>", False, False),
        (f"<p>{'word ' * 30}</p>", True, False),
        ("<p>One.</p><p>Two.</p>", True, False),
        ("<p>What comes out?</p><pre><code>q</code></pre>", True, True),
    ],
)
def test_a_long_question_is_folded_once_answered(html: str, room: bool, parts: bool) -> None:
    assert (takes_room(html), has_parts(html)) == (room, parts)


def test_the_last_two_numbers_of_a_view_are_strong() -> None:
    strong = [part["text"] for part in code_parts("q.view(2, 4, 10, 76)", strong=True) if part["strong"]]
    assert strong == ["10", "76"]
    assert "".join(part["text"] for part in code_parts("q.view(2, 4)", strong=True)) == "q.view(2, 4)"


def test_a_sitting_counts_a_rating_once_and_forgets_it_when_undone() -> None:
    store: dict[str, object] = {}
    returned = Returned(review="r1", attempt="a1", rating="Rated Good", words="Back in 10 min")
    Sitting(store, MONDAY).begin({"topic": "d-head"})
    Sitting(store, MONDAY).rated(returned, missed=True)
    Sitting(store, MONDAY).rated(returned, missed=True)
    assert Sitting(store, MONDAY).marks == ["missed"]
    assert Sitting(store, MONDAY).last == returned
    Sitting(store, MONDAY).undone()
    assert (Sitting(store, MONDAY).marks, Sitting(store, MONDAY).last) == ([], None)


def test_a_sitting_about_something_else_starts_over_but_may_still_undo() -> None:
    store: dict[str, object] = {}
    returned = Returned(review="r1", attempt="a1", rating="Rated Good", words="")
    Sitting(store, MONDAY).rated(returned, missed=False)
    Sitting(store, MONDAY).begin({"topic": "d-head"})
    assert Sitting(store, MONDAY).marks == []
    assert Sitting(store, MONDAY).last == returned


def test_a_sitting_ends_with_its_study_day() -> None:
    store: dict[str, object] = {}
    Sitting(store, MONDAY).begin({"topic": "d-head"})
    Sitting(store, MONDAY).rated(Returned(review="r", attempt="a", rating="", words=""), missed=False)
    tuesday = Sitting(store, MONDAY + timedelta(days=1))
    assert (tuesday.plan, tuesday.marks, tuesday.last) == ({}, [], None)
    tuesday.begin({"topic": "d-head"})
    assert Sitting(store, MONDAY).marks == []


def test_progress_says_where_a_sitting_stands() -> None:
    line = progress(marks=["done"] * 5 + ["missed"], remaining=12, seconds_per_card=21)
    assert line.sentence == "7 of 18, about 4 min left"
    assert line.pieces.count("rest") == 11
    assert line.pieces[5:7] == ("missed", "current")


def test_a_long_sitting_shows_a_window_with_the_current_card_in_it() -> None:
    line = progress(marks=["done"] * 200, remaining=40, seconds_per_card=20)
    assert len(line.pieces) == 30
    assert "current" in line.pieces
    assert line.total == 240


def test_rows_are_read_in_the_order_of_their_places() -> None:
    assert order_of({"c": "3", "a": "1", "b": "2"}) == ["a", "b", "c"]
    assert order_of({"a": "", "b": ""}) == []
    with pytest.raises(Unreadable, match="Place 2 is taken twice"):
        order_of({"a": "2", "b": "2", "c": "1"})


@pytest.mark.parametrize("place", ["²", "١", "0", "4", "-1", "+1", "1.0", "9" * 5000, "x", "\0", "1 "])
def test_a_place_that_is_no_place_cannot_be_read(place: str) -> None:
    with pytest.raises(Unreadable, match="A place is a whole number from 1 to 3"):
        order_of({"a": place, "b": "2", "c": "3"})


@pytest.mark.parametrize(
    ("text", "number"), [("1", 1), ("999", 999), ("007", 7), ("1000", 0), ("²", 0), ("", 0), ("-1", 0)]
)
def test_a_whole_number_is_read_from_plain_digits_alone(text: str, number: int) -> None:
    assert whole(text) == number


def test_an_answer_is_read_flat() -> None:
    data = QueryDict("text=12&choices=a&choices=b&cell-x=64&order=q&order=p")
    assert response_of(data) == {
        "text": "12",
        "choices": ["a", "b"],
        "order": ["q", "p"],
        "cells": {"x": "64"},
        "revealed": False,
    }


@pytest.mark.parametrize(
    ("shown_at", "taken"),
    [(None, 0), (0, 0), (990_000, 10_000), (2_000_000, 0), (1, 999_999)],
)
def test_thinking_time_is_never_negative(shown_at: int | None, taken: int) -> None:
    assert thinking_ms(shown_at, now_ms=1_000_000) == taken
