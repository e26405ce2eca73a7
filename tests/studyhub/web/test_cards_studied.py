"""Each shipped card studied: what its picture's code, torch and sentences say agrees with the grade."""

import re
from collections.abc import Iterator
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest

from attention_engine.engine import render
from attention_engine.frames import Frame
from attention_engine.spec import facts, make_spec
from cards.answering import answer_type, grade, grade_json, question_of
from cards.files import CardText, read_decks
from cards.grading import Unreadable
from cards.loading import CONTENT
from studyhub.web.result import result_view

Picture = dict[str, Any]
CARDS = tuple(card for deck in read_decks(CONTENT) for topic in deck.topics for card in topic.cards)
ODD = {
    "numeric": ["0", "-3", "7.5", "1", "7", "13", "64", "96", "768", "1000000", "2147483647", "999999999999"],
    "shape": [
        "(1)",
        "(2, 4)",
        "(2, 4, 768)",
        "(4, 2, 3, 3)",
        "(1, 2, 3, 4, 5)",
        "(2147483647, 2)",
        "B, T, H, D",
    ],
}
REFUSES_WHOLLY = {"multihead-attention-refuses", "view-without-transpose"}
"""Cards about a line that must not work: their picture says so whatever was answered."""


def named(slug: str) -> CardText:
    return next(card for card in CARDS if card.slug == slug)


def responses(card: CardText) -> Iterator[dict[str, Any]]:
    yield from (dict(one.response) for one in answer_type(card.answer_type).examples(question_of(card)))
    yield from ({"text": text} for text in ODD.get(card.answer_type, []))


@cache
def drawn(digest: str, kind: str, items: tuple[tuple[str, Any], ...], seed: int) -> dict[str, Frame]:
    parameters = {name: list(value) if isinstance(value, tuple) else value for name, value in items}
    return {frame.step: frame for frame in render(make_spec(kind, parameters, seed))}


def frames(one: Picture) -> dict[str, Frame]:
    spec = make_spec(one["kind"], one["parameters"], one["seed"])
    items = tuple((k, tuple(v) if isinstance(v, list) else v) for k, v in spec.parameters.items())
    return drawn(spec.digest(), spec.kind, items, spec.seed)


def studied() -> Iterator[Any]:
    for card in CARDS:
        for n, response in enumerate(responses(card)):
            try:
                told = grade(card, 0, response)
            except Unreadable:
                continue
            words = response.get("text") or "-".join(response.get("choices", ())) or n
            yield pytest.param(card, told, id=f"{card.slug}-{words}")


STUDIED = list(studied())


def executed(told: Any, role: str) -> Picture | None:
    found = [one for one in told.pictures if one["kind"] == "answer_executed" and one["role"] == role]
    return dict(found[0]) if found else None


def page(card: CardText, told: Any) -> dict[str, Any]:
    version = SimpleNamespace(answer=card.answer, explanation_html="", answer_type=card.answer_type)
    return result_view(version, grade=grade_json(told))


@pytest.mark.parametrize(("card", "told"), STUDIED)
def test_what_is_said_to_work_works(card: CardText, told: Any) -> None:
    right = executed(told, "right")
    if right is None or card.slug in REFUSES_WHOLLY:
        return
    run = frames(right)["run"]
    known = facts(make_spec(right["kind"], right["parameters"]))
    assert run.error == ""
    assert known["works"]
    assert known["runs"]
    assert "nearest" not in known or known["remainder"] == 0
    column = page(card, told)["columns"][-1]
    assert (column["heading"], column["outcome"]) in {("What works", "correct"), ("What was run", "correct")}
    assert column["shape"]
    assert not column["bands"] or not (column["bands"].left_over or column["bands"].over)
    assert [part["size"] for part in column["shape"]] == list(run.shape)
    assert [part["name"] for part in column["shape"]] == list(run.axes)


@pytest.mark.parametrize(("card", "told"), STUDIED)
def test_a_wrong_answer_meets_torch_or_is_told_to_be_wrong(card: CardText, told: Any) -> None:
    yours = executed(told, "yours")
    if yours is None:
        return
    known = facts(make_spec(yours["kind"], yours["parameters"]))
    run = frames(yours)["run"]
    assert told.outcome != "correct"
    assert bool(run.error) != known["runs"]
    if known["asks"] == "shape":
        assert run.error or "It runs" in run.sentence
        assert ("hold another number" in run.sentence) <= (not run.error)
    if known["asks"] == "width":
        assert run.error, "another width than the layer's own is refused"
        assert ", but q has" in run.sentence
    if known["asks"] == "heads":
        assert bool(run.error) == (known["remainder"] > 0)


