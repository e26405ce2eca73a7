"""Golden numbers: published shapes, cache sizes and parameter counts."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_engine import arithmetic
from attention_engine.arithmetic import COMPUTABLE
from attention_engine.configs import all_models, model


@pytest.mark.parametrize(
    ("name", "arguments", "value"),
    [
        ("d_head", {"model": "bert-base"}, 64),
        ("d_head", {"model": "bert-large"}, 64),
        ("d_head", {"model": "gpt-3-175b"}, 128),
        ("d_head", {"model": "llama-3-70b"}, 128),
        ("d_head", {"d_model": 1536, "num_heads": 16}, 96),
        ("divisors", {"n": 12}, [1, 2, 3, 4, 6, 12]),
        ("nearest_divisors", {"n": 768, "near": 10}, [8, 12]),
        ("nearest_divisors", {"n": 768, "near": 12}, [8, 16]),
        ("smallest_divisor_above", {"n": 768, "above": 8}, 12),
        ("heads_times_d_head", {"model": "gemma-7b"}, 4096),
        ("heads_times_d_head", {"model": "gpt-3-13b"}, 5120),
        ("heads_times_d_head", {"model": "t5-11b"}, 16384),
        ("quotient", {"d_model": 768, "num_heads": 10}, 76),
        ("remainder", {"d_model": 768, "num_heads": 10}, 8),
        ("quotient", {"d_model": 7168, "num_heads": 128}, 56),
        ("inner_width", {"d_model": 10, "num_heads": 3}, 9),
        ("inner_width", {"d_model": 768, "num_heads": 10}, 760),
        ("scale_divisor", {"d_head": 64}, 8),
        ("own_divisor", {"model": "bert-base"}, 8),
        ("own_divisor", {"model": "t5-11b"}, 1),
        ("own_divisor", {"model": "gemma-2-27b"}, 12),
        ("score_variance", {"d_head": 64}, 64),
        ("score_std", {"d_head": 64}, 8),
        ("largest_entropy", {"keys": 1}, 0.0),
        ("kv_bytes_per_token", {"model": "gpt-2-small"}, 36_864),
        ("kv_bytes_per_token", {"model": "gpt-3-175b"}, 4_718_592),
        ("kv_bytes_per_token", {"model": "llama-3-70b"}, 327_680),
        ("kv_bytes_per_token", {"model": "llama-3-70b", "num_kv_heads": 64}, 2_621_440),
        ("kv_bytes_per_token", {"model": "llama-3-70b", "num_kv_heads": 1}, 40_960),
        ("kv_bytes_per_token", {"model": "deepseek-v3-r1-671b"}, 70_272),
        ("kv_bytes_per_token", {"model": "deepseek-v3-r1-671b", "num_kv_heads": 128}, 4_997_120),
        ("kv_bytes", {"model": "llama-3-70b", "tokens": 8192}, 5 * 2**29),
        ("kv_bytes", {"model": "gpt-3-175b", "tokens": 2048}, 9 * 2**30),
        ("kv_head_of", {"query_head": 19, "num_heads": 64, "num_kv_heads": 8}, 2),
        ("attention_parameters", {"model": "bert-base", "bias": True}, 2_362_368),
        ("attention_parameters", {"model": "llama-3-70b"}, 150_994_944),
        ("attention_parameters", {"d_model": 8192, "num_heads": 64}, 268_435_456),
        ("twelve_l_d_squared", {"model": "gpt-3-175b"}, 173_946_175_488),
        ("score_flops", {"d_model": 768, "tokens": 512}, 805_306_368),
        ("crossover_tokens", {"d_model": 768}, 1536),
        ("score_bytes", {"batch": 8, "num_heads": 12, "tokens": 512}, 48 * 2**20),
        ("score_bytes", {"num_heads": 64, "tokens": 8192}, 8 * 2**30),
        ("kernel_width", {"d_head": 80}, 96),
        (
            "rule_breakers",
            {"models": ["t5-11b", "gemma-7b", "deepseek-v3-r1-671b", "gpt-2-small", "bert-base"]},
            ["t5-11b", "gemma-7b", "deepseek-v3-r1-671b"],
        ),
        (
            "divisor_breakers",
            {"models": ["bert-base", "t5-11b", "gemma-7b", "gemma-2-27b"]},
            ["t5-11b", "gemma-2-27b"],
        ),
    ],
)
def test_a_closed_form_gives_its_published_number(
    name: str, arguments: dict[str, object], value: object
) -> None:
    assert COMPUTABLE[name](**arguments) == value


def test_the_scale_of_a_width_that_is_no_square_is_its_root() -> None:
    assert COMPUTABLE["scale_divisor"](d_head=128) == pytest.approx(11.3137, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "arguments", "value"),
    [
        ("score_std", {"d_head": 128}, 11.3137),
        ("largest_entropy", {"keys": 64}, 4.1589),
        ("own_divisor", {"model": "gemma-3-27b"}, 12.9615),
        ("own_divisor", {"model": "deepseek-v2-236b"}, 192**0.5 / 1.2608**2),
        ("own_divisor", {"model": "deepseek-v3-r1-671b"}, 192**0.5 / 1.3689**2),
    ],
)
def test_a_closed_form_that_is_no_whole_number_is_near_it(
    name: str, arguments: dict[str, object], value: float
) -> None:
    assert COMPUTABLE[name](**arguments) == pytest.approx(value, rel=1e-4)


def test_every_models_scores_are_divided_by_a_number_that_its_row_gives() -> None:
    slugs = [config.slug for config in all_models()]
    breakers = COMPUTABLE["divisor_breakers"](models=slugs)
    assert len(breakers) == 13
    for slug in {*slugs} - {*breakers}:
        assert COMPUTABLE["own_divisor"](model=slug) == arithmetic.scale_divisor(d_head=model(slug).d_head)


def test_latent_attention_saves_seventy_one_times_against_its_own_mha() -> None:
    latent = arithmetic.kv_bytes_per_token(model="deepseek-v3-r1-671b")
    assert arithmetic.kv_bytes_per_token(
        model="deepseek-v3-r1-671b", num_kv_heads=128
    ) / latent == pytest.approx(71.1, abs=0.05)


def test_the_cache_of_heads_equals_the_tables_own_count() -> None:
    for config in all_models():
        if config.num_kv_heads and config.kv_elements:
            assert config.num_kv_heads * (config.d_head + config.d_head_v) == config.kv_elements, config.slug


def test_the_rule_is_broken_by_34_of_116_models() -> None:
    slugs = [config.slug for config in all_models()]
    broken = arithmetic.rule_breakers(models=slugs)
    assert len(broken) == 34
    assert all(model(slug).num_heads * model(slug).d_head != model(slug).d_model for slug in broken)


def test_a_division_with_a_remainder_is_refused_with_the_arithmetic_and_the_way_out() -> None:
    with pytest.raises(ValueError, match=r"768 = 10\*76 \+ 8\); nearest that divide: 8, 12"):
        arithmetic.d_head(d_model=768, num_heads=10)


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("d_head", {"d_model": 768, "num_heads": 0}, "num_heads must be at least 1"),
        ("divisors", {"n": 2**50}, "must lie between"),
        ("smallest_divisor_above", {"n": 768, "above": 768}, "no divisor of 768 is above 768"),
        ("kv_bytes_per_token", {"model": "bert-base"}, "has no cache"),
        ("attention_parameters", {"model": "deepseek-v2-236b"}, "compresses K and V"),
        ("kernel_width", {"d_head": 512}, "above 256"),
        ("score_variance", {"d_head": 0}, "d_head must be at least 1"),
        ("largest_entropy", {"keys": 0}, "keys must be at least 1"),
        ("kv_head_of", {"query_head": 1, "num_heads": 6, "num_kv_heads": 4}, "must divide"),
    ],
)
def test_a_closed_form_says_why_it_has_no_value(name: str, arguments: dict[str, object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        COMPUTABLE[name](**arguments)


@given(n=st.integers(1, 10**6))
def test_divisors_are_exactly_the_numbers_that_divide(n: int) -> None:
    found = arithmetic.divisors(n=n)
    assert found == sorted(set(found))
    assert all(n % d == 0 for d in found)
    assert math.prod(found) ** 2 == n ** len(found)


@given(d_model=st.integers(1, 10**6), num_heads=st.integers(1, 10**4))
def test_quotient_and_remainder_make_the_width_again(d_model: int, num_heads: int) -> None:
    whole = arithmetic.quotient(d_model=d_model, num_heads=num_heads)
    rest = arithmetic.remainder(d_model=d_model, num_heads=num_heads)
    assert whole * num_heads + rest == d_model
    assert arithmetic.inner_width(d_model=d_model, num_heads=num_heads) == d_model - rest
