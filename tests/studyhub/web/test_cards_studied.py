"""Each shipped card studied: what its picture's code, torch and sentences say agrees with the grade."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest

from attention_engine.engine import render
from attention_engine.frames import Frame
from attention_engine.spec import facts, make_spec
from cards.answering import answer_type, grade, grade_json, question_of
from cards.files import CardText, read_decks
from cards.generators import concrete
from cards.grading import Unreadable
from cards.loading import CONTENT
from cards.placing import has_place
from studyhub.web.result import result_view

pytestmark = [pytest.mark.plain, pytest.mark.xdist_group("cards studied")]
"""In one process, so that each picture is drawn once."""

Picture = dict[str, Any]
CARDS = tuple(card for deck in read_decks(CONTENT) for topic in deck.topics for card in topic.cards)
ODD = {
    "numeric": [
        *("0", "-3", "7.5", "1/8", "11.31", "1/3", "1", "7", "13", "40", "64", "96", "768", "6144"),
        *("1000000", "2147483647", "999999999999", "10^30", "2^2000", "1/10^9"),
    ],
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


@cache
def answers(slug: str) -> tuple[tuple[str, Any], ...]:
    """Every answer to a card that can be read, in words, with its grade."""
    card, told = named(slug), []
    for n, response in enumerate(responses(card)):
        words = response.get("text") or "-".join(response.get("choices", ())) or str(n)
        with suppress(Unreadable):
            told.append((words, grade(card, 0, response)))
    return tuple(told)


EACH = pytest.mark.parametrize("card", CARDS, ids=lambda one: one.slug)


def of_every_answer(claim: Callable[[CardText, Any], None]) -> Callable[[CardText], None]:
    """A claim about a grade as a test of each card, tried on every answer to it and naming one that fails."""

    def test(card: CardText) -> None:
        for words, told in answers(card.slug):
            try:
                claim(card, told)
            except Exception as error:
                error.add_note(f"answered {words!r} to {card.slug}")
                raise

    test.__name__ = claim.__name__
    return EACH(test)


def executed(told: Any, role: str) -> Picture | None:
    found = [one for one in told.pictures if one["kind"] == "answer_executed" and one["role"] == role]
    return dict(found[0]) if found else None


def page(card: CardText, told: Any) -> dict[str, Any]:
    asked = concrete(card, 0)
    version = SimpleNamespace(
        answer=asked.answer, explanation_html="", answer_type=card.answer_type, picture=asked.picture
    )
    return result_view(version, grade=grade_json(told))


@of_every_answer
def test_what_is_said_to_work_works(card: CardText, told: Any) -> None:
    right = executed(told, "right")
    if right is None or card.slug in REFUSES_WHOLLY:
        return
    run = frames(right)["run"]
    known = facts(make_spec(right["kind"], right["parameters"]))
    assert run.error == ""
    if known["asks"] == "program":
        assert frames(right)["compare"].sentence.startswith("Every number equals the reference's")
        assert page(card, told)["columns"][-1]["heading"] in {"The right line", "What was run"}
        return
    assert known["works"]
    assert known["runs"]
    assert "nearest" not in known or known["remainder"] == 0
    column = page(card, told)["columns"][-1]
    assert (column["heading"], column["outcome"]) in {("What works", "correct"), ("What was run", "correct")}
    assert column["shape"]
    assert not column["bands"] or not (column["bands"].left_over or column["bands"].over)
    assert [part["size"] for part in column["shape"]] == list(run.shape)
    assert [part["name"] for part in column["shape"]] == list(run.axes)


@of_every_answer
def test_a_wrong_answer_meets_torch_or_is_told_to_be_wrong(card: CardText, told: Any) -> None:
    yours = executed(told, "yours")
    if yours is None:
        return
    known = facts(make_spec(yours["kind"], yours["parameters"]))
    run = frames(yours)["run"]
    assert told.outcome != "correct"
    if told.pending == "worker":
        return  # tests/cards/test_content_programs.py runs it and judges it
    if known["asks"] == "program":
        assert run.error or frames(yours)["compare"].verdict["outcome"] in ("wrong-values", "wrong-shape")
        return
    assert bool(run.error) != known["runs"]
    if known["asks"] == "shape":
        assert run.error or "It runs" in run.sentence
        assert ("hold another number" in run.sentence) <= (not run.error)
    if known["asks"] == "width":
        assert run.error, "another width than the layer's own is refused"
        assert ", but q has" in run.sentence
    if known["asks"] == "heads":
        assert bool(run.error) == (known["remainder"] > 0)


@of_every_answer
def test_the_learners_side_is_another_than_the_one_that_works(card: CardText, told: Any) -> None:
    yours, right = executed(told, "yours"), executed(told, "right")
    if yours is None or right is None:
        return
    one, other = frames(yours)["run"], frames(right)["run"]
    assert (one.title, one.error) != (other.title, other.error)
    shown = page(card, told)["columns"]
    program = shown[0]["facts"]["asks"] == "program"
    assert program or shown[0]["says"] != shown[1]["says"]
    assert [column["heading"] for column in shown] == [
        "What you ran",
        "The right line" if program else "What works",
    ]
    lines = [(column["facts"]["code"], column["facts"].get("on")) for column in shown]
    assert lines[0] != lines[1]


@of_every_answer
def test_an_answer_that_is_not_run_has_its_reason_on_the_page(card: CardText, told: Any) -> None:
    waiting = next((row["kind"] for row in card.picture if has_place(row)), "")
    if not waiting or told.outcome == "correct":
        return
    yours = [one for one in told.pictures if (one["kind"], one["role"]) == (waiting, "yours")]
    assert bool(yours) != bool(page(card, told)["not_run"])


@of_every_answer
def test_the_learners_own_picture_is_drawn_with_another_outcome_than_the_right_one(
    card: CardText, told: Any
) -> None:
    for kind in {one["kind"] for one in told.pictures if one["role"] == "yours"}:
        yours, right = (
            next((dict(one) for one in told.pictures if (one["kind"], one["role"]) == (kind, role)), None)
            for role in ("yours", "right")
        )
        assert yours is not None
        assert right is not None, card.slug
        drawn_yours, drawn_right = frames(yours), frames(right)
        said = [[(f.title, f.sentence, f.error) for f in one.values()] for one in (drawn_yours, drawn_right)]
        assert said[0] != said[1]
        if kind == "memory_tape":
            assert facts(make_spec(kind, right["parameters"]))["answer"]["works"]
            known = facts(make_spec(kind, yours["parameters"]))["answer"]
            assert not known["works"]
            assert bool(drawn_yours["answer"].error) != known["runs"]
        if kind == "saturation":
            assert facts(make_spec(kind, right["parameters"]))["works"]


@of_every_answer
def test_every_picture_of_a_grade_stands_on_the_page_with_words_of_its_own(card: CardText, told: Any) -> None:
    shown = page(card, told)
    kinds = [column["picture"]["kind"] for column in shown["columns"]]
    kinds += [picture["kind"] for picture in shown["pictures"]]
    assert sorted({one["kind"] for one in told.pictures}) == sorted(
        set(kinds) & {p["kind"] for p in told.pictures}
    )
    for picture in shown["pictures"]:
        assert picture["title"]
        assert picture["steps"] or picture["plain"].sentence
    titles = [picture["title"] for picture in shown["pictures"]]
    assert len(set(titles)) == len(titles), titles


@of_every_answer
def test_divisors_are_told_only_where_heads_are_asked_for(card: CardText, told: Any) -> None:
    shown = page(card, told)
    about_heads = card.slug in {"more-than-eight-heads", "first-divisor-above"}
    assert about_heads or not (shown["nearest"] or shown["may_try"])
    if card.answer_type == "shape":
        assert all(column["bands"] is None for column in shown["columns"])
        known = [column["facts"] for column in shown["columns"]]
        assert not any({"nearest", "remainder", "quotient", "divides"} & set(one) for one in known)


@of_every_answer
def test_large_numbers_are_written_alike_everywhere(card: CardText, told: Any) -> None:
    for one in told.pictures:
        for frame in frames(dict(one)).values():
            plain = re.sub(r"\([\d, ]*\)|'[^']*'|q\.\w+\(.*?\)|k\[.*?\]|et al. \d{4}", "", frame.sentence)
            assert not re.search(r"(?<![\d,.])\d{4,}", plain), frame.sentence
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


@pytest.mark.parametrize(
    ("slug", "text", "says"),
    [
        ("stride-after-transpose", "0", "Strides are tried as whole numbers of 1 or more; 0 is none."),
        ("stride-after-transpose", "-8", "Strides are tried as whole numbers of 1 or more; −8 is none."),
        ("stride-after-transpose", "7.5", "Strides are tried as whole numbers of 1 or more; 7.5 is none."),
        ("scale-for-heads-of-64", "0", "Nothing was run: divisor 0 is not above 0"),
        ("scale-for-heads-of-64", "-8", "Nothing was run: divisor -8 is not above 0"),
        (
            "scale-for-heads-of-64",
            "10^9",
            "Nothing was run: divisor 1000000000 lies beyond 0.000001 to 1000000",
        ),
    ],
)
def test_what_no_picture_takes_is_told_with_the_learners_own_number(slug: str, text: str, says: str) -> None:
    card = named(slug)
    assert page(card, grade(card, 0, {"text": text}))["not_run"].startswith(says)


@pytest.mark.parametrize(
    ("slug", "text", "parameter", "placed"),
    [
        ("scale-for-heads-of-64", "1/8", "divisor", "0.125"),
        ("scale-for-heads-of-64", "11.31", "divisor", "11.31"),
        ("spread-of-scores", "256", "divisor", "256"),
        ("stride-after-transpose", "40", "answer_strides", [160, 40, 32, 1]),
    ],
)
def test_the_learners_own_number_is_in_the_picture(slug: str, text: str, parameter: str, placed: Any) -> None:
    told = grade(named(slug), 0, {"text": text})
    assert next((one["role"], one["parameters"][parameter]) for one in told.pictures) == ("yours", placed)


def test_a_line_that_the_question_writes_is_nobodys_and_is_not_said_to_work() -> None:
    card = named("view-without-transpose")
    for choice in ("silent", "raises"):
        (column,) = page(card, grade(card, 0, {"choices": [choice]}))["columns"]
        assert (column["heading"], column["outcome"], column["picture"]["role"]) == ("What was run", "", "")


@pytest.mark.parametrize(
    ("slug", "choice", "said"),
    [
        ("merge-the-heads", "view", "view size is not compatible with input tensor's size and stride"),
        (
            "grouped-heads-in-order",
            "broadcast",
            "The size of tensor a (64) must match the size of tensor b (8)",
        ),
        ("grouped-heads-in-order", "tokens", "The size of tensor a (64) must match the size of tensor b (8)"),
    ],
)
def test_a_chosen_line_that_is_refused_meets_torchs_own_words(slug: str, choice: str, said: str) -> None:
    yours = executed(grade(named(slug), 0, {"choices": [choice]}), "yours")
    assert yours is not None
    assert said in frames(yours)["run"].error


@pytest.mark.parametrize(
    "slug", ["merge-the-heads", "softmax-axis", "grouped-heads-in-order", "mask-with-a-cache"]
)
def test_a_chosen_line_that_runs_is_told_how_many_numbers_differ(slug: str) -> None:
    card = named(slug)
    for option in card.answer["options"]:
        yours = executed(grade(card, 0, {"choices": [option["id"]]}), "yours")
        if yours and not frames(yours)["run"].error:
            assert re.search(r"[\d,]+ of [\d,]+ numbers differ", frames(yours)["compare"].sentence)


def test_strides_that_were_tried_are_shown_once_beside_the_tensors_own() -> None:
    card = named("stride-after-transpose")
    shown = {text: page(card, grade(card, 0, {"text": text}))["pictures"] for text in ("40", "8", "0")}
    titles = {text: [picture["title"] for picture in pictures] for text, pictures in shown.items()}
    assert titles == {
        "40": ["Memory read with your strides (160, 40, 32, 1)"],
        "8": ["Memory read with the strides (160, 8, 32, 1)"],
        "0": ["Memory read with the strides (160, 8, 32, 1)"],
    }


def test_a_tape_that_a_card_shows_whatever_is_answered_stays_beside_the_strides_that_were_tried() -> None:
    card = named("stride-after-transpose")
    (row,) = [row for row in card.picture if has_place(row)]
    strides = {name: value for name, value in row["parameters"].items() if name != "answer_strides"}
    fixed = [strides | {"ops": "transpose(0, 1)"}, strides | {"answer_strides": [160, 40, 8, 1]}]
    rows = [row, *({"kind": "memory_tape", "parameters": one} for one in fixed)]
    changed = replace(card, picture=rows)
    pictures = page(changed, grade(changed, 0, {"text": "40"}))["pictures"]
    assert [picture["title"] for picture in pictures] == [
        "Memory read with your strides (160, 40, 32, 1)",
        "What x.transpose(0, 1) does in memory",
        "Memory read with the strides (160, 40, 8, 1)",
    ]


def test_some_four_hundred_answers_are_studied() -> None:
    assert sum(len(answers(card.slug)) for card in CARDS) > 400
