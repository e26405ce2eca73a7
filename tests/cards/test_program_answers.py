"""A program as an answer: read at once, judged by a run, told what is wrong with it and where."""

import json
import re
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_engine.engine import render
from attention_engine.execution.warm import warm
from attention_engine.program import inputs
from attention_engine.program.inputs import Sizes
from attention_engine.spec import make_spec
from cards.answer_types import answer_type, program
from cards.answering import grade as grade_card
from cards.answering import grade_json, judged
from cards.grading import Grade, Place, Question, Response, Unreadable
from cards.keys import KeyProblem
from cards.lint import lint_card
from studyhub.delivery.judging import verdict_of
from tests.attention_engine.hostile_programs import ALL as HOSTILE
from tests.attention_engine.mutation import mutants
from tests.attention_engine.programs import GROUPS, SAME_AFTER_ALL, Group
from tests.sampling import tries

pytestmark = pytest.mark.plain
SPLIT = "q.view(2, 4, 12, 64).transpose(1, 2)"
ANSWER: dict[str, Any] = {"reference": SPLIT, "model": "bert-base", "batch": 2, "tokens": 4}
MISTAKES = [
    {
        "name": "rows_cut",
        "program": "q.view(2, 12, 4, 64)",
        "title": "rows cut",
        "says": "It runs: {answer}.",
    },
    {"name": "no_transpose", "program": "q.view(2, 4, 12, 64)", "says": "Line {line}."},
    {"name": "ten_heads", "program": "q.view(2, 4, 10, 76)", "says": "10 does not divide 768. {words}"},
]
QUESTION = Question(ANSWER, MISTAKES)


@pytest.fixture(autouse=True, scope="module")
def _warm() -> None:
    torch.set_num_threads(1)
    warm()


def answered(text: str, question: Question = QUESTION) -> Grade:
    """The grade after a worker has run it: through the answer type, the engine and the last frame."""
    waiting = program.grade(question, Response(text=text))
    assert (waiting.outcome, waiting.pending) == ("undecided", "worker")
    frames = [frame.as_json() for frame in render(make_spec(**waiting.asks))]
    return program.judged(question, Response(text=text), json.loads(json.dumps(verdict_of(frames))))


def about(group: Group) -> Question:
    """A group of the engine's corpus as a question."""
    more = {"append to the cache": ["k_cache", "past_k", "k_new"], "causal mask": ["q", "k", "v", "mask"]}
    given = {"given": more[group.name]} if group.name in more else {}
    return Question({"reference": group.reference, **layer(group.sizes), **given})


def layer(sizes: Sizes) -> dict[str, int]:
    return {
        "batch": sizes.B,
        "tokens": sizes.T,
        "key_tokens": sizes.K,
        "num_heads": sizes.H,
        "num_kv_heads": sizes.H_kv,
        "d_head": sizes.D,
        "d_model": sizes.C,
    }


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_every_equal_program_is_right(group: Group) -> None:
    question = about(group)
    for text in (group.reference, *group.equal):
        found = answered(text, question)
        assert (text, found.outcome, found.score, found.pending) == (text, "correct", 1.0, "")


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_every_slip_is_wrong_and_says_what_is(group: Group) -> None:
    question = about(group)
    slips = dict.fromkeys((*group.wrong, *list(mutants(group.reference))[::2]))
    for text in (one for one in slips if one not in SAME_AFTER_ALL):
        try:
            found = answered(text, question)
        except Unreadable:
            continue  # a slip such as tile(G, dim=1): refused before it is run
        assert (text, found.outcome, found.score) == (text, "incorrect", 0.0)
        assert found.title
        assert found.feedback


def test_the_corpora_are_as_large_as_they_should_be() -> None:
    assert sum(len(group.equal) for group in GROUPS) >= 60
    slips = [one for group in GROUPS for one in (*group.wrong, *list(mutants(group.reference))[::2])]
    assert len({one for one in slips if one not in SAME_AFTER_ALL}) >= 200
    assert len(set(HOSTILE)) >= 150


