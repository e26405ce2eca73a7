"""The bank on real keys: each transform is caught by its name and spares what is right."""

import re
from fractions import Fraction
from functools import cache

import pytest

from attention_engine.configs import all_models
from cards.answer_types import numeric, shape
from cards.answering import grade
from cards.expressions.echo import format_number
from cards.expressions.shapes import format_shape
from cards.grading import Grade, Question, Response
from cards.keys import KeyProblem, compute
from cards.mistakes import numbers
from cards.mistakes import shapes as shape_bank
from cards.mistakes.number_cases import Case, case_of
from tests.sampling import tries

pytestmark = pytest.mark.plain

LLAMA, BERT = "llama-3-70b", "bert-base"
CACHE = {"compute": "kv_bytes", "model": LLAMA, "tokens": 8192}
NAMED = [
    ({"compute": "d_head", "d_model": 768, "num_heads": 12}, "1/64", "inverted_division"),
    ({"compute": "d_head", "model": BERT}, "12/768", "inverted_division"),
    ({"compute": "d_head", "model": BERT}, "768*12", "multiplied_for_divided"),
    ({"compute": "d_head", "model": BERT}, "12", "heads_for_width"),
    ({"compute": "d_head", "model": BERT}, "768", "model_width_for_head_width"),
    ({"compute": "d_head", "model": BERT}, "4096", "squared"),
    ({"compute": "d_head", "model": LLAMA}, "1024", "kv_heads_for_query_heads"),
    ({"compute": "d_head", "model": LLAMA}, "8", "kv_heads_for_width"),
    ({"compute": "quotient", "d_model": 5120, "num_heads": 40}, "40", "heads_for_width"),
    ({"compute": "num_heads", "model": BERT}, "64", "width_for_heads"),
    ({"compute": "num_heads", "model": BERT}, "768", "model_width_for_heads"),
    ({"compute": "num_heads", "model": LLAMA}, "8", "kv_heads_for_query_heads"),
    ({"compute": "num_kv_heads", "model": LLAMA}, "64", "query_heads_for_kv_heads"),
    ({"compute": "d_model", "model": BERT}, "64", "head_width_for_model_width"),
    ({"compute": "scale_divisor", "d_head": 64}, "64", "forgot_the_root"),
    ({"compute": "scale_divisor", "d_head": {"compute": "d_head", "model": BERT}}, "27.71",
    "model_width_for_head_width"),
    ({"compute": "score_std", "d_head": 128}, "128", "forgot_the_root"),
    ({"compute": "score_variance", "d_head": 64}, "8", "took_the_root"),
    ({"compute": "score_variance", "d_head": 64}, "64^2", "squared"),
    (CACHE, "80*64*2*128*8192*2", "query_heads_for_kv_heads"),
    (CACHE, "80*8*128*8192*2", "forgot_k_and_v"),
    (CACHE, "80*8*2*128*2", "one_token_only"),
    (CACHE, "8*2*128*8192*2", "one_layer_only"),
    (CACHE, "80*1*2*128*8192*2", "one_head_only"),
    ({**CACHE, "model": "llama-3.2-3b"}, "28*8*2*128*8192*16", "bits_for_bytes"),
    (CACHE, "80*8*2*128*8192*4", "other_precision"),
    (CACHE, "80*8*2*128*8000*2", "thousand_for_1024"),
    ({"compute": "kv_bytes_per_token", "model": "llama-3-8b", "bytes_per_value": 4}, "32*8*2*128",
    "elements_for_bytes"),
    ({"compute": "attention_parameters", "model": LLAMA}, "4*8192^2", "query_heads_for_kv_heads"),
    ({"compute": "attention_parameters", "model": BERT}, "12*4*768^2", "all_layers"),
    ({"compute": "attention_parameters", "model": BERT}, "2*768^2", "forgot_k_and_v"),
    ({"compute": "attention_parameters", "model": BERT}, "4*4*768^2", "bytes_for_elements"),
    ({"compute": "numbers_in", "shape": [2, 12, 4, 64]}, "6144*4", "bytes_for_elements"),
    ({"compute": "score_flops", "d_model": 768, "tokens": 512}, "2*512^2*768", "multiply_add_as_one"),
    ({"compute": "score_flops", "d_model": 768, "tokens": 512}, "8*512^2*768", "counted_twice"),
    ({"compute": "score_flops", "d_model": 768, "tokens": 512}, "4*512*768", "not_squared"),
    ({"compute": "score_bytes", "num_heads": 12, "tokens": 512, "batch": 3}, "12*512^2*2",
    "one_sequence_only"),
    ({"compute": "score_bytes", "num_heads": 12, "tokens": 512}, "512^2*2", "one_head_only"),
    ({"compute": "heads_times_d_head", "model": "gemma-7b"}, "256", "one_head_only"),
    ({"compute": "twelve_l_d_squared", "model": "gpt-3-175b"}, "12*12288^2", "one_layer_only"),
    ({"compute": "kv_head_of", "query_head": 19, "num_heads": 64, "num_kv_heads": 8}, "3", "dealt_in_turn"),
    ({"compute": "kv_head_of", "query_head": 19, "num_heads": 64, "num_kv_heads": 8}, "200%*1%",
    "percent_for_fraction"),
    ({"compute": "crossover_tokens", "d_model": 768}, "15.36", "power_of_ten"),
    ({"compute": "crossover_tokens", "d_model": 768}, "1535", "off_by_one"),
    ({"compute": "crossover_tokens", "d_model": 768}, "1537", "off_by_one"),
]  # fmt: skip
KEYS = (
    *("d_head", "num_heads", "num_kv_heads", "d_model", "kv_bytes_per_token", "attention_parameters"),
    *("heads_times_d_head", "twelve_l_d_squared"),
)
SHAPES = [
    ("transpose", "(2, 4, 192)", "merged_heads"), ("transpose", "(6, 4, 32)", "forgot_batch"),
    ("transpose", "(2, 4, 32)", "forgot_heads"), ("transpose", "(2, 6, 4, 192)",
    "model_width_for_head_width"),
    ("transpose", "(2, 6, 4, 6)", "heads_for_width"), ("transpose", "(2, 6, 4, 9)", "scores_for_outputs"),
    ("attend", "(2, 6, 9, 32)", "keys_for_queries"), ("view", "(2, 4, 192)", "merged_heads"),
    ("scores", "(2, 6, 4, 4)", "queries_for_keys"), ("scores", "(2, 6, 9, 9)", "keys_for_queries"),
    ("scores", "(2, 32, 4, 9)", "heads_and_width_exchanged"), ("scores", "(2, 6, 4, 32)",
    "outputs_for_scores"),
    ("merge", "(2, 4, 6, 32)", "heads_not_merged"), ("merge", "(2, 6, 4, 32)", "heads_not_merged"),
    ("project", "(2, 4, 256)", "stream_width_for_inner_width"), ("output", "(2, 4, 192)",
    "inner_width_for_stream_width"),
    ("transpose", "(2, 4, 6, 32)", "axes_swapped"), ("scores", "(2, 6, 9, 4)", "axes_swapped"),
    ("transpose", "(2, 6, 4, 33)", "wrong_size"), ("transpose", "(2, 6)", "wrong_rank"),
]  # fmt: skip


