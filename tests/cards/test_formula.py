"""The answer type `formula`: right however it is written, wrong by its name, its place and both values."""

from contextlib import suppress
from fractions import Fraction
from time import process_time
from typing import Any

import pytest

from cards.answer_types import formula
from cards.answering import grade as grade_card
from cards.grading import Grade, Place, Question, Response, Unreadable
from cards.keys import KeyProblem
from cards.lint import lint_card
from cards.mistakes.formulas import BANK

pytestmark = pytest.mark.plain

CACHE = Question(
    {
        "key": "2 L H_kv d_k T b",
        "symbols": {
            "L": ["layers"], "H": ["num_heads"], "H_kv": ["num_kv_heads"], "d_k": ["d_head"], "d_model": [],
            "T": ["tokens"], "b": ["bytes"],
        },
        "at": {"L": 80, "H_kv": 8, "H": 64, "d_k": 128, "d_model": 8192, "T": 1, "b": 2},
    },
    [
        {"name": "no_values", "key": "L H_kv d_k T b", "says": "{answer} keeps the keys alone: {answer_at}."},
        {"name": "query_heads_for_kv_heads", "says": "All query heads: {answer_at}, not {key_at}."},
    ],
)  # fmt: skip
SCALE = Question({"key": "sqrt(d_model / H)", "symbols": {"d_model": [], "H": ["heads"]}})
SPLIT = Question({"key": "d_k = d_model / H", "symbols": {"d_model": [], "H": [], "d_k": ["d_head"]}})


def told(question: Question, text: str) -> Grade:
    return formula.grade(question, Response(text=text))


def asked(key: str, *names: str, **answer: Any) -> Question:
    return Question({"key": key, "symbols": list(names), **answer})


@pytest.mark.parametrize(
    "text",
    [
        "2 L H_kv d_k T b",
        "2LH_kvd_kTb",
        r"2 \cdot L \cdot H_{kv} \cdot d_{\text{head}} \cdot T \cdot b",
        "(L + L) * num_kv_heads * d_head * tokens * bytes",
        "200% L H_kv d_k T b",
        r"\frac{4 L H_{kv} d_k T b}{2}",
        "2·L·H_kv·dₖ·T·b",
        "2 L T (H_kv d_k + H_kv d_k) b / 2",
    ],
)
def test_the_key_is_right_however_it_is_written(text: str) -> None:
    grade = told(CACHE, text)
    assert (grade.outcome, grade.score, grade.mistake) == ("correct", 1.0, "")
    assert grade.title == "2 L H_kv d_k T b"
    assert grade.value == grade.key == 2 * 80 * 8 * 128 * 2


def test_a_listed_mistake_is_named_before_the_bank_and_says_the_numbers() -> None:
    grade = told(CACHE, "L H_kv d_k T b")
    assert (grade.outcome, grade.mistake, grade.score) == ("incorrect", "no_values", 0.0)
    assert grade.feedback == "`L H_kv d_k T b` keeps the keys alone: 163,840."
    assert told(CACHE, "2 L H d_k T b").feedback == "All query heads: 2,621,440, not 327,680."


NAMED = [
    ("width_of_the_model_for_the_head", CACHE, "2 L H_kv d_model T b"),
    ("heads_for_width", CACHE, "2 L H_kv H T b"),
    ("head_count_dropped", CACHE, "2 L d_k T b"),
    ("layers_dropped", CACHE, "2 H_kv d_k T b"),
    ("elements_for_bytes", CACHE, "2 L H_kv d_k T"),
    ("tokens_squared_added", CACHE, "2 L H_kv d_k T^2 b"),
    ("forgot_k_and_v", asked("2 H_kv d_k b", "H_kv", "d_k", "b"), "H_kv d_k b"),
    ("bits_for_bytes", CACHE, "16 L H_kv d_k T b"),
    ("doubled", CACHE, "4 L H_kv d_k T b"),
    ("query_heads_for_kv_heads", CACHE, "2 L H d_k T b"),
    ("kv_heads_for_query_heads", asked("d_model H d_k", "d_model", "H", "H_kv", "d_k"), "d_model H_kv d_k"),
    ("head_width_for_the_model", asked("4 d_model^2", "d_model", "d_k"), "4 d_k^2"),
    ("batch_dropped", asked("B H T^2", "B", "H", "T"), "H T^2"),
    ("tokens_squared_lost", asked("4 T^2 d_model", "T", "d_model"), "4 T d_model"),
    ("forgot_the_root", SCALE, "d_model / H"),
    ("squared", asked("a b", "a", "b"), "a^2 b"),
    ("root_too_many", asked("d_model / H", "d_model", "H"), "sqrt(d_model / H)"),
    ("inverted_division", SCALE, "sqrt(H / d_model)"),
    ("halved", asked("4 L d^2", "L", "d"), "2 L d^2"),
    ("number_dropped", asked("12 L d^2", "L", "d"), "L d^2"),
    ("exponent_dropped", asked("12 L d^2", "L", "d"), "12 L d"),
    ("bytes_for_elements", asked("d_model H", "d_model", "H"), "4 d_model H"),
    ("sign_flipped", asked("a - b c", "a", "b", "c"), "a + b c"),
    ("term_dropped", asked("x^3 + y^2 + 1", "x", "y"), "x^3 + 1"),
    ("log_base", asked("log(n)", "n"), "log2(n)"),
    ("off_by_one", asked("n (n + 3)", "n"), "n (n + 3) - 1"),
    ("product_for_sum", asked("x^3 + y^2", "x", "y"), "x^3 y^2"),
    ("product_for_quotient", asked("x^3 / y^2", "x", "y"), "x^3 y^2"),
    ("quotient_for_product", asked("x^3 y^2", "x", "y"), "x^3 / y^2"),
    ("sum_for_product", asked("x^3 y^2", "x", "y"), "x^3 + y^2"),
    ("factor_dropped", asked("x^3 y z", "x", "y", "z"), "x^3 z"),
    ("relation_turned", asked("x < y", "x", "y"), "x > y"),
    ("other_strictness", asked("x < y", "x", "y"), "x <= y"),
    ("inverted_division", SPLIT, "d_k = H / d_model"),
    ("head_count_dropped", SPLIT, "d_k = d_model"),
]


