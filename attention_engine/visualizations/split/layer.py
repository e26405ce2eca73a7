"""One attention layer of random weights, its tensors as the steps of head_split name them. Draws nothing."""

from collections.abc import Generator, Iterator, Mapping
from typing import Any

import torch

from attention_engine.attention import attention_weights
from attention_engine.configs import ModelConfig
from attention_engine.device import Chance
from attention_engine.heads import fold_groups, merge_heads, split_heads
from attention_engine.kinds import head_split as kind
from attention_engine.rotary import Pairing, rotate
from attention_engine.visualizations._projecting import Projecting

PAIRING: Pairing = "interleaved"
"""Of rotary positions, as DeepSeek-V2 pairs features."""
Numbers = Mapping[str, Any]
Named = tuple[str, torch.Tensor]
Made = Generator[Named, None, tuple[torch.Tensor, torch.Tensor]]
"""Yields steps, returns K and V."""


def tensors(numbers: Numbers, chance: Chance, seed: int) -> Iterator[Named]:
    """The tensor of each step, in order, as it is made; one projection at a time."""
    project = Projecting(chance, seed, pinned=numbers["weights"] == "pinned")
    heads, width, d_model = (numbers[name] for name in ("num_heads", "d_head", "d_model"))
    x = chance.normal((numbers["batch"], numbers["tokens"], d_model))
    yield "input", x
    projected = project.heads(x, "q", heads=heads, width=width)
    yield "project", projected
    yield "view", projected.view(*projected.shape[:2], heads, width)
    q = split_heads(projected, heads)
    yield "transpose", q
    seen = x if numbers["key_tokens"] == numbers["tokens"] else _other_text(numbers, chance)
    if latent := kind.latent(numbers):
        q = _turned(q, latent.d_head_rope)
        k, v = yield from _unpacked(seen, numbers, project, latent)
    else:
        k, v = yield from _shared(seen, numbers, project)
    mixed = _mixed(q, k, v, scale=1 / kind.scale(numbers).divisor)
    yield "attend", mixed
    merged = merge_heads(mixed)
    yield "merge", merged
    yield "output", project.output(merged, heads=heads, d_model=d_model)


def _other_text(numbers: Numbers, chance: Chance) -> torch.Tensor:
    """(B, T_k, d_model): the text that K and V are made from, where it is not the one that asks."""
    return chance.normal((numbers["batch"], numbers["key_tokens"], numbers["d_model"]))


def _shared(seen: torch.Tensor, numbers: Numbers, project: Projecting) -> Made:
    """K and V with heads of their own; a step each where they differ from those of q."""
    shown, shared = {step.name for step in kind.steps(numbers)}, kind.kv_heads(numbers)
    k = split_heads(project.heads(seen, "k", heads=shared, width=numbers["d_head"]), shared)
    if "keys" in shown:
        yield "keys", k
    v = split_heads(project.heads(seen, "v", heads=shared, width=numbers["d_head_v"]), shared)
    if "values" in shown:
        yield "values", v
    return k, v


def _unpacked(seen: torch.Tensor, numbers: Numbers, project: Projecting, latent: ModelConfig) -> Made:
    """K and V made from the latent, the one turned key joined to each head's (DeepSeek-V2, section 2.1)."""
    heads, nope = numbers["num_heads"], numbers["d_head"] - latent.d_head_rope
    c_kv = project.heads(seen, "kv_down", heads=1, width=latent.kv_rank)
    yield "latent", c_kv
    k_rope = rotate(project.heads(seen, "k_rope", heads=1, width=latent.d_head_rope), pairing=PAIRING)
    yield "rope_key", k_rope
    k = _joined(project.heads(c_kv, "k_up", heads=heads, width=nope), k_rope, heads)
    yield "keys", k
    v = split_heads(project.heads(c_kv, "v_up", heads=heads, width=numbers["d_head_v"]), heads)
    yield "values", v
    return k, v


def _joined(nope: torch.Tensor, k_rope: torch.Tensor, heads: int) -> torch.Tensor:
    """(B, T, H*N), (B, T, R) -> (B, H, T, N + R)."""
    return torch.cat([split_heads(nope, heads), k_rope[:, None].expand(-1, heads, -1, -1)], dim=-1)


def _turned(q: torch.Tensor, rope: int) -> torch.Tensor:
    """(B, H, T, D): the last `rope` features of each head turned by their position."""
    return torch.cat([q[..., :-rope], rotate(q[..., -rope:], pairing=PAIRING)], dim=-1)


def _mixed(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, scale: float) -> torch.Tensor:
    """(B, H, T, D_v): written out at any size, so that what it takes is known beforehand."""
    weights = attention_weights(q, k, scale=scale)
    return (fold_groups(weights, v.shape[1]) @ v).view(*q.shape[:-1], v.shape[-1])
