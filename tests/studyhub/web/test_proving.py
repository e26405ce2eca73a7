"""Publishing a card of programs: a worker runs its lines first, and what they do wrong is said."""

from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from cards.authoring.versions import write_version
from cards.models import Card, CardVersion, Deck, Source, Topic
from studyhub.delivery import proving

RIGHT = "q.view(2, 4, 12, 64).transpose(1, 2)"
CUT = "q.view(2, 12, 4, 64)"


@pytest.fixture(autouse=True)
def short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is waited for long."""
    monkeypatch.setattr(proving, "LONGEST_PROOF", 0.3)


def drafted(answer: dict[str, Any], mistakes: list[dict[str, Any]]) -> CardVersion:
    """A draft of a card of programs."""
    Source.objects.create(key="torch-docs", title="PyTorch", as_of="2026-11-30")
    topic = Topic.objects.create(slug="own", title="Own", deck=Deck.objects.create(slug="mine", title="Mine"))
    return write_version(
        Card.objects.create(topic=topic, slug="own-split", position=1),
        {"answer_type": "program", "answer": {"type": "program", "model": "bert-base", **answer},
         "mistakes": mistakes, "prompt": "Write the split.", "explanation": "Cut, then move.",
         "parameters": {}, "hints": [], "picture": [], "sources": ["torch-docs"]}, author=None, edit="major"
    )  # fmt: skip


def published(admin_client: Client, version: CardVersion) -> tuple[bool, str]:
    """Whether the card is on the shelf after the button, and the words of the page."""
    page = admin_client.post(f"{reverse('web:preview')}?version={version.pk}", {"publish": "1"}, follow=True)
    words = unescape(" ".join(page.content.decode().split()))
    return Card.objects.get(slug="own-split").state == Card.State.PUBLISHED, words


@pytest.mark.usefixtures("quick")
def test_a_card_whose_lines_do_what_it_says_is_published(admin_client: Client) -> None:
    same = "rearrange(q, 'b t (h d) -> b h t d', h=12)"
    wrong = {"name": "cut_by_view", "program": CUT, "says": "Rows are cut across heads."}
    on_shelf, words = published(admin_client, drafted({"reference": RIGHT, "accepts": [same]}, [wrong]))
    assert on_shelf
    assert "is what learners get now" in words


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("answer", "mistake", "reason"),
    [
        ({"reference": RIGHT.replace("64", "63")}, "", "and is not: RuntimeError: shape"),
        ({"reference": RIGHT}, "q.reshape(B, T, H, D).permute(0, 2, 1, 3)", "mistake slip: its lines give"),
        ({"reference": RIGHT, "accepts": [CUT]}, "", "accepts: 'q.view(2, 12, 4, 64)' makes a mistake"),
        ({"reference": RIGHT, "accepts": ["q.view(2, 12, 5, 64)"]}, "", "stands as right and is not"),
    ],
)
def test_lines_that_do_otherwise_keep_a_card_from_learners(
    admin_client: Client, answer: dict[str, Any], mistake: str, reason: str
) -> None:
    mistakes = [{"name": "slip", "program": mistake, "says": "No."}] if mistake else []
    on_shelf, words = published(admin_client, drafted(answer, mistakes))
    assert not on_shelf
    assert "Not published: " in words
    assert reason in words


@pytest.mark.usefixtures("quick")
def test_two_mistakes_that_do_the_same_are_told_apart_before_learners_meet_them(admin_client: Client) -> None:
    twice = [{"name": name, "program": text, "says": "No."} for name, text in (
        ("first", CUT), ("second", "q.reshape(2, 12, 4, 64)"))]  # fmt: skip
    on_shelf, words = published(admin_client, drafted({"reference": RIGHT}, twice))
    assert not on_shelf
    assert "mistake second: its lines do what first does" in words


@pytest.mark.usefixtures("store")
def test_without_a_worker_an_author_is_told_to_publish_again(admin_client: Client) -> None:
    on_shelf, words = published(admin_client, drafted({"reference": RIGHT}, []))
    assert not on_shelf
    assert "no worker is running; publish again in a moment" in words