@pytest.mark.parametrize(("name", "question", "text"), NAMED)
def test_what_people_mix_up_is_named_without_being_listed(name: str, question: Question, text: str) -> None:
    grade = told(question, text)
    assert (grade.outcome, grade.mistake) == ("incorrect", name)
    assert grade.title
    assert grade.feedback


def test_every_transform_of_the_bank_is_met_by_an_answer() -> None:
    assert {name for name, _, _ in NAMED} == {one.name for one in BANK}
    assert len(BANK) >= 20


@pytest.mark.parametrize(
    "key", ["2", "1/2", "n", "a b", "2 L H_kv d_k T b", "sqrt(d_k)", "x = 2y", "x < y", "T^2 b"]
)
def test_no_right_answer_is_given_a_mistake(key: str) -> None:
    names = ["n", "a", "b", "L", "H", "H_kv", "d_k", "d_model", "T", "x", "y"]
    question = asked(key, *names)
    assert [told(question, e.response["text"]).mistake for e in formula.examples(question)] == [""] * len(
        formula.examples(question)
    )


@pytest.mark.parametrize(
    ("question", "text", "part"),
    [
        (CACHE, "2 L H_kv d_k T^2 b", "T^2"),
        (CACHE, "3 L H_kv d_k T b", "3"),
        (CACHE, "2·L·H_kv·d_k·(T − 1)·b", "(T − 1)"),
        (asked("1/sqrt(d_k)", "d_k"), r"\frac{1}{d_k}", "d_k"),
        (asked("a + b x^2", "a", "b", "x"), "a + b x^3", "3"),
        (asked("sqrt(x + y)", "x", "y"), "sqrt(x + 2y)", "2"),
        (SPLIT, "d_k = d_model / (2 H)", "2"),
    ],
)
def test_the_place_is_the_smallest_part_that_differs(question: Question, text: str, part: str) -> None:
    place = told(question, text).place
    assert place is not None
    assert place.field == "text"
    assert text[place.start : place.end].strip("()") == part.strip("()")


def test_a_whole_that_differs_has_no_place() -> None:
    assert told(SCALE, "H").place is None
    assert told(SCALE, "sqrt(d_model / H)").place is None
    assert told(asked("a", "a", "b"), "b + a").place == Place("text", 0, 1)


@pytest.mark.parametrize(
    ("question", "text", "words"),
    [
        (asked("12 L d^2", "L", "d"), "4 L d^2", "Equal up to a factor: yours is 1/3 times 12 L d^2."),
        (asked("x^2", "x"), "x^2 + 3", "Off by a constant: yours is 3 more than x^2."),
        (asked("1/(x-y)", "x", "y", domain="real"), "(y-x)/((x-y)(x-y))", "A plus and a minus"),
        (asked("x^2", "x"), "x^3 + x", "At x = 12 yours gives 1,740 and x^2 gives 144."),
        (asked("|x|", "x", domain="real"), "x", "At x = −12 yours gives −12 and |x| gives 12."),
        (asked("x", "x"), "floor(x)", "At x = 0.5 yours gives 0 and x gives 0.5."),
        (asked("1/3"), "0.333", "0.999 times 1/3"),
        (asked("d/h", "d", "h"), "d/h = 2", "Asked is an expression without = or <."),
        (SPLIT, "d_model/H", "Asked is an equation or inequality."),
        (asked("y = x", "x", "y"), "y = x^3 + 5", "Yours holds for other values than y = x."),
    ],
)
def test_a_wrong_formula_without_a_name_is_told_what_differs(
    question: Question, text: str, words: str
) -> None:
    grade = told(question, text)
    assert grade.outcome == "incorrect"
    assert words in grade.feedback


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (asked("x", "x"), "x/0"),
        (asked("sqrt(d_k)", "d_k"), "sqrt(-d_k)"),
        (asked("x", "x"), "9^9^9^9"),
        (asked("x^2 >= 4", "x"), "x^4 >= 16"),
    ],
)
def test_what_cannot_be_settled_is_undecided_and_never_wrong(question: Question, text: str) -> None:
    grade = told(question, text)
    assert (grade.outcome, grade.score, grade.mistake) == ("undecided", 0.0, "")
    assert "nothing is counted" in grade.feedback


