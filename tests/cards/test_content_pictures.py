"""Every picture of a shipped card, for right and wrong answers, is drawn by the engine to its last frame."""

import json
from functools import cache
from typing import Any

import pytest

from attention_engine.engine import render
from attention_engine.spec import facts, make_spec
from cards.answering import answer_type, grade, question_of
from cards.directives import named_pictures
from cards.files import CardText, read_decks
from cards.loading import CONTENT

pytestmark = pytest.mark.plain

FRAMES = {"attention_pattern": 5}
PIPELINE = ["input", "project", "view", "transpose", "attend", "merge", "output"]
Picture = dict[str, Any]


@cache
def cards() -> tuple[CardText, ...]:
    return tuple(card for deck in read_decks(CONTENT) for topic in deck.topics for card in topic.cards)


def card_named(slug: str) -> CardText:
    return next(card for card in cards() if card.slug == slug)


def sections() -> list[str]:
    """The text of every section of every topic."""
    return [part.markdown for deck in read_decks(CONTENT) for topic in deck.topics for part in topic.sections]


def answers(card: CardText) -> list[dict[str, Any]]:
    """Responses of a card: its key, its mistakes, and the showing of a spoken answer."""
    found = [dict(one.response) for one in answer_type(card.answer_type).examples(question_of(card))]
    return found or [{"revealed": True}]


def pictures() -> dict[str, Picture]:
    """Each different picture that some answer to some card asks for, named by where it came from."""
    found: dict[str, tuple[str, Picture]] = {}
    for card in cards():
        for response in answers(card):
            for one in grade(card, 0, response).pictures:
                spec = make_spec(one["kind"], one["parameters"], one["seed"])
                found.setdefault(spec.digest(), (f"{card.slug}-{one['role']}-{one['kind']}", dict(one)))
    for one in (one for section in sections() for one in named_pictures(section)):
        spec = make_spec(one["kind"], one["parameters"], one["seed"])
        found.setdefault(spec.digest(), (f"topic-{one['kind']}", one))
    return {f"{name}-{digest[:8]}": one for digest, (name, one) in found.items()}


@pytest.mark.parametrize("picture", [pytest.param(one, id=name) for name, one in pictures().items()])
def test_a_picture_is_drawn_to_its_last_frame(picture: Picture) -> None:
    frames = list(render(make_spec(picture["kind"], picture["parameters"], picture["seed"])))
    assert [frame.n for frame in frames] == list(range(len(frames)))
    if picture["kind"] == "head_split":
        steps = facts(make_spec(picture["kind"], picture["parameters"]))["steps"]
        assert [frame.step for frame in frames] == [row["step"] for row in steps]
    assert len(frames) == FRAMES.get(picture["kind"], len(frames))
    for frame in frames:
        told = frame.as_json()
        json.dumps(told)
        assert told["sentence"]
        assert "engine-error" not in json.dumps(told)
        assert len(frame.blobs) == len(frame.tensors)


@pytest.mark.parametrize("card", cards(), ids=lambda card: card.slug)
def test_every_answer_brings_a_picture_and_its_own_one_brings_facts(card: CardText) -> None:
    for response in answers(card):
        told = grade(card, 0, response)
        roles = [one["role"] for one in told.pictures]
        assert "right" in roles
        assert told.facts or "yours" not in roles


def test_ten_heads_meet_the_words_of_torch_and_twelve_do_not() -> None:
    told = grade(card_named("more-than-eight-heads"), 0, {"text": "10"})
    yours, right = (one for one in told.pictures if one["kind"] == "answer_executed")
    said = [next(iter(render(make_spec(one["kind"], one["parameters"])))) for one in (yours, right)]
    assert "shape '[2, 4, 10, 76]' is invalid for input of size 6144" in said[0].error
    assert said[1].error == ""
    assert said[1].shape == (2, 4, 12, 64)


@pytest.mark.parametrize(
    "text", ["1", "7", "769", "1000", "100000", "2147483647", "2147483648", "1e12", "7.5"]
)
def test_any_number_of_heads_ends_drawn_or_without_a_picture_of_its_own(text: str) -> None:
    for picture in grade(card_named("more-than-eight-heads"), 0, {"text": text}).pictures:
        assert list(render(make_spec(picture["kind"], picture["parameters"], picture["seed"])))


@pytest.mark.parametrize("slug", [c.slug for c in cards() if "key" in c.answer and c.answer_type == "shape"])
@pytest.mark.parametrize("text", ["(1)", "(2, 4)", "(2, 12, 4, 64)", "(1, 1, 1, 1, 1, 1)", "(2147483647, 2)"])
def test_any_shape_ends_drawn_or_without_a_picture_of_its_own(slug: str, text: str) -> None:
    for picture in grade(card_named(slug), 0, {"text": text}).pictures:
        assert list(render(make_spec(picture["kind"], picture["parameters"], picture["seed"])))


def test_the_silent_split_is_shown_with_the_cells_it_gets_wrong() -> None:
    told = grade(card_named("view-without-transpose"), 0, {"choices": ["silent"]})
    program, silent = told.pictures
    run, _, compared = render(make_spec("answer_executed", program["parameters"]))
    assert run.error == ""
    assert "The shape is right, (3, 5, 7, 11), and the contents are not" in compared.sentence
    assert facts(make_spec("silent_mistake", silent["parameters"]))["share"] == "95.8 %"


def test_the_view_after_a_transpose_is_refused_on_the_tape_with_torchs_words() -> None:
    told = grade(card_named("view-after-transpose"), 0, {"choices": ["strides"]})
    frames = list(render(make_spec("memory_tape", told.pictures[0]["parameters"])))
    assert "view size is not compatible with input tensor's size and stride" in frames[-1].error


def test_the_bytes_of_a_copy_are_those_that_the_tape_tells() -> None:
    told = grade(card_named("bytes-of-a-copy"), 0, {"text": "24,576"})
    assert told.outcome == "correct"
    steps = facts(make_spec("memory_tape", told.pictures[0]["parameters"]))["steps"]
    assert [step["bytes_copied"] for step in steps] == [0, 0, 0, told.key]


@pytest.mark.parametrize(
    ("slug", "step"),
    [
        ("shape-after-project", "project"),
        ("shape-after-split", "view"),
        ("shape-after-transpose", "transpose"),
    ],
)
def test_a_shape_key_is_the_shape_in_the_picture_of_its_card(slug: str, step: str) -> None:
    card = card_named(slug)
    told = grade(card, 0, answers(card)[0])
    split = next(one for one in told.pictures if one["kind"] == "head_split")
    steps = facts(make_spec("head_split", split["parameters"]))["steps"]
    assert [row["step"] for row in steps] == PIPELINE
    assert next(row["shape"] for row in steps if row["step"] == step) == told.key


def test_the_stride_key_is_the_stride_in_the_picture_of_its_card() -> None:
    card = card_named("stride-after-transpose")
    told = grade(card, 0, answers(card)[0])
    tape = facts(make_spec("memory_tape", told.pictures[0]["parameters"]))
    assert next(row["strides"] for row in tape["steps"] if row["step"] == "transpose")[1] == told.key
    assert tape["answer"]["works"]


def test_the_topic_shows_the_pictures_its_text_is_about() -> None:
    kinds = {one["kind"] for section in sections() for one in named_pictures(section)}
    assert kinds == {"saturation", "memory_tape", "head_sharing", "kv_budget", "roofline", "config_museum"}