def test_nothing_hostile_is_right_and_what_is_not_in_the_language_is_unreadable_with_its_place() -> None:
    question = Question(ANSWER | {"reference": "q", "inputs": "heads", "given": list(inputs.NAMES)})
    refusals: dict[str, Unreadable] = {}
    for text in dict.fromkeys(HOSTILE):
        try:
            found = answered(text, question)
        except Unreadable as refused:
            refusals[text] = refused
        else:
            assert (text, found.outcome != "correct", found.pending) == (text, True, "")
    assert len(refusals) >= 150
    assert all(0 <= one.offset <= len(text) and one.message.endswith(".") for text, one in refusals.items())


@pytest.mark.parametrize(
    ("text", "name", "title"),
    [
        ("q.reshape(B, H, T, D)", "rows_cut", "rows cut"),
        ("q.unflatten(-1, (H, -1))", "no_transpose", "no transpose"),
        ("x = q\nx.view(2, 4, 10, 76)", "ten_heads", "ten heads"),
        (
            "q.view(2, 4, 64, 12).permute(0, 3, 1, 2)",
            "width_before_heads",
            "the last axis is cut the other way round",
        ),
        ("q.view(2, 4, 12, 64).transpose(1, 2) * 2", "", "the shape is right, the contents are not"),
        ("q.view(2, 4, 64, 12).transpose(1, 2)", "", "the result has another shape"),
        ("q.view(2, 4, 11, 69)", "", "line 1 stops: q.view(2, 4, 11, 69)"),
        ("q.chunk(12, -1)", "", "the program stops"),
    ],
)
def test_a_wrong_program_is_named_by_the_mistake_it_equals_or_by_what_it_does(
    text: str, name: str, title: str
) -> None:
    found = answered(text)
    assert (found.outcome, found.mistake, found.title) == ("incorrect", name, title)


def test_the_words_of_torch_stand_below_the_sentence_as_they_are() -> None:
    with pytest.raises(RuntimeError) as caught:
        torch.zeros(2, 4, 768).view(2, 4, 11, 69)
    told = grade_json(answered("q.view(2, 4, 11, 69)"))
    assert f"<pre><code>RuntimeError: {caught.value}" in told["feedback_html"].replace("&#39;", "'")
    assert "nearest to 11 that divide 768: 8, 12" in told["feedback_html"]
    assert told["facts"]["words"] == f"RuntimeError: {caught.value}"


def test_a_mistake_may_say_torchs_words_itself_and_they_are_said_once() -> None:
    html = grade_json(answered("q.view(2, 4, 10, 76)"))["feedback_html"]
    assert html.count("RuntimeError") == 1
    assert "<code>RuntimeError: shape '[2, 4, 10, 76]' is invalid for input of size 6144</code>" in (
        html.replace("&#39;", "'")
    )


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("q.view(2, 12, 4, 64)", "q.view(2, 12, 4, 64)"),
        ("heads = q.view(2, 12, 4, 64)  # cut\nheads * 1", "heads = q.view(2, 12, 4, 64)"),
        (
            "h = q.view(2, 4, 12, 64)\r\n\r\nh.transpose(\r\n  1, 3)\r\n",
            "h.transpose(\r\n  1, 3)",
        ),
        ("  h = q.view(2, 4, 12, 64); h = h.transpose(1, 3)\n  h", "h = h.transpose(1, 3)"),
        ("x = q\n\nx.view(2, 4, 11, 69)", "x.view(2, 4, 11, 69)"),
    ],
)
def test_the_place_is_the_first_statement_that_is_not_the_references(text: str, marked: str) -> None:
    place = answered(text).place
    assert place is not None
    assert (place.field, text[place.start : place.end]) == ("text", marked)