@pytest.mark.parametrize("text", ["x^2 < y^2", "sqrt(x) < sqrt(y)", "log x < log y", "y^3 > x^3"])
def test_what_may_well_be_the_key_is_no_mistake_of_the_bank(text: str) -> None:
    grade = told(asked("x < y", "x", "y"), text)
    assert (grade.outcome, grade.mistake) == ("undecided", "")


def test_what_cannot_be_settled_is_the_mistake_that_the_card_lists() -> None:
    listed = [{"name": "squares", "key": "x^2 < y^2", "says": "The squares are compared."}]
    grade = told(Question({"key": "x < y", "symbols": ["x", "y"]}, listed), "y^2 > x^2")
    assert (grade.outcome, grade.mistake) == ("incorrect", "squares")


def test_what_is_not_declared_is_sent_back_with_the_names_there_are() -> None:
    with pytest.raises(Unreadable, match="`Z` is no name of this question; use d_model, H") as refused:
        told(SCALE, "sqrt(Z)")
    assert refused.value.offset == 5


def test_a_quotient_with_a_factor_behind_it_is_noted() -> None:
    question = asked("x / 2", "x")
    assert told(question, "1/2x").notes == (
        "1 / 2 * x is read from left to right; brackets put more below the line.",
    )
    assert told(question, "(1/2)x").notes == ()
    assert told(question, r"\frac12 x").notes == ()


def test_a_reading_shows_the_formula_and_not_whether_it_is_right() -> None:
    right, wrong = formula.read(SCALE, "sqrt(d_model/H)"), formula.read(SCALE, "d_model/H")
    assert right.read_as == "Read as the square root of (d_model over H)"
    assert (
        wrong.read_as_mathml == "<math><mfrac><msub><mi>d</mi><mi>model</mi></msub><mi>H</mi></mfrac></math>"
    )


def test_the_input_names_the_symbols_and_never_the_key() -> None:
    shown = formula.question_input(SCALE)
    assert shown["names"] == ["d_model", "H", "heads"]
    assert "sqrt(d_model" not in str(shown)


def test_domains_functions_floats_and_alternatives_are_the_cards_own() -> None:
    assert told(asked("|x|", "x", domain={"x": "real"}), "x").outcome == "incorrect"
    assert told(asked("|x|", "x", domain={}), "x").outcome == "correct"
    assert told(asked("f(x)", "x", functions=["f"]), "f(x) + 0").outcome == "correct"
    assert told(asked("1/3", floats={"close": 0.001}), "0.3333").outcome == "correct"
    assert told(asked("x", "x", "y", accepts=["y"]), "y").outcome == "correct"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"key": "x + z"}, "key: `z` is no name"),
        ({"key": 3}, "a formula is a text"),
        ({"key": "x", "accepts": "y"}, "accepts is a list"),
        ({"key": "x", "domain": "complex"}, "domain of x: 'complex'"),
        ({"key": "x", "domain": {"q": "real"}}, "domain of q"),
        ({"key": "x", "floats": "near"}, "floats is exact or"),
        ({"key": "x", "floats": {"close": "much"}}, "'much' is not a number"),
        ({"key": "x", "symbols": "x"}, "symbols is"),
        ({"key": "x", "at": {"x": "many"}}, "at: x is a number"),
    ],
)
def test_a_card_that_cannot_be_read_says_so(answer: dict[str, Any], words: str) -> None:
    with pytest.raises(KeyProblem, match=words.replace("(", r"\(")):
        told(Question({"symbols": ["x"], **answer}), "x")


