"""The tensors that hold a cache, and how few tokens of it fit where it is allocated. Allocates nothing."""

import math
from dataclasses import dataclass

from attention_engine.kinds.kv.cache_bytes import CacheSizes

MOST_BYTES = 64 * 1024 * 1024
"""Allocated for the check: a quarter of what one picture may hold."""


@dataclass(frozen=True)
class Scaled:
    """A cache small enough to be allocated: the same model with fewer tokens, sequences or layers."""

    sizes: CacheSizes
    layers: int
    batch: int
    tokens: int
    whole: bool
    """True where nothing was scaled down."""

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name -> shape: K and V (layers, B, H_kv, T, D), or the latent and rotary key (layers, B, T, width).

        As libraries keep them: the latent of DeepSeek-V2 (2024, section 2.1) has no axis of heads."""
        begin = (self.layers, self.batch)
        if self.sizes.kv_rank:
            rank, rope = self.sizes.kv_rank, self.sizes.d_head_rope
            widths = {"latent": rank} | ({"rotary key": rope} if rope else {})
            return {name: (*begin, self.tokens, width) for name, width in widths.items()}
        heads = (*begin, self.sizes.num_kv_heads, self.tokens)
        return {"K": (*heads, self.sizes.d_head), "V": (*heads, self.sizes.d_head_v)}

    @property
    def largest(self) -> int:
        """Numbers of the largest tensor."""
        return max(math.prod(shape) for shape in self.shapes.values())

    @property
    def bytes(self) -> int:
        """By formula, of all tensors together."""
        each = self.sizes.numbers * self.sizes.bytes_per_value
        return self.layers * self.batch * self.tokens * each


def scaled_down(sizes: CacheSizes, *, batch: int, tokens: int, most: int = MOST_BYTES) -> Scaled:
    """The largest cache of at most `most` bytes: fewer tokens first, then one sequence, then fewer layers.

    One token of one layer is always allocated, whatever it takes."""
    layers, each = sizes.layers, sizes.numbers * sizes.bytes_per_value
    fewer_batch = batch if layers * batch * each <= most else max(1, most // (layers * each))
    fewer_layers = layers if layers * fewer_batch * each <= most else max(1, most // (fewer_batch * each))
    fewer = max(1, min(tokens, most // (fewer_layers * fewer_batch * each)))
    whole = (fewer, fewer_batch, fewer_layers) == (tokens, batch, layers)
    return Scaled(sizes, fewer_layers, fewer_batch, fewer, whole)
