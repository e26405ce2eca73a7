"""A Llama decoder (Touvron et al. 2023) in plain torch, one text at a time. No tokenizer, no picture.

RMSNorm before each part (Zhang and Sennrich 2019), rotary positions (Su et al. 2021), grouped K/V heads
(Ainslie et al. 2023), SwiGLU (Shazeer 2020). Weights stay in the type they come in, mapped from their file:
what is multiplied is widened to float32 piece by piece, so that sums are those of float32."""

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import torch
from torch.nn.functional import linear, rms_norm, scaled_dot_product_attention, silu

from attention_engine.attention import WRITTEN_OUT, attend_output, attention_weights
from attention_engine.boundaries import boundary
from attention_engine.masks import causal
from attention_engine.rotary import turn_half, turns
from attention_engine.trained.cache import KVCache
from attention_engine.trained.encoder import PRECISIONS, LayerHeads

__all__ = ["Decoder", "DecoderSizes", "KVCache", "Watch"]

Weights = Mapping[str, torch.Tensor]
Watch = Callable[[int, torch.Tensor], None]
"""Told of each layer its number and its weights (H, T_new, T_cached), float32."""
Turns = tuple[torch.Tensor, torch.Tensor]
ROWS_AT_ONCE = 1536
"""Rows of the vocabulary that are widened at once."""


@dataclass(frozen=True)
class DecoderSizes:
    """The numbers of a decoder; SmolLM2-135M unless said."""

    layers: int = 30
    d_model: int = 576
    num_heads: int = 9
    num_kv_heads: int = 3
    d_head: int = 64
    d_inner: int = 1536
    vocabulary: int = 49152
    positions: int = 8192
    epsilon: float = 1e-5
    rope_base: float = 1e5
    tied: bool = True
    """True where the last product takes the embeddings."""


class _Lent(threading.local):
    """Memory of one thread."""

    kept: torch.Tensor | None = None


class _Product:
    """x @ weight^T + bias, the weight kept as it is; memory for widening is lent to one thread."""

    def __init__(self, precision: str) -> None:
        self._dtype = PRECISIONS[precision]
        self._lent = _Lent()

    def __call__(
        self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None
    ) -> torch.Tensor:
        """(..., in) float32 by (out, in) -> (..., out) float32."""
        made = linear(x.to(self._dtype), self._as_computed(weight)).float()
        return made if bias is None else made.add_(bias)

    def _as_computed(self, weight: torch.Tensor) -> torch.Tensor:
        if weight.dtype == self._dtype:
            return weight
        return self._scratch(weight).copy_(weight)

    def _scratch(self, like: torch.Tensor) -> torch.Tensor:
        """Fresh pages cost more than filling them, so the same ones are filled again."""
        kept = self._lent.kept
        if kept is None or kept.numel() < like.numel():
            kept = self._lent.kept = torch.empty(like.numel(), dtype=self._dtype, device=like.device)
        return kept[: like.numel()].view(like.shape)


