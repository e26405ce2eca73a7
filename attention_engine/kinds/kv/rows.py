"""Every model of the table that keeps a cache: its bytes of a token, beside its weights. Has no tensor."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from attention_engine import configs
from attention_engine.kinds.kv import cache_bytes
from attention_engine.kinds.kv.sizes import as_mha
from attention_engine.kv_cache import scheme_of

WEIGHT_BYTES = 2
"""Of one weight as bfloat16, in which checkpoints are usually served: a convention; some ship fewer bits."""
NOMINAL = re.compile(r"(?<![A-Za-z0-9.])(\d+(?:\.\d+)?)([BMbm])(?![A-Za-z0-9]|-\d+E)")
"""A size in a name, "70B" or "135M". Not "8x7B" and "17B-16E", which name one expert, nor "A3B" and "e2b",
which name what a token passes through."""


@dataclass(frozen=True)
class Row:
    """One model that caches."""

    slug: str
    name: str
    scheme: str
    """MHA, GQA, MQA or MLA."""
    numbers: int
    """Numbers of one token over all layers."""
    mha: int
    """The same, if each query head kept K and V of its own."""
    attention_weights: int
    """Of W_Q, W_K, W_V and W_O over all layers, without biases; 0 where no closed form tells."""
    nominal: int
    """Weights that the name says, rounded as the name is; 0 where it says none."""
    partly: bool
    """True where the row says that some layers hold less, or that another cache stands beside: see notes."""
    status: str
    as_of: str


def nominal_weights(name: str) -> int:
    """ "Llama-3 70B" -> 70,000,000,000; 0 for a name without a size of the whole model."""
    found = NOMINAL.search(name)
    return round(float(found[1]) * {"b": 1e9, "m": 1e6}[found[2].lower()]) if found else 0


def attention_weights(
    *, layers: int, d_model: int, num_heads: int, num_kv_heads: int, d_head: int, d_head_v: int
) -> int:
    """Weights of W_Q, W_K, W_V, W_O over all layers, without biases; 0 where a width is not known.

    0 for MLA too (num_kv_heads 0): its projections go by ranks that the table does not hold."""
    keys = num_kv_heads * (d_head + d_head_v)
    return layers * d_model * (num_heads * (d_head + d_head_v) + keys) if keys else 0


def _row(config: configs.ModelConfig) -> Row:
    sizes = replace(cache_bytes.of_config(config), bytes_per_value=1)
    return Row(
        slug=config.slug,
        name=config.name,
        scheme=scheme_of(config),
        numbers=sizes.bytes_per_token,
        mha=as_mha(sizes).bytes_per_token,
        attention_weights=attention_weights(
            layers=config.layers,
            d_model=config.d_model,
            num_heads=config.num_heads,
            num_kv_heads=config.num_kv_heads,
            d_head=config.d_head,
            d_head_v=config.d_head_v,
        ),
        nominal=nominal_weights(config.name),
        partly=bool(cache_bytes.full_attention_note(sizes)),
        status=config.status,
        as_of=config.as_of,
    )


@lru_cache(maxsize=1)
def rows() -> tuple[Row, ...]:
    """Every row with a cache size, the largest cache first."""
    caching: Iterator[Row] = (_row(config) for config in configs.all_models() if config.kv_elements)
    return tuple(sorted(caching, key=lambda row: -row.numbers))


def left_out() -> tuple[str, ...]:
    """Names of the rows without a cache: encoders, and one whose layers differ."""
    return tuple(config.name for config in configs.all_models() if not config.kv_elements)
