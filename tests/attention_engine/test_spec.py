import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_engine.spec import ENGINE_VERSION, KINDS, InvalidSpec, facts, make_spec, spec_from_json

GOLDEN = {
    "answer_executed": "69de1d19e680b18d70798da28441e726882e15bd6ce6b50ba50dff57e9c0f112",
    "head_split": "f8597443d4df771b0c98082a3f5b4dddb53164d311aee7b195b1cb9a7e7c76ad",
    "silent_mistake": "7393e8cfd2eef6ef0a67f67b5b7951cd6981fe0eefc5ef9a9fa3fb95fa494a45",
    "memory_tape": "ffd9cb9d9a00f2291cb78d1a9ae29534e75f2fa65aef428a356828be090eeda9",
    "saturation": "e66702184c6e6e98165d2fbb3580b1801cd997ba842ea7f01904f75df1b6fe88",
    "attention_pattern": "24274065f286d57c7096d0a584bed6bfed129954228c19be0d686f427341ed93",
    "head_atlas": "722a587a6f6dc2bdb45dbedb39856e92391a91a6505f3d8d98f1b2a243a21b4b",
    "kv_budget": "e98e1aba2142c043b20ddbf2131c332e02c24ec9d26f91c68756cc7f9f1e579d",
    "config_museum": "8bb75abc1cee1f5edb2e38fa828d4a15eff7e28c4b59011a88e135505451e12e",
    "roofline": "0fa86326b831c819cc2d94e5ec10a7aa37a0e504bb2e929ea20f7ddbe2e461d3",
    "head_sharing": "a326445bc49b8f936bacd76ddae2c2eb2aa25e7a9d6ff025e075b8519aa76d15",
    "decode_cache": "bf49f9ed1dcb15f30a95bf72d8390a3795bffe89b6674da6a869b5f1d13bdbf1",
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_digest_of_a_kinds_defaults_is_what_it_was(kind: str) -> None:
    assert ENGINE_VERSION == "4"
    assert make_spec(kind, {}).digest() == GOLDEN[kind]


def test_the_canonical_form_is_sorted_json_without_blanks() -> None:
    spec = make_spec("head_split", {"num_heads": 8, "d_model": 64}, seed=3)
    assert spec.canonical() == (
        b'{"engine":"4","kind":"head_split","parameters":{"batch":2,"d_head":8,"d_head_v":8,"d_model":64,'
        b'"key_tokens":4,"model":"","num_heads":8,"num_kv_heads":8,"tokens":4,"weights":"law"},"seed":3}'
    )


def test_the_order_of_parameters_and_written_out_defaults_do_not_change_the_digest() -> None:
    short = make_spec("head_split", {"d_model": 768, "num_heads": 12})
    written = {"tokens": 4, "num_heads": 12, "batch": 2, "d_head": 64, "d_model": 768}
    assert make_spec("head_split", written).digest() == short.digest()


def test_a_sentence_has_one_digest_however_its_accents_are_composed() -> None:
    composed = "la tête regarde"
    decomposed = unicodedata.normalize("NFD", composed)
    assert composed != decomposed
    one, other = (make_spec("attention_pattern", {"sentence": text}) for text in (composed, decomposed))
    assert one.digest() == other.digest()


@given(
    num_heads=st.integers(1, 2000),
    seed=st.integers(0, 2**31 - 1),
    shape=st.lists(st.integers(-1, 99), max_size=8),
)
def test_a_spec_comes_back_from_its_json_with_the_same_digest(
    num_heads: int, seed: int, shape: list[int]
) -> None:
    spec = make_spec("answer_executed", {"num_heads": num_heads, "answer_shape": shape}, seed)
    assert spec_from_json(json.loads(spec.canonical())).digest() == spec.digest()


@pytest.mark.parametrize("slug", ["bert-base", "gpt-3-xl-1.3b", "llama-3-70b", "gpt-3-13b", "glm-5"])
@pytest.mark.parametrize("kind", ["answer_executed", "head_split"])
def test_a_models_spec_comes_back_from_its_json(kind: str, slug: str) -> None:
    spec = make_spec(kind, {"model": slug})
    assert spec_from_json(spec.as_json()).digest() == spec.digest()


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_one_number_is_the_spec_comes_back_from_its_json(kind: str) -> None:
    read = 0
    for parameter in KINDS[kind].parameters:
        if parameter.takes != "int":
            continue
        for value in {parameter.minimum, parameter.minimum + 1, 9, 64, parameter.maximum}:
            try:
                spec = make_spec(kind, {parameter.name: value})
            except InvalidSpec:
                continue
            read += 1
            assert spec_from_json(spec.as_json()).digest() == spec.digest(), (parameter.name, value)
    assert read or not any(parameter.takes == "int" for parameter in KINDS[kind].parameters)


@pytest.mark.parametrize(("kind", "field"), [("memory_tape", "shape"), ("answer_executed", "q_width")])
def test_what_follows_from_large_numbers_keeps_to_the_bounds_too(kind: str, field: str) -> None:
    with pytest.raises(InvalidSpec, match=r"would be 137,438,953,408, above 2,147,483,647") as refused:
        make_spec(kind, {"num_heads": 64, "d_head": 2**31 - 1})
    assert refused.value.field == field


def test_another_seed_or_kind_is_another_picture() -> None:
    digests = {make_spec("head_split", {}, seed).digest() for seed in (0, 1)}
    assert len(digests | {make_spec("answer_executed", {}).digest()}) == 3


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("answer_executed", {"num_heads": 10}),
        ("memory_tape", {"answer_strides": [3072, 256, 64, 1]}),
        ("silent_mistake", {"mistake": "merge_without_transpose"}),
    ],
)
def test_a_picture_without_chance_is_one_whatever_its_seed(kind: str, parameters: dict[str, Any]) -> None:
    assert len({make_spec(kind, parameters, seed).digest() for seed in (0, 1, 2**31 - 1)}) == 1


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        ("answer_executed", {"program": "q.transpose(1, 2)"}),
        ("silent_mistake", {"mistake": "softmax_over_queries"}),
        ("saturation", {}),
    ],
)
def test_where_chance_draws_another_seed_is_another_picture(kind: str, parameters: dict[str, Any]) -> None:
    assert len({make_spec(kind, parameters, seed).digest() for seed in (0, 1)}) == 2


