"""Questions with drawn values: the draw, what is filled in, which seed comes next, and what is refused."""

import json
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_engine.spec import make_spec
from cards.answering import answer_type, grade, key_text, question_input, question_of
from cards.faults import faults
from cards.files import CardText, hash_of, read_decks
from cards.filling import filled, filled_text, unfilled
from cards.generators import MAX_SEED, concrete, drawn, is_parametrised, next_seed, sample, seed_of
from cards.grading import read_response
from cards.lint import lint_card, self_test
from cards.loading import CONTENT
from cards.variants import variants_of

pytestmark = pytest.mark.plain

SEEDS = st.integers(0, 2**63 - 1)
WIDTH = {
    "num_heads": [8, 12, 16],
    "d_head": {"from": 40, "to": 160, "step": 40},
    "d_model": "$num_heads * $d_head",
}


def card(variants: Any = None, where: Any = (), **content: Any) -> Any:
    """A version that asks for the width of a head, with changes."""
    stated = {
        "answer_type": "numeric",
        "answer": {"key": {"compute": "quotient", "d_model": "$d_model", "num_heads": "$num_heads"}},
        "prompt": "A layer is {{ $d_model }} wide, with {{ $num_heads }} heads. How wide is one?",
        "explanation": "$d = {{ $d_model }} / {{ $num_heads }} = {{ $d_head }}$, `view({{ $d_model }})`.",
        "mistakes": [
            {"name": "heads", "key": "$num_heads", "says": "{answer} are the heads of {{ $d_model }}."}
        ],
        "hints": ["Divide {{ $d_model }}."],
        "picture": [{"kind": "head_split", "parameters": {"d_model": "$d_model", "num_heads": "$num_heads"}}],
        "sources": ["vaswani-2017"],
        **content,
    }
    return SimpleNamespace(**stated, parameters={"variants": variants or WIDTH, "where": list(where)})


@cache
def shipped() -> tuple[CardText, ...]:
    """The shipped cards that draw."""
    every = (one for deck in read_decks(CONTENT) for topic in deck.topics for one in topic.cards)
    return tuple(one for one in every if is_parametrised(one))


def reloaded(version: Any) -> Any:
    """The version as a database gives it back: names in another order, everything else the same."""
    kept = {name: getattr(version, name) for name in ("answer", "mistakes", "picture", "hints", "parameters")}
    told = json.loads(json.dumps(kept, sort_keys=True))
    told["parameters"]["variants"] = dict(reversed(told["parameters"]["variants"].items()))
    texts = {name: getattr(version, name) for name in ("answer_type", "prompt", "explanation", "sources")}
    return SimpleNamespace(**texts, **told)


def written(asked: Any) -> str:
    """Everything of a question, to be compared."""
    names = ("prompt", "answer", "mistakes", "picture", "hints", "explanation")
    return hash_of([getattr(asked, name) for name in names])


# The draw.


@pytest.mark.parametrize(
    ("seed", "values"),
    [
        (0, {"d_head": 40, "num_heads": 8, "d_model": 320}),
        (1, {"d_head": 160, "num_heads": 16, "d_model": 2560}),
        (2**53 - 1, {"d_head": 160, "num_heads": 8, "d_model": 1280}),
    ],
)
def test_a_seed_draws_these_values_on_every_machine_for_ever(seed: int, values: dict[str, int]) -> None:
    assert drawn(card(), seed) == values


@settings(max_examples=25)
@given(seed=SEEDS)
def test_the_same_seed_makes_the_same_question_of_a_version_read_back(seed: int) -> None:
    for version in shipped():
        assert written(concrete(version, seed)) == written(concrete(reloaded(version), seed))


def test_every_variant_is_drawn_about_as_often_as_another() -> None:
    times: dict[str, int] = {}
    for seed in range(1, 1201):
        name = str(drawn(card(), seed))
        times[name] = times.get(name, 0) + 1
    assert len(times) == 12
    assert 60 < min(times.values()) <= max(times.values()) < 150


def test_a_card_without_variants_is_itself_for_any_seed() -> None:
    plain = SimpleNamespace(parameters={})
    assert concrete(plain, 7) is plain
    assert (drawn(plain, 7), next_seed(plain, "key", [1, 2])) == ({}, 0)


