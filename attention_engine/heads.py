"""Splitting a width into heads, joining and sharing them. Knows shapes only, no scores."""

import torch

from attention_engine import arithmetic


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    """(B, T, H*D) -> (B, H, T, D). Two views: no number moves in memory."""
    batch, tokens, inner = x.shape
    return x.view(batch, tokens, num_heads, inner // num_heads).transpose(1, 2)


def merge_heads(mixed: torch.Tensor) -> torch.Tensor:
    """(B, H, T, D) -> (B, T, H*D). Copies, unless one token or one head leaves nothing to move."""
    batch, num_heads, tokens, d_head = mixed.shape
    return mixed.transpose(1, 2).contiguous().view(batch, tokens, num_heads * d_head)


def group_size(num_heads: int, num_kv_heads: int) -> int:
    """How many query heads read one K/V head. Raises ValueError where the groups would be unequal."""
    if num_heads % num_kv_heads:
        fit = ", ".join(map(str, arithmetic.divisors(n=num_heads)))
        raise ValueError(
            f"{num_kv_heads} K/V heads do not divide {num_heads} query heads "
            f"({arithmetic.division_sentence(num_heads, num_kv_heads)}); these do: {fit}"
        )
    return num_heads // num_kv_heads


def fold_groups(x: torch.Tensor, num_kv_heads: int) -> torch.Tensor:
    """(..., H, T, N) -> (..., H_kv, H/H_kv * T, N): the rows of a group under one another, for one product
    with the K/V head they share. A view where x lies in that order; K and V are never touched."""
    num_heads, tokens = x.shape[-3:-1]
    size = group_size(num_heads, num_kv_heads)
    return x if size == 1 else x.reshape(*x.shape[:-3], num_kv_heads, size * tokens, x.shape[-1])
