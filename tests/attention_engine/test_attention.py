"""Attention written out equals torch's own and a slow twin, for every sharing of heads, mask and scale."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional

from attention_engine import masks
from attention_engine.attention import (
    Stages,
    attend,
    attend_output,
    attention_weights,
    entropy,
    scale_of,
    shown_weights,
)
from attention_engine.device import Chance, NoSuchDevice, chosen_device, settle
from attention_engine.heads import group_size, merge_heads, split_heads
from tests.attention_engine import reference
from tests.attention_engine.memory import measured
from tests.attention_engine.rearranged import repeat_heads

CPU = torch.device("cpu")
SHAPES = st.tuples(st.integers(1, 3), st.integers(1, 5), st.integers(1, 17), st.integers(1, 40))
SHARED = [(heads, kv) for heads in (1, 2, 3, 4, 6, 8, 12) for kv in range(1, heads + 1) if heads % kv == 0]
MASKS = ["none", "causal", "causal bottom right", "sliding window", "padding", "nothing to see"]


def drawn(shape: tuple[int, ...], seed: int) -> torch.Tensor:
    return Chance(seed, CPU).normal(shape)


def qkv(
    *, heads: int, kv: int, tokens: int = 5, keys: int = 5, d_head: int = 8, d_v: int = 8, batch: int = 2
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    q = drawn((batch, heads, tokens, d_head), 1)
    return q, drawn((batch, kv, keys, d_head), 2), drawn((batch, kv, keys, d_v), 3)


def mask_of(name: str, *, batch: int, tokens: int, keys: int) -> torch.Tensor | None:
    """A mask that broadcasts to (batch, heads, tokens, keys)."""
    made = {
        "causal": lambda: masks.causal(tokens, keys),
        "causal bottom right": lambda: masks.causal(tokens, keys, align="bottom_right"),
        "sliding window": lambda: masks.sliding_window(tokens, keys, window=2),
        "padding": lambda: masks.padding([keys - 1 - n % keys for n in range(batch)], keys),
        "nothing to see": lambda: torch.zeros(tokens, keys, dtype=torch.bool),
    }
    return made[name]() if name != "none" else None


def held_by(run: Callable[[], object]) -> int:
    """Bytes at the peak; run twice, since the first time torch imports what its meter needs."""
    for _ in range(2):
        with measured() as meter:
            run()
    return meter.peak


def twin(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, **more: Any) -> dict[str, torch.Tensor]:
    """The slow twin's stages, in float64."""
    mask = more.pop("mask")
    if mask is not None:
        mask = mask.expand(*q.shape[:-1], k.shape[-2]).tolist()
    told = reference.attention(q.tolist(), k.tolist(), v.tolist(), mask=mask, **more)
    return {name: torch.tensor(numbers, dtype=torch.float64) for name, numbers in told.items()}


def assert_equal_to_twin_and_torch(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, mask: torch.Tensor | None, scale: float
) -> None:
    stages, slow = attend(q, k, v, mask=mask, scale=scale), twin(q, k, v, mask=mask, scale=scale)
    for name, numbers in slow.items():
        assert torch.allclose(getattr(stages, name).double(), numbers, atol=1e-5), name
    torchs = functional.scaled_dot_product_attention(
        q, k, v, attn_mask=mask, scale=scale, enable_gqa=q.shape[1] != k.shape[1]
    )
    assert torch.allclose(stages.output, torchs, atol=1e-5)
    assert torch.allclose(attend_output(q, k, v, mask=mask, scale=scale), torchs, atol=1e-5)
    assert torch.allclose(attention_weights(q, k, mask=mask, scale=scale), stages.weights, atol=1e-6)


@pytest.mark.parametrize(("heads", "kv"), SHARED)
def test_every_sharing_of_heads_equals_its_twin_and_torchs(heads: int, kv: int) -> None:
    q, k, v = qkv(heads=heads, kv=kv, d_head=5, d_v=3, keys=4)
    assert_equal_to_twin_and_torch(q, k, v, mask=None, scale=5**-0.5)


@pytest.mark.parametrize("name", MASKS)
@settings(deadline=None, max_examples=25)
@given(
    shared=st.sampled_from(SHARED[:9]),
    tokens=st.integers(1, 6),
    keys=st.integers(1, 6),
    d_head=st.integers(1, 9),
    d_v=st.integers(1, 9),
    rule=st.sampled_from(["sqrt", "none", "d_head"]),
)
def test_every_mask_equals_its_twin_and_torchs(
    name: str, shared: tuple[int, int], tokens: int, keys: int, d_head: int, d_v: int, rule: Any
) -> None:
    q, k, v = qkv(heads=shared[0], kv=shared[1], tokens=tokens, keys=keys, d_head=d_head, d_v=d_v)
    mask = mask_of(name, batch=2, tokens=tokens, keys=keys)
    assert_equal_to_twin_and_torch(q, k, v, mask=mask, scale=scale_of(rule, d_head=d_head))


