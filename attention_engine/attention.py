"""Attention written out, each stage kept. Knows no sentence and no layer's weights."""

import math
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Stages:
    """Every stage of softmax(Q K^T / sqrt(d_head) + mask) V; maps are (..., T, T), output (..., T, D)."""

    scores: torch.Tensor
    scaled: torch.Tensor
    masked: torch.Tensor
    weights: torch.Tensor
    output: torch.Tensor


def hide_later(scores: torch.Tensor) -> torch.Tensor:
    """(..., T, T): a token sees itself and what came before; what comes later is -inf."""
    tokens, keys = scores.shape[-2:]
    later = torch.ones(tokens, keys, dtype=torch.bool, device=scores.device).triu(1)
    return scores.masked_fill(later, -math.inf)


def attention_weights(q: torch.Tensor, k: torch.Tensor, *, causal: bool = False) -> torch.Tensor:
    """(..., T, D), (..., T, D) -> (..., T, T), rows summing to 1 (Vaswani et al. 2017, section 3.2.1)."""
    scaled = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    return (hide_later(scaled) if causal else scaled).softmax(dim=-1)


def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, causal: bool = False) -> Stages:
    """(..., T, D) three times -> the five stages; equal to F.scaled_dot_product_attention by test."""
    scores = q @ k.transpose(-2, -1)
    scaled = scores / math.sqrt(q.shape[-1])
    masked = hide_later(scaled) if causal else scaled
    weights = masked.softmax(dim=-1)
    return Stages(scores=scores, scaled=scaled, masked=masked, weights=weights, output=weights @ v)


def entropy(weights: torch.Tensor) -> torch.Tensor:
    """(..., T) -> (...): nats of each row; 0 looks at one token, ln T at all alike."""
    nats: torch.Tensor = torch.special.entr(weights).sum(dim=-1)
    return nats
