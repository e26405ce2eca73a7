"""Which keys a query may see, as bool tensors: True may be seen. Knows no score and no weight.

A row that may see nothing is legal: attention then sends nothing, its weights and its output are 0."""

from collections.abc import Sequence
from functools import reduce
from typing import Literal, get_args

import torch

Align = Literal["top_left", "bottom_right"]


def causal(
    tokens: int, keys: int, *, device: torch.device | None = None, align: Align = "top_left"
) -> torch.Tensor:
    """(T, T_k): a query sees its own position and what came before.

    With T != T_k the two triangles differ. top_left: query i is position i (is_causal of
    F.scaled_dot_product_attention). bottom_right: the last query is the last key, as when T new tokens
    follow cached ones; where T > T_k its first T - T_k rows see nothing. Raises ValueError for another
    align."""
    return _all(tokens, keys, device).tril_(_own_key(tokens, keys, align))


def sliding_window(
    tokens: int,
    keys: int,
    *,
    window: int,
    device: torch.device | None = None,
    align: Align = "bottom_right",
) -> torch.Tensor:
    """(T, T_k): causal, and no further back than the last `window` keys, the query's own among them.

    Source: Mistral 7B (Jiang et al. 2023, figure 1: at most W tokens; the prose beside it, i - W to i, would
    be one more). Raises ValueError for a window below 1."""
    if window < 1:
        raise ValueError(f"a window of {window} keys sees nothing: it holds the token itself, so at least 1")
    own = _own_key(tokens, keys, align)
    return _all(tokens, keys, device).tril_(own).triu_(own - window + 1)


def padding(lengths: Sequence[int], keys: int, *, device: torch.device | None = None) -> torch.Tensor:
    """(B, 1, 1, T_k): of sequence b the first lengths[b] keys are text, the rest is filling nobody sees.

    Raises ValueError for a length that is negative or beyond `keys`."""
    for length in lengths:
        if not 0 <= length <= keys:
            raise ValueError(f"a sequence of {length} tokens does not fit {keys} keys: 0 to {keys}")
    real = torch.tensor(list(lengths), device=device).view(-1, 1)
    return (torch.arange(keys, device=device) < real)[:, None, None, :]


def combine(first: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
    """A key is seen where every mask lets it be seen; shapes broadcast as torch's do."""
    return reduce(torch.logical_and, others, first)


def _all(tokens: int, keys: int, device: torch.device | None) -> torch.Tensor:
    return torch.ones(tokens, keys, dtype=torch.bool, device=device)


def _own_key(tokens: int, keys: int, align: str) -> int:
    """How many keys come before the one that the first query stands at; negative where it has none."""
    if align not in get_args(Align):
        raise ValueError(f'align must be {" or ".join(get_args(Align))}, not "{align}"')
    return keys - tokens if align == "bottom_right" else 0
