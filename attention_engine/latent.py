"""Multi-head latent attention: K and V of all heads come from one short vector a token. Knows no model.

DeepSeek-V2 (2024), section 2.1. Only that vector c_kv and one rotated key shared by all heads are cached.
Left out, because neither changes what is said here: the low-rank way to q (W^DQ, W^UQ, here one W_Q), and the
RMS norms on the short vectors."""

from dataclasses import dataclass

import torch

from attention_engine.attention import attend_output
from attention_engine.rotary import BASE, Pairing, rotate


@dataclass(frozen=True)
class LatentWeights:
    """The matrices of one layer; `nope` features of a query or key carry no position, `rope` ones do."""

    w_q: torch.Tensor
    """(d_model, H, nope + rope): W^Q and W^QR."""
    w_kv_down: torch.Tensor
    """(d_model, kv_rank): W^DKV."""
    w_k_up: torch.Tensor
    """(kv_rank, H, nope): W^UK."""
    w_v_up: torch.Tensor
    """(kv_rank, H, D_v): W^UV."""
    w_k_rope: torch.Tensor
    """(d_model, rope): W^KR, one key for all heads."""
    w_o: torch.Tensor
    """(H, D_v, d_model): W^O."""


@dataclass(frozen=True)
class LatentCache:
    """What is kept of each token: c_kv (B, T, kv_rank) and the rotated key k_rope (B, T, rope)."""

    c_kv: torch.Tensor
    k_rope: torch.Tensor

    @property
    def numbers_per_token(self) -> int:
        """kv_rank + rope, whatever the number of heads."""
        return self.c_kv.shape[-1] + self.k_rope.shape[-1]


@dataclass(frozen=True)
class Turning:
    """How the rope features turn; positions count the tokens of the cache too."""

    base: float = BASE
    pairing: Pairing = "interleaved"


@dataclass(frozen=True)
class LatentHeads:
    """q, k, v as `attend` takes them, and the cache they came from."""

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    cache: LatentCache


TURNING = Turning()


def naive_heads(
    x: torch.Tensor, weights: LatentWeights, *, past: LatentCache | None = None, turning: Turning = TURNING
) -> LatentHeads:
    """(B, T, d_model) -> q and k (B, H, T, nope + rope), v (B, H, T, D_v): the cache unpacked for every head.

    past holds the tokens before x; then k and v have as many more."""
    cache = _cached(x, weights, past=past, turning=turning)
    k_nope = torch.einsum("btr,rhd->bhtd", cache.c_kv, weights.w_k_up)
    v = torch.einsum("btr,rhd->bhtd", cache.c_kv, weights.w_v_up)
    q = _queries(x, weights, past=past, turning=turning)
    return LatentHeads(q=q, k=joined_keys(k_nope, cache.k_rope), v=v, cache=cache)


def joined_keys(k_nope: torch.Tensor, k_rope: torch.Tensor) -> torch.Tensor:
    """(..., H, T, nope), (..., T, rope) -> (..., H, T, nope + rope): the one turned key beside each own."""
    shared = k_rope.unsqueeze(-3).expand(*k_nope.shape[:-1], -1)
    return torch.cat([k_nope, shared], dim=-1)


def turned_queries(q: torch.Tensor, rope: int, *, turning: Turning = TURNING, first: int = 0) -> torch.Tensor:
    """(..., T, nope + rope) -> the same shape, the last `rope` features turned, from position `first` on."""
    return torch.cat([q[..., :-rope], turned(q[..., -rope:], turning=turning, first=first)], dim=-1)


def turned(x: torch.Tensor, *, turning: Turning = TURNING, first: int = 0) -> torch.Tensor:
    """(..., T, rope) -> the same shape, all of it turned, from position `first` on."""
    positions = torch.arange(first, first + x.shape[-2], device=x.device)
    return rotate(x, base=turning.base, pairing=turning.pairing, positions=positions)


def absorbed_heads(
    x: torch.Tensor, weights: LatentWeights, *, past: LatentCache | None = None, turning: Turning = TURNING
) -> LatentHeads:
    """(B, T, d_model) -> q (B, H, T, kv_rank + rope), k (B, 1, T, kv_rank + rope), v (B, 1, T, kv_rank).

    q W^UK^T meets the cache itself, since q (W^UK c) = (q W^UK^T) c: multi-query attention over the cache."""
    cache = _cached(x, weights, past=past, turning=turning)
    q = _queries(x, weights, past=past, turning=turning)
    q_nope, q_rope = q.split_with_sizes([weights.w_k_up.shape[-1], weights.w_k_rope.shape[-1]], dim=-1)
    q = torch.cat([torch.einsum("bhtd,rhd->bhtr", q_nope, weights.w_k_up), q_rope], dim=-1)
    k = torch.cat([cache.c_kv, cache.k_rope], dim=-1)[:, None]
    return LatentHeads(q=q, k=k, v=cache.c_kv[:, None], cache=cache)


def naive(
    x: torch.Tensor,
    weights: LatentWeights,
    *,
    mask: torch.Tensor | None = None,
    scale: float | None = None,
    past: LatentCache | None = None,
    turning: Turning = TURNING,
) -> tuple[torch.Tensor, LatentCache]:
    """(B, T, d_model) -> the same shape, and the cache; K and V of every head are made.

    scale multiplies the scores, 1/sqrt(nope + rope) unless given."""
    heads = naive_heads(x, weights, past=past, turning=turning)
    mixed = attend_output(heads.q, heads.k, heads.v, mask=mask, scale=scale)
    return torch.einsum("bhtd,hdm->btm", mixed, weights.w_o), heads.cache


def absorbed(
    x: torch.Tensor,
    weights: LatentWeights,
    *,
    mask: torch.Tensor | None = None,
    scale: float | None = None,
    past: LatentCache | None = None,
    turning: Turning = TURNING,
) -> tuple[torch.Tensor, LatentCache]:
    """What `naive` gives, W^UK taken into the query and W^UV into the output: no K or V of a head is made."""
    heads = absorbed_heads(x, weights, past=past, turning=turning)
    own = weights.w_q.shape[-1] ** -0.5 if scale is None else scale
    mixed = attend_output(heads.q, heads.k, heads.v, mask=mask, scale=own)
    values = torch.einsum("bhtr,rhd->bhtd", mixed, weights.w_v_up)
    return torch.einsum("bhtd,hdm->btm", values, weights.w_o), heads.cache


def _cached(
    x: torch.Tensor, weights: LatentWeights, *, past: LatentCache | None, turning: Turning
) -> LatentCache:
    k_rope = turned(x @ weights.w_k_rope, turning=turning, first=_length(past))
    c_kv = x @ weights.w_kv_down
    if past is None:
        return LatentCache(c_kv=c_kv, k_rope=k_rope)
    return LatentCache(
        c_kv=torch.cat([past.c_kv, c_kv], dim=1), k_rope=torch.cat([past.k_rope, k_rope], dim=1)
    )


def _queries(
    x: torch.Tensor, weights: LatentWeights, *, past: LatentCache | None, turning: Turning
) -> torch.Tensor:
    """(B, H, T, nope + rope), its rope part turned."""
    q = torch.einsum("btm,mhd->bhtd", x, weights.w_q)
    return turned_queries(q, weights.w_k_rope.shape[-1], turning=turning, first=_length(past))


def _length(past: LatentCache | None) -> int:
    """Tokens that are cached already."""
    return 0 if past is None else past.c_kv.shape[1]