@pytest.mark.parametrize("causal", [False, True])
@settings(deadline=None)
@given(shape=SHAPES, seed=st.integers(0, 99))
def test_the_written_out_attention_equals_torchs(causal: bool, shape: tuple[int, ...], seed: int) -> None:
    q, k, v = (drawn(shape, seed + i) for i in range(3))
    stages = attend(q, k, v, mask=masks.causal(shape[2], shape[2]) if causal else None)
    torchs = functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    assert torch.allclose(stages.output, torchs, atol=1e-5)
    assert torch.allclose(stages.weights.sum(-1), torch.ones(shape[:-1]), atol=1e-6)


@pytest.mark.parametrize(("tokens", "keys"), [(3, 7), (7, 3), (1, 5)])
def test_a_top_left_mask_is_what_torch_means_by_is_causal(tokens: int, keys: int) -> None:
    q, k, v = qkv(heads=4, kv=2, tokens=tokens, keys=keys)
    torchs = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    assert torch.allclose(attend(q, k, v, mask=masks.causal(tokens, keys)).output, torchs, atol=1e-5)


@pytest.mark.parametrize("name", MASKS)
def test_rows_sum_to_1_or_to_nothing_and_a_hidden_key_gets_exactly_0(name: str) -> None:
    q, k, v = qkv(heads=6, kv=2, tokens=7, keys=4)
    mask = mask_of(name, batch=2, tokens=7, keys=4)
    stages = attend(q, k, v, mask=mask)
    sees = torch.ones(2, 6, 7, 4, dtype=torch.bool) if mask is None else mask.expand(2, 6, 7, 4)
    assert torch.all(stages.weights[~sees] == 0)
    assert torch.all(stages.masked[~sees] == -math.inf)
    assert torch.equal(stages.masked[sees], stages.scaled[sees])
    sums = sees.any(dim=-1).float()
    assert torch.allclose(stages.weights.sum(dim=-1), sums, atol=1e-6)
    assert torch.all(stages.output[sums == 0] == 0)
    assert torch.isfinite(stages.output).all()


def test_as_many_kv_heads_as_heads_is_multi_head_attention() -> None:
    q, k, v = qkv(heads=6, kv=6)
    each = [attend(q[:, h], k[:, h], v[:, h]).output for h in range(6)]
    assert torch.allclose(attend(q, k, v).output, torch.stack(each, dim=1), atol=1e-6)


@pytest.mark.parametrize("kv", [1, 2, 4])
def test_shared_heads_equal_repeated_ones(kv: int) -> None:
    q, k, v = qkv(heads=8, kv=kv)
    repeated = attend(q, repeat_heads(k, 8), repeat_heads(v, 8))
    assert torch.allclose(attend(q, k, v).weights, repeated.weights, atol=1e-6)
    assert torch.allclose(attend(q, k, v).output, repeated.output, atol=1e-6)


def test_shared_heads_are_not_repeated_in_memory() -> None:
    q, k, v = qkv(heads=32, kv=1, tokens=2, keys=4096, d_head=64, d_v=64, batch=1)
    once, maps = 2 * k.nbytes, 4 * 32 * 2 * 4096 * 4
    assert held_by(lambda: attend(q, k, v)) < once + maps + 2**17 < 32 * k.nbytes


def test_one_head_alone_comes_without_an_axis_for_heads() -> None:
    q, k, v = qkv(heads=4, kv=2)
    alone = attend(q[1, 3], k[1, 1], v[1, 1])
    assert torch.allclose(alone.output, attend(q, k, v).output[1, 3], atol=1e-6)


@pytest.mark.parametrize("name", MASKS)
def test_the_shown_head_has_the_weights_it_has_among_all(name: str) -> None:
    q, k, v = qkv(heads=6, kv=3, keys=4)
    mask = mask_of(name, batch=2, tokens=5, keys=4)
    everywhere = attend(q, k, v, mask=mask, scale=0.3).weights
    for head in range(6):
        shown = shown_weights(q, k, head=head, mask=mask, scale=0.3)
        assert torch.allclose(shown, everywhere[:, head], atol=1e-6)


def test_a_mask_of_its_own_for_each_head_is_followed_by_the_shown_one() -> None:
    q, k, v = qkv(heads=4, kv=2)
    mask = torch.rand(1, 4, 5, 5, generator=torch.Generator().manual_seed(1)) < 0.6
    shown = shown_weights(q, k, head=2, mask=mask)
    assert torch.allclose(shown, attend(q, k, v, mask=mask).weights[:, 2], atol=1e-6)