def test_divisors_ranges_models_and_what_follows_from_them_are_drawn() -> None:
    variants = {
        "model": ["gpt-2-small", "gpt-2-xl"],
        "num_heads": {"divisors_of": "$model.d_model", "from": 4, "to": 32},
        "d_head": {"compute": "quotient", "d_model": "$model.d_model", "num_heads": "$num_heads"},
        "root": "sqrt($d_head)",
    }
    found = [drawn(card(variants), seed) for seed in range(60)]
    assert {one["num_heads"] for one in found if one["model"] == "gpt-2-xl"} == {4, 5, 8, 10, 16, 20, 25, 32}
    assert all(one["d_head"] * one["num_heads"] in (768, 1600) for one in found)
    assert all(one["root"] == pytest.approx(one["d_head"] ** 0.5) for one in found)


def test_where_holds_of_every_draw_and_keeps_what_it_excludes_from_being_worked_out() -> None:
    variants = {
        "d_model": [96, 100, 128],
        "num_heads": {"from": 2, "to": 16},
        "d_head": {"compute": "d_head", "d_model": "$d_model", "num_heads": "$num_heads"},
    }
    version = card(variants, [{"divides": ["$num_heads", "$d_model"]}, {"below": ["$num_heads", 9]}])
    found, all_of_them = sample(version, 200)
    assert all_of_them
    assert [(one["d_model"], one["num_heads"]) for one in found if one["d_model"] == 100] == [
        (100, 2), (100, 4), (100, 5)
    ]  # fmt: skip
    assert all(drawn(version, seed) in found for seed in range(100))


# What is filled in.


def test_numbers_are_written_as_the_text_around_them_asks() -> None:
    values = {"n": 12288, "half": 0.5, "shape": [2, 1024], "name": "gpt-2-xl"}
    text = "{{ $n }}, $x = {{ $n }}$, `view({{ $n }})`, \\$ {{ $half }}, {{ $shape }}, {{$name.name}}."
    told = filled_text(text, values)
    assert told == "12,288, $x = 12{,}288$, `view(12288)`, \\$ 0.5, (2, 1,024), GPT-2 XL."
    assert filled_text("```\nq.view({{ $n }})\n```\n$$a_{ {{ $n }} }$$", values) == (
        "```\nq.view(12288)\n```\n$$a_{ 12{,}288 }$$"
    )


def test_a_name_alone_is_the_value_and_the_answer_of_a_picture_stays_open() -> None:
    values = {"heads": 12}
    row = {"parameters": {"num_heads": "$answer", "shape": ["$heads", 4], "program": "k[:, $answer]"}}
    assert filled(row, values)["parameters"] == {**row["parameters"], "shape": [12, 4]}
    code = filled({"runs": "q.view({{ $heads }}, 4)", "text": "$heads", "key": "$heads"}, values)
    assert code == {"runs": "q.view(12, 4)", "text": "12", "key": 12}
    assert filled({"text": "$none", "key": "$none"}, {"none": 0}) == {"text": "0", "key": 0}


def test_gaps_of_a_cloze_and_maths_are_no_places() -> None:
    text = "Divide by {{root::\\sqrt{d_k}}}, which is $d_k$ or $heads$, over {{ axis }}."
    assert filled_text(text, {"heads": 12, "axis": 3}) == text


def test_a_question_asks_and_grades_what_its_seed_drew() -> None:
    version = card()
    asked = concrete(version, 1)
    assert asked.prompt == "A layer is 2,560 wide, with 16 heads. How wide is one?"
    assert asked.explanation == "$d = 2{,}560 / 16 = 160$, `view(2560)`."
    assert "<code>view(2560)</code>" in asked.explanation_html
    assert key_text(version, 1) == "160"
    right, slip = grade(version, 1, {"text": "160"}), grade(version, 1, {"text": "16"})
    assert (right.outcome, slip.mistake) == ("correct", "heads")
    assert slip.feedback == "16 are the heads of 2,560."
    assert right.pictures[0]["parameters"] == {"d_model": 2560, "num_heads": 16}
    assert grade(version, 0, {"text": "160"}).outcome == "incorrect"


def test_a_picture_is_rebuilt_from_version_and_seed_to_the_digest() -> None:
    for version in shipped():
        for seed in (1, 77, MAX_SEED):
            asked, again = concrete(version, seed), concrete(reloaded(version), seed)
            response = answer_type(version.answer_type).examples(question_of(version, seed))[0].response
            first, second = (grade(one, seed, response).pictures for one in (asked, again))
            assert first
            assert [digest(one) for one in first] == [digest(one) for one in second]
            others = [concrete(version, other) for other in range(20)]
            assert len({written(one) for one in others}) > 4


