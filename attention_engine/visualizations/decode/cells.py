"""The cache of a model that is known by its sizes alone: real storage, never filled. Knows no frame."""

import torch

from attention_engine.kinds.kv.cache_bytes import CacheSizes

DTYPE = torch.bfloat16


def token_shapes(sizes: CacheSizes, tokens: int) -> list[tuple[int, ...]]:
    """Shapes of what one layer keeps of `tokens` tokens: K and V, or a latent and its rotary key (MLA)."""
    if sizes.kv_rank:
        return [(tokens, sizes.kv_rank), (tokens, sizes.d_head_rope)]
    if sizes.elements:
        return [(tokens, sizes.elements)]
    return [(sizes.num_kv_heads, tokens, width) for width in (sizes.d_head, sizes.d_head_v)]


def token_axes(sizes: CacheSizes) -> tuple[str, ...]:
    """Names of the axes of the first of those shapes."""
    if sizes.kv_rank or sizes.elements:
        return ("T", "kv_rank" if sizes.kv_rank else "kept")
    return ("H_kv", "T", "D")


class CountedCache:
    """Storage of exactly the tokens that are held, in 16 bits a number; on meta no memory is taken."""

    def __init__(self, sizes: CacheSizes, device: torch.device) -> None:
        """Holds nothing yet."""
        self.sizes, self._device = sizes, device
        self.layers: list[list[torch.Tensor]] = []

    def hold(self, tokens: int) -> None:
        """New storage for `tokens` tokens in every layer."""
        self.layers.clear()  # given up before the new one is made
        shapes = token_shapes(self.sizes, tokens)
        for _layer in range(self.sizes.layers):
            self.layers.append([torch.empty(shape, dtype=DTYPE, device=self._device) for shape in shapes])

    @property
    def nbytes(self) -> int:
        """Bytes of the storages themselves, as torch allocated them."""
        return sum(part.untyped_storage().nbytes() for parts in self.layers for part in parts)
