"""Attention written out equals torch's own, and heads split and join without loss."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional

from attention_engine.attention import attend, attention_weights, entropy
from attention_engine.device import Chance, NoSuchDevice, chosen_device, settle
from attention_engine.heads import merge_heads, repeat_heads, split_heads

CPU = torch.device("cpu")
SHAPES = st.tuples(st.integers(1, 3), st.integers(1, 5), st.integers(1, 17), st.integers(1, 40))


def drawn(shape: tuple[int, ...], seed: int) -> torch.Tensor:
    return Chance(seed, CPU).normal(shape)


@pytest.mark.parametrize("causal", [False, True])
@settings(deadline=None)
@given(shape=SHAPES, seed=st.integers(0, 99))
def test_the_written_out_attention_equals_torchs(causal: bool, shape: tuple[int, ...], seed: int) -> None:
    q, k, v = (drawn(shape, seed + i) for i in range(3))
    stages = attend(q, k, v, causal=causal)
    reference = functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    assert torch.allclose(stages.output, reference, atol=1e-5)
    assert torch.allclose(stages.weights, attention_weights(q, k, causal=causal), atol=1e-6)
    assert torch.allclose(stages.weights.sum(-1), torch.ones(shape[:-1]), atol=1e-6)


@settings(deadline=None)
@given(shape=SHAPES)
def test_splitting_and_merging_heads_gives_the_same_numbers_back(shape: tuple[int, ...]) -> None:
    batch, num_heads, tokens, d_head = shape
    x = drawn((batch, tokens, num_heads * d_head), seed=1)
    heads = split_heads(x, num_heads)
    assert heads.data_ptr() == x.data_ptr()
    assert torch.equal(merge_heads(heads), x)


def test_grouped_heads_attend_as_torch_does_with_enable_gqa() -> None:
    q, k, v = drawn((2, 12, 5, 8), 0), drawn((2, 4, 5, 8), 1), drawn((2, 4, 5, 8), 2)
    ours = attend(q, repeat_heads(k, 12), repeat_heads(v, 12)).output
    assert torch.allclose(ours, functional.scaled_dot_product_attention(q, k, v, enable_gqa=True), atol=1e-6)


def test_kv_heads_that_do_not_divide_are_refused_with_both_numbers() -> None:
    with pytest.raises(ValueError, match="5 K/V heads do not divide 12"):
        repeat_heads(drawn((1, 5, 2, 4), 0), 12)


def test_a_causal_row_sends_nothing_to_later_tokens() -> None:
    weights = attention_weights(drawn((4, 6, 8), 0), drawn((4, 6, 8), 1), causal=True)
    assert torch.equal(weights, weights.tril())


def test_entropy_is_nothing_for_one_token_and_the_logarithm_for_all_alike() -> None:
    rows = torch.stack([torch.eye(8)[0], torch.full((8,), 1 / 8)])
    assert entropy(rows).tolist() == pytest.approx([0.0, math.log(8)], abs=1e-6)


def test_the_same_seed_draws_the_same_numbers_and_another_seed_others() -> None:
    assert torch.equal(drawn((3, 3), 5), drawn((3, 3), 5))
    assert not torch.equal(drawn((3, 3), 5), drawn((3, 3), 6))


def test_the_device_is_chosen_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDYHUB_DEVICE", "auto")
    assert chosen_device().type == ("cuda" if torch.cuda.is_available() else "cpu")
    monkeypatch.setenv("STUDYHUB_DEVICE", "tpu")
    with pytest.raises(NoSuchDevice, match="auto, cpu, cuda"):
        chosen_device()


def test_a_gpu_asked_for_and_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDYHUB_DEVICE", "cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(NoSuchDevice, match="finds no GPU"):
        chosen_device()


def test_a_worker_computes_with_one_thread_on_the_cpu() -> None:
    settle(CPU)
    assert torch.get_num_threads() == 1
