"""Bytes of a KV cache by formula, written out, and the mistake a wrong count was made by. Has no tensor."""

import re
from dataclasses import dataclass

from attention_engine import configs
from attention_engine.kinds.trained import TrainedModel
from attention_engine.kv_cache import SchemeName, scheme_name

BYTES_PER_VALUE = 2
"""bfloat16 and float16, in which caches are usually held: a convention, not a law."""


@dataclass(frozen=True)
class Factor:
    """One number of the product that the bytes of a token are."""

    name: str
    value: int


@dataclass(frozen=True)
class CacheSizes:
    """What one token leaves in a cache; kv_rank and d_head_rope above 0 where a latent is kept (MLA)."""

    title: str
    layers: int
    num_heads: int
    num_kv_heads: int
    d_head: int
    d_head_v: int
    kv_rank: int = 0
    d_head_rope: int = 0
    bytes_per_value: int = BYTES_PER_VALUE
    elements: int = 0
    """Numbers per token and layer where the table says otherwise than K and V of every K/V head; else 0."""
    attention: str = ""

    @property
    def numbers(self) -> int:
        """Numbers of one token in one layer."""
        return self.elements or self.num_kv_heads * (self.d_head + self.d_head_v)

    @property
    def bytes_per_token(self) -> int:
        """Bytes of one token over all layers."""
        return self.layers * self.numbers * self.bytes_per_value

    @property
    def scheme(self) -> SchemeName:
        """MHA, GQA, MQA or MLA."""
        return scheme_name(num_heads=self.num_heads, num_kv_heads=self.num_kv_heads, kv_rank=self.kv_rank)

    @property
    def factors(self) -> tuple["Factor", ...]:
        """The product whose value is the bytes of one token."""
        layers, bytes_ = Factor("layers", self.layers), Factor("bytes", self.bytes_per_value)
        if self.kv_rank or self.elements:
            kept = "latent + rotary key" if self.kv_rank else "numbers of a layer"
            return (layers, Factor(kept, self.numbers), bytes_)
        heads = (layers, Factor("K/V heads", self.num_kv_heads))
        if self.d_head == self.d_head_v:
            return (Factor("K and V", 2), *heads, Factor("d_head", self.d_head), bytes_)
        return (*heads, Factor("d_head of K + of V", self.d_head + self.d_head_v), bytes_)

    @property
    def formula(self) -> str:
        """ "2 × 30 × 3 × 64 × 2": K and V, layers, K/V heads, width, bytes; of a latent "60 × 576 × 2"."""
        return " × ".join(f"{one.value:,}" for one in self.factors)

    @property
    def meaning(self) -> str:
        """What the factors are, in words."""
        if self.kv_rank:
            return f"layers × (latent {self.kv_rank:,} + rotary key {self.d_head_rope}) × bytes"
        if self.elements:
            return "layers × numbers a layer keeps of a token × bytes"
        same = self.d_head == self.d_head_v
        return (
            "K and V × layers × K/V heads × d_head × bytes" if same else "layers × K/V heads × both × bytes"
        )


def of_trained(model: TrainedModel) -> CacheSizes:
    """K and V of every K/V head in every layer."""
    return CacheSizes(
        title=model.title,
        layers=model.layers,
        num_heads=model.num_heads,
        num_kv_heads=model.num_kv_heads,
        d_head=model.d_head,
        d_head_v=model.d_head,
    )


def of_config(config: configs.ModelConfig) -> CacheSizes:
    """As the table of models counts. Raises ValueError for a model that keeps no cache."""
    if not config.kv_elements:
        raise ValueError(why_none(config))
    plain = config.num_kv_heads * (config.d_head + config.d_head_v)
    return CacheSizes(
        title=config.name,
        layers=config.layers,
        num_heads=config.num_heads,
        num_kv_heads=config.num_kv_heads,
        d_head=config.d_head,
        d_head_v=config.d_head_v,
        kv_rank=config.kv_rank,
        d_head_rope=config.d_head_rope,
        elements=0 if plain == config.kv_elements else config.kv_elements,
        attention=config.attention,
    )


def why_none(config: configs.ModelConfig) -> str:
    """Why a model has no cache to watch, with the way out."""
    way = 'take model "smollm2", or a decoder of the table such as llama-3-8b'
    if re.search(r"\bencoder", config.attention):
        return (
            f"{config.name} ({config.attention}) is no decoder: every token sees every other, so a new token "
            f"changes them all and nothing can be kept; {way}"
        )
    return f"{config.name} ({config.attention}) has no cache size in the table; {way}"


PARTLY = re.compile(r"window|local|chunked|hybrid|linear|enc-dec|compressors|sparse")


def full_attention_note(sizes: CacheSizes) -> str:
    """Where not every layer holds every token, or another cache stands beside this one; else ""."""
    if "enc-dec" in sizes.attention:
        return "Counted is the decoder's own cache; K and V of the encoder's tokens are kept beside it."
    if PARTLY.search(sizes.attention):
        return f"Counted as if every layer held every token; {sizes.title} is listed as {sizes.attention}."
    return ""


def mistake_of(answer: int, sizes: CacheSizes, *, held: int, seen: int) -> str:
    """The name of the mistake that gives this many bytes for `held` of `seen` tokens.

    "right" where it is none, "" where none of the known ones explains it."""
    each, right = sizes.bytes_per_token, sizes.bytes_per_token * held
    sharing = sizes.num_heads // sizes.num_kv_heads if sizes.num_kv_heads else 1
    tried = {
        "right": right,
        "K only": 0 if sizes.kv_rank else right // 2,
        "query heads": right * sharing,
        "one layer": right // sizes.layers,
        "one token": each,
        "nothing evicted": each * seen,
        "4 bytes a number": right * 2,
    }
    return next((name for name, bytes_ in tried.items() if bytes_ == answer), "")