@pytest.mark.parametrize(("card", "told"), STUDIED)
def test_the_learners_side_is_another_than_the_one_that_works(card: CardText, told: Any) -> None:
    yours, right = executed(told, "yours"), executed(told, "right")
    if yours is None or right is None:
        return
    one, other = frames(yours)["run"], frames(right)["run"]
    assert (one.title, one.error) != (other.title, other.error)
    shown = page(card, told)["columns"]
    assert shown[0]["says"] != shown[1]["says"]
    lines = [(column["facts"]["code"], column["facts"]["on"]) for column in shown]
    assert lines[0] != lines[1]


@pytest.mark.parametrize(("card", "told"), STUDIED)
def test_an_answer_that_is_not_run_has_its_reason_on_the_page(card: CardText, told: Any) -> None:
    depends = any("$answer" in map(str, row["parameters"].values()) for row in _rows(card))
    if not depends or told.outcome == "correct":
        return
    assert bool(executed(told, "yours")) != bool(page(card, told)["not_run"])


def _rows(card: CardText) -> list[Picture]:
    return list(card.picture)


@pytest.mark.parametrize(("card", "told"), STUDIED)
def test_divisors_are_told_only_where_heads_are_asked_for(card: CardText, told: Any) -> None:
    shown = page(card, told)
    about_heads = card.slug == "more-than-eight-heads"
    assert about_heads or not (shown["nearest"] or shown["may_try"])
    if card.answer_type == "shape":
        assert all(column["bands"] is None for column in shown["columns"])
        known = [column["facts"] for column in shown["columns"]]
        assert not any({"nearest", "remainder", "quotient", "divides"} & set(one) for one in known)


@pytest.mark.parametrize(("card", "told"), STUDIED)
def test_large_numbers_are_written_alike_everywhere(card: CardText, told: Any) -> None:
    for one in told.pictures:
        for frame in frames(dict(one)).values():
            plain = re.sub(r"\([\d, ]*\)|'[^']*'|q\.\w+\(.*?\)", "", frame.sentence)
            assert not re.search(r"(?<![\d,])\d{4,}", plain), frame.sentence
            assert " * " not in plain


@pytest.mark.parametrize(
    ("slug", "text", "says"),
    [
        ("bert-base-d-head", "12", "12 × 12 = 144, but q has 768 features"),
        ("gpt-3-d-head", "64", "96 × 64 = 6,144, but q has 12,288 features"),
        ("llama-3-70b-d-head", "1024", "64 × 1,024 = 65,536, but q has 8,192 features"),
        ("bert-large-d-head", "85", "16 × 85 = 1,360, but q has 1,024 features"),
        ("derive-d-head", "64", "16 × 64 = 1,024, but q has 1,536 features"),
        ("gpt-3-13b-row", "5140", "40 × 128 = 5,120, but q has 5,140 features"),
        ("inner-width-by-floor", "10", "3 × 3 = 9, but q has 10 features"),
        ("inner-width-by-floor", "3", "3 × 3 = 9, but q has 3 features"),
        ("shape-after-project", "(3, 7, 256)", "asks for 5,376 numbers, but x @ W_Q gives 4,032"),
    ],
)
def test_the_arithmetic_of_a_wrong_answer_is_on_the_page_at_once(slug: str, text: str, says: str) -> None:
    card = named(slug)
    shown = page(card, grade(card, 0, {"text": text}))
    assert says in shown["columns"][0]["says"]


@pytest.mark.parametrize("text", ["0", "-3", "7.5"])
def test_a_number_no_axis_can_have_is_said_to_be_none(text: str) -> None:
    card = named("bert-base-d-head")
    shown = page(card, grade(card, 0, {"text": text}))
    written = text.replace("-", "−")
    assert shown["not_run"] == f"A view needs whole numbers of 1 or more; {written} is none."


def test_the_floored_layer_runs_for_the_right_answer_and_w_o_refuses_next() -> None:
    card = named("inner-width-by-floor")
    told = grade(card, 0, {"text": "9"})
    shown = frames(dict(told.pictures[0]))
    assert (shown["run"].error, shown["run"].shape) == ("", (2, 4, 3, 3))
    assert "mat1 and mat2 shapes cannot be multiplied (8x9 and 10x10)" in shown["output"].error


def test_the_layer_that_refuses_is_run_as_the_question_writes_it() -> None:
    card = named("multihead-attention-refuses")
    column = page(card, grade(card, 0, {"choices": ["assertion"]}))["columns"][0]
    assert "".join(part["text"] for part in column["code"]) == "nn.MultiheadAttention(10, 3)"
    assert (column["heading"], column["outcome"], column["bands"]) == ("What torch makes of it", "", None)
