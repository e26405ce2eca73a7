"""Latent attention: unpacked and absorbed forms agree with each other and a slow twin, and cache little."""

from dataclasses import fields

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_engine import masks
from attention_engine.attention import attend, scale_of
from attention_engine.device import Chance
from attention_engine.latent import (
    LatentCache,
    LatentWeights,
    Turning,
    absorbed,
    absorbed_heads,
    naive,
    naive_heads,
)
from attention_engine.rotary import Pairing
from tests.attention_engine import reference

SIZES = st.fixed_dictionaries(
    {
        "d_model": st.integers(1, 12),
        "num_heads": st.integers(1, 4),
        "kv_rank": st.integers(1, 7),
        "nope": st.integers(1, 5),
        "rope": st.sampled_from([2, 4, 6]),
        "d_v": st.integers(1, 6),
    }
)
DEEPSEEK = {"d_model": 32, "num_heads": 3, "kv_rank": 16, "nope": 8, "rope": 4, "d_v": 6}


def layer(
    seed: int, *, d_model: int, num_heads: int, kv_rank: int, nope: int, rope: int, d_v: int
) -> LatentWeights:
    chance = Chance(seed, torch.device("cpu"))
    shapes = {
        "w_q": (d_model, num_heads, nope + rope),
        "w_kv_down": (d_model, kv_rank),
        "w_k_up": (kv_rank, num_heads, nope),
        "w_v_up": (kv_rank, num_heads, d_v),
        "w_k_rope": (d_model, rope),
        "w_o": (num_heads, d_v, d_model),
    }
    fan_in = {"w_k_up": kv_rank, "w_v_up": kv_rank, "w_o": num_heads * d_v}
    return LatentWeights(
        **{
            name: chance.normal(shape, deviation=fan_in.get(name, d_model) ** -0.5)
            for name, shape in shapes.items()
        }
    )


def drawn(shape: tuple[int, ...], seed: int = 1) -> torch.Tensor:
    return Chance(seed, torch.device("cpu")).normal(shape)


@settings(deadline=None, max_examples=40)
@given(sizes=SIZES, tokens=st.integers(1, 6), pairing=st.sampled_from(["half", "interleaved"]))
def test_both_forms_equal_the_slow_twin(sizes: dict[str, int], tokens: int, pairing: Pairing) -> None:
    weights, x = layer(3, **sizes), drawn((2, tokens, sizes["d_model"]))
    mask, scale = masks.causal(tokens, tokens), scale_of("mla", d_head=sizes["nope"] + sizes["rope"])
    turning = Turning(pairing=pairing)
    listed = {field.name: getattr(weights, field.name).tolist() for field in fields(weights)}
    twin = torch.tensor(
        [
            reference.latent(
                row,
                listed,
                scale=scale,
                sees=mask.tolist(),
                base=1e4,
                interleaved=pairing == "interleaved",
            )
            for row in x.tolist()
        ]
    )
    for form in (naive, absorbed):
        output, _ = form(x, weights, mask=mask, turning=turning)
        assert torch.allclose(output, twin, atol=1e-5)


@pytest.mark.parametrize("tokens", [1, 16, 300])
def test_the_absorbed_form_agrees_with_the_unpacked_one(tokens: int) -> None:
    weights, x = layer(4, **DEEPSEEK), drawn((2, tokens, 32))
    mask, scale = masks.causal(tokens, tokens), scale_of("mla", d_head=12, mscale=1.37)
    unpacked, first = naive(x, weights, mask=mask, scale=scale)
    taken_in, second = absorbed(x, weights, mask=mask, scale=scale)
    assert torch.allclose(unpacked, taken_in, atol=1e-5)
    assert torch.equal(first.c_kv, second.c_kv)
    assert torch.equal(first.k_rope, second.k_rope)


def test_the_cache_holds_kv_rank_and_rope_numbers_a_token_for_any_number_of_heads() -> None:
    for num_heads in (1, 3, 8):
        weights = layer(5, **DEEPSEEK | {"num_heads": num_heads})
        cache = absorbed_heads(drawn((2, 7, 32)), weights).cache
        assert cache.numbers_per_token == 16 + 4
        assert cache.c_kv.numel() + cache.k_rope.numel() == 2 * 7 * 20


def test_absorbed_heads_are_multi_query_over_the_cache_and_give_the_same_weights() -> None:
    weights, x = layer(6, **DEEPSEEK), drawn((1, 5, 32))
    unpacked, shared = naive_heads(x, weights), absorbed_heads(x, weights)
    assert (unpacked.k.shape, unpacked.v.shape) == ((1, 3, 5, 12), (1, 3, 5, 6))
    assert (shared.k.shape, shared.v.shape) == ((1, 1, 5, 20), (1, 1, 5, 16))
    both = [attend(heads.q, heads.k, heads.v, scale=12**-0.5).weights for heads in (unpacked, shared)]
    assert torch.allclose(*both, atol=1e-6)


@pytest.mark.parametrize("form", [naive, absorbed])
def test_token_by_token_with_a_cache_equals_all_at_once(form: object) -> None:
    weights, x = layer(7, **DEEPSEEK), drawn((2, 6, 32))
    whole, _ = form(x, weights, mask=masks.causal(6, 6))  # type: ignore[operator]
    past: LatentCache | None = None
    for t in range(6):
        token, past = form(x[:, t : t + 1], weights, past=past)  # type: ignore[operator]
        assert torch.allclose(token, whole[:, t : t + 1], atol=1e-5)
    assert past is not None
    assert past.c_kv.shape == (2, 6, 16)


def test_only_the_rope_part_knows_the_order() -> None:
    weights, x = layer(8, **DEEPSEEK), drawn((1, 1, 32)).expand(1, 4, 32)
    heads = naive_heads(x, weights)
    assert torch.equal(heads.k[..., :8], heads.k[:, :, :1, :8].expand(1, 3, 4, 8))
    assert not torch.allclose(heads.k[:, :, 0, 8:], heads.k[:, :, 1, 8:])
