"""K and V of one layer turned into those of another sharing scheme. Knows no sentence and no frame."""

from dataclasses import dataclass

import torch

from attention_engine.attention import attention_weights
from attention_engine.boundaries import boundary
from attention_engine.heads import group_size
from attention_engine.kinds.sharing.work import HEADS_AT_ONCE

LEAST_WEIGHT = 1e-3
"""Of a token that nobody looks at, so that its direction can be undone."""


@dataclass(frozen=True)
class Pairs:
    """K (H_kv, T, D) and V (H_kv, T, D_v) that the query heads share."""

    k: torch.Tensor
    v: torch.Tensor


@dataclass(frozen=True)
class Basis:
    """(T, T) float64 each: tokens to directions and back; the first r of them make a latent of r numbers."""

    down: torch.Tensor
    up: torch.Tensor


@dataclass(frozen=True)
class Queries:
    """q (H, T, D), which never changes, and how it attends."""

    q: torch.Tensor
    mask: torch.Tensor | None
    scale: float


@dataclass(frozen=True)
class Attended:
    """maps (H, T, T) and output (H, T, D_v) of every query head."""

    maps: torch.Tensor
    output: torch.Tensor


def shared(heads: torch.Tensor, num_heads: int, groups: int) -> torch.Tensor:
    """(H_kv, T, N) -> (groups, T, N): each group's heads averaged (Ainslie et al. 2023, GQA, section 2.1).

    More groups than heads repeat them, which changes no number. Raises ValueError for unequal groups."""
    own = len(heads)
    group_size(num_heads, own), group_size(num_heads, groups)
    if groups % own == 0:
        return heads.repeat_interleave(groups // own, dim=0)
    if own % groups:
        heads = heads.repeat_interleave(num_heads // own, dim=0)
    pooled: torch.Tensor = heads.view(groups, -1, *heads.shape[1:]).mean(dim=1)
    return pooled


def of_groups(pairs: Pairs, num_heads: int, groups: int) -> Pairs:
    """Both K and V shared among so many groups."""
    return Pairs(shared(pairs.k, num_heads, groups), shared(pairs.v, num_heads, groups))


def basis_of(pairs: Pairs, maps: torch.Tensor) -> Basis:
    """The singular directions of K and V side by side, (T, H_kv * (D + D_v)), largest first.

    K and V are brought to one size, and each token counts by the attention it receives: an unweighted SVD
    keeps what is long, and loses the short value of a first token that most heads look at."""
    k, v = (one / one.norm().clamp(min=1e-30) for one in (pairs.k.double(), pairs.v.double()))
    weight = maps.double().mean(dim=(0, 1)).sqrt().clamp(min=LEAST_WEIGHT)
    joint = torch.cat([k, v], dim=-1).transpose(0, 1).flatten(1) * weight[:, None]
    # The left singular vectors are the eigenvectors of the T x T products.
    left = torch.linalg.eigh(joint @ joint.T).eigenvectors.flip(-1)
    return Basis(down=left.T * weight, up=left / weight[:, None])


def of_latent(pairs: Pairs, basis: Basis, rank: int) -> Pairs:
    """K and V rebuilt from a latent of `rank` numbers a token: the truncated, weighted SVD of both.

    A token's latent is its row of `up`, the up-projection is the same for every token; no other latent of
    that width is nearer in weighted squares (Eckart and Young 1936)."""
    through = (basis.up[:, :rank] @ basis.down[:rank]).float()
    return Pairs(through @ pairs.k, through @ pairs.v)


def attended(queries: Queries, pairs: Pairs) -> Attended:
    """Every query head with the pair it reads, a few heads at a time, in the same way under every scheme.

    The same K and V give the same bits, however many heads share them."""
    parts = [_part(queries, pairs, first) for first in range(0, len(queries.q), HEADS_AT_ONCE)]
    maps, outputs = zip(*parts, strict=True)
    return Attended(torch.cat(maps), torch.cat(outputs))


def _part(queries: Queries, pairs: Pairs, first: int) -> tuple[torch.Tensor, torch.Tensor]:
    boundary()
    size = group_size(len(queries.q), len(pairs.k))
    q = queries.q[first : first + HEADS_AT_ONCE].contiguous()
    read = torch.arange(first, first + len(q), device=q.device) // size
    weights = attention_weights(q, pairs.k[read], mask=queries.mask, scale=queries.scale)
    return weights, weights @ pairs.v[read]


def relative_error(output: torch.Tensor, own: torch.Tensor) -> float:
    """|output - own| / |own| over all heads, tokens and features (Frobenius)."""
    return float((output - own).norm() / own.norm().clamp(min=1e-30))


def errors_of_heads(output: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
    """(H,): the same of each head alone."""
    whole = own.flatten(1).norm(dim=1).clamp(min=1e-30)
    shares: torch.Tensor = (output - own).flatten(1).norm(dim=1) / whole
    return shares


def likeness(maps: torch.Tensor, seen: torch.Tensor | None) -> torch.Tensor:
    """(H, T, T) -> (H, H): Pearson's correlation of any two maps over the cells that may be seen."""
    cells = maps.flatten(1) if seen is None else maps[:, seen]
    centred = cells - cells.mean(dim=1, keepdim=True)
    unit: torch.Tensor = centred / centred.norm(dim=1, keepdim=True).clamp(min=1e-30)
    return unit @ unit.T


def within_and_between(like: torch.Tensor, groups: int) -> tuple[float, float] | None:
    """Mean likeness of two heads of one group, and of two groups; None where either has no pair.

    None too where a map is even, as that of a single token is: it correlates with nothing."""
    heads = len(like)
    group = torch.arange(heads, device=like.device) // (heads // groups)
    same = group[:, None] == group
    pairs = torch.ones_like(like, dtype=torch.bool).triu_(1)
    if groups in {1, heads} or float(like.diagonal().min()) < 0.5:
        return None
    return float(like[same & pairs].mean()), float(like[~same & pairs].mean())