def digest(picture: Any) -> str:
    return make_spec(picture["kind"], picture["parameters"], picture["seed"]).digest()


# Which seed comes next.


@settings(max_examples=20)
@given(name=st.text(max_size=8), number=st.integers(0, len(shipped()) - 1))
def test_no_variant_comes_again_within_five_over_a_long_run(name: str, number: int) -> None:
    version, recent, values = shipped()[number], list[int](), list[Any]()
    for turn in range(40):
        seed = next_seed(version, f"{name}:{turn}", recent)
        assert 1 <= seed <= MAX_SEED
        assert seed == next_seed(version, f"{name}:{turn}", recent)
        assert drawn(version, seed) not in values[:5]
        recent.insert(0, seed)
        values.insert(0, drawn(version, seed))


@pytest.mark.parametrize("number", range(1, 6))
def test_of_fewer_than_six_variants_the_last_are_avoided_as_far_as_they_can_be(number: int) -> None:
    version, recent = card({"n": list(range(number))}), list[int]()
    for turn in range(30):
        recent.insert(0, next_seed(version, str(turn), recent))
    values = [drawn(version, seed)["n"] for seed in recent]
    for place in range(len(values) - number):
        assert len(set(values[place : place + number])) == number


def test_seeds_of_an_earlier_version_or_of_none_do_not_stop_the_next() -> None:
    assert next_seed(card(), "key", [0, 0, 2**63 - 1, 5, 5, 5, 5]) > 0


# What is refused.


@pytest.mark.parametrize(
    ("variants", "where", "reason"),
    [
        ({"n": []}, (), "1 to 64 different"),
        ({"n": [1, 1]}, (), "1 to 64 different"),
        ({"n": [True, 2]}, (), "1 to 64 different"),
        ({"n": list(range(65))}, (), "1 to 64 different"),
        ({"n": 5}, (), "give a list of values"),
        ({"n": {"from": 1}}, (), "give a list of values"),
        ({"n": {"from": 1, "to": 4, "by": 2}}, (), "give a list of values"),
        ({"n": {"from": 9, "to": 4}}, (), "0 values"),
        ({"n": {"from": 1, "to": 9000}}, (), "a range has 1 to 4,096"),
        ({"n": {"from": 1, "to": "$m"}, "m": ["x"]}, (), "to is a whole number"),
        ({"n": {"divisors_of": 2**40}}, (), "whole number"),
        ({"n": {"divisors_of": 2**30}}, (), "divisors_of is a number"),
        ({"answer": [1, 2]}, (), "no name for a drawn value"),
        ({"2n": [1, 2]}, (), "no name for a drawn value"),
        ({"n": "$m + 1"}, (), "no m among n"),
        ({"a": "$b + 1", "b": "$a + 1", "n": [1]}, (), "worked out of itself"),
        ({"n": [1, 2], "m": "$n / 0"}, (), "m: $n / 0 does not compute"),
        ({"n": [1, 2], "m": "$n ** 99999"}, (), "does not compute"),
        ({"n": [10, 20], "m": "10 ** $n"}, (), "beyond 2^53"),
        ({"n": ["x"], "m": "$n * 2"}, (), "arithmetic takes numbers"),
        ({"n": ["bert-bse"], "m": "$n.d_model"}, (), "bert-base"),
        ({"n": ["bert-base"], "m": "$n.kv_elements"}, (), "no kv_elements for bert-base"),
        ({"n": ["bert-base"], "m": "$n.__class__"}, (), "no __class__"),
        ({"m": "$n", "n": {"compute": "os.system"}}, (), "1 to 6 may be drawn"),
        ({f"n{one}": [1, 2] for one in range(7)}, (), "7 names are drawn"),
        ({"n": [1, 2]}, [{"divides": ["$n"]}], "one entry is"),
        ({"n": [1, 2]}, [{"divides": [1, 2]}], "names nothing that is drawn"),
        ({"n": [1, 2]}, ["$n < 2"], "one entry is"),
        ({"n": [1, 2]}, [{"below": ["$m", 3]}], "no m among n"),
        ({"n": [1, 2]}, [{"below": [2, "$n"]}], "none of the first"),
        ({"n": ["a", "b"]}, [{"below": ["$n", 2]}], "below takes numbers"),
        ({"n": [1, "$m"]}, (), "no m among n"),
    ],
)
def test_variants_that_cannot_be_drawn_are_refused_with_the_reason(
    variants: Any, where: Any, reason: str
) -> None:
    version = card(variants, where, prompt="?", explanation="", mistakes=[], hints=[], picture=[], answer={})
    (field, message), *_ = faults(version)
    assert field in ("variants", "where")
    assert reason in message