def graded(key, text, **answer) -> Grade:
    return numeric.grade(Question({"key": key, **answer}), Response(text))


@pytest.mark.parametrize(("key", "text", "name"), NAMED)
def test_a_number_that_people_come_to_is_named(key, text, name):
    found = graded(key, text, tolerance={"relative": 0.0001})
    assert (found.outcome, found.mistake) == ("incorrect", name)


def test_every_transform_of_numbers_is_named_on_a_real_key():
    in_units = {"gib_for_gb"}
    assert {name for _, _, name in NAMED if name} | in_units == {t.name for t in numbers.TRANSFORMS}
    assert len(numbers.TRANSFORMS) >= 20


@pytest.mark.parametrize(
    ("unit", "text", "name"),
    [("GiB", "2.684", "gib_for_gb"), ("GB", "2.5", "gib_for_gb"), ("MiB", "2684", "thousand_for_1024"),
     ("GiB", "20", "query_heads_for_kv_heads"), ("GiB", "25",
     "power_of_ten")],
)  # fmt: skip
def test_a_number_in_the_wrong_power_is_named_in_the_cards_unit(unit, text, name):
    answer = {"key_unit": "bytes", "unit": unit, "tolerance": {"relative": "1/1000"}}
    assert graded(CACHE, text, **answer).mistake == name


