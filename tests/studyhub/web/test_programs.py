"""A program answered on a page without a script: its verdict at once, or a page that comes back for it."""

from typing import Any

import pytest
from django.utils import timezone

from attention_engine import tasks
from attention_engine.spec import make_spec
from attention_engine.store import FrameStore
from cards.answering import grade
from cards.models import Card
from studyhub.study.models import Attempt, Review
from studyhub.web import views_study

CUT = "q.reshape(B, H, T, D)"
RIGHT = "rearrange(q, 'b t (h d) -> b h t d', d=64)"


@pytest.fixture(autouse=True)
def short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is waited for long."""
    monkeypatch.setattr(views_study, "LONGEST_WAIT", 0.1)


def draw(store: FrameStore, text: str) -> None:
    """What a worker does once it comes."""
    version = Card.objects.get(slug="write-the-split").published_version
    tasks.draw(store, make_spec(**grade(version, 0, {"text": text}).asks).digest())


@pytest.mark.usefixtures("quick")
def test_a_wrong_program_is_named_on_the_page_that_follows(browser: Any) -> None:
    page = browser.answer("write-the-split", text=CUT)
    words = browser.text(page)
    assert "Not yet: the shape is right, the heads are not" in words
    assert "mistake: heads by view" in words
    assert "Suggested: Again, a miss" in words
    assert 'http-equiv="refresh"' not in page.content.decode()
    assert "What you ran" in words


@pytest.mark.usefixtures("quick")
def test_a_right_program_is_right(browser: Any) -> None:
    assert "Right" in browser.text(browser.answer("write-the-split", text=RIGHT))
    assert Attempt.objects.get().outcome == "correct"


def test_without_a_worker_the_page_says_so_comes_back_and_can_be_rated(
    browser: Any, store: FrameStore
) -> None:
    page = browser.answer("write-the-split", text=CUT)
    html, words = page.content.decode(), browser.text(page)
    assert '<noscript><meta http-equiv="refresh" content="32"></noscript>' in html
    assert "No worker is running; rate yourself, it is graded when one comes." in words
    assert "Your answer is saved" in words
    assert "Suggested:" not in words
    address = page.redirect_chain[-1][0]
    draw(store, CUT)
    settled = browser.open(address)
    assert "the shape is right, the heads are not" in browser.text(settled)
    assert "http-equiv" not in settled.content.decode()
    assert "Suggested: Again, a miss" in browser.text(settled)


def test_a_rating_given_while_it_waits_stays(browser: Any, store: FrameStore) -> None:
    page = browser.answer("write-the-split", text=CUT)
    browser.rate(page, 2)
    draw(store, CUT)
    browser.open(page.redirect_chain[-1][0])
    assert Attempt.objects.get().outcome == "incorrect"
    assert (Review.objects.get().rating, Review.objects.get().suggested_rating) == (2, 0)
    assert Attempt.objects.get().settled_at <= timezone.now()


def test_a_program_that_cannot_be_read_comes_back_with_its_place(browser: Any, store: FrameStore) -> None:
    page = browser.answer("write-the-split", text="q.viw(2, 12, 4, 64)")
    assert page.status_code == 422
    assert "close to it: view" in browser.text(page)
    assert "q.viw(2, 12, 4, 64)" in page.content.decode()
    assert not Attempt.objects.exists()


def test_no_side_is_said_to_work_before_it_was_run(browser: Any, store: FrameStore) -> None:
    words = browser.text(browser.answer("write-the-split", text=CUT))
    assert "What works" not in words
    assert "What you ran" in words
    assert "The right line" in words
