"""Shapes as people write them, read as whole numbers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards.expressions.shapes import format_shape, read_shape
from cards.grading import Unreadable
from tests.sampling import tries

pytestmark = pytest.mark.plain

SIZES = {"B": 2, "T": 4, "S": 9, "H": 12, "D": 64, "d_model": 768}
HEADS_FIRST = [
    "(2, 12, 4, 64)", "(2,12,4,64)", "[2, 12, 4, 64]", "{2, 12, 4, 64}", "<2,12,4,64>", "2,12,4,64",
    "2, 12, 4, 64,",
    "2x12x4x64", "2 x 12 x 4 x 64", "2×12×4×64", "2 × 12 × 4 × 64", "2X12X4X64", "2 12 4 64", "  2  12 4 64 ",
    "2;12;4;64", "torch.Size([2, 12, 4, 64])", "Size([2,12,4,64])", "torch.Size((2, 12, 4, 64))",
    "([2, 12, 4, 64])",
    "q.shape = (2, 12, 4, 64)", "shape: 2, 12, 4, 64", "２，１２，４，６４", "2,\u00a012,\u20094, 64",
    "B, H, T, D", "(B, H, T, D)", "[b,h,t,d]", "B H T D", "b h t d_head", "BxHxTxD", "B×H×T×D",
    "B x H x T x d_k",
    "batch, heads, tokens, d_head", "(batch, num_heads, seq_len, head_dim)", "batch x n_heads x tokens x dh",
    "(2, H, T, 64)", "(B, 12, 4, d_model/H)", "(B, d_model/D, T, D)", "(B, H, T, d_model // num_heads)",
    "(B, 3*4, T, 8*8)", "(B, 3×4, T, D)", "(B, (3*4), T, D)",
]  # fmt: skip
NOT_SHAPES = [
    "", " ", "()", "[]", "(", ")", "(2, 12", "2, 12)", "(2, 12]", "2,,12", ",2", "2, -1", "(-1, 64)",
    "2, 0", "2.5, 3",
    "a, b", "2, 12, four", "(2, 12) ok", "2 + 2", "x", "xx", "2x", "x2", "99999999999", "2, 3000000000",
    "B, Q",
    "((2, 3), (4, 5))", "(2)(3)", "2, 3/2", "D/0", "0/D", "2,3;4,,", "1,2,3,4,5,6,7,8,9", "None", "...",
    "\x00", "\ud800",
    "2, \x00, 3", "B, T, H D", "(B, T, H*)", "(B, *H)", "torch.Size", "Size([", "__class__",
    "2, 3 # note", "inf, 2",
    "(B, T, hd)", "(B, T, Hd)", "(B, T, hD)", "B T hd", "(B, T, DH)", "(B, HS)", "(B, NH)",
    "(B, td)", "(bt, D)",
    "HD", "BT", "BHTD", "(BHTD, 1)", "BHT", "2H 64", "2 3H", "HQ, 2",
    "1,024, 64", "(1,024, 64)", "2, 012", "(2, 012, 4, 64)", "2x012", "2 012", "00", "(2, 4, 1,536)",
    "(1,536, 64)",
    "2,012",
]  # fmt: skip


@pytest.mark.parametrize("text", HEADS_FIRST)
def test_every_spelling_of_heads_first_is_the_same_shape(text):
    assert read_shape(text, SIZES).sizes == (2, 12, 4, 64)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("(B, T, H*D)", (2, 4, 768)), ("(B, T, H×D)", (2, 4, 768)), ("B, T, H x D", (2, 4, 768)),
        ("B,T,d_model", (2, 4, 768)),
        ("B, T, C", (2, 4, 768)), ("64", (64,)), ("(64,)", (64,)), ("H*D", (768,)), ("(B, H, T_q, T_k)",
        (2, 12, 4, 9)),
        ("B x T x 768", (2, 4, 768)),
        ("(B, T, HD)", (2, 4, 768)), ("B T HD", (2, 4, 768)), ("BxTxHD", (2, 4, 768)),
        ("B,T,HD", (2, 4, 768)),
        ("(BT, HD)", (8, 768)), ("(BT, H, D)", (8, 12, 64)), ("(B, TD, H)", (2, 256, 12)),
        ("(B, HT, D)", (2, 48, 64)),
        ("(BH, T, D)", (24, 4, 64)), ("(BHT, D)", (96, 64)), ("(NT, HD)", (8, 768)), ("(BL, D)", (8, 64)),
        ("(B, T, d_model/HD)", (2, 4, 1)), ("(HD,)", (768,)), ("(BH, T, S)", (24, 4, 9)),
        ("B, H, T, S", (2, 12, 4, 9)),
        ("(B, TS)", (2, 36)),
    ],
)  # fmt: skip
def test_products_belong_to_one_axis_where_commas_separate(text, sizes):
    assert read_shape(text, SIZES).sizes == sizes


@pytest.mark.parametrize("text", NOT_SHAPES)
def test_what_is_no_shape_is_unreadable_and_not_wrong(text, refusal):
    problem = refusal(read_shape, text, SIZES)
    assert 0 <= problem.offset <= len(text)
    assert "<" not in problem.message


def test_a_name_that_the_card_declares_stands_for_itself():
    assert read_shape("(B, T, hd)", {**SIZES, "hd": 64}).sizes == (2, 4, 64)


def test_without_key_tokens_s_is_the_length_of_the_sequence():
    assert read_shape("B, S", {"B": 2, "T": 4}).sizes == (2, 4)


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        ("(B, T, hd)", "hd may be H*D or d_head"),
        ("(B, DH)", "DH may be D*H or dh"),
        ("BT", "Separate the axes"),
        ("1,024, 64", "without a comma inside"),
        ("(2, 4, 1,536)", "without a comma inside"),
    ],
)
def test_what_could_be_two_things_is_sent_back_with_the_way_out(text, way_out, refusal):
    assert way_out in refusal(read_shape, text, SIZES).message


def test_an_axis_without_a_size_in_this_question_is_sent_back(refusal):
    assert "no size for S" in refusal(read_shape, "B, H, T, T_k", {"B": 2, "H": 12, "T": 4}).message


def test_a_shape_of_zero_says_what_a_shape_needs(refusal):
    assert "A shape needs whole numbers of 1 or more" in refusal(read_shape, "2, 0").message


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("2x12x4x64", "Read as a shape with 4 axes: (2, 12, 4, 64)"),
        ("B, T, H*D", "Read as a shape with 3 axes: (B, T, H*D) = (2, 4, 768)"),
        ("B, T, HD", "Read as a shape with 3 axes: (B, T, H*D) = (2, 4, 768)"),
        ("64", "Read as a shape with 1 axis: (64,)"),
    ],
)
def test_the_learner_is_told_how_it_was_read(text, sentence):
    assert read_shape(text, SIZES).read_as == sentence


@given(st.lists(st.integers(1, 2**31 - 1), min_size=1, max_size=8))
@settings(max_examples=200, deadline=None)
def test_a_shape_as_torch_writes_it_reads_back(sizes):
    assert read_shape(format_shape(tuple(sizes))).sizes == tuple(sizes)


@given(st.text(alphabet="0123456789xX,;()[]BTHD_ */-.", max_size=40))
@settings(max_examples=tries(500), deadline=None)
def test_any_text_gives_a_shape_or_a_refusal_that_points_into_it(text):
    try:
        read = read_shape(text)
        offset = 0
    except Unreadable as problem:
        read, offset = None, problem.offset
    assert 0 <= offset <= len(text)
    assert read is None or read.read_as.startswith("Read as ")


@pytest.mark.parametrize("sign", ["⓶", "₀", "𑁚", "2⓶", "²"])
def test_a_digit_that_is_no_decimal_is_sent_back_or_read(sign):
    with pytest.raises(Unreadable):
        read_shape(f"{sign}, 4", {})