@pytest.mark.parametrize(
    ("kind", "one", "same"),
    [
        ("memory_tape", {"model": "bert-base"}, {"d_model": 768, "num_heads": 12}),
        ("silent_mistake", {"model": "bert-base"}, {"d_model": 768, "num_heads": 12}),
        ("silent_mistake", {"sentence": "It is  late."}, {"sentence": " It is late.\n"}),
        ("saturation", {"sentence": "It is\tlate."}, {"sentence": "It is late."}),
        ("attention_pattern", {"sentence": "It is late.  "}, {"sentence": "It is late."}),
        (
            "attention_pattern",
            {"model": "random", "mask": "padding", "padding": 40, "sentence": "It is late."},
            {"model": "random", "mask": "padding", "padding": 4, "sentence": "It is late."},
        ),
    ],
)
def test_what_makes_no_other_picture_makes_no_other_digest(
    kind: str, one: dict[str, Any], same: dict[str, Any]
) -> None:
    assert make_spec(kind, one).digest() == make_spec(kind, same).digest()


@pytest.mark.usefixtures("minilm")
def test_blanks_make_no_other_tokens() -> None:
    import torch

    from attention_engine.trained import minilm

    wide = "  It  is\tlate.\n"
    kept = make_spec("saturation", {"sentence": wide}).parameters["sentence"]
    assert kept == "It is late."
    one, other = (minilm.read(text, torch.device("cpu")).tokens for text in (wide, kept))
    assert one == other


def test_a_spec_of_another_engine_version_is_refused() -> None:
    with pytest.raises(InvalidSpec, match="engine 0 drew this"):
        spec_from_json(make_spec("head_split", {}).as_json() | {"engine": "0"})


