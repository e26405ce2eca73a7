"""Splitting a width into heads and joining heads again. Knows shapes only, no scores."""

import torch


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    """(B, T, H*D) -> (B, H, T, D). Two views: no number moves in memory."""
    batch, tokens, inner = x.shape
    return x.view(batch, tokens, num_heads, inner // num_heads).transpose(1, 2)


def merge_heads(mixed: torch.Tensor) -> torch.Tensor:
    """(B, H, T, D) -> (B, T, H*D). Copies, unless one token or one head leaves nothing to move."""
    batch, num_heads, tokens, d_head = mixed.shape
    return mixed.transpose(1, 2).contiguous().view(batch, tokens, num_heads * d_head)


def repeat_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    """(B, H_kv, T, D) -> (B, H, T, D): K/V head i serves query heads i*H/H_kv up to the next (GQA, MQA)."""
    shared = x.shape[1]
    if num_heads % shared:
        raise ValueError(f"{shared} K/V heads do not divide {num_heads} query heads")
    return x if shared == num_heads else x.repeat_interleave(num_heads // shared, dim=1)
