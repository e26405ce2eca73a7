"""Attention written out, each stage kept. Knows no sentence and no layer's weights.

One `num_kv_heads` makes the variant: H K/V heads are multi-head (Vaswani et al. 2017), 1 is multi-query
(Shazeer 2019), any divisor of H between them grouped-query attention (Ainslie et al. 2023)."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch.nn import functional

from attention_engine.heads import fold_groups, group_size

ScaleRule = Literal["sqrt", "none", "d_head", "query_pre_attn_scalar", "mla"]
WRITTEN_OUT = 256 * 256
"""Numbers of one map up to which writing it out beats F.scaled_dot_product_attention on a CPU."""


@dataclass(frozen=True)
class Stages:
    """Every stage of softmax(scale * Q K^T + mask) V; maps are (..., T, T_k), output (..., T, D_v)."""

    scores: torch.Tensor
    scaled: torch.Tensor
    masked: torch.Tensor
    weights: torch.Tensor
    output: torch.Tensor


def scale_of(
    rule: ScaleRule, *, d_head: int, query_pre_attn_scalar: int | None = None, mscale: float = 1.0
) -> float:
    """What scores are multiplied by.

    sqrt: 1/sqrt(d_head), Vaswani et al. 2017, section 3.2.1. none: 1 (T5, Raffel et al. 2020). d_head:
    1/d_head (muP, Yang et al. 2022). query_pre_attn_scalar: its -1/2 power (Gemma 2 and 3; 144 for
    Gemma-2 27B and 168 for Gemma-3 27B, where d_head is 128). mla: mscale^2/sqrt(d_head) with d_head the
    nope and rope parts together (DeepSeek-V2 and V3; mscale is YaRN's). Raises ValueError for another rule
    or a missing number."""
    if rule not in get_args(ScaleRule):
        raise ValueError(f'no scale rule "{rule}": take {", ".join(get_args(ScaleRule))}')
    if rule == "query_pre_attn_scalar":
        if not query_pre_attn_scalar:
            raise ValueError("the rule query_pre_attn_scalar needs that number, 144 for Gemma-2 27B")
        return 1 / math.sqrt(query_pre_attn_scalar)
    root = 1 / math.sqrt(d_head)
    return {"sqrt": root, "none": 1.0, "d_head": 1 / d_head, "mla": root * mscale**2}[rule]


def attend(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    mask: torch.Tensor | None = None,
    scale: float | None = None,
) -> Stages:
    """All five stages; equal to F.scaled_dot_product_attention by test.

    q (..., H, T, D), k (..., H_kv, T_k, D), v (..., H_kv, T_k, D_v), H_kv a divisor of H: the query heads of
    a group read one K/V head, which is not repeated in memory. One head alone may come as (T, D). mask is
    bool, broadcasts to (..., H, T, T_k), True may be seen; a row that sees nothing has weights and output 0.
    scale multiplies, 1/sqrt(D) unless given. Raises ValueError where H_kv does not divide H."""
    scores = _scores(q, k)
    scaled = scores * _scale(q, scale)
    masked = scaled if mask is None else _hidden(scaled, mask)
    weights = _softmax(masked, mask)
    return Stages(scores=scores, scaled=scaled, masked=masked, weights=weights, output=_mix(weights, v))


def attention_weights(
    q: torch.Tensor, k: torch.Tensor, *, mask: torch.Tensor | None = None, scale: float | None = None
) -> torch.Tensor:
    """(..., H, T, D), (..., H_kv, T_k, D) -> (..., H, T, T_k) as `attend`, without keeping the stages."""
    scaled = _scores(q, k).mul_(_scale(q, scale))
    return _softmax(scaled if mask is None else _hidden(scaled, mask), mask)


def shown_weights(
    q: torch.Tensor,
    k: torch.Tensor,
    *,
    head: int,
    mask: torch.Tensor | None = None,
    scale: float | None = None,
) -> torch.Tensor:
    """(..., T, T_k): the weights of one query head, the maps of the others never made.

    Takes what `attend` takes. Raises ValueError for a head that does not exist."""
    num_heads = q.shape[-3]
    if not 0 <= head < num_heads:
        raise ValueError(f"head {head} does not exist: the layer has heads 0 to {num_heads - 1}")
    shared = head // group_size(num_heads, k.shape[-3])
    if mask is not None and mask.dim() > 2:
        mask = mask[..., head if mask.shape[-3] > 1 else 0, :, :]
    return attention_weights(q[..., head, :, :], k[..., shared, :, :], mask=mask, scale=scale)


def attend_output(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    *,
    mask: torch.Tensor | None = None,
    scale: float | None = None,
) -> torch.Tensor:
    """(..., H, T, D_v): the output of `attend` alone; torch's fused kernel takes maps beyond 256 x 256."""
    if q.shape[-2] * k.shape[-2] <= WRITTEN_OUT:
        return _mix(attention_weights(q, k, mask=mask, scale=scale), v)
    grouped = q.dim() > 2 and bool(group_size(q.shape[-3], k.shape[-3]) > 1)
    # The fused CPU kernel takes four axes only; torch writes attention out for fewer.
    missing = (1,) * (4 - q.dim())
    q4, k4, v4 = (x.view(*missing, *x.shape) for x in (q, k, v))
    mixed = functional.scaled_dot_product_attention(
        q4, k4, v4, attn_mask=mask, scale=scale, enable_gqa=grouped
    )
    return mixed.reshape(*q.shape[:-1], v.shape[-1])


def entropy(weights: torch.Tensor) -> torch.Tensor:
    """(..., T_k) -> (...): nats of each row; 0 looks at one token, ln T_k at all alike."""
    nats: torch.Tensor = torch.special.entr(weights).sum(dim=-1)
    return nats


def _scale(q: torch.Tensor, scale: float | None) -> float:
    return 1 / math.sqrt(q.shape[-1]) if scale is None else scale


def _scores(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor:
    """(..., H, T, T_k), by one product per K/V head over all rows of its group."""
    if q.dim() == 2:
        return q @ k.transpose(-2, -1)
    folded = fold_groups(q, k.shape[-3]) @ k.transpose(-2, -1)
    return folded.view(*q.shape[:-1], k.shape[-2])


def _mix(weights: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """(..., H, T, D_v)."""
    if weights.dim() == 2:
        return weights @ v
    return (fold_groups(weights, v.shape[-3]) @ v).view(*weights.shape[:-1], v.shape[-1])


def _hidden(scaled: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Minus infinity where a key may not be seen."""
    return torch.where(mask, scaled, -math.inf)


def _softmax(masked: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
    """Rows that sum to 1; all 0 where a mask leaves nothing to see, as torch's own attention gives."""
    weights = masked.softmax(dim=-1)
    return weights if mask is None else weights.masked_fill_(~mask.any(dim=-1, keepdim=True), 0.0)