def test_a_model_fills_in_what_is_missing_and_an_explicit_number_wins() -> None:
    gemma = make_spec("head_split", {"model": "gemma-7b", "tokens": 3}).parameters
    assert (gemma["d_model"], gemma["num_heads"], gemma["d_head"], gemma["tokens"]) == (3072, 16, 256, 3)
    bert = make_spec("answer_executed", {"model": "bert-base", "num_heads": 10}).parameters
    assert (bert["d_model"], bert["num_heads"], bert["d_head"]) == (768, 10, 0)


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("head_split", {"num_heads": 10}, "num_heads"),
    ("head_split", {"num_heads": True}, "num_heads"),
    ("head_split", {"num_heads": 12.0}, "num_heads"),
    ("head_split", {"num_heads": "12"}, "num_heads"),
    ("head_split", {"num_heads": None}, "num_heads"),
    ("head_split", {"num_heads": 0}, "num_heads"),
    ("head_split", {"tokens": 2**31}, "tokens"),
    ("head_split", {"tokens": 10**5000}, "tokens"),
    ("head_split", {"width": 3}, "width"),
    ("head_split", {"model": "bert"}, "model"),
    ("head_split", {"model": 7}, "model"),
    ("head_split", {"num_kv_heads": 5}, "num_kv_heads"),
    ("head_split", {"model": "deepseek-v3-r1-671b", "num_kv_heads": 3}, "num_kv_heads"),
    ("head_split", {"weights": "trained"}, "weights"),
    ("answer_executed", {"answer_shape": [2, 1.5]}, "answer_shape"),
    ("answer_executed", {"answer_shape": [2, True]}, "answer_shape"),
    ("answer_executed", {"answer_shape": [1] * 9}, "answer_shape"),
    ("answer_executed", {"answer_shape": {"0": 2}}, "answer_shape"),
    ("answer_executed", {"step": "fold"}, "step"),
    ("attention_pattern", {"sentence": "a" * 2001}, "sentence"),
    ("attention_pattern", {"sentence": "a\x00b"}, "sentence"),
    ("attention_pattern", {"sentence": "a\ud800b"}, "sentence"),
    ("attention_pattern", {"sentence": "\u0344" * 1500}, "sentence"),
    ("attention_pattern", {"sentence": "   "}, "sentence"),
    ("attention_pattern", {"sentence": ""}, "sentence"),
    ("attention_pattern", {"head": 12}, "head"),
    ("attention_pattern", {"layer": 6}, "layer"),
    ("attention_pattern", {"d_model": 64}, "d_model"),
    ("attention_pattern", {"model": "random", "num_heads": 5}, "num_heads"),
    ("attention_pattern", {"model": "random", "layer": 1}, "layer"),
    ("attention_pattern", {"causal": 2}, "causal"),
    ("head_atlas", {"sentence": " "}, "sentence"),
    ("head_atlas", {"model": "bert"}, "model"),
    ("saturation", {"divisor": "0"}, "divisor"),
    ("saturation", {"divisor": "a\r\nb"}, "divisor"),
    ("saturation", {"keys": 513}, "keys"),
    ("saturation", {"sentence": " "}, "sentence"),
    ("drawing", {}, "kind"),
]


@pytest.mark.parametrize(("kind", "parameters", "field"), BAD)
def test_what_cannot_be_is_refused_by_field_with_a_short_sentence(
    kind: str, parameters: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidSpec) as refused:
        make_spec(kind, parameters)
    assert refused.value.field == field
    assert 10 < len(str(refused.value)) < 250
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("seed", [-1, True, 1.5, 2**31, "0", None])
def test_a_seed_is_a_whole_number_in_bounds(seed: Any) -> None:
    with pytest.raises(InvalidSpec) as refused:
        make_spec("head_split", {}, seed)
    assert refused.value.field == "seed"


@pytest.mark.parametrize("kind", [None, 3, ["head_split"], {}])
def test_a_kind_of_another_type_is_refused(kind: Any) -> None:
    with pytest.raises(InvalidSpec):
        make_spec(kind, {})


def test_facts_of_ten_heads_hold_the_arithmetic_and_the_nearest_that_divide() -> None:
    spec = make_spec("answer_executed", {"model": "bert-base", "num_heads": 10})
    assert facts(spec) == {
        "asks": "heads",
        "d_model": 768,
        "num_heads": 10,
        "q_width": 768,
        "d_head": 76,
        "quotient": 76,
        "remainder": 8,
        "divides": False,
        "sentence": "768 = 10 × 76 + 8",
        "code": "q.view(2, 4, 10, 76)",
        "on": "q of shape (2, 4, 768)",
        "nearest": [{"num_heads": 8, "d_head": 96}, {"num_heads": 12, "d_head": 64}],
        "runs": False,
        "works": False,
        "expected_shape": [],
        "axes": [],
        "answer_shape": [],
    }


def test_facts_of_a_shape_hold_the_shape_of_its_step() -> None:
    parameters = {"d_model": 32, "num_heads": 4, "tokens": 5, "step": "scores", "answer_shape": [2, 4, 5, 8]}
    told = facts(make_spec("answer_executed", parameters))
    assert (told["expected_shape"], told["answer_shape"]) == ([2, 4, 5, 5], [2, 4, 5, 8])
    assert told["code"] == "(q @ k.transpose(-2, -1)).reshape(2, 4, 5, 8)"


def test_facts_of_a_head_split_are_its_steps_and_the_kv_heads() -> None:
    told = facts(make_spec("head_split", {"model": "llama-3-70b"}))
    assert [step["step"] for step in told["steps"]] == [
        "input", "project", "view", "transpose", "keys", "attend", "merge", "output",
    ]  # fmt: skip
    assert set(told["steps"][0]) == {"step", "axes", "shape", "strides", "contiguous", "copies", "note"}
    assert (told["attention"], told["num_kv_heads"], told["d_head_v"]) == ("GQA", 8, 128)


def test_facts_of_a_pattern_name_the_scale() -> None:
    told = facts(make_spec("attention_pattern", {}))
    assert (told["scale"], told["d_head"], told["num_heads"]) == ("1/sqrt(32)", 32, 12)


@pytest.mark.parametrize("kind", KINDS)
def test_facts_are_json(kind: str) -> None:
    assert json.loads(json.dumps(facts(make_spec(kind, {})))) == facts(make_spec(kind, {}))
