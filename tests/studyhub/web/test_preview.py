"""The author's preview: the card as a learner sees it, graded without a trace."""

import pytest
from django.contrib.auth.models import AbstractBaseUser
from django.test import Client
from django.urls import reverse

from cards.loading import load_content
from cards.models import Card
from studyhub.study.models import Attempt


@pytest.fixture
def address(db: None) -> str:
    """The preview of a shipped card."""
    load_content()
    version = Card.objects.get(slug="more-than-eight-heads").published_version
    assert version is not None
    return f"{reverse('web:preview')}?version={version.pk}"


def signed_in(user: AbstractBaseUser) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_only_staff_may_look(address: str, ada: AbstractBaseUser, ben: AbstractBaseUser) -> None:
    assert Client().get(address).status_code == 302
    assert signed_in(ben).get(address).status_code == 302
    assert signed_in(ada).get(address).status_code == 200


def test_each_named_mistake_is_shown_with_its_answer_and_grade(address: str, ada: AbstractBaseUser) -> None:
    page = signed_in(ada).get(address).content.decode()
    assert "12 heads" in page
    assert "heads that do not divide" in page
    assert "incorrect" in page
    assert "changes no grade" not in page


def test_an_answer_in_the_frame_is_graded_and_forgotten(address: str, ada: AbstractBaseUser) -> None:
    client = signed_in(ada)
    frame = f"{address}&frame=1"
    assert 'name="text"' in client.get(frame).content.decode()
    answered = client.post(frame, {"text": "10"}).content.decode()
    assert "10 does not divide 768" in answered
    assert "could not read" in client.post(frame, {"text": "12 or so"}).content.decode()
    assert Attempt.objects.count() == 0


def test_the_question_in_the_frame_does_not_hold_its_key(address: str, ada: AbstractBaseUser) -> None:
    page = signed_in(ada).get(f"{address}&frame=1").content.decode()
    assert "12 heads" not in page


@pytest.mark.parametrize("version", ["", "0", "abc", "9" * 30, "-1"])
def test_a_version_that_is_not_there_is_404(address: str, ada: AbstractBaseUser, version: str) -> None:
    assert signed_in(ada).get(f"{reverse('web:preview')}?version={version}").status_code == 404


def test_a_shipped_version_cannot_be_published_by_hand(address: str, ada: AbstractBaseUser) -> None:
    page = signed_in(ada).post(address, {"publish": "1"}, follow=True).content.decode()
    assert "copy this one" in page.lower()
