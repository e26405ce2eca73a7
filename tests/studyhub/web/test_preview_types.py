"""The author's preview of every type of answer: asked, graded and forgotten, its mistakes tried out."""

from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import AbstractBaseUser, Permission
from django.test import Client
from django.urls import reverse

from cards.models import Card
from studyhub.study.models import Attempt
from tests.answer_cards import BY_KIND, CARDS, AnswerCard, publish_all


@pytest.fixture
def author(ada: AbstractBaseUser, request: pytest.FixtureRequest) -> Client:
    """An author, and the test's own card on the shelf; all of them where it names none."""
    given = request.node.callspec.params if hasattr(request.node, "callspec") else {}
    publish_all(*([given["card"]] if "card" in given else []))
    ada.user_permissions.set(  # type: ignore[attr-defined]
        Permission.objects.filter(content_type__app_label="cards", codename="change_card")
    )
    client = Client()
    client.force_login(ada)
    return client


def address(card: AnswerCard) -> str:
    version = Card.objects.get(slug=card.slug).published_version
    assert version is not None
    return f"{reverse('web:preview')}?version={version.pk}"


def words(page: Any) -> str:
    return unescape(" ".join(page.content.decode().split()))


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.kind)
def test_a_card_of_each_type_is_asked_graded_and_forgotten(author: Client, card: AnswerCard) -> None:
    frame = f"{address(card)}&frame=1"
    asked = author.get(frame)
    assert asked.status_code == 200
    assert 'class="answer"' in asked.content.decode()
    title = {"worker": "Not graded yet", "ticks": "Not graded yet"}.get(card.waits, "Right")
    assert f'tabindex="-1">{title}' in words(author.post(frame, card.right))
    unread = words(author.post(frame, card.unreadable))
    assert "Nothing was counted." in unread
    assert Attempt.objects.count() == 0


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.kind)
def test_each_named_mistake_is_tried(author: Client, card: AnswerCard) -> None:
    page = words(author.get(address(card)))
    for mistake in card.mistakes:
        assert str(mistake["name"]).replace("_", " ") in page
    assert "cannot be read" not in page
    assert "named otherwise" not in page


def test_points_can_be_ticked_in_the_frame(author: Client) -> None:
    card = BY_KIND["rubric"]
    frame = f"{address(card)}&frame=1"
    waiting = words(author.post(frame, card.right))
    assert f'name="text" value="{card.right["text"]}"' in waiting
    ticked = words(author.post(frame, {**card.right, "choices": ["kernels", "trade"], "tick": "1"}))
    assert 'tabindex="-1">Right' in ticked
    assert "Missing" in words(author.post(frame, {**card.right, "tick": "1"}))
    assert Attempt.objects.count() == 0


def test_what_cannot_be_read_is_kept_in_the_frame(author: Client) -> None:
    card = BY_KIND["table"]
    page = words(author.post(f"{address(card)}&frame=1", card.unreadable))
    assert 'value="64 or so"' in page
    assert 'name="cell-heads" type="text" value="12"' in page


def test_a_red_flag_is_shown_as_the_tick_it_is(author: Client) -> None:
    card = BY_KIND["rubric"]
    page = words(author.get(address(card)))
    flag = next(one for one in card.answer["red_flags"] if one.get("mistake"))
    assert f"ticked: {flag['text']}" in page
