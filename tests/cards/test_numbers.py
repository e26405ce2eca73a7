"""Numbers as people write them, read exactly."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards.expressions.echo import format_number
from cards.expressions.numbers import read_number
from cards.grading import Unreadable
from tests.sampling import tries

pytestmark = pytest.mark.plain

SIXTY_FOUR = [
    "64", " 64 ", "64.0", "64.", "6.4e1", "6.4E+1", "640e-1", "768/12", "768 / 12", "768÷12", "768∕12",
    "2^6", "2**6",
    "2 ^ 6", "2⁶", "4*16", "4×16", "4 x 16", "4·16", "(4)*16", "−(-64)", "--64", "+64",
    "60+4", "128-64", "128 − 64", "128–64", "６４", "٦٤", "𝟔𝟒", "6\u200b4", "\ufeff64", "64\u00a0",
    "\u200964",
    "768/12 = 64", "2^6=64", "sqrt(4096)", "√4096", "4096^0.5", "4096^(1/2)", "6400%",
    "0.064k",
    "(((64)))", "64e0", "2^(2*3)", "2^2^2*4", "-(-2)^6*-1", "1/(1/64)", "½*128",
]  # fmt: skip
THOUSANDS = ["1536", "1,536", "1\u00a0536 ", "1_536", "1\u00a0536", "1\u202f536", "1\u2009536", "1'536",
    "1’536", "1,536.0",
             "1.536k", "1.536e3"]  # fmt: skip
NOT_NUMBERS = [
    "", "   ", "12 or so", "about 64", "12x", "x12", "64 or 65", "inf", "-inf", "nan", "NaN",
    "Infinity", "∞", "e", "pi",
    "1,5", "0,125", "1,5360", "1,53", "12,", ",5", "1.2.3", "--", "+", "()", "(64", "64)", ")64(",
    "64 64x", "2(3)",
    "3j", "0x40", "1e", "1e99999", "64!", "64;", "$64", "#64", "64\\", "\x00", "64\x00", "\ud800", "𝕏",
    "6₄", "①",
    "[64]", "{64}", "64-128", "64–128", "4*16=65", "=", "64=", "__import__('os')", "64 if 1 else 2",
    "lambda: 64", "1//2",
    "64 128", "1 536", "12 768", "1 234 56", "1\t536", "768 12", "1,234 567",
    "foo=64", "x=64", "d_head = 64", "a = 64", "the = 64", "foo = bar = 64", "64 = foo",
    "6_4", "64 heads", "64 GiB", "1/0", "0^-1", "0/0", "sqrt(-1)", "(-8)^0.5", "2^0.3",
]  # fmt: skip


@pytest.mark.parametrize("text", SIXTY_FOUR)
def test_every_spelling_of_sixty_four_is_sixty_four(text):
    assert read_number(text).value == 64


@pytest.mark.parametrize("text", THOUSANDS)
def test_thousands_may_be_grouped(text):
    assert read_number(text).value == 1536


@pytest.mark.parametrize("text", NOT_NUMBERS)
def test_what_is_no_number_is_unreadable_and_not_wrong(text, refusal):
    problem = refusal(read_number, text)
    assert problem.field == "text"
    assert 0 <= problem.offset <= len(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12.5%", Fraction(1, 8)), ("1/8", Fraction(1, 8)), ("0.125", Fraction(1, 8)), ("⅛", Fraction(1, 8)),
        ("8%", Fraction(2, 25)), ("8e9", Fraction(8 * 10**9)), ("64k", Fraction(64000)), ("8B",
        Fraction(8 * 10**9)),
        ("64Ki", Fraction(65536)), ("-2^2", Fraction(-4)), ("2^-1", Fraction(1, 2)), ("2⁻¹", Fraction(1, 2)),
        ("10^30", Fraction(10**30)), ("100.4-80.0", Fraction("20.4")), ("0.1+0.2", Fraction("0.3")),
        ("7-2-1", Fraction(4)), ("8/4/2", Fraction(1)), ("2^3^2", Fraction(512)), ("-64", Fraction(-64)),
    ],
)  # fmt: skip
def test_arithmetic_is_exact(text, value):
    assert read_number(text).value == value


def test_powers_that_floats_confuse_are_told_apart():
    assert read_number("2^99").value != read_number("2^99+1").value


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("64 dims", "dims", 64), ("64 dimensions", "dims", 64), ("64 Dim", "dims", 64), ("64", "dims", 64),
        ("12 heads", "heads", 12), ("1 head", "heads", 1), ("64 numbers per head", "numbers per head", 64),
        ("64 numbers", "numbers per head", 64), ("64 dims", "numbers per head", 64), ("320 KiB",
        "bytes", 327680),
        ("320 KB", "bytes", 320000), ("327,680 bytes/token", "bytes per token", 327680), ("8 B", "bytes", 8),
        ("2.5 GiB", "GiB", Fraction(5, 2)), ("2560 MiB", "GiB", Fraction(5, 2)), ("dims = 64", "dims", 64),
        ("heads = 12", "heads", 12), ("H = 12", "heads", 12), ("num_heads = 12 heads", "heads", 12),
        ("4 tokens", "tokens", 4), ("T = 4", "tokens", 4), ("8 B", "GiB", Fraction(8, 2**30)),
        ("4k", "tokens", 4000), ("4 M tokens", "tokens", 4 * 10**6), ("1 234 567", "", 1234567),
    ],
)  # fmt: skip
def test_the_cards_unit_may_follow(text, unit, value):
    assert read_number(text, unit).value == value


@pytest.mark.parametrize("text", ["d_head = 64", "d_k = 64", "D=64", "D_HEAD = 768/12", "head_dim = 64 = 64"])
def test_a_declared_name_may_stand_before_the_number(text):
    assert read_number(text, names=["d_head"]).value == 64


@pytest.mark.parametrize("text", ["H = 64", "num_heads = 64", "foo = 64", "d_model = 64", "dims = 64"])
def test_another_name_is_sent_back_even_where_the_number_is_right(text, refusal):
    refusal(read_number, text, names=["d_head"])


@pytest.mark.parametrize(
    ("text", "unit"),
    [("4T", "tokens"), ("4 T", "tokens"), ("4T tokens", "tokens"), ("4T", "bytes per token"), ("2k", "keys"),
     ("8G", "GiB"), ("2 M", "MiB")],
)  # fmt: skip
def test_a_letter_that_may_be_the_unit_is_no_scale(text, unit, refusal):
    refusal(read_number, text, unit)


@pytest.mark.parametrize(
    ("text", "unit"),
    [("64 dims dims", "dims"), ("64 bananas", "heads"), ("64 dims / 2", "dims"), ("64 h", "heads"),
     ("64 dims per head", "dims"), ("8 s", "dims"), ("64 query heads", "heads")],
)  # fmt: skip
def test_a_word_that_is_no_unit_is_sent_back_even_where_the_number_is_right(text, unit, refusal):
    assert unit.split()[0] in refusal(read_number, text, unit).message


def test_a_gibibyte_is_not_a_gigabyte():
    assert read_number("1 GiB", "bytes").value - read_number("1 GB", "bytes").value == 2**30 - 10**9


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("10", "Read as the whole number 10"), ("64.0", "Read as the whole number 64"), ("4*16",
        "Read as 4 × 16 = 64"),
        ("768/12", "Read as 768 / 12 = 64"), ("1536", "Read as the whole number 1,536"), ("12.50",
        "Read as 12.5"),
        ("-4", "Read as −4"), ("12.5%", "Read as 12.5% = 0.125"), ("256/3", "Read as 256 / 3 = 256/3"),
        ("2*-3", "Read as 2 × −3 = −6"), ("768/12=64", "Read as 768 / 12 = 64"), ("1\u202f536",
        "Read as the whole number 1,536"),
    ],
)  # fmt: skip
def test_the_learner_is_told_how_it_was_read(text, sentence):
    assert read_number(text).read_as == sentence


@pytest.mark.parametrize(
    ("text", "offset"),
    [("12 or so", 3), ("  12x", 4), ("（64", 3), ("６４ ø", 3), ("\u200b6₄", 2), ("½ ⁶ ø", 4)],
)
def test_the_offset_points_into_the_learners_own_text(text, offset, refusal):
    assert refusal(read_number, text).offset == offset


def test_a_refusal_quotes_the_learner_without_markup(refusal):
    message = refusal(read_number, "<b>`12`</b> & so").message
    assert message == "I could not read `b 12 /b so`. Give one number."


@given(st.fractions(min_value=-(10**9), max_value=10**9, max_denominator=1000))
@settings(max_examples=300, deadline=None)
def test_what_is_written_for_people_reads_back_as_the_same_number(value):
    shown = format_number(value)
    assert shown.startswith("about") or read_number(shown).value == value


@given(st.text(alphabet="0123456789+-*/^()., %ekx=_√½²", max_size=40))
@settings(max_examples=tries(500), deadline=None)
def test_any_text_gives_a_number_or_a_refusal_that_points_into_it(text):
    try:
        read = read_number(text)
        offset = 0
    except Unreadable as problem:
        read, offset = None, problem.offset
    assert 0 <= offset <= len(text)
    assert read is None or read.read_as.startswith("Read as ")
