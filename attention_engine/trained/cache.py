"""Keys and values of one sequence, kept so that a new token computes only its own. Knows no weights."""

from collections.abc import Sequence

import torch


class KVCache:
    """Of every layer k and v (H_kv, T_cached, D), keys already turned by their positions.

    Each layer's memory is exactly as long as the tokens in it: `nbytes` is what was allocated."""

    def __init__(self, layers: int, dtype: torch.dtype = torch.bfloat16) -> None:
        """Nothing is cached yet; what is appended is rounded to `dtype`."""
        self.dtype = dtype
        self.k = [torch.empty(0, 0, 0, dtype=dtype) for _layer in range(layers)]
        self.v = [torch.empty(0, 0, 0, dtype=dtype) for _layer in range(layers)]
        self.positions = torch.empty(0, dtype=torch.long)
        self._next = 0

    def __len__(self) -> int:
        """Tokens that are cached."""
        return len(self.positions)

    @property
    def nbytes(self) -> int:
        """Bytes of the memory that holds keys and values, as torch allocated it."""
        return sum(kept.untyped_storage().nbytes() for kept in (*self.k, *self.v))

    def following(self, tokens: int) -> torch.Tensor:
        """(tokens,) the positions of new tokens; evicted ones keep theirs, so no position comes twice."""
        return torch.arange(self._next, self._next + tokens)

    def append(self, layer: int, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """k and v (H_kv, T_new, D) of the new tokens -> all that are cached, in the type of the cache."""
        self.k[layer] = _longer(self.k[layer], k)
        self.v[layer] = _longer(self.v[layer], v)
        return self.k[layer], self.v[layer]

    def advance(self, tokens: int) -> None:
        """Counts new tokens that every layer has appended."""
        self.positions = torch.cat([self.positions, self.following(tokens)])
        self._next += tokens

    def keep(self, indices: Sequence[int] | torch.Tensor) -> None:
        """Evicts every cached token but those at these indices (not positions), in this order.

        Raises ValueError for an index that is not cached, or named twice."""
        chosen = torch.as_tensor(indices, dtype=torch.long).reshape(-1).cpu()
        told = chosen.tolist()
        if len(set(told)) != len(told) or any(not 0 <= one < len(self) for one in told):
            raise ValueError(f"cannot keep {told}: the cache has indices 0 to {len(self) - 1}, each once")
        self.k = [k.index_select(1, chosen.to(k.device)) for k in self.k]
        self.v = [v.index_select(1, chosen.to(v.device)) for v in self.v]
        self.positions = self.positions[chosen]


def _longer(kept: torch.Tensor, new: torch.Tensor) -> torch.Tensor:
    """Both in memory of their own, no longer than they are."""
    new = new.to(kept.dtype)
    return torch.cat([kept, new], dim=1) if kept.numel() else new.clone(memory_format=torch.contiguous_format)
