"""One latent attention layer (MLA) of seeded random weights: its heads unpacked. It has learned nothing.

As in trained/seeded.py the heads come by law or pinned. K and V of a head are linear in the latent, so that
their law given the latent is as exact as the latent's own given x."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from attention_engine import gaussian
from attention_engine.device import Chance
from attention_engine.latent import Turning, joined_keys, turned, turned_queries
from attention_engine.trained.encoder import LayerHeads
from attention_engine.trained.seeded import head_seed, projected


@dataclass(frozen=True)
class LatentWidths:
    """The numbers of one layer: a query or key has d_head features, the last `rope` of them turned."""

    num_heads: int
    d_head: int
    rope: int
    kv_rank: int
    d_head_v: int

    @property
    def nope(self) -> int:
        """Features of a query or key that know no position."""
        return self.d_head - self.rope


def by_law(x: torch.Tensor, chance: Chance, widths: LatentWidths, *, turning: Turning) -> LayerHeads:
    """(T, d_model) -> q and k (H, T, d_head), v (H, T, d_head_v), as if by weights that are never made."""
    heads = widths.num_heads
    columns = [heads * widths.d_head, widths.kv_rank, widths.rope]
    q, c_kv, k_rope = gaussian.project(x, columns, chance)
    q = turned_queries(_split(q, heads), widths.rope, turning=turning)
    c_kv, k_rope = c_kv.clone(), turned(k_rope, turning=turning)  # no view keeps the first sample alive
    k_nope, v = gaussian.project(c_kv, [heads * widths.nope, heads * widths.d_head_v], chance)
    return LayerHeads(q=q, k=joined_keys(_split(k_nope, heads), k_rope), v=_split(v, heads))


def _split(x: torch.Tensor, heads: int) -> torch.Tensor:
    """(T, H*N) -> (H, T, N), a view."""
    return x.view(len(x), heads, -1).transpose(0, 1)


def pinned(x: torch.Tensor, seed: int, widths: LatentWidths, *, layer: int, turning: Turning) -> LayerHeads:
    """The same shapes, one head's weights at a time, each from its own seed; W^DKV and W^KR have one each."""

    def seeds(place: str, count: int) -> Iterator[int]:
        return (head_seed(seed, f"{layer}/{place}", head) for head in range(count))

    heads = widths.num_heads
    (c_kv,) = projected(x, [*seeds("kv_down", 1)], widths.kv_rank)
    (k_rope,) = projected(x, [*seeds("k_rope", 1)], widths.rope)
    k_nope = projected(c_kv, [*seeds("k_up", heads)], widths.nope)
    q = turned_queries(projected(x, [*seeds("q", heads)], widths.d_head), widths.rope, turning=turning)
    k = joined_keys(k_nope, turned(k_rope, turning=turning))
    return LayerHeads(q=q, k=k, v=projected(c_kv, [*seeds("v_up", heads)], widths.d_head_v))
