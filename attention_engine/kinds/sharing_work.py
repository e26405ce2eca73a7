"""What comparing four ways of sharing takes, before anything is allocated. Has no values."""

from collections.abc import Mapping
from typing import Any

from attention_engine import arithmetic
from attention_engine.kinds.attention_pattern import words
from attention_engine.kinds.projection import Projection
from attention_engine.kinds.reading import reading
from attention_engine.kinds.sharing_source import Source, source_of
from attention_engine.kinds.work import BESIDE_TENSORS, FLOAT32, Work

MOST_TOKENS = 64
"""Tokens of the sentence that attend: four maps of so many keep to the wire."""
HEADS_AT_ONCE = 32
"""Query heads whose K and V are unpacked at a time."""


def ranks(tokens: int) -> tuple[int, ...]:
    """Widths of a latent that are tried: powers of two up to what so many tokens can span."""
    return tuple(2**n for n in range(7) if 2**n < tokens) + (tokens,)


def tokens_of(parameters: Mapping[str, Any], source: Source) -> int:
    """At most so many tokens attend: a trained model's own count, words and marks for a made-up layer."""
    if source.trained:
        return reading(parameters["sentence"], MOST_TOKENS, name=source.trained).tokens
    return min(MOST_TOKENS, len(words(parameters["sentence"])))


def work(parameters: Mapping[str, Any]) -> Work:
    """One layer that is read, the schemes and every number of K/V heads and rank that is compared."""
    source = source_of(parameters)
    tokens = tokens_of(parameters, source)
    read, kept = _trained(parameters, source) if source.trained else _made(source, tokens)
    widths = source.d_head + source.d_head_v
    tried = 4 + len(arithmetic.divisors(n=source.num_heads)) + len(ranks(tokens))
    attending = 2 * source.num_heads * tokens**2 * (widths + 4)
    correlating = 2 * source.num_heads**2 * tokens**2
    unpacked = min(HEADS_AT_ONCE, source.num_heads) * tokens * (2 * widths + 3 * tokens)
    outputs = 3 * source.num_heads * tokens * (source.d_head_v + tokens)
    pooled = 3 * source.num_heads * tokens * widths
    return Work(
        values="required",
        largest=max(source.num_heads * tokens * max(widths, tokens), tokens * source.d_model),
        flops=read + tried * attending + correlating,
        peak_bytes=FLOAT32 * (kept + unpacked + outputs + pooled) + BESIDE_TENSORS,
        wire_bytes=4 * tokens**2,
        sizes={"tokens": tokens, "num_heads": source.num_heads, "d_head": source.d_head},
    )


def _trained(parameters: Mapping[str, Any], source: Source) -> tuple[int, int]:
    """FLOPs and numbers held where all layers of a trained model are run."""
    read = reading(parameters["sentence"], MOST_TOKENS, name=source.trained)
    return read.flops, read.weights + read.heads + read.passing


def _made(source: Source, tokens: int) -> tuple[int, int]:
    """The same of one layer by its law, K and V unpacked where they come from a latent."""
    heads, shared = source.num_heads, source.num_kv_heads
    parts = [(source.d_model, heads * source.d_head)]
    if shared:
        parts.append((source.d_model, shared * (source.d_head + source.d_head_v)))
    else:
        nope = source.d_head - source.d_head_rope
        parts.append((source.d_model, source.kv_rank + source.d_head_rope))
        parts.append((source.kv_rank, heads * (nope + source.d_head_v)))
    made = [
        Projection(rows=tokens, width=width, heads=1, d_head=columns, pinned=False)
        for width, columns in parts
    ]
    passing = max(one.passing_bytes for one in made) // FLOAT32
    kept = tokens * (2 * source.d_model + heads * (2 * source.d_head + source.d_head_v))
    return sum(one.flops for one in made), 2 * kept + passing