@pytest.mark.parametrize(
    ("reference", "text", "name"),
    [
        (SPLIT, "q.reshape(B, H, T, D)", "silent_head_mix"),
        (SPLIT, "rearrange(q, 'b t (d h) -> b h t d', h=H)", "width_before_heads"),
        (SPLIT, "q.unflatten(-1, (H, D))", "missing_transpose"),
        (
            "out.transpose(1, 2).reshape(B, T, H*D)",
            "y = out\ny.transpose(1, 2).view(2, 4, 768)",
            "not_contiguous",
        ),
        (
            "out.transpose(1, 2).contiguous().view(B, T, H*D)",
            "out.swapaxes(1, 2).view(2, 4, -1)",
            "not_contiguous",
        ),
        ("q @ k.mT / math.sqrt(D)", "torch.einsum('bhqd,bhkd->bhqk', q, k)", "no_scale"),
        ("q @ k.mT / math.sqrt(D)", "q @ k.mT / 64", "divided_by_the_width"),
        ("q @ k.mT * D ** -0.5", "q @ k.mT / D", "divided_by_the_width"),
        ("q @ k.mT / math.sqrt(D)", "q @ k / 8", "missing_transpose"),
        ("scores.softmax(dim=-1)", "F.softmax(scores, 2)", "wrong_softmax_axis"),
        ("F.softmax(scores, dim=-1)", "e = scores.exp()\ne / e.sum(2, keepdim=True)", "wrong_softmax_axis"),
        ("scores.masked_fill(~mask, float('-inf')).softmax(-1)", "F.softmax(scores, -1)", "missing_mask"),
        ("q / math.sqrt(D)", "q", ""),
    ],
)
def test_a_mistake_that_no_card_lists_is_found_by_the_bank(reference: str, text: str, name: str) -> None:
    question = Question({"reference": reference, "model": "bert-base", "batch": 2, "tokens": 4})
    found = answered(text, question)
    assert (found.outcome, found.mistake) == ("incorrect", name)
    assert found.feedback
    assert answered(reference, question).outcome == "correct"


def test_repeated_heads_of_keys_that_are_tiled_are_named() -> None:
    question = Question({"reference": "k.repeat_interleave(G, dim=1)", "num_heads": 8, "num_kv_heads": 2})
    assert answered("torch.cat([k, k, k, k], 1)", question).mistake == "heads_tiled"


def test_the_cards_own_mistakes_come_before_those_of_the_bank_and_never_are_too_many() -> None:
    several = [{"name": str(n), "program": f"q.view(B, T, H, D) * {n}", "says": "x"} for n in range(2, 9)]
    question = Question(
        ANSWER, [*several[:6], {"name": "mine", "program": "q.view(2, 12, 4, 64)", "says": "x"}]
    )
    assert answered("q.view(B, H, T, D)", question).mistake == "mine"
    asks = program.grade(question, Response(text="q")).asks["parameters"]["mistaken"]
    assert asks.count("---") == 7
    assert answered("q.view(B, T, D, H).permute(0, 3, 1, 2)", question).mistake == "width_before_heads"


def test_what_may_be_right_and_is_too_large_is_undecided_and_waits_for_nothing_more() -> None:
    question = Question({"reference": "q @ k.mT", "model": "bert-base", "tokens": 64})
    found = answered("(q[:, :, :, None] * k[:, :, None]).sum(-1)", question)
    assert (found.outcome, found.score, found.pending) == ("undecided", 0.0, "")
    assert "numbers, above" in found.feedback


def test_a_bomb_is_wrong() -> None:
    found = answered("q.unsqueeze(0).repeat(90000, 9, 9, 9)")
    assert (found.outcome, found.title) == ("incorrect", "the program stops")
    assert "numbers, above" in found.feedback


@pytest.mark.parametrize("told", [{}, {"outcome": "maybe"}, {"outcome": "undecided", "reason": "too large"}])
def test_a_verdict_that_says_nothing_is_no_verdict(told: dict[str, Any]) -> None:
    found = program.judged(QUESTION, Response(text="q"), told)
    assert (found.outcome, found.pending, found.mistake) == ("undecided", "", "")


