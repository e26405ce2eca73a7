"""What is said of a cache that was allocated. Knows no tensor."""

from collections.abc import Mapping
from typing import Any

from attention_engine.kinds.kv.allocation import MOST_BYTES, Scaled
from attention_engine.kinds.kv.rows import Row
from attention_engine.kinds.kv.words import context, memory
from attention_engine.kinds.operations import many


def verdict(formula: int, held: int) -> str:
    """Equality to the byte, or by how much they differ."""
    if formula == held:
        return f"{held:,} bytes in memory, {formula:,} by formula: equal to the byte."
    less = "more" if held > formula else "fewer"
    return f"{held:,} bytes in memory, {formula:,} by formula: {abs(held - formula):,} {less}, not equal."


def scaled(made: Scaled, numbers: Mapping[str, Any]) -> str:
    """What was left out so that it fits; "" where it was allocated whole."""
    if made.whole:
        return f"All of {context(numbers)} was allocated."
    kept = context({"tokens": made.tokens, "batch": made.batch})
    layers = "" if made.layers == made.sizes.layers else f" in {many(made.layers, 'layer')}"
    return (
        f"Scaled down from {context(numbers)} to {kept}{layers}, as {memory(MOST_BYTES)} are allowed here; "
        "bytes of a token do not depend on how many there are."
    )


def allocator(counted_bytes: int, storage: int) -> str:
    """What a GPU's allocator says beside the tensors' own storage; "" on a CPU."""
    if counted_bytes < 0:
        return ""
    rest = counted_bytes - storage
    more = f"{rest:,} more, as it gives blocks of 512" if rest else "the same"
    return f"The GPU's allocator counts {counted_bytes:,} bytes: {more}."


def place(numbers_of_token: int, rows: tuple[Row, ...]) -> str:
    """Where the asked cache stands among the models, by numbers of a token."""
    larger = sum(row.numbers > numbers_of_token for row in rows)
    smaller = sum(row.numbers < numbers_of_token for row in rows)
    return (
        f"Of the {len(rows)} models of the table that keep a cache, {larger} keep more of a token and "
        f"{smaller} less."
    )
