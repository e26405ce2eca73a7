"""A BERT encoder (Devlin et al. 2019) in plain torch, one text at a time. Knows no tokenizer and no picture.

Weights are given under the names BERT checkpoints use, or drawn. Q, K and V come from one product. Maps are
written out where they are asked for or the text is short; else torch's fused kernel takes their place. What
is large is written into the same memory in every layer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch.nn.functional import layer_norm

from attention_engine.attention import Stages, attend_output
from attention_engine.boundaries import boundary
from attention_engine.device import Chance
from attention_engine.kernels import Linear

Weights = Mapping[str, torch.Tensor]
Norm = tuple[torch.Tensor, torch.Tensor]
"""Scale and shift of a layer norm."""
PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16}
"""bfloat16 is a speed mode for processors that have instructions for it: its maps are off by up to 2 %."""


@dataclass(frozen=True)
class Sizes:
    """The numbers of an encoder; BERT-base unless said."""

    layers: int = 12
    d_model: int = 768
    num_heads: int = 12
    d_inner: int = 3072
    vocabulary: int = 30522
    positions: int = 512
    epsilon: float = 1e-12


@dataclass(frozen=True)
class LayerHeads:
    """q, k and v of one layer, each (H, T, D)."""

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor


class Scratch:
    """Memory lent again and again under a name, to one thread: fresh pages cost more than filling them."""

    def __init__(self) -> None:
        self._kept: dict[str, torch.Tensor] = {}

    def take(self, name: str, like: torch.Tensor, *shape: int) -> torch.Tensor:
        """Numbers of any value, in the dtype and on the device of `like`, from the last loan of this name."""
        kept = self._kept.get(name)
        if kept is None or kept.shape != shape:
            kept = self._kept[name] = like.new_empty(shape)
        return kept


class SelfAttention:
    """One layer's attention with its projections: W_Q, W_K and W_V packed as one, and W_O."""

    def __init__(self, qkv: Linear, out: Linear, num_heads: int) -> None:
        """qkv (3*H*D, d_model), its rows q, then k, then v; out (d_model, H*D)."""
        self.qkv, self.out, self.num_heads = qkv, out, num_heads

    def heads(self, x: torch.Tensor, out: torch.Tensor | None = None) -> LayerHeads:
        """(T, d_model) -> q, k, v, each a (H, T, D) view of one product."""
        return self.parted(self.qkv(x, out))

    def parted(self, made: torch.Tensor) -> LayerHeads:
        """(T, 3*H*D), the product -> q, k, v in it."""
        return LayerHeads(*made.view(len(made), 3, self.num_heads, -1).permute(1, 2, 0, 3))

    def joined(self, mixed: torch.Tensor, scratch: Scratch) -> torch.Tensor:
        """(H, T, D) -> (T, d_model): the heads of a token side by side, through W_O."""
        num_heads, tokens, d_head = mixed.shape
        merged = scratch.take("merged", mixed, tokens, num_heads, d_head).copy_(mixed.transpose(0, 1))
        joined = scratch.take("joined", mixed, tokens, len(self.out.bias))
        return self.out(merged.view(tokens, -1), joined)

    def stages(self, x: torch.Tensor, scratch: Scratch) -> tuple[LayerHeads, Stages, torch.Tensor]:
        """(T, d_model) -> the heads, the five stages of all heads as `attention.attend`, and the output.

        All of it lies in `scratch` and lasts until its next use."""
        tokens = x.shape[0]
        heads = self.heads(x, scratch.take("qkv", x, tokens, len(self.qkv.bias)))
        maps = self.num_heads, tokens, tokens
        scores = torch.bmm(heads.q, heads.k.transpose(1, 2), out=scratch.take("scores", x, *maps))
        scaled = torch.mul(scores, heads.q.shape[-1] ** -0.5, out=scratch.take("scaled", x, *maps))
        weights = torch.softmax(scaled, -1, out=scratch.take("weights", x, *maps))
        mixed = torch.bmm(weights, heads.v, out=scratch.take("mixed", x, *heads.q.shape))
        stages = Stages(scores=scores, scaled=scaled, masked=scaled, weights=weights, output=mixed)
        return heads, stages, self.joined(mixed, scratch)

    def weights(self, heads: LayerHeads, scratch: Scratch) -> torch.Tensor:
        """(H, T, T) in `scratch`: the maps of all heads, no other stage of them kept."""
        tokens = heads.q.shape[1]
        maps = scratch.take("maps", heads.q, self.num_heads, tokens, tokens)
        keys = heads.k.transpose(1, 2)
        torch.baddbmm(maps, heads.q, keys, beta=0, alpha=heads.q.shape[-1] ** -0.5, out=maps)
        return torch.softmax(maps, -1, out=maps)


