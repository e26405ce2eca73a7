"""Cards that do not stick: for staff alone, counted over learners without a name, with what might help."""

import uuid
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client
from django.utils import timezone

from cards.models import Card
from studyhub.study.models import Attempt, Memory, learner_of
from studyhub.study.statistics.rewording import suggestions
from studyhub.study.statistics.sticking import Answers, cards_that_do_not_stick, shown

PAGE = "/author/sticking/"


def answer(learner: Any, card: Card, *, text: str, outcome: str, mistake: str = "", sure: int = 0) -> None:
    assert card.published_version
    Attempt.objects.create(
        learner=learner, client_id=uuid.uuid4(), card_version=card.published_version, outcome=outcome,
        grade={"mistake": mistake}, response={"text": text}, confidence=sure, created_at=timezone.now(),
        body_digest="1",
    )  # fmt: skip


@pytest.fixture
def stuck(shelf: None, ben: Any, cy: Any) -> Card:
    """A card that two of three learners keep forgetting, and another that one nearly does."""
    card, near = (Card.objects.get(slug=slug) for slug in ("more-than-eight-heads", "pipeline-order"))
    third = get_user_model().objects.create_user("third-learner", password="x")
    for user, lapses in ((ben, 9), (cy, 8), (third, 2)):
        Memory.objects.create(learner=learner_of(user), card=card, state="review", lapses=lapses)
    Memory.objects.create(learner=learner_of(ben), card=near, state="review", lapses=7)
    for _ in range(4):
        answer(learner_of(ben), card, text="10", outcome="incorrect", mistake="heads_that_do_not_divide")
    for _ in range(3):
        answer(learner_of(cy), card, text="96", outcome="incorrect")
    answer(learner_of(cy), card, text="12", outcome="correct", sure=40)
    answer(learner_of(cy), card, text="12 or so", outcome="undecided")
    return card


@pytest.fixture
def author(ada: Any) -> Client:
    """Staff who may see cards."""
    ada.user_permissions.add(Permission.objects.get(codename="view_card"))
    client = Client()
    client.force_login(ada)
    return client


def test_a_card_is_counted_over_learners_with_its_mistakes(stuck: Card) -> None:
    (found,) = cards_that_do_not_stick()
    assert (found.card, found.learners, found.lapses, found.met) == (stuck, 2, 17, 3)
    assert (found.answers.number, found.answers.wrong, found.answers.named) == (8, 7, 4)
    assert found.answers.mistakes == [("heads_that_do_not_divide", 4)]
    assert found.answers.unnamed == [("96", 3)]
    assert (found.answers.told, found.answers.guessed) == (1, 1)


def test_the_page_tells_counts_and_no_name(stuck: Card, author: Client) -> None:
    html = author.get(PAGE).content.decode()
    assert "17 lapses, 2 of 3 learners who met it; 7 of 8 answers wrong." in html
    assert "heads that do not divide, 4" in html
    assert "3 of 7 wrong answers are 96, which no mistake of the card names." in html
    assert f'href="/admin/cards/card/{stuck.pk}/change/"' in html
    main = html.split("<main")[1]
    assert not any(name in main for name in (">ben", ">cy", "third-learner"))


def test_a_withdrawn_card_is_nobodys_trouble_any_more(stuck: Card, author: Client) -> None:
    Card.objects.filter(pk=stuck.pk).update(state="retired")
    assert cards_that_do_not_stick() == []
    assert "No card has been forgotten 8 times or more" in author.get(PAGE).content.decode()


def test_only_staff_who_may_see_cards_look(db: None, ben: Any, ada: Any) -> None:
    assert Client().get(PAGE).status_code == 302
    learner, other = Client(), Client()
    learner.force_login(ben)
    other.force_login(ada)  # staff without the right
    assert (learner.get(PAGE).status_code, other.get(PAGE).status_code) == (302, 403)


def test_the_list_of_cards_and_the_preview_lead_to_it(stuck: Card, author: Client) -> None:
    for address in ("/admin/cards/card/", f"/author/preview/?version={stuck.published_version_id}"):
        assert f'href="{PAGE}"' in author.get(address).content.decode()


def test_what_a_learner_wrote_in_their_own_words_is_shown_to_nobody(
    stuck: Card, ben: Any, author: Client
) -> None:
    spoken = Card.objects.filter(published_version__answer_type="rubric").first()
    assert spoken
    Memory.objects.create(learner=learner_of(ben), card=spoken, state="review", lapses=8)
    for _ in range(3):
        answer(learner_of(ben), spoken, text="my own words", outcome="partial")
    html = author.get(PAGE).content.decode()
    assert spoken.slug in html
    assert "my own words" not in html


def written(**changes: Any) -> Any:
    usual = {"prompt_html": "<p>How wide?</p>", "hints": ["a"], "mistakes": [{}], "explanation": "So."}
    return SimpleNamespace(**(usual | changes))


@pytest.mark.plain
@pytest.mark.parametrize(
    ("version", "answers", "said"),
    [
        (written(), Answers(), "Nothing stands out."),
        (written(), Answers(wrong=9, unnamed=[("96", 2)]), "Nothing stands out."),  # twice says nothing
        (written(), Answers(wrong=20, unnamed=[("96", 5)]), "Nothing stands out."),  # nor a quarter
        (written(), Answers(wrong=9, unnamed=[("96", 5)]), "5 of 9 wrong answers are 96"),
        (written(), Answers(wrong=9, mistakes=[("v_forgotten", 4)]), "make one mistake (v forgotten)"),
        (written(), Answers(told=6, guessed=3), "3 of 6 right answers"),
        (written(prompt_html="<p>How wide? How many?</p>"), Answers(), "It asks 2 questions at once."),
        (written(prompt_html="<p>Why?</p><pre>a ? b : c</pre>"), Answers(), "Nothing stands out."),
        (written(), Answers(cells=6), "It asks for 6 values at once."),
        (written(prompt_html=f"<p>{'x' * 301}</p>"), Answers(), "The question has 301 characters."),
        (written(hints=[]), Answers(), "It has no hint."),
        (written(mistakes=[]), Answers(), "It names no mistake."),
        (written(explanation=""), Answers(), "It has no explanation."),
    ],
)
def test_each_suggestion_rests_on_numbers(version: Any, answers: Answers, said: str) -> None:
    found = suggestions(version, answers)
    assert len(found) == 1
    assert said in found[0]


@pytest.mark.plain
def test_an_answer_is_shown_in_one_short_line() -> None:
    assert shown({"text": "a\n b"}) == "a b"
    assert shown({"choices": ["b", "d"]}) == "b, d"
    assert shown({"cells": {"heads": "12"}}) == "heads: 12"
    assert len(shown({"text": "x" * 500})) == 60
    assert shown({}) == ""