@pytest.mark.parametrize("place", [-1, 8, 99, "1", None])
def test_a_mistake_that_is_not_in_the_list_is_none(place: Any) -> None:
    found = program.judged(QUESTION, Response(text="q"), {"outcome": "wrong-shape", "mistaken": place})
    assert (found.outcome, found.mistake) == ("incorrect", "")


def test_another_right_program_is_right_and_the_learner_cannot_choose_the_layout() -> None:
    question = Question({"reference": "q @ k.mT", "accepts": ["(q @ k.mT).mT"], **layer(GROUPS[0].sizes)})
    assert answered("k @ q.mT", question).outcome == "correct"
    rows = "a = q.view(B, T, H, D).transpose(1, 2)\na @ k.view(B, T, H, D).transpose(1, 2).mT"
    assert answered(rows, question).outcome == "incorrect"


@pytest.mark.parametrize(
    ("text", "offset", "said"),
    [
        ("", 0, "Nothing is written here"),
        (" \n\t", 0, "Nothing is written here"),
        ("import os", 0, "nothing is imported"),
        ("q.viw(1)", 2, "close to it: view"),
        ("h = q\nhads.view(1)", 6, "hads is not given"),
        ("q.view(2,", 6, "cannot be read"),
        ("q # \x07", 4, "control character"),
        ("q" * 601, 600, "at most 600 characters"),
        ("q.__class__", 2, "not an operation"),
        ("return q", 0, "without return"),
        ("h = q\nx.view(2, 4, 12, 64)", 6, "x is not given here: q"),
        ("Q.view(2, 4, 12, 64)", 0, "Q is not given here: q"),
    ],
)
def test_what_is_not_in_the_language_is_unreadable_where_it_stands(text: str, offset: int, said: str) -> None:
    with pytest.raises(Unreadable, match=said) as refused:
        program.grade(QUESTION, Response(text=text))
    assert (refused.value.offset, refused.value.field) == (offset, "text")


@given(st.text(max_size=40) | st.text("qkv.()viewtransps12,=\n @*[]'", max_size=60))
@settings(max_examples=tries(400), deadline=None)
def test_any_text_is_read_or_unreadable(text: str) -> None:
    try:
        found = program.grade(QUESTION, Response(text=text))
    except Unreadable as error:
        offset = error.offset
    else:
        offset = 0
        assert found.asks["parameters"]["program"] == text.replace("\r\n", "\n").replace("\r", "\n").rstrip()
    assert 0 <= offset <= len(text)


@pytest.mark.parametrize(
    ("text", "read_as"), [("q", "Parses: 1 line"), ("x = q\n\n# why\nx.T", "Parses: 2 lines")]
)
def test_a_program_is_read_while_it_is_typed_and_nothing_is_told_of_its_verdict(
    text: str, read_as: str
) -> None:
    assert program.read(QUESTION, text).read_as == read_as


def test_the_field_has_room_for_lines_and_says_what_is_given_but_no_line_of_the_key() -> None:
    asked = program.question_input(QUESTION)
    assert asked["lines"] > 1
    assert asked["given"][0] == {"name": "q", "shape": [2, 4, 768]}
    assert {"name": "H", "shape": "12"} in asked["given"]
    assert "view" not in json.dumps(asked)
    more = program.question_input(Question(ANSWER | {"given": ["q", "mask"]}))["given"]
    assert more[:2] == [{"name": "q", "shape": [2, 4, 768]}, {"name": "mask", "shape": [4, 4]}]


def test_the_verdicts_picture_is_the_cards_picture(card: Any) -> None:
    version = card("program", ANSWER, mistakes=MISTAKES)
    text = "q.view(B, H, T, D)"
    waiting = grade_card(version, 0, {"text": text})
    digest = make_spec(**waiting.asks).digest()
    yours, right = waiting.pictures
    assert (yours["role"], right["role"]) == ("yours", "right")
    assert make_spec(yours["kind"], yours["parameters"], yours["seed"]).digest() == digest
    assert right["parameters"]["program"] == SPLIT
    frames = [frame.as_json() for frame in render(make_spec(**waiting.asks))]
    found = judged(version, 0, {"text": text}, verdict_of(frames))
    assert (found.mistake, found.pictures) == ("rows_cut", waiting.pictures)
    assert found.facts["code"] == text