class Decoder:
    """Embeddings, layers and head under the names Llama checkpoints use (without "model.")."""

    def __init__(self, weights: Weights, sizes: DecoderSizes, *, precision: str = "float32") -> None:
        """`weights` of any float type; `precision` is what products are computed in. Raises ValueError."""
        if precision not in PRECISIONS:
            raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, not {precision}")
        self.sizes, self.precision = sizes, precision
        self._weights, self._product = weights, _Product(precision)
        self._words = weights["embed_tokens.weight"]
        self._head = self._words if sizes.tied else weights["lm_head.weight"]

    @property
    def dtype(self) -> torch.dtype:
        """Of the checkpoint, and of a cache unless another is asked for."""
        return self._words.dtype

    def cache(self, dtype: torch.dtype | None = None) -> KVCache:
        """An empty cache for one sequence, in the model's own type unless said."""
        return KVCache(self.sizes.layers, dtype or self.dtype)

    def heads(self, ids: torch.Tensor) -> Iterator[LayerHeads]:
        """(T,) -> q (H, T, D), k and v (H_kv, T, D) of each layer as soon as it has them, float32, turned."""
        x, last = self._embedded(ids), self.sizes.layers - 1
        turning = self._turns(torch.arange(len(ids), device=ids.device), x)
        for layer in range(self.sizes.layers):
            heads = self._heads(layer, x, turning)
            yield heads
            if layer == last:
                return
            x = self._after(layer, x, self._mixed(heads))

    def run(
        self,
        ids: torch.Tensor,
        cache: KVCache | None = None,
        *,
        watch: Watch | None = None,
        mask: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """(T,) -> (T, d_model): the last layer's output, normed as the head takes it.

        With a cache the tokens follow those in it and see them all; it holds the new ones afterwards. Without
        one nothing is kept, and keys and values are not rounded to its type. `mask` (T, T_cached + T) bool,
        True may be seen, takes the place of the causal one."""
        x, tokens = self._embedded(ids), len(ids)
        positions = torch.arange(tokens) if cache is None else cache.following(tokens)
        turning = self._turns(positions.to(x.device), x)
        for layer in range(self.sizes.layers):
            heads = self._heads(layer, x, turning)
            k, v = (heads.k, heads.v) if cache is None else cache.append(layer, heads.k, heads.v)
            seen = LayerHeads(q=heads.q, k=k.float(), v=v.float())
            x = self._after(layer, x, self._mixed(seen, mask))
            if watch is not None:
                watch(layer, _maps(seen, mask))
        if cache is not None:
            cache.advance(tokens)
        return self._normed(x, "norm")

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """(..., d_model) as `run` gives it -> (..., vocabulary) float32."""
        starts = range(0, len(self._head), ROWS_AT_ONCE)
        pieces = (self._head[start : start + ROWS_AT_ONCE] for start in starts)
        return torch.cat([self._product(hidden, piece) for piece in pieces], dim=-1)

    def _embedded(self, ids: torch.Tensor) -> torch.Tensor:
        return self._words[ids].float()

    def _turns(self, positions: torch.Tensor, x: torch.Tensor) -> Turns:
        if len(positions) and (last := int(positions[-1])) >= self.sizes.positions:
            raise ValueError(f"position {last}, but the decoder has {self.sizes.positions}")
        return turns(positions, self.sizes.d_head, base=self.sizes.rope_base, x=x)

    def _heads(self, layer: int, x: torch.Tensor, turning: Turns) -> LayerHeads:
        boundary()  # between two layers a reading is given up that nobody waits for any more
        normed = self._normed(x, f"layers.{layer}.input_layernorm")
        q, k, v = (
            self._split(self._linear(normed, f"layers.{layer}.self_attn.{name}_proj")) for name in "qkv"
        )
        return LayerHeads(q=turn_half(q, *turning), k=turn_half(k, *turning), v=v)

    def _split(self, x: torch.Tensor) -> torch.Tensor:
        """(T, H*D) -> (H, T, D), each head's rows together."""
        return x.view(len(x), -1, self.sizes.d_head).transpose(0, 1).contiguous()

    def _mixed(self, heads: LayerHeads, mask: torch.Tensor | None = None) -> torch.Tensor:
        """(H, T, D): what every token takes from itself and from before."""
        q, k, v = heads.q, heads.k, heads.v
        if mask is None and q.shape[1] == k.shape[1] and q.shape[1] ** 2 > WRITTEN_OUT:
            # The fused kernel then leaves out what lies above the diagonal; with a mask it computes all.
            return scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True, enable_gqa=True)[0]
        return attend_output(q, k, v, mask=_seen(q, k) if mask is None else mask)

    def _after(self, layer: int, x: torch.Tensor, mixed: torch.Tensor) -> torch.Tensor:
        """(T, d_model) and the mixed values (H, T, D) -> (T, d_model), what the next layer is given."""
        name = f"layers.{layer}"
        merged = mixed.transpose(0, 1).reshape(len(x), -1)
        x = x + self._linear(merged, f"{name}.self_attn.o_proj")
        normed = self._normed(x, f"{name}.post_attention_layernorm")
        gate, up = (self._linear(normed, f"{name}.mlp.{part}_proj") for part in ("gate", "up"))
        return x + self._linear(silu(gate).mul_(up), f"{name}.mlp.down_proj")

    def _linear(self, x: torch.Tensor, name: str) -> torch.Tensor:
        return self._product(x, self._weights[f"{name}.weight"], self._weights.get(f"{name}.bias"))

    def _normed(self, x: torch.Tensor, name: str) -> torch.Tensor:
        weight = self._weights[f"{name}.weight"].float()
        return rms_norm(x, (x.shape[-1],), weight, eps=self.sizes.epsilon)


def _maps(heads: LayerHeads, mask: torch.Tensor | None) -> torch.Tensor:
    """(H, T, T_k)."""
    return attention_weights(heads.q, heads.k, mask=_seen(heads.q, heads.k) if mask is None else mask)


def _seen(q: torch.Tensor, k: torch.Tensor) -> torch.Tensor | None:
    """(T, T_k) of T new tokens behind cached ones; None where a lone token comes last and sees all."""
    tokens, keys = q.shape[1], k.shape[1]
    return None if tokens == 1 else causal(tokens, keys, device=q.device, align="bottom_right")
