"""What stands beside and below an answered question: the option taken, whose picture it is, what is run."""

import json
from types import SimpleNamespace
from typing import Any

import pytest
from django.template.loader import render_to_string

from cards.answering import grade, grade_json
from cards.files import CardText, read_decks
from cards.loading import CONTENT
from studyhub.web.pictures import picture_view
from studyhub.web.result import result_view
from studyhub.web.said import said

CARDS = {card.slug: card for deck in read_decks(CONTENT) for topic in deck.topics for card in topic.cards}


def version(card: CardText) -> Any:
    return SimpleNamespace(
        answer=card.answer, answer_type=card.answer_type, picture=card.picture, explanation_html=""
    )


def columns(slug: str, option: str) -> list[dict[str, Any]]:
    told = grade(CARDS[slug], 0, {"choices": [option]})
    shown: list[dict[str, Any]] = result_view(version(CARDS[slug]), grade=grade_json(told))["columns"]
    return shown


def parameters(column: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(column["picture"]["parameters"])
    return found


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_the_option_that_was_taken_can_be_read_below_the_question(seed: int) -> None:
    shown = said(CARDS["softmax-axis"], {"choices": ["queries"]}, variant_seed=seed)
    (taken,) = shown["chosen"]
    assert (shown["text"], taken["html"]) == (taken["letter"], "<code>scores.softmax(dim=-2)</code>")
    page = render_to_string(
        "web/_answered.html", {"said": shown, "question": {"prompt_html": "<p>Which?</p>"}}
    )
    assert f"{taken['letter']}: <code>scores.softmax(dim=-2)</code>" in page


def test_a_number_that_was_typed_is_not_said_twice() -> None:
    assert "chosen" not in said(CARDS["scale-for-heads-of-64"], {"text": "64"})


def test_a_wrong_line_is_compared_with_the_reference_and_the_reference_not_with_itself() -> None:
    yours, right = map(parameters, columns("softmax-axis", "queries"))
    assert yours == right | {"program": "scores.softmax(dim=-2)", "reference": right["program"]}
    (alone,) = map(parameters, columns("softmax-axis", "keys"))
    assert alone == right


@pytest.mark.parametrize(
    ("kind", "given"), [("head_split", {"model": "bert-base"}), ("silent_mistake", {"model": "bert-base"})]
)
def test_of_two_pictures_of_one_kind_the_learners_own_says_so(kind: str, given: dict[str, Any]) -> None:
    one = {"kind": kind, "parameters": given, "seed": 0}
    yours, right = (picture_view({**one, "role": role})["title"] for role in ("yours", "right"))
    assert yours == f"{right}, as you answered"


def test_an_answer_that_was_only_shown_says_the_key_once() -> None:
    card = CARDS["softmax-axis"]
    told = grade_json(grade(card, 0, {"revealed": True}))
    assert told["key_text"] in told["title"]
    assert result_view(version(card), grade=told)["key_text"] == ""
    wrong = grade_json(grade(card, 0, {"choices": ["queries"]}))
    assert result_view(version(card), grade=wrong)["key_text"] == "scores.softmax(dim=-1)"