@dataclass(frozen=True)
class Layer:
    """Attention and a two-layer perceptron, each added to what came in and normalised after (post-norm)."""

    attention: SelfAttention
    attention_norm: Norm
    widen: Linear
    narrow: Linear
    norm: Norm


class Encoder:
    """Embeddings and layers; `precision` is "float32", or "bfloat16" where somebody asked for speed."""

    def __init__(self, weights: Weights, sizes: Sizes, *, precision: str = "float32", rows: int = 64) -> None:
        """`weights` under BERT's names; `rows` is the usual number of tokens. Raises KeyError, ValueError."""
        if precision not in PRECISIONS:
            raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, not {precision}")
        self.sizes, self.precision = sizes, precision
        builder = _Builder(weights, sizes, PRECISIONS[precision], rows)
        self._words, self._places, self._kind, self._norm = builder.embeddings()
        self.layers = tuple(builder.layer(number) for number in range(sizes.layers))

    def embedded(self, ids: torch.Tensor, places: torch.Tensor | None = None) -> torch.Tensor:
        """(T,) -> (T, d_model): words and places of one segment, normalised. Raises ValueError beyond.

        `places` (T,) says where each token stands, where that is not its number."""
        if places is None and len(ids) > self.sizes.positions:
            raise ValueError(f"{len(ids)} tokens, but the encoder has {self.sizes.positions} places")
        at = self._places[: len(ids)] if places is None else self._places[places]
        return self._normed(self._words[ids] + at + self._kind, self._norm)

    def heads(self, ids: torch.Tensor) -> Iterator[LayerHeads]:
        """(T,) -> q, k, v of each layer as soon as it has them; they stay."""
        x, scratch = self.embedded(ids), Scratch()
        for layer in self.layers:
            heads = layer.attention.heads(x)
            yield heads
            if layer is self.layers[-1]:
                return
            mixed = attend_output(heads.q, heads.k, heads.v)
            x = self.after(layer, x, joined=layer.attention.joined(mixed, scratch), scratch=scratch)

    def maps(self, ids: torch.Tensor) -> Iterator[torch.Tensor]:
        """(T,) -> (H, T, T) uint8 of each layer as soon as it is ready; v = (b / 255)^2, as frames carry it.

        One layer's maps in float32 exist at a time."""
        x, scratch = self.embedded(ids), Scratch()
        for layer in self.layers:
            heads = self._heads(layer, x, scratch)
            maps = layer.attention.weights(heads, scratch)
            mixed = torch.bmm(maps, heads.v, out=scratch.take("mixed", x, *heads.q.shape))
            yield maps.sqrt_().mul_(255).round_().to(torch.uint8)
            if layer is self.layers[-1]:
                return
            x = self.after(layer, x, joined=layer.attention.joined(mixed, scratch), scratch=scratch)

    def run(self, ids: torch.Tensor) -> torch.Tensor:
        """(T,) -> (T, d_model): the last layer's output, no map asked for."""
        x, scratch = self.embedded(ids), Scratch()
        for layer in self.layers:
            heads = self._heads(layer, x, scratch)
            mixed = attend_output(heads.q, heads.k, heads.v)
            x = self.after(layer, x, joined=layer.attention.joined(mixed, scratch), scratch=scratch)
        return x

    def _heads(self, layer: Layer, x: torch.Tensor, scratch: Scratch) -> LayerHeads:
        boundary()  # between two layers a reading is given up that nobody waits for any more
        return layer.attention.heads(x, scratch.take("qkv", x, len(x), len(layer.attention.qkv.bias)))

    def after(self, layer: Layer, x: torch.Tensor, *, joined: torch.Tensor, scratch: Scratch) -> torch.Tensor:
        """(T, d_model) and the attention's output, alike -> (T, d_model), what the next layer is given."""
        x = self._normed(joined.add_(x), layer.attention_norm)
        wide = layer.widen(x, scratch.take("wide", x, len(x), self.sizes.d_inner))
        narrow = layer.narrow(torch.ops.aten.gelu_(wide), scratch.take("joined", x, *x.shape))
        return self._normed(narrow.add_(x), layer.norm)

    def _normed(self, x: torch.Tensor, norm: Norm) -> torch.Tensor:
        return layer_norm(x, (x.shape[-1],), *norm, eps=self.sizes.epsilon)


