"""Every program of a shipped card is run: each right one is right, each mistake is wrong by its own name."""

from typing import Any

import pytest

from attention_engine.engine import render
from attention_engine.spec import make_spec
from cards.answering import answer_type, grade, judged, question_of
from cards.files import CardText, read_decks
from cards.grading import Example, Grade
from cards.loading import CONTENT
from studyhub.delivery.judging import verdict_of

pytestmark = pytest.mark.plain

PROGRAMS = [
    (card, example)
    for deck in read_decks(CONTENT)
    for topic in deck.topics
    for card in topic.cards
    if card.answer_type == "program"
    for example in answer_type("program").examples(question_of(card))
]
CARDS = {card.slug: card for card, _ in PROGRAMS}


def graded(card: CardText, text: str) -> Grade:
    """The grade after the worker's part, done here."""
    asks = grade(card, 0, {"text": text}).asks
    frames = [frame.as_json() for frame in render(make_spec(**asks))]
    return judged(card, 0, {"text": text}, verdict_of(frames))


def named(value: Any) -> str:
    return value.slug if isinstance(value, CardText) else value.mistake or "right"


def test_there_are_program_cards_with_several_right_programs_and_mistakes() -> None:
    assert len(CARDS) >= 2
    for card in CARDS.values():
        assert len([one for held, one in PROGRAMS if held is card and not one.mistake]) >= 2
        assert len([one for held, one in PROGRAMS if held is card and one.mistake]) >= 4


@pytest.mark.parametrize(("card", "example"), PROGRAMS, ids=named)
def test_a_program_of_a_card_gets_the_grade_it_must_get(card: CardText, example: Example) -> None:
    found = graded(card, example.response["text"])
    assert (found.outcome, found.mistake) == ("incorrect" if example.mistake else "correct", example.mistake)
    if example.mistake:
        assert found.feedback
        assert found.place is not None


@pytest.mark.parametrize(
    ("slug", "text", "mistake"),
    [
        ("write-the-split", "b, t, d = q.shape\nq.reshape(b, t, H, D).permute(0, 2, 1, 3)", None),
        ("write-the-split", "q.unflatten(-1, (12, 64)).transpose(1, 2).contiguous()", None),
        ("write-the-split", "q.reshape(B, H, T, D)", "heads_by_view"),
        ("write-the-split", "rearrange(q, 'b t (d h) -> b h t d', h=12)", "every_twelfth_number"),
        ("write-the-split", "q.mT.view(B, H, T, D)", "view_after_the_transpose"),
        ("write-the-split", "q.view(2, 4, 8, 96).transpose(1, 2)", ""),
        ("write-the-weights", "F.softmax(q @ k.mT * D ** -0.5, dim=-1)", None),
        ("write-the-weights", "s = q @ k.mT\ns = s / math.sqrt(D)\ntorch.softmax(s, -1)", None),
        ("write-the-weights", "F.softmax(q @ k.mT, -1)", "not_scaled"),
        ("write-the-weights", "F.softmax(q @ k.mT / D, -1)", "divided_by_the_width"),
        ("write-the-weights", "torch.softmax(q @ k, -1)", "keys_not_transposed"),
        ("write-the-weights", "(k @ q.mT / 8).softmax(-1)", ""),
    ],
)
def test_what_a_learner_may_write_is_told_apart(slug: str, text: str, mistake: str | None) -> None:
    found = graded(CARDS[slug], text)
    assert found.outcome == ("correct" if mistake is None else "incorrect")
    assert found.mistake == (mistake or "")
