"""Shapes asked in names: equal however they are written, and what is wrong about one that is not."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards.answer_types import shape
from cards.answering import grade, key_text, question_input, reading
from cards.expressions.shapes import read_shape
from cards.expressions.symbolic_shapes import assignments, names_in, read_symbolic
from cards.grading import Question, Response, Unreadable
from cards.keys import KeyProblem
from cards.lint import lint_card
from tests.sampling import tries

pytestmark = pytest.mark.plain

HEADS_FIRST = {"axes": ["B", "H", "T", "D"], "sizes": {"B": 2, "T": 4, "H": 12, "D": 64}}
SPELLINGS = [
    "(B, H, T, D)", "B, H, T, D", "[B,H,T,D]", "{b, h, t, d}", "B x H x T x D", "BxHxTxD", "B×H×T×D",
    "B H T D",
    "batch, heads, tokens, d_head", "(batch, num_heads, seq_len, head_dim)", "B, n_heads, T, d_k",
    "(B, H, T, d_model/H)",
    "(B, H, T, d_model // H)", "(B, d_model/D, T, D)", "(B, H, T, (H*D)/H)", "(B, H, (T+1)-1, D)",
    "torch.Size([B, H, T, D])",
    "torch.size([B, H, T, D])", "q.shape = (B, H, T, D)", "B; H; T; D", "(B, H, T, D,)", "(B, H, T, D*1)",
    "B, H, T, d_{head}", r"B \times H \times T \times D", r"(B, H, T, \frac{d_{model}}{H})", "Ｂ，Ｈ，Ｔ，Ｄ",
    "（B, H, T, D）",
    "(B, HD/D, T, D)", "(B, H, 2*T/2, D)", "(B, H, T, HD/H)", "\u200bB, H,\u00a0T, D",
]  # fmt: skip
REFUSED = [
    "(2, 12, 4, 64)", "(B, 12, T, 64)", "2x12x4x64", "(B, H, T, 64)", "(B, H, T, hd)", "B, Q", "BHTD", "",
    "()", "B,,T",
    "(B, H, T, D", "B, H, T, D/0", "B, H, T-T, D", "B, H, T, D+", "B, H, *T, D", "B, H, T D", "B, H, T^D",
    "B, H, T^0", "B, H, T^9",
    "B, H, T, 012",
    "__import__('os')", "B, H, lambda: T, D", "((B), (H)", "B, H, T, D!", "B, H, T, D^D",
    "B, H, T, 99999999999",
    "B, " + "(" * 30 + "H" + ")" * 30, ", ".join("B" * 9), "B" + "*B" * 300, "x", "\x00",
]  # fmt: skip


def graded(text, **answer):
    return shape.grade(Question({**HEADS_FIRST, **answer}), Response(text))


@pytest.mark.parametrize("text", SPELLINGS)
def test_equal_axes_are_right_however_they_are_written(text):
    assert graded(text).outcome == "correct"


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_written_in_names_is_sent_back_and_not_wrong(text, refusal):
    problem = refusal(graded, text)
    assert 0 <= problem.offset <= len(text)


@pytest.mark.parametrize("text", ["(2, 12, 4, 64)", "(B, 12, T, D)", "2 12 4 64"])
def test_sizes_where_names_are_asked_are_told_the_way_out(text, refusal):
    assert "Write the axes by name, such as B." in refusal(graded, text).message


@pytest.mark.parametrize(
    ("text", "name", "title"),
    [
        ("(B, T, H, D)", "axes_swapped", "axes 1 and 2 are swapped"),
        ("(D, T, H, B)", "axes_swapped", "the axes are in another order"),
        ("(B, T, H*D)", "merged_heads", "the heads are merged"), ("(B, T, HD)", "merged_heads",
        "the heads are merged"),
        ("(B, H, T, d_model)", "model_width_for_head_width", "the last axis is the width of the model"),
        ("(H, T, D)", "forgot_batch", "the batch is missing"), ("(B, T, D)", "forgot_heads",
        "the heads are missing"),
        ("(B, H, T, H)", "heads_for_width", "the last axis counts the heads"),
        ("(B, H, T, T)", "scores_for_outputs", "(B, H, T, T) are scores"),
        ("(B, H, T + 1, D)", "wrong_size", "axis 2 is T, not T + 1"), ("(B, H, T/2, D)", "wrong_size",
        "axis 2 is T, not T/2"),
        ("(B, H, T, 2*D)", "wrong_size", "axis 3 is D, not 2*D"), ("(1, H, T, D)", "wrong_size",
        "axis 0 is B, not 1"),
        ("(B, H)", "wrong_rank", "2 axes where 4 belong"),
    ],
)  # fmt: skip
def test_what_is_wrong_about_named_axes_is_named(text, name, title):
    found = graded(text)
    assert (found.outcome, found.mistake, found.title) == ("incorrect", name, title)
    assert found.feedback


def test_swapped_names_say_where_each_belongs_and_which_step_it_is():
    assert graded("(B, T, H, D)").feedback == (
        "The axes are right; (B, H, T, D) has H at axis 1 and T at axis 2. That is the shape after view."
    )


def test_another_number_of_numbers_is_said():
    assert (
        graded("(B, H, T, 2*D)").feedback
        == "(B, H, T, 2*D) holds another number of numbers than (B, H, T, D)."
    )
    assert "holds as many numbers as" in graded("(B, H*2, T/2, D)").feedback


def test_a_mistake_of_the_card_comes_first(card):
    mistake = {
        "name": "not_transposed",
        "axes": ["B", "T", "H", "D"],
        "says": "{answer} is before, {key} after.",
    }
    version = card("shape", answer=HEADS_FIRST, mistakes=[mistake])
    found = grade(version, 0, {"text": "b t h d"})
    assert (found.mistake, found.feedback) == (
        "not_transposed",
        "(B, T, H, D) is before, (B, H, T, D) after.",
    )
    assert lint_card(version) == []


def test_the_sizes_of_the_card_are_for_its_picture():
    found = graded("(B, T, H, D)")
    assert (found.value, found.key) == ([2, 4, 12, 64], [2, 12, 4, 64])
    assert graded("(B, H, T/8, D)").value is None
    assert shape.grade(Question({"axes": ["B", "T"]}), Response("B, T")).key is None


@pytest.mark.parametrize(
    ("axes", "text"),
    [
        (["B", "H", "T", "S"], "(B, heads, T_q, T_k)"), (["B", "T", "3", "H", "D"], "(B, T, 3, H, D)"),
        (["1", "1", "T", "T"], "(1, 1, T, T)"), (["B", "T", "d_model"], "(batch, seq_len, hidden_size)"),
        (["B", "T", "H*D"], "(B, T, d_model)"), (["B", "H_kv", "T", "D"], "(B, num_kv_heads, T, d_head)"),
        (["B", "T+1"], "(B, 1 + T)"), (["B", "H", "T*T"], "(B, H, T^2)"), (["B", "T**2"], "(B, T*T)"),
        (["B", "T", "V"], "(B, T, v)"), (["B", "T", "3*H*D"],
        "(B, T, 3*d_model)"),
    ],
)  # fmt: skip
def test_axes_of_other_questions_are_right_too(axes, text):
    assert shape.grade(Question({"axes": axes}), Response(text)).outcome == "correct"


def test_the_question_tells_the_names_and_not_their_order(card):
    shown = question_input(card("shape", answer=HEADS_FIRST))
    assert shown["hint"] == "Axis names, such as (B, T)"
    assert key_text(card("shape", answer=HEADS_FIRST)) == "(B, H, T, D)"
    assert names_in(["D", "T", "H", "B"]) == ["B", "T", "H", "D", "d_model"]


def test_a_shape_is_read_before_it_is_right(card):
    read = reading(card("shape", answer=HEADS_FIRST), 0, "text", "b x t x d_model//h")
    assert read.read_as == "Read as a shape with 3 axes: (B, T, d_model/H)"


def test_every_assignment_gives_different_names_different_sizes():
    names = ["B", "T", "S", "H", "H_kv", "D", "d_model", "V", "L"]
    for sizes in assignments(names):
        assert len(set(sizes.values())) == len(names)
        assert sizes["d_model"] == sizes["H"] * sizes["D"]
    assert len({sizes["T"] for sizes in assignments(names)}) >= 6


def test_an_axis_made_to_fit_every_assignment_is_sent_back(refusal):
    sizes = [one["T"] for one in assignments(["B", "D", "H", "T", "d_model"])]
    fitted = "*".join(f"(T-{size})" for size in sizes)
    assert "Write each axis shorter." in refusal(graded, f"(B, H, T+{fitted}, D)").message


def test_an_order_that_is_not_the_key_is_never_right():
    for order in itertools.permutations(["B", "H", "T", "D"]):
        outcome = graded(", ".join(order)).outcome
        assert (outcome == "correct") == (order == ("B", "H", "T", "D"))


@pytest.mark.parametrize(
    "answer",
    [{"axes": []}, {"axes": "B, T"}, {"axes": ["B", "T**T"]}, {"axes": ["B", "hd"]}, {"axes": ["B", "0"]}],
)
def test_axes_an_author_cannot_mean_are_a_fault_of_the_card(answer):
    with pytest.raises(KeyProblem):
        shape.examples(Question(answer)) and shape.grade(Question(answer), Response("B, T"))


def test_a_mistake_that_is_the_key_and_sizes_that_are_missing_are_told_to_the_author():
    question = Question(
        {"axes": ["B", "T"], "sizes": {"B": 2}}, [{"name": "same", "axes": ["b", "t"], "says": "x"}]
    )
    assert shape.problems(question) == [
        "mistake same: its shape is the key",
        "sizes does not give every axis a whole size",
    ]


@pytest.mark.parametrize(
    "text", ["٢, ١٢, ٤, ٦٤", "２，１２，４，６４", "torch.Size([2, 12, 4, 64])", "torch.size([2,12,4,64])",
    "q.size() = (2, 12, 4, 64)",
             r"2 \times 12 \times 4 \times 64", r"(2, 12, 4, d_{model}/H)", "(1+1, 2^2*3, T, 2^6)"],
)  # fmt: skip
def test_numbers_of_every_script_and_call_are_the_shape(text):
    sizes = {"B": 2, "T": 4, "H": 12, "D": 64, "d_model": 768}
    assert read_shape(text, sizes).sizes == (2, 12, 4, 64)


@given(st.text(alphabet="BHTDSdmodel_kx123()[],;*/+- \\{}", max_size=60))
@settings(max_examples=tries(400), deadline=None)
def test_any_text_is_read_or_refused_with_a_place_in_it(text):
    try:
        said, offset = read_symbolic(text, ["B", "T", "H", "D", "d_model"]).read_as, 0
    except Unreadable as problem:
        said, offset = "Read as nothing", problem.offset
    assert said.startswith("Read as ")
    assert 0 <= offset <= len(text)