def test_a_closed_form_is_tried_at_whole_numbers() -> None:
    names = ("T", "H", "b")
    computes = {"compute": "score_bytes", "num_heads": "H", "tokens": "T", "bytes_per_value": "b"}
    assert formula.problems(asked("H T^2 b", *names, computes=computes)) == []
    (problem,) = formula.problems(asked("H T b", *names, computes=computes))
    assert "the key gives" in problem
    assert "score_bytes gives" in problem
    (problem,) = formula.problems(asked("H T b", *names, computes={"compute": "score_bytes", "heads": "H"}))
    assert "cannot be tried" in problem


def test_a_closed_form_may_fix_symbols_and_nest() -> None:
    row = {
        "compute": "kv_bytes_per_token", "model": "llama-3-70b", "num_kv_heads": "H_kv",
        "bytes_per_value": "b",
        "where": {
            "L": {"compute": "layers", "model": "llama-3-70b"},
            "d_k": {"compute": "d_head", "model": "llama-3-70b"},
        },
    }  # fmt: skip
    names = ("L", "H_kv", "d_k", "b")
    assert formula.problems(asked("2 L H_kv d_k b", *names, computes=row)) == []
    assert formula.problems(asked("L H_kv d_k b", *names, computes=row))
    nested = {"compute": "scale_divisor", "d_head": {"compute": "d_head", "d_model": "d", "num_heads": "h"}}
    assert formula.problems(asked("sqrt(d/h)", "d", "h", computes=[nested])) == []
    assert formula.problems(asked("d/h", "d", "h", computes=[nested]))
    assert formula.problems(asked("d", "d", computes=[{**nested, "where": {"q": 1}}])) == [
        "computes: where: q is not declared"
    ]


def test_a_card_is_told_which_of_its_mistakes_cannot_be_made() -> None:
    mistakes = [
        {"name": "right_after_all", "key": "a b", "says": "."},
        {"name": "nobody_knows", "says": "."},
        {"name": "log_base", "says": "."},
        {"name": "sum_for_product", "says": "."},
    ]
    question = Question(asked("b a", "a", "b", at={"a": 1}).answer, mistakes)
    assert formula.problems(question) == [
        "at: every symbol of the key needs a value (a, b)",
        "mistake right_after_all: no wrong formula leads to it",
        "mistake nobody_knows: it needs a key, the bank has no such name",
        "mistake log_base: no wrong formula leads to it",
    ]
    assert "the key cannot be compared with itself" in formula.problems(asked("1/(x-x)", "x"))[0]


def test_every_example_gets_the_verdict_it_stands_for(card: Any) -> None:
    for question in (CACHE, SCALE, SPLIT):
        for example in formula.examples(question):
            grade = told(question, str(example.response["text"]))
            assert grade.outcome == ("incorrect" if example.mistake else "correct")
            assert grade.mistake == example.mistake
    version = card("formula", dict(CACHE.answer), mistakes=list(CACHE.mistakes))
    assert [
        str(p) for p in lint_card(version) if not p.warning and p.rule in ("key", "mistake", "answer")
    ] == []


def test_pictures_take_the_value_at_the_cards_own_numbers(card: Any) -> None:
    row = {"kind": "saturation", "parameters": {"d_head": 64, "divisor": "$answer"}}
    answer = {**SCALE.answer, "at": {"d_model": 768, "H": 12}}
    version = card("formula", answer, mistakes=[], picture=[row])
    pictures = grade_card(version, 0, {"text": "d_model / H"}).pictures
    assert [one["parameters"]["divisor"] for one in pictures] == ["64", "8"]
    third = formula.grade(Question(answer), Response(text="sqrt(d_model)/H"))
    assert isinstance(third.value, Fraction)


def test_a_grade_takes_a_few_milliseconds_and_nothing_more_than_50() -> None:
    answers = [text for _, question, text in NAMED if question is CACHE] + [
        "9^9^9^9",
        "2" * 300,
        "L " * 150,
        "(" * 200,
    ]
    told(CACHE, "L")
    times = []
    for text in answers:
        start = process_time()
        with suppress(Unreadable):
            told(CACHE, text)
        times.append(process_time() - start)
    assert max(times) < 0.05


@pytest.mark.parametrize(
    ("key", "symbols", "text", "mistake"),
    [
        ("2 L H_kv d_k b", {"L": [], "H_kv": [], "d_k": [], "b": []}, "L H_kv d_k b", "forgot_k_and_v"),
        ("2 H_kv d_k", {"H_kv": [], "d_k": []}, "H_kv d_k", "forgot_k_and_v"),
        (
            "2 d_model d_k (H + H_kv)",
            {"d_model": [], "d_k": [], "H": [], "H_kv": []},
            "d_model d_k (H + H_kv)",
            "halved",
        ),
    ],
)
def test_half_of_a_formula_is_without_k_or_v_only_where_those_are_what_is_counted(
    key, symbols, text, mistake
):
    question = Question({"type": "formula", "key": key, "symbols": symbols})
    assert formula.grade(question, Response(text)).mistake == mistake
