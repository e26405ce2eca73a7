"""Numeric answers: keys, tolerances and the mistake behind a wrong number."""

import re

import pytest

from cards.answering import grade, key_text, question_input

pytestmark = pytest.mark.plain

DIVISORS = {"key": {"compute": "smallest_divisor_above", "n": 768, "above": 8}}
HEADS = [
    {
        "name": "heads_that_do_not_divide",
        "when": "does_not_divide",
        "d_model": 768,
        "says": "768 = {answer} × {quotient} + {remainder}. The nearest that divide are {nearest}.",
    },
    {"name": "not_more_than_eight", "when": "not_above", "bound": 8, "says": "{answer} is at most {bound}."},
    {"name": "narrower_than_needed", "when": "a_larger_divisor", "n": 768, "above": 8, "says": "Too narrow."},
]


def test_ten_heads_are_told_the_arithmetic_and_the_nearest_that_divide(card):
    found = grade(card(answer=DIVISORS, mistakes=HEADS), 0, {"text": "10"})
    assert (found.outcome, found.score, found.mistake) == ("incorrect", 0.0, "heads_that_do_not_divide")
    assert found.title == "10 does not divide 768"
    assert found.feedback == "768 = 10 × 76 + 8. The nearest that divide are 8 and 12."
    assert found.read_as == "Read as the whole number 10"
    assert found.key_text == "12"


@pytest.mark.parametrize(
    ("text", "name"),
    [("8", "not_more_than_eight"), ("16", "narrower_than_needed"), ("7", HEADS[0]["name"]), ("12.5", "")],
)
def test_the_first_mistake_that_fits_is_named(card, text, name):
    assert grade(card(answer=DIVISORS, mistakes=HEADS), 0, {"text": text}).mistake == name


def test_a_mistake_is_known_by_the_value_it_leads_to(card):
    says = "{answer} is d_model of {model}; the key is {key}."
    mistake = {
        "name": "width",
        "key": {"compute": "d_model", "model": "bert-base"},
        "says": says,
        "title": "not {answer}",
    }
    found = grade(card(mistakes=[mistake]), 0, {"text": "768"})
    assert (found.mistake, found.title) == ("width", "not 768")
    assert found.feedback == "768 is d_model of bert-base; the key is 64."


def test_a_mistake_may_list_its_values(card):
    mistake = {"name": "a_power", "key": [32, 128], "says": "A power of two, but not this one."}
    assert [grade(card(mistakes=[mistake]), 0, {"text": t}).mistake for t in ("32", "128", "33")] == [
        "a_power"
    ] * 2 + [""]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("65", "65 is 1 more than 64."),
        ("60", "60 is 4 less than 64."),
        ("128", "128 is 2 × 64."),
        ("16", "16 is 64 / 4."),
    ],
)
def test_a_wrong_number_without_a_name_is_compared_with_the_key(card, text, sentence):
    assert grade(card(), 0, {"text": text}).feedback == sentence


@pytest.mark.parametrize("text", ["63", "65", "63.999999", "64.0001", "-64", "0", "64^2"])
def test_a_whole_key_is_exact(card, text):
    assert grade(card(), 0, {"text": text}).outcome == "incorrect"


@pytest.mark.parametrize(
    ("text", "outcome"), [("11.3137", "correct"), ("11.42", "correct"), ("11.43", "incorrect")]
)
def test_a_relative_tolerance_is_as_wide_as_stated(card, text, outcome):
    answer = {"key": {"compute": "scale_divisor", "d_head": 128}, "tolerance": {"relative": 0.01}}
    assert grade(card(answer=answer), 0, {"text": text}).outcome == outcome


@pytest.mark.parametrize(
    ("text", "outcome"), [("64.5", "correct"), ("63.5", "correct"), ("64.51", "incorrect")]
)
def test_the_bound_itself_is_right(card, text, outcome):
    answer = {"key": {"compute": "d_head", "model": "bert-base"}, "tolerance": {"absolute": "1/2"}}
    assert grade(card(answer=answer), 0, {"text": text}).outcome == outcome


def test_any_of_a_list_is_right(card):
    version = card(answer={"key": {"any_of": {"compute": "divisors", "n": 12}}})
    assert [grade(version, 0, {"text": t}).outcome for t in ("1", "6", "12", "5")] == ["correct"] * 3 + [
        "incorrect"
    ]
    assert key_text(version) == "1, 2, 3, 4, 6 or 12"


def test_the_worked_example_tells_nothing_of_the_key(card):
    models = ("bert-base", "bert-large", "gpt-3-175b", "llama-3-70b")
    keys = [{"compute": name, "model": one} for name in ("d_head", "num_heads", "d_model") for one in models]
    assert len({question_input(card(answer={"key": key}))["hint"] for key in keys}) == 1


@pytest.mark.parametrize("n", [4, 12, 16, 64, 240, 7 * 768])
def test_no_number_of_the_worked_example_is_a_key(card, n):
    hint = question_input(card(answer={"key": {"any_of": {"compute": "divisors", "n": n}}}))["hint"]
    shown = [int(number) for number in re.findall(r"\d+", hint)]
    assert shown
    assert all(n % number for number in shown)


def test_the_question_shows_its_unit_and_nothing_of_the_key(card):
    shown = question_input(card(answer={**DIVISORS, "unit": "heads"}))
    assert shown["unit"] == "heads"
    assert shown["options"] == shown["items"] == []
    assert "12" not in str(shown)


def test_a_card_with_a_broken_key_is_undecided_and_never_wrong(card):
    found = grade(card(answer={"key": {"compute": "no_such_thing"}}), 0, {"text": "64"})
    assert (found.outcome, found.score) == ("undecided", 0.0)


@pytest.mark.parametrize(
    ("when", "arguments", "wrong", "right"),
    [
        ("does_not_divide", {"n": 768}, "10", "16"), ("not_above", {"bound": 8}, "8", "9"),
        ("not_below", {"bound": 8}, "8", "7"), ("not_whole", {}, "85.33", "85"), ("odd", {}, "7", "8"),
        ("not_a_power_of_two", {}, "48", "32"), ("off_by_one", {}, "63", "62"),
        ("off_by_factor", {"factor": 2}, "128", "256"), ("off_by_power_of_ten", {}, "6.4", "6.5"),
        ("a_larger_divisor", {"n": 768, "above": 8}, "96", "48"),
    ],
)  # fmt: skip
def test_each_predicate_finds_its_mistake_and_no_other(card, when, arguments, wrong, right):
    version = card(mistakes=[{"name": "it", "when": when, "says": "{answer}", **arguments}])
    assert [grade(version, 0, {"text": text}).mistake for text in (wrong, right)] == ["it", ""]