@cache
def cases() -> tuple[Case, ...]:
    found = []
    step = max(1, 100 // tries(100))
    for slug in (config.slug for config in all_models()[::step]):
        for name in KEYS:
            try:
                case = case_of({"compute": name, "model": slug}, unit="dims" if "head" in name else "")
            except KeyProblem:
                continue
            found += [case] if case else []
    return tuple(found)


def test_every_wrong_value_over_the_model_table_is_named_and_its_sentence_carries_its_numbers():
    tried = 0
    for case in cases():
        question = Question({"key": case.key})
        wrong = numbers.wrong_values(case, lambda v, right=case.value: v == right)
        for name, value in (one for one in wrong if one[0] != "power_of_ten"):
            found = numeric.grade(question, Response(str(value)))
            assert found.outcome == "incorrect", (case.key, name)
            assert found.mistake, (case.key, name)
            assert not re.search(r"[{}]", found.feedback + found.title)
            assert format_number(value) in found.feedback
            tried += 1
    assert tried > 500


def test_a_right_answer_is_never_taken_for_a_mistake():
    for case in cases():
        found = numeric.grade(Question({"key": case.key}), Response(str(case.value)))
        assert (found.outcome, found.mistake) == ("correct", "")
        assert numbers.find(case, case.value, lambda v, right=case.value: v == right) is None


def test_a_right_answer_within_a_wide_tolerance_is_never_taken_for_a_mistake():
    found = graded({"compute": "crossover_tokens", "d_model": 768}, "1500", tolerance={"relative": 0.05})
    assert (found.outcome, found.mistake) == ("correct", "")


def test_a_mistake_of_the_card_comes_before_the_bank():
    own = {"name": "own", "key": {"compute": "num_heads", "model": BERT}, "says": "{answer} of the card."}
    question = Question({"key": {"compute": "d_head", "model": BERT}}, [own])
    assert numeric.grade(question, Response("12")).mistake == "own"
    assert numeric.grade(question, Response("768")).mistake == "model_width_for_head_width"


@pytest.mark.parametrize("text", ["60", "6.42", "100", "641", "77"])
def test_a_number_that_nothing_leads_to_is_only_compared(text):
    found = graded({"compute": "d_head", "model": BERT}, text)
    assert found.mistake == ""
    assert found.feedback.startswith(text)


def test_words_say_the_learners_number_and_the_key():
    found = graded(CACHE, "20 GiB", unit="GiB", key_unit="bytes")
    assert found.feedback == (
        "20 would be with keys and values for each of the 64 query heads. "
        "Here 8 key and value heads are shared: 2.5. "
        "Or else bits and bytes are exchanged: that gives 20 too."
    )


def test_two_mistakes_that_give_one_number_are_both_told():
    """Half a cache at 2 bytes a number: without K or V, or numbers counted for bytes."""
    found = graded(CACHE, "1.25 GiB", unit="GiB", key_unit="bytes")
    assert found.mistake == "forgot_k_and_v"
    assert found.title == "K and V are not counted in full, or 1.25 counts numbers, not bytes"
    assert found.feedback.endswith("Or else 1.25 counts numbers, not bytes: that gives 1.25 too.")


def test_one_mistake_alone_is_told_alone():
    found = graded({"compute": "d_head", "model": BERT}, "12")
    assert found.title == "the number of heads stands for the width of one"
    assert found.feedback == "12 is what the number of heads gives. The width of one gives 64."


@pytest.mark.parametrize(("step", "text", "name"), SHAPES)
def test_a_shape_that_people_come_to_is_named(card, step, text, name):
    sizes = {"batch": 2, "tokens": 4, "key_tokens": 9, "num_heads": 6, "d_head": 32, "d_model": 256}
    if step not in ("scores", "attend", "transpose"):
        sizes.pop("key_tokens")
    if text == "(2, 6, 4, 192)":
        sizes.pop("d_model")
    version = card("shape", answer={"key": {"compute": "shape_after", "step": step, **sizes}})
    found = grade(version, 0, {"text": text})
    assert (found.outcome, found.mistake) == ("incorrect", name)
    assert text in found.feedback or name in ("wrong_rank", "axes_swapped")


@pytest.mark.parametrize(
    ("name", "text", "mistake"),
    [("shape_after_transpose", "2, 5, 4, 8", "not_transposed"), ("strides_after_transpose", "160, 32, 8, 1",
    "not_transposed"),
     ("strides_after_transpose", "160, 40, 8, 1", "strides_of_a_copy"), ("strides_after_transpose",
     "8, 160, 32, 1", "axes_swapped")],
)  # fmt: skip
def test_a_transpose_that_is_not_made_or_copies_is_named(card, name, text, mistake):
    found = grade(card("shape", answer={"key": {"compute": name, "shape": [2, 5, 4, 8]}}), 0, {"text": text})
    assert (found.outcome, found.mistake) == ("incorrect", mistake)


def test_every_transform_of_shapes_is_named_on_a_real_key():
    known = {name for _, _, name in SHAPES} | {"not_transposed", "strides_of_a_copy"}
    assert {transform.name for transform in shape_bank.TRANSFORMS} <= known
    assert len(shape_bank.TRANSFORMS) >= 10


@pytest.mark.parametrize(
    "step", ["input", "project", "view", "transpose", "scores", "attend", "merge", "output"]
)
def test_every_wrong_shape_over_the_model_table_is_wrong_and_named(step):
    for config in all_models():
        sizes = {
            "batch": 2,
            "tokens": 5,
            "key_tokens": 7,
            "num_heads": config.num_heads,
            "d_head": config.d_head,
        }
        key = {"compute": "shape_after", "step": step, "d_model": config.d_model, **sizes}
        question = Question({"key": key})
        assert shape_bank.find(key, tuple(compute(key))) is None
        for transform, wrong in shape_bank.wrong_shapes(key):
            found = shape.grade(question, Response(format_shape(wrong)))
            assert found.outcome == "incorrect", transform.name
            assert found.mistake
            assert not re.search(r"[{}]", found.feedback + found.title)


def test_values_are_exact_however_large():
    case = case_of({"compute": "twelve_l_d_squared", "model": "gpt-3-175b"})
    assert case is not None
    assert case.value == Fraction(12 * 96 * 12288**2)
