"""What comparing four ways of sharing takes, before anything is allocated. Has no values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attention_engine import arithmetic
from attention_engine.kinds.attention_pattern import words
from attention_engine.kinds.projection import Projection
from attention_engine.kinds.reading import reading
from attention_engine.kinds.sharing.source import Source, source_of
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


@dataclass(frozen=True)
class Read:
    """What a layer takes until its q, k and v are there: FLOPs, numbers held meanwhile, and afterwards."""

    flops: int
    passing: int
    kept: int


def work(parameters: Mapping[str, Any]) -> Work:
    """One layer that is read, the schemes and every number of K/V heads and rank that is compared."""
    source = source_of(parameters)
    tokens = tokens_of(parameters, source)
    read = _trained(parameters, source) if source.trained else _made(source, tokens)
    widths = source.d_head + source.d_head_v
    tried = 4 + len(arithmetic.divisors(n=source.num_heads)) + len(ranks(tokens))
    attending = 2 * source.num_heads * tokens**2 * (widths + 4)
    correlating = 2 * source.num_heads**2 * tokens**2
    return Work(
        values="required",
        largest=max(source.num_heads * tokens * max(widths, tokens), tokens * source.d_model),
        flops=read.flops + tried * attending + correlating,
        peak_bytes=FLOAT32 * max(read.passing, read.kept + _sharing(source, tokens)) + BESIDE_TENSORS,
        wire_bytes=4 * tokens**2,
        sizes={"tokens": tokens, "num_heads": source.num_heads, "d_head": source.d_head},
    )


def _sharing(source: Source, tokens: int) -> int:
    """Numbers held beside q, k and v: pairs of a scheme, outputs and maps of three (its own, the one told of
    and one more for that), and what passes.

    The basis of a latent is made in float64, of K and V twice."""
    heads, widths = source.num_heads, source.d_head + source.d_head_v
    pairs = heads * tokens * widths
    outputs = 3 * heads * tokens * (source.d_head_v + tokens)
    unpacked = min(HEADS_AT_ONCE, heads) * tokens * (2 * widths + 2 * tokens)
    basis = 8 * (source.num_kv_heads or heads) * tokens * widths
    return max(outputs + pairs + unpacked, outputs // 3 + basis)


def _trained(parameters: Mapping[str, Any], source: Source) -> Read:
    """All layers of a trained model are run, and their heads kept."""
    read = reading(parameters["sentence"], MOST_TOKENS, name=source.trained)
    return Read(read.flops, read.weights + read.heads + read.passing, read.weights + read.heads)


def _made(source: Source, tokens: int) -> Read:
    """One layer by its law; K and V unpacked where they come from a latent."""
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
    kept = sum(one.made for one in made)
    # Words, places and their sum, then q and K joined from parts of their own where they come from a latent.
    twice = 0 if shared else tokens * heads * source.d_head
    projecting = kept + max(twice, max(one.passing_bytes for one in made) // FLOAT32)
    passing = tokens * source.d_model + max(3 * tokens * source.d_model, projecting)
    return Read(sum(one.flops for one in made), passing, kept + twice)
