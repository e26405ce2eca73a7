"""Other ways to lay heads and features out, which the engine must agree with. Copies freely."""

import torch


def repeat_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    """(B, H_kv, T, D) -> (B, H, T, D): K/V head i serves query heads i*H/H_kv up to the next (GQA, MQA)."""
    return x.repeat_interleave(num_heads // x.shape[1], dim=1)


def half_from_interleaved(width: int) -> torch.Tensor:
    """(width,) indices p: x[..., p] lays interleaved pairs out as halves, 0, 2, 4, ... then 1, 3, 5, ...

    rotate(x[..., p], pairing="half") equals rotate(x, pairing="interleaved")[..., p]."""
    return torch.arange(width).view(-1, 2).t().reshape(-1)