class _Builder:
    """Reads BERT's names into packed layers."""

    def __init__(self, weights: Weights, sizes: Sizes, dtype: torch.dtype, rows: int) -> None:
        self._weights, self._sizes, self._dtype, self._rows = weights, sizes, dtype, rows

    def embeddings(self) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, Norm]:
        words, places, kinds = (
            self._take(f"embeddings.{name}_embeddings.weight") for name in ("word", "position", "token_type")
        )
        return words, places, kinds[0], self._norm("embeddings")

    def layer(self, number: int) -> Layer:
        name = f"encoder.layer.{number}"
        parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        out = self._linear(f"{name}.attention.output.dense")
        return Layer(
            attention=SelfAttention(self._linear(*parts), out, self._sizes.num_heads),
            attention_norm=self._norm(f"{name}.attention.output"),
            widen=self._linear(f"{name}.intermediate.dense"),
            narrow=self._linear(f"{name}.output.dense"),
            norm=self._norm(f"{name}.output"),
        )

    def _linear(self, *names: str) -> Linear:
        weights, biases = ([self._take(f"{name}.{part}") for name in names] for part in ("weight", "bias"))
        if len(names) == 1:
            return Linear(weights[0], biases[0], rows=self._rows)
        return Linear(torch.cat(weights), torch.cat(biases), rows=self._rows)

    def _norm(self, name: str) -> Norm:
        return self._take(f"{name}.LayerNorm.weight"), self._take(f"{name}.LayerNorm.bias")

    def _take(self, name: str) -> torch.Tensor:
        return self._weights[name].to(self._dtype)


def random_weights(sizes: Sizes, chance: Chance) -> dict[str, torch.Tensor]:
    """Every weight of an encoder under BERT's names, N(0, 0.02^2) as Devlin et al. 2019 begin training."""
    d_model, d_inner = sizes.d_model, sizes.d_inner
    dense = {f"attention.self.{part}": (d_model, d_model) for part in ("query", "key", "value")}
    dense |= {
        "attention.output.dense": (d_model, d_model),
        "intermediate.dense": (d_inner, d_model),
        "output.dense": (d_model, d_inner),
    }
    made = {
        f"embeddings.{name}_embeddings.weight": chance.normal((count, d_model), deviation=0.02)
        for name, count in (("word", sizes.vocabulary), ("position", sizes.positions), ("token_type", 2))
    }
    norms = ["embeddings"]
    for number in range(sizes.layers):
        layer = f"encoder.layer.{number}"
        norms += [f"{layer}.attention.output", f"{layer}.output"]
        for name, shape in dense.items():
            made[f"{layer}.{name}.weight"] = chance.normal(shape, deviation=0.02)
            made[f"{layer}.{name}.bias"] = torch.zeros(shape[0])
    for name in norms:
        made[f"{name}.LayerNorm.weight"], made[f"{name}.LayerNorm.bias"] = (
            torch.ones(d_model),
            torch.zeros(d_model),
        )
    return made