def test_a_place_that_nothing_fills_is_a_fault_with_or_without_variants() -> None:
    (field, message), *_ = faults(card(hints=["Divide {{ $d_modle }}."]))
    assert (field, "$d_modle" in message) == ("variants", True)
    plain = card()
    plain.parameters = {}
    assert ("prompt", "nothing fills {{ $d_model }}; give its values under variants") in faults(plain)


def test_a_mistake_that_is_right_in_one_variant_is_told_with_its_seed_and_values() -> None:
    version = card({"num_heads": [8, 40], "d_head": [40, 64], "d_model": "$num_heads * $d_head"})
    told = [str(problem) for problem in lint_card(version) if not problem.warning]
    assert [one.split(": ")[1] for one in told] == ["answer", "mistake", "prompt-contains-key"]
    seed = seed_of(version, {"d_head": 40, "num_heads": 40, "d_model": 1600})
    assert all(
        f"(seed {seed}: d_head 40, num_heads 40, d_model 1600; 1 of 4 variants)" in one for one in told
    )
    assert self_test(version)
    version.parameters["where"] = [{"differ": ["$num_heads", "$d_head"]}]
    assert [problem for problem in lint_card(version) if not problem.warning] == []
    assert self_test(version) == []


def test_two_options_that_say_the_same_under_a_draw_are_refused() -> None:
    rows = [("right", "$a", True), ("wrong", "$b", False)]
    options = [
        {"id": one, "text": text, **({"correct": True} if right else {"mistake": "m"})}
        for one, text, right in rows
    ]
    version = card(
        {"a": [1, 2, 3], "b": [3, 4, 5]},
        answer_type="choice",
        answer={"options": options},
        mistakes=[{"name": "m", "says": "No."}],
        prompt="Which?", explanation="That.", hints=[], picture=[],
    )  # fmt: skip
    told = [str(problem) for problem in lint_card(version) if problem.rule == "same-text"]
    assert len(told) == 1
    assert "a 3, b 3; 1 of 9 variants" in told[0]


def test_a_where_that_hardly_any_draw_fits_and_a_card_of_few_variants_are_told() -> None:
    rare = card({"n": {"from": 1, "to": 400}, "num_heads": [8], "d_head": [64], "d_model": [512]},
                [{"below": ["$n", 3]}])  # fmt: skip
    found = {(problem.rule, problem.warning) for problem in lint_card(rare)}
    assert {("where", False), ("variants", True)} <= found


# The shipped cards.


def test_eleven_shipped_cards_draw_and_none_of_them_has_fewer_than_six_variants() -> None:
    assert len(shipped()) >= 11
    assert {one.answer_type for one in shipped()} >= {"numeric", "shape", "choice"}
    for version in shipped():
        assert len(variants_of(version)) > 6, version.slug


@pytest.mark.parametrize("version", shipped(), ids=lambda version: version.slug)
def test_in_every_variant_the_key_is_right_and_each_mistake_is_named(version: CardText) -> None:
    kind, names = answer_type(version.answer_type), {mistake["name"] for mistake in version.mistakes}
    for asked in variants_of(version):
        examples = kind.examples(question_of(asked))
        assert {example.mistake for example in examples} == {"", *names}
        for example in examples:
            found = kind.grade(question_of(asked), read_response(example.response))
            assert found.outcome == ("correct" if not example.mistake else "incorrect"), asked.values
            assert found.mistake == example.mistake, asked.values
            assert "{" not in found.feedback.replace("{,}", ""), asked.values


@pytest.mark.parametrize("version", shipped(), ids=lambda version: version.slug)
def test_no_text_of_a_drawn_question_keeps_a_place(version: CardText) -> None:
    for asked in variants_of(version, 6):
        says = [mistake[name] for mistake in asked.mistakes for name in ("says", "title") if name in mistake]
        assert (
            unfilled([asked.prompt, asked.explanation, asked.hints, asked.answer, asked.picture, says]) == ""
        )
        assert "$" not in asked.prompt_html + asked.explanation_html + str(question_input(asked))
