"""A right number in any spelling is right; what could be two numbers is sent back; nothing else is right."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards.answer_types import numeric
from cards.answering import grade
from cards.expressions.numbers import read_number
from cards.expressions.ranges import read_range
from cards.grading import Question, Response, Unreadable
from tests.sampling import tries

pytestmark = pytest.mark.plain

LATEX = [
    r"\frac{768}{12}", r"\dfrac{768}{12}", r"\tfrac{768}{12}", r"\frac{768}{12}=64", "2^{6}", r"\sqrt{4096}",
    r"768 \div 12", r"4\times 16", r"4 \cdot 16", r"\text{64}", r"\mathrm{64}", r"\boxed{64}", "$64$",
    "$$64$$", r"\(64\)",
    r"\[64\]", r"\left(4\right)\cdot16", r"\frac{\sqrt{4096}}{1}", r"\frac{128}2", r"6400\%", r"\sqrt{4^{6}}",
    r"8 \cdot \sqrt{64}", r"8\sqrt{64}", r"\frac{\frac{1536}{2}}{12}", r"64\,", r"-\left(-64\right)",
    r"\frac12 \cdot 128",
]  # fmt: skip
HALF_WRITTEN = [
    r"\frac{768}", r"\frac", r"\sqrt", r"\foo{64}", "$64", "64$", r"\(64", r"\frac{768}{12", "2^{6",
    r"\sqrt[3]{64}",
    r"\sqrt4096", "{64}", r"\text64", r"\infty", r"\pi", "\\", "\\\\", r"\frac{768}{0}", "2^{}",
    r"\frac{}{12}", "$$",
    r"\sqrt{4}096", r"2^{6}4", r"\frac{1}{2}5", "1/2√2", "2^4√5", "100%%", "½½",
]  # fmt: skip
HEADS = {"compute": "num_heads", "model": "bert-base"}
WIDTH = {"compute": "d_head", "model": "bert-base"}


@pytest.mark.parametrize("text", LATEX)
def test_latex_of_sixty_four_is_sixty_four(text):
    assert read_number(text).value == 64


@pytest.mark.parametrize("text", HALF_WRITTEN)
def test_latex_that_says_no_number_is_sent_back(text, refusal):
    problem = refusal(read_number, text)
    assert 0 <= problem.offset <= len(text)


def test_a_name_in_latex_is_the_name():
    for text in (r"d_{k} = 64", r"d_\text{head} = 64", r"$d_{\text{head}} = \frac{768}{12}$"):
        assert read_number(text, names=["d_head"]).value == 64


@pytest.mark.parametrize("text", [r"12{,}288", r"12\,288", r"12\;288", "12\u202f288"])
def test_thousands_may_be_grouped_as_latex_and_typesetting_do(text):
    assert read_number(text).value == 12288


def test_the_place_of_a_fault_in_latex_is_that_of_the_learners_own_text(refusal):
    assert refusal(read_number, r"\frac{768}{12} ø").offset == 15
    assert refusal(read_number, r"$\frac{768}{0}$").offset > 0


@pytest.mark.parametrize(
    ("text", "value"),
    [("4√5", Fraction(80)), ("8√2", Fraction(128)), ("2^3.5", Fraction(128)), ("2^{7/2}", Fraction(128)),
     ("sqrt(128)", Fraction(128)), (r"8\sqrt{2}", Fraction(128)), ("√2*√64", Fraction(128))],
)  # fmt: skip
def test_a_root_may_be_drawn_out_and_a_power_may_be_half(text, value):
    assert abs(read_number(text).value ** 2 - value) < Fraction(1, 10**30)


@pytest.mark.parametrize(
    ("text", "value"), [("1½", "3/2"), ("64½", "129/2"), ("2½%", "1/40"), ("-1½", "-3/2")]
)
def test_a_fraction_in_one_character_belongs_to_the_number_before_it(text, value):
    assert read_number(text).value == Fraction(value)


@pytest.mark.parametrize(
    ("locale", "text", "value"),
    [
        ("en", "1,536", 1536), ("en", "12.5", Fraction(25, 2)), ("de", "1.536", 1536), ("de", "12,5",
        Fraction(25, 2)),
        ("de", "1.536,5", Fraction(3073, 2)), ("de", "4 * 16", 64), ("any", "12,5", Fraction(25, 2)),
        ("any", "12.5", Fraction(25, 2)), ("any", "1,536,000", 1536000), ("any", "1.536.000", 1536000),
        ("any", "1.536,5", Fraction(3073, 2)), ("any", "1,536.5", Fraction(3073, 2)), ("any", "0,125",
        Fraction(1, 8)),
        ("any", "1536,125", Fraction(12289, 8)), ("any", "1_536", 1536), ("any", "12288", 12288),
    ],
)  # fmt: skip
def test_a_separator_is_what_the_card_says_it_is(locale, text, value):
    assert read_number(text, locale=locale).value == value


@pytest.mark.parametrize(
    ("locale", "text"),
    [("en", "12,5"), ("en", "0,125"), ("en", "1.536,5"), ("de", "12.5"), ("de", "0.125"), ("de", "1,536.5"),
     ("any", "1,536"), ("any", "12.288"), ("any", "12,288"), ("any", "1,536,5"), ("any", "1.5.3")],
)  # fmt: skip
def test_a_separator_that_may_mean_two_things_is_sent_back_and_never_wrong(locale, text, refusal):
    message = refusal(read_number, text, locale=locale).message
    assert "I could not" in message
    assert "Write" in message or "Give" in message


def test_a_number_is_said_as_the_card_writes_numbers(card):
    version = card(answer={"key": {"compute": "d_model", "model": "gpt-3-175b"}, "locale": "de"})
    found = grade(version, 0, {"text": "12.287,5"})
    assert (found.read_as, found.key_text) == ("Read as 12.287,5", "12.288")


@pytest.mark.parametrize(
    "text", ["inf", "-inf", "nan", "Infinity", "3j", "0x40", "1e400000", "9^9^9^9", "64!", "1/2004!"]
)
def test_what_is_no_finite_number_is_sent_back_at_once(text, refusal):
    assert refusal(read_number, text)


def test_powers_that_floats_confuse_are_different_answers(card):
    assert read_number("1/2^99").value != read_number("1/2^98").value
    assert read_number("100.4 - 80.0").value == Fraction("20.4")


@pytest.mark.parametrize(
    ("text", "outcome"),
    [("8%", "incorrect"), ("8", "correct"), ("800%", "correct"), ("0.08", "incorrect"), ("8.0", "correct")],
)
def test_eight_per_cent_is_not_eight(card, text, outcome):
    version = card(answer={"key": {"compute": "scale_divisor", "d_head": 64}})
    assert grade(version, 0, {"text": text}).outcome == outcome


@pytest.mark.parametrize("text", ["12.5%", "0.125", "1/8", "⅛", "2/16", r"\frac{1}{8}"])
def test_an_eighth_is_right_in_every_form(card, text):
    version = card(answer={"key": {"compute": "own_divisor", "model": "t5-small"}, "accepts": []})
    key = grade(version, 0, {"text": "1"}).key
    assert key == 1
    assert read_number(text).value == Fraction(1, 8)


@pytest.mark.parametrize(
    ("text", "notes"),
    [("64", ()), ("768/12", ("not simplified",)), ("768/12 = 64", ()), ("64.0", ()), ("2^6",
    ("not simplified",)),
     ("+64", ()), ("6400%", ()), ("64 dims", ())],
)  # fmt: skip
def test_arithmetic_that_is_left_is_right_with_a_note_where_the_card_asks_for_it(card, text, notes):
    found = grade(card(answer={"key": WIDTH, "unit": "dims", "form": "simplified"}), 0, {"text": text})
    assert (found.outcome, found.notes) == ("correct", notes)
    assert grade(card(answer={"key": WIDTH, "unit": "dims"}), 0, {"text": text}).notes == ()


def test_arithmetic_is_shown_as_it_was_read():
    assert read_number("768/12").mathml == (
        "<math><mrow><mfrac><mn>768</mn><mn>12</mn></mfrac><mo>=</mo><mn>64</mn></mrow></math>"
    )
    assert "<msup><mn>2</mn><mn>6</mn></msup>" in read_number("2^6").mathml
    assert "<msqrt><mn>4096</mn></msqrt>" in read_number("√4096").mathml
    assert [read_number(text).mathml for text in ("64", "-64", "64k", "1,536")] == ["", "", "", ""]


@pytest.mark.parametrize(
    "text",
    ["64-128", "64–128", "64 to 128", "from 64 to 128", "between 64 and 128", "[64, 128]", "(64; 128)",
    "64..128", "64…128",
     "64 - 128 dims", "64 dims to 128 dims", "[64, 128] dims", "2^6-2^7", "d_k = 64-128", "$64-128$",
     "64 bis 128",
     "768/12 to 128", "6４−１２８"],
)  # fmt: skip
def test_every_spelling_of_a_range_is_the_range(card, text):
    version = card(answer={"key": {"range": [WIDTH, {"compute": "d_head", "model": "llama-3-70b"}]},
        "unit": "dims",
                           "names": ["d_head"]})  # fmt: skip
    found = grade(version, 0, {"text": text})
    assert (found.outcome, found.key_text) == ("correct", "64 to 128 dims")


@pytest.mark.parametrize(
    ("text", "feedback"),
    [("64-127", "The upper end is 128, not 127."), ("63 to 128", "The lower end is 64, not 63."),
     ("8-12", "The lower end is 64, not 8. The upper end is 128, not 12."),
     ("64-128 heads", "You gave a number of heads; the question asks for dims.")],
)  # fmt: skip
def test_a_range_is_wrong_by_the_end_that_is_not_right(card, text, feedback):
    version = card(
        answer={"key": {"range": [WIDTH, {"compute": "d_head", "model": "llama-3-70b"}]}, "unit": "dims"}
    )
    found = grade(version, 0, {"text": text})
    assert (found.outcome, found.feedback) == ("incorrect", feedback)


@pytest.mark.parametrize(
    "text", ["64", "128-64", "64,128", "64-128-2", "64-128k", "64 to", "between 64 and", "8 MiB to 16"]
)
def test_what_is_no_range_or_two_is_sent_back(text, refusal):
    assert refusal(read_range, text, "GiB").message


@pytest.mark.parametrize("text", ["64-128", "64 to 128", "[64, 128]"])
def test_a_range_where_one_number_is_asked_is_sent_back(card, text, refusal):
    assert refusal(grade, card(), 0, {"text": text})


def test_each_alternative_has_a_tolerance_of_its_own(card):
    answer = {
        "key": HEADS,
        "accepts": [
            {"key": WIDTH, "tolerance": {"absolute": 10}},
            {"key": {"compute": "d_model", "model": "bert-base"}},
        ],
    }
    texts = ("12", "14", "64", "70", "74", "75", "768", "770")
    outcomes = [grade(card(answer=answer), 0, {"text": text}).outcome == "correct" for text in texts]
    assert outcomes == [True, False, True, True, True, False, True, False]


def spelled(value: int) -> st.SearchStrategy[str]:
    """A whole number as people write it."""
    half, rest = divmod(value, 2)
    return st.sampled_from(
        [
            f"{value}", f"{value:,}", f"{value}.0", f"{value:_}", f" {value} ", f"+{value}", f"−(−{value})",
            f"{value * 3}/3",
            f"{value * 7} ÷ 7", rf"\frac{{{value * 5}}}{{5}}", f"{half} + {half + rest}",
            f"2*{half} + {rest}", f"${value}$",
            f"{value}e0", f"{value * 100}%", f"√({value}^2)", f"sqrt({value * value})",
            f"{value * 2}/2 = {value}",
            "".join(chr(ord("０") + int(digit)) for digit in str(value)),
            "".join(chr(ord("٠") + int(digit)) for digit in str(value)),
            "\u200b".join(str(value)), f"{value} heads", f"num_heads = {value}",
        ]
    )  # fmt: skip


WHOLE_KEYS = st.sampled_from(
    [({"compute": name, "model": model}, model) for name in ("num_heads",) for model in
     ("bert-base", "bert-large", "gpt-2-xl", "gpt-3-175b", "llama-3-70b", "falcon-7b", "phi-2", "gemma-7b")]
)  # fmt: skip
TOLERANCES = st.sampled_from(
    ["exact", {"relative": 0.01}, {"relative": 0.5}, {"absolute": 1}, {"absolute": 3}]
)


@given(st.data())
@settings(max_examples=tries(400), deadline=None)
def test_a_right_number_is_right_in_any_spelling_and_one_off_is_wrong_at_any_tolerance(data):
    key, _ = data.draw(WHOLE_KEYS)
    question = Question({"type": "numeric", "key": key, "unit": "heads", "tolerance": data.draw(TOLERANCES)})
    value = int(numeric.keys_of(question)[0])
    assert numeric.grade(question, Response(data.draw(spelled(value)))).outcome == "correct"
    for other in (value - 1, value + 1):
        assert numeric.grade(question, Response(data.draw(spelled(other)))).outcome == "incorrect"


@given(st.integers(1, 10**6), st.integers(1, 1000), st.sampled_from(["relative", "absolute"]))
@settings(max_examples=tries(200), deadline=None)
def test_the_bound_of_a_tolerance_is_right_and_what_lies_beyond_is_wrong(tokens, parts, kind):
    size = Fraction(1, parts)
    answer = {
        "key": {"compute": "scale_divisor", "d_head": 4 * tokens * tokens},
        "tolerance": {kind: str(size)},
    }
    question = Question(answer)
    key = Fraction(2 * tokens)
    slack = size * key if kind == "relative" else size
    for sign in (1, -1):
        bound, beyond = key + sign * slack, key + sign * (slack + Fraction(1, 10**9))
        assert numeric.grade(question, Response(str(bound))).outcome == (
            "incorrect" if slack == 1 else "correct"
        )
        assert numeric.grade(question, Response(str(beyond))).outcome == "incorrect"


@given(
    st.text(alphabet=r"0123456789+-*/^()., %ekx=_√½²\{}$fractsqdivo[]–&to;", max_size=60),
    st.sampled_from(["en", "de", "any"]),
)
@settings(max_examples=tries(600), deadline=None)
def test_any_text_is_read_or_refused_with_a_place_in_it(text, locale):
    for read in (read_number, read_range):
        try:
            said, offset = read(text, "dims", ["d_head"], locale=locale).read_as, 0
        except Unreadable as problem:
            said, offset = f"Read as {problem.message}", problem.offset
        assert said.startswith("Read as ")
        assert 0 <= offset <= len(text)
