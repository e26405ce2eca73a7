"""Every tensor of a layer, traced by arithmetic, is what torch's meta device makes, and much sooner."""

import random
import timeit
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from attention_engine.arithmetic import divisors
from attention_engine.attention import attend
from attention_engine.heads import fold_groups
from attention_engine.pipeline import Traced, head_split_steps, trace
from attention_engine.rotary import rotate
from tests.sampling import tries

META = torch.device("meta")
BERT = {"batch": 2, "tokens": 4, "d_model": 768, "num_heads": 12, "d_head": 64}
LLAMA_3_70B = {"batch": 1, "tokens": 9, "d_model": 8192, "num_heads": 64, "num_kv_heads": 8, "d_head": 128}
DEEPSEEK_V3 = {"batch": 2, "tokens": 5, "d_model": 7168, "num_heads": 128, "d_head": 192, "d_head_v": 128}
DEEPSEEK_V3 |= {"kv_rank": 512, "d_head_rope": 64}
NAMED = [BERT, LLAMA_3_70B, DEEPSEEK_V3]


def made_by_torch(sizes: dict[str, int]) -> dict[str, torch.Tensor]:
    """The same tensors by the same names, run by torch without memory."""
    batch, tokens, d_model, heads, width = (
        sizes[name] for name in ("batch", "tokens", "d_model", "num_heads", "d_head")
    )
    value, keys = sizes.get("d_head_v") or width, sizes.get("key_tokens") or tokens
    rank, rope = sizes.get("kv_rank", 0), sizes.get("d_head_rope", 0)
    shared = heads if rank else sizes.get("num_kv_heads") or heads
    x = torch.empty(batch, tokens, d_model, device=META)
    seen = torch.empty(batch, keys, d_model, device=META)
    made = {"x": x, **split("q", x, heads, width)}
    q, source = made["q"], seen
    if rank:
        q = made["q_joined"] = torch.cat([*turned(made, width - rope)], dim=-1)
        source = made["c_kv"] = seen @ torch.empty(d_model, rank, device=META)
        made |= unpacked(seen, source, heads, width, rope)
    else:
        made |= split("k", seen, heads if rank else shared, width)
    made["k_transposed"] = made["k"].transpose(-2, -1)
    made |= split("v", source, shared, value)
    return made | weighed(q, made["k"], made["v"], d_model)


def split(name: str, x: torch.Tensor, heads: int, width: int) -> dict[str, torch.Tensor]:
    projected = x @ torch.empty(x.shape[-1], heads * width, device=META)
    view = projected.view(*x.shape[:2], heads, width)
    return {f"{name}_projected": projected, f"{name}_view": view, name: view.transpose(1, 2)}


def turned(made: dict[str, torch.Tensor], nope: int) -> Iterator[torch.Tensor]:
    made["q_nope"], made["q_rope"] = made["q"][..., :nope], made["q"][..., nope:]
    made["q_turned"] = rotate(made["q_rope"], pairing="interleaved")
    yield from (made["q_nope"], made["q_turned"])


def unpacked(
    seen: torch.Tensor, c_kv: torch.Tensor, heads: int, width: int, rope: int
) -> dict[str, torch.Tensor]:
    made = {"k_rope": seen @ torch.empty(seen.shape[-1], rope, device=META)}
    made["k_turned"] = rotate(made["k_rope"], pairing="interleaved")
    made["k_shared"] = made["k_turned"][:, None].expand(-1, heads, -1, -1)
    made |= split("k_nope", c_kv, heads, width - rope)
    return made | {"k": torch.cat([made["k_nope"], made["k_shared"]], dim=-1)}


def weighed(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, d_model: int) -> dict[str, torch.Tensor]:
    shared = k.shape[1]
    stages = attend(q, k, v, mask=torch.ones(q.shape[2], k.shape[2], dtype=torch.bool, device=META))
    made = {"q_folded": fold_groups(q, shared)}
    made["scores_folded"] = made["q_folded"] @ k.transpose(-2, -1)
    made |= {name: getattr(stages, name) for name in ("scores", "scaled", "masked", "weights")}
    made["weights_folded"] = fold_groups(stages.weights, shared)
    made["mixed_folded"] = made["weights_folded"] @ v
    made["mixed"] = stages.output
    made["merge_transposed"] = stages.output.transpose(1, 2)
    made["merge_copied"] = made["merge_transposed"].contiguous()
    made["merged"] = made["merge_copied"].view(*made["merge_copied"].shape[:2], -1)
    return made | {"output": made["merged"] @ torch.empty(made["merged"].shape[-1], d_model, device=META)}