def test_a_card_with_a_picture_of_its_own_keeps_it(card: Any) -> None:
    own = {"kind": "answer_executed", "parameters": {"program": "$answer", "model": "gpt-3-13b"}}
    waiting = grade_card(card("program", ANSWER, picture=[own]), 0, {"text": "q"})
    assert [one["parameters"]["model"] for one in waiting.pictures] == ["gpt-3-13b", "gpt-3-13b"]


def test_an_answer_that_was_shown_is_a_miss_that_waits_for_nobody(card: Any) -> None:
    shown = grade_card(card("program", ANSWER), 0, {"revealed": True})
    assert (shown.outcome, shown.pending) == ("incorrect", "")
    assert shown.title == f"the answer is {SPLIT}"


def test_a_sound_card_has_no_problem_and_lint_takes_what_is_still_to_be_run(card: Any) -> None:
    assert program.problems(QUESTION) == []
    assert answer_type("program").OFFLINE is False
    broken = [one for one in lint_card(card("program", ANSWER, mistakes=MISTAKES)) if not one.warning]
    assert broken == []


@pytest.mark.parametrize(
    ("answer", "mistakes", "said"),
    [
        (ANSWER | {"accepts": ["q.viw(1)"]}, [], "accepts: .*close to it: view"),
        (ANSWER, [{"name": "a"}], "mistake a: it needs `program: LINES`"),
        (ANSWER, [{"name": "a", "program": "import os"}], "mistake a: .*nothing is imported"),
        (ANSWER, [{"name": "a", "program": f"{SPLIT}\n"}], "mistake a: its program is a right one"),
        (ANSWER, [{"name": str(n), "program": f"q * {n}"} for n in range(9)], "at most 8"),
        (ANSWER | {"model": "no-such"}, [], "no-such"),
        (ANSWER | {"inputs": "columns"}, [], "inputs must be one of"),
        (ANSWER | {"num_heads": 0}, [], "num_heads"),
        (ANSWER | {"given": ["k"]}, [], "reference: .*q is not given here: k"),
        (ANSWER, [{"name": "a", "program": "k.view(2, 12, 4, 64)"}], "mistake a: .*k is not given here"),
    ],
)
def test_a_broken_card_says_what_is_broken(
    answer: dict[str, Any], mistakes: list[dict[str, Any]], said: str
) -> None:
    assert any(re.search(said, problem) for problem in program.problems(Question(answer, mistakes)))


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"reference": ""},
        {"reference": 5},
        ANSWER | {"accepts": "q"},
        ANSWER | {"reference": "q.viw(1)"},
        ANSWER | {"given": ["nobody"]},
    ],
)
def test_a_card_without_a_program_that_is_right_is_a_problem_of_the_key(answer: dict[str, Any]) -> None:
    with pytest.raises(KeyProblem):
        program.grade(Question(answer), Response(text="q"))


def test_a_broken_card_counts_against_nobody(card: Any) -> None:
    found = grade_card(card("program", {"reference": "q.viw(1)"}), 0, {"text": "q"})
    assert (found.outcome, found.pending) == ("undecided", "")


def test_what_a_learner_wrote_is_quoted_and_never_markup() -> None:
    text = "y = q.view(2, 12, 4, 64)  # <script>alert(1)</script> [x](javascript:1)\ny"
    html = grade_json(answered(text))["feedback_html"]
    assert "<script" not in html
    assert "href" not in html
    assert answered(text).mistake == "rows_cut"
    assert answered("q.view(2, 4, 12, 64)").place == Place("text", 0, 20)