def test_the_maps_of_other_heads_are_not_made_for_the_shown_one() -> None:
    q, k, _ = qkv(heads=16, kv=4, tokens=256, keys=256, batch=1)
    held = held_by(lambda: shown_weights(q, k, head=3))
    assert held < q.nbytes + k.nbytes + 4 * 256 * 256 * 4


@pytest.mark.parametrize(("tokens", "keys"), [(256, 256), (257, 256), (1, 65_537), (300, 300)])
@pytest.mark.parametrize("axes", [2, 3, 4])
def test_the_fused_kernel_gives_what_writing_out_gives(tokens: int, keys: int, axes: int) -> None:
    q, k, v = qkv(heads=4, kv=2, tokens=tokens, keys=keys, batch=1, d_v=6)
    if axes < 4:
        q, k, v = (x[0] if axes == 3 else x[0, 0] for x in (q, k, v))
    mask = masks.sliding_window(tokens, keys, window=tokens // 3 + 1)
    if keys == 256:
        mask[17] = False
    fused, written = attend_output(q, k, v, mask=mask), attend(q, k, v, mask=mask).output
    assert fused.shape == written.shape
    assert torch.allclose(fused, written, atol=1e-5)


def test_beyond_256_tokens_no_map_is_written_out() -> None:
    q, k, v = qkv(heads=8, kv=2, tokens=1024, keys=1024, d_head=16, d_v=16, batch=1)
    assert held_by(lambda: attend_output(q, k, v)) < 1024 * 1024 * 4 < attend(q, k, v).weights.nbytes


def test_stages_on_the_meta_device_have_shapes_and_no_numbers() -> None:
    q, k, v = (x.to("meta") for x in qkv(heads=96, kv=8, tokens=2048, keys=2048, d_head=128, d_v=128))
    stages: Stages = attend(q, k, v, mask=masks.causal(2048, 2048, device=q.device))
    assert stages.weights.shape == (2, 96, 2048, 2048)
    assert stages.output.shape == (2, 96, 2048, 128)
    assert stages.output.is_meta


@settings(deadline=None)
@given(shape=SHAPES)
def test_splitting_and_merging_heads_gives_the_same_numbers_back(shape: tuple[int, ...]) -> None:
    batch, num_heads, tokens, d_head = shape
    x = drawn((batch, tokens, num_heads * d_head), seed=1)
    heads = split_heads(x, num_heads)
    assert heads.data_ptr() == x.data_ptr()
    assert torch.equal(merge_heads(heads), x)


@pytest.mark.parametrize(
    "share", [lambda q, k: group_size(q.shape[1], k.shape[1]), attention_weights, attend_output]
)
def test_kv_heads_that_do_not_divide_are_refused_with_both_numbers(share: Any) -> None:
    q, k, v = qkv(heads=12, kv=5)
    says = r"5 K/V heads do not divide 12 query heads \(12 = 5\*2 \+ 2\); these do: 1, 2, 3, 4, 6, 12"
    with pytest.raises(ValueError, match=says):
        share(q, k, *([v] if share is attend_output else []))


@pytest.mark.parametrize("head", [-1, 6])
def test_a_head_that_does_not_exist_is_told_with_its_number(head: int) -> None:
    q, k, _ = qkv(heads=6, kv=3)
    with pytest.raises(ValueError, match=f"head {head} does not exist: the layer has heads 0 to 5"):
        shown_weights(q, k, head=head)


SCALES: list[tuple[Any, dict[str, Any], float]] = [
    ("sqrt", {"d_head": 64}, 1 / 8),
    ("none", {"d_head": 64}, 1.0),
    ("d_head", {"d_head": 64}, 1 / 64),
    ("query_pre_attn_scalar", {"d_head": 128, "query_pre_attn_scalar": 144}, 1 / 12),
    ("query_pre_attn_scalar", {"d_head": 128, "query_pre_attn_scalar": 168}, 168**-0.5),
    ("mla", {"d_head": 192}, 192**-0.5),
    ("mla", {"d_head": 192, "mscale": 1.5}, 2.25 * 192**-0.5),
]


@pytest.mark.parametrize(("rule", "numbers", "scale"), SCALES)
def test_the_scale_follows_its_rule(rule: Any, numbers: dict[str, Any], scale: float) -> None:
    assert scale_of(rule, **numbers) == pytest.approx(scale, rel=1e-12)


def test_a_scale_without_its_number_or_of_no_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="needs that number, 144 for Gemma-2 27B"):
        scale_of("query_pre_attn_scalar", d_head=128)
    with pytest.raises(ValueError, match='no scale rule "cube": take sqrt, none'):
        scale_of("cube", d_head=128)  # type: ignore[arg-type]


def test_a_causal_row_sends_nothing_to_later_tokens() -> None:
    weights = attention_weights(drawn((4, 6, 8), 0), drawn((4, 6, 8), 1), mask=masks.causal(6, 6))
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
