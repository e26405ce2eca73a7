"""One attention layer of seeded random weights over the words of a sentence. It has learned nothing.

Its heads come by law (the weights are never made: any width is free) or pinned (each head's weights have a
seed of their own, so that one head drawn alone equals the same head drawn among all)."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from attention_engine import gaussian
from attention_engine.device import Chance
from attention_engine.heads import group_size
from attention_engine.trained.encoder import LayerHeads


@dataclass(frozen=True)
class Widths:
    """The numbers of one layer; num_kv_heads 0 means num_heads, d_head_v 0 means d_head."""

    d_model: int
    num_heads: int
    d_head: int
    num_kv_heads: int = 0
    d_head_v: int = 0

    @property
    def kv_heads(self) -> int:
        """Heads of K and of V."""
        return self.num_kv_heads or self.num_heads

    @property
    def value_width(self) -> int:
        """Numbers of one token in one head of V, and of that head's output."""
        return self.d_head_v or self.d_head

    @property
    def projections(self) -> dict[str, tuple[int, int]]:
        """(heads, width of one) of q, k and v."""
        return {
            "q": (self.num_heads, self.d_head),
            "k": (self.kv_heads, self.d_head),
            "v": (self.kv_heads, self.value_width),
        }


def embedded(words: Sequence[str], chance: Chance, d_model: int) -> torch.Tensor:
    """(T, d_model); the same word in two places differs only by its place."""
    spelled = list(dict.fromkeys(word.lower() for word in words))
    embeddings = chance.normal((len(spelled), d_model))
    places = chance.normal((len(words), d_model), deviation=0.5)
    return embeddings[[spelled.index(word.lower()) for word in words]] + places


def by_law(x: torch.Tensor, chance: Chance, widths: Widths) -> LayerHeads:
    """(T, d_model) -> q, k, v of every head in one draw, as if by N(0, 1/d_model) weights."""
    parts = widths.projections.values()
    drawn = gaussian.project(x, [heads * width for heads, width in parts], chance)
    heads = (part.view(len(x), *shape).transpose(0, 1) for part, shape in zip(drawn, parts, strict=True))
    return LayerHeads(*heads)


def pinned(
    x: torch.Tensor, seed: int, widths: Widths, *, layer: int = 0, heads: Sequence[int] | None = None
) -> LayerHeads:
    """(T, d_model) -> q of the named query heads (all if None), k and v of the K/V heads that they read.

    One head's weights at a time, each from its own seed: a head is the same alone and among all."""
    chosen = range(widths.num_heads) if heads is None else heads
    group = group_size(widths.num_heads, widths.kv_heads)
    shared = list(dict.fromkeys(head // group for head in chosen))
    asked: dict[str, Sequence[int]] = {"q": chosen, "k": shared, "v": shared}
    parts = []
    for name, (_, width) in widths.projections.items():
        seeds = [head_seed(seed, f"{layer}/{name}", head) for head in asked[name]]
        parts.append(projected(x, seeds, width))
    return LayerHeads(*parts)


def projected(x: torch.Tensor, seeds: Sequence[int], width: int) -> torch.Tensor:
    """(T, d_model) -> (heads, T, width), the weights of one head at a time."""
    tokens, d_model = x.shape
    projected = torch.empty(len(seeds), tokens, width, device=x.device)
    for row, seed in zip(projected, seeds, strict=True):
        weight = Chance(seed, x.device).normal((d_model, width), deviation=d_model**-0.5)
        row.copy_(x @ weight)  # not out=row: BLAS rounds by the alignment of what it writes
    return projected


def head_seed(seed: int, place: str, head: int) -> int:
    """The seed of one head's weights, below 2^63; `place` is "layer/projection", such as "0/q"."""
    told = hashlib.sha256(f"{seed}/{place}/{head}".encode()).digest()
    return int.from_bytes(told[:8]) >> 1


def read(
    words: Sequence[str],
    chance: Chance,
    *,
    weights: str = "pinned",
    layer: int = 0,
    heads: Sequence[int] | None = None,
    **widths: int,
) -> LayerHeads:
    """q (H, T, D), k and v (H_kv, T, ...) of a sentence; `weights` is "law" or "pinned", `widths` a Widths.

    By law every head comes at once, so `layer` and `heads` are read with "pinned" alone."""
    layer_widths = Widths(**widths)
    x = embedded(words, chance, layer_widths.d_model)
    if weights == "law":
        return by_law(x, chance, layer_widths)
    return pinned(x, chance.seed, layer_widths, layer=layer, heads=heads)