def told(sizes: dict[str, int]) -> tuple[Traced, ...]:
    return tuple(
        (name, tuple(tensor.shape), tensor.stride(), tensor.is_contiguous())
        for name, tensor in made_by_torch(sizes).items()
    )


def drawn(chance: random.Random) -> dict[str, int]:
    """Sizes of any layer: grouped, multi-query or latent, of any width, one token and one item included."""
    heads = chance.choice([1, 2, 3, 4, 6, 8, 12, 16, 71])
    sizes = {
        "batch": chance.choice([1, 1, 2, 5]),
        "tokens": chance.choice([1, 1, 2, 7, 512]),
        "d_model": chance.randint(1, 4000),
        "num_heads": heads,
        "d_head": chance.choice([1, 2, 8, 45, 64, 128]),
        "num_kv_heads": chance.choice([0, 1, *divisors(n=heads)]),
        "d_head_v": chance.choice([0, 0, 1, 32, 128]),
        "key_tokens": chance.choice([0, 0, 1, 9]),
    }
    if chance.random() < 0.3:
        sizes["d_head_rope"] = chance.choice([4, 16, 64])
        sizes |= {"kv_rank": chance.randint(1, 600), "d_head": sizes["d_head"] + sizes["d_head_rope"] + 1}
    return sizes


@pytest.mark.parametrize("sizes", NAMED)
def test_the_trace_of_a_published_layer_is_that_of_torchs_meta_device(sizes: dict[str, int]) -> None:
    assert trace(**sizes) == told(sizes)


def test_layers_of_any_sizes_are_traced_as_torchs_meta_device_makes_them() -> None:
    chance = random.Random(20261130)
    for _ in range(tries(1000)):
        sizes = drawn(chance)
        assert trace(**sizes) == told(sizes), sizes


@pytest.mark.parametrize("sizes", NAMED)
def test_a_trace_costs_a_fraction_of_the_meta_device(sizes: dict[str, int]) -> None:
    arithmetic = min(timeit.repeat(lambda: trace(**sizes), number=200, repeat=5)) / 200
    on_meta = min(timeit.repeat(lambda: made_by_torch(sizes), number=10, repeat=5)) / 10
    assert arithmetic < 150e-6
    assert on_meta > 5 * arithmetic


def names(**sizes: Any) -> list[str]:
    return [step.name for step in head_split_steps(**sizes)]


def test_the_steps_are_those_in_which_the_layer_does_something_of_its_own() -> None:
    plain = ["input", "project", "view", "transpose", "attend", "merge", "output"]
    assert names(**BERT) == plain
    assert names(**LLAMA_3_70B) == [*plain[:4], "keys", *plain[4:]]
    assert names(**BERT, d_head_v=32) == [*plain[:4], "values", *plain[4:]]
    assert names(**BERT, num_kv_heads=1, d_head_v=32) == [*plain[:4], "keys", "values", *plain[4:]]
    assert names(**DEEPSEEK_V3) == [*plain[:4], "latent", "rope_key", "keys", "values", *plain[4:]]


def test_axes_that_differ_from_those_of_q_have_names_of_their_own() -> None:
    axes = {step.name: step.axes for step in head_split_steps(**LLAMA_3_70B, d_head_v=32, key_tokens=3)}
    assert axes["keys"] == ("B", "H_kv", "T_k", "D")
    assert axes["values"] == ("B", "H_kv", "T_k", "D_v")
    assert (axes["attend"], axes["merge"]) == (("B", "H", "T", "D_v"), ("B", "T", "H*D_v"))
    latent = {step.name: step.axes for step in head_split_steps(**DEEPSEEK_V3)}
    assert (latent["latent"], latent["rope_key"]) == (("B", "T", "kv_rank"), ("B", "T", "d_rope"))
    assert latent["keys"] == ("B", "H", "T", "D")


def test_every_step_of_a_layer_has_the_axes_of_its_shape() -> None:
    for sizes in NAMED:
        for step in head_split_steps(**sizes):
            assert len(step.axes) == len(step.shape) == len(step.strides), step.name
