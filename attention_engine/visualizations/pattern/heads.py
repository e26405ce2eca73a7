"""Which K/V head a query head reads, in the words of attention_pattern. Knows no weights."""

from collections.abc import Mapping
from typing import Any

from attention_engine.kinds import attention_pattern as kind

Numbers = Mapping[str, Any]


def sharing(numbers: Numbers) -> str:
    """Which K/V head the shown query head reads, and which others do."""
    heads, shared, d_head = (numbers[name] for name in ("num_heads", "num_kv_heads", "d_head"))
    config = kind.mla(numbers)
    if config:
        own = heads * (d_head + numbers["d_head_v"])
        return (
            f"MLA: K and V of all {heads} heads are unpacked from {config.kv_rank} numbers a token; with one "
            f"turned key of {config.d_head_rope} the cache holds {config.kv_rank + config.d_head_rope} a "
            f"token, where K and V of every head would be {own:,}."
        )
    if shared == heads:
        return f"MHA: each of the {heads} query heads reads a K/V head of its own." if heads > 1 else ""
    if shared == 1:
        return f"MQA: all {heads} query heads read the one K/V head."
    size = heads // shared
    own = numbers["head"] // size
    return (
        f"GQA: {shared} K/V heads serve {heads} query heads, {size} each: query head {numbers['head']} reads "
        f"K/V head {own}, as {_heads(own * size, own * size + size - 1)} do."
    )


def thumbnails(numbers: Numbers) -> str:
    """Which K/V head each of the small maps reads."""
    heads, shared = numbers["num_heads"], numbers["num_kv_heads"]
    if not shared or shared == heads:
        return ""
    if shared == 1:
        return f"All {heads} small maps read one K/V head."
    size = heads // shared
    return f"Small map h reads K/V head h // {size}: {_heads(0, size - 1)} the first, {size} to each."


def _heads(first: int, last: int) -> str:
    return f"heads {first} {'and' if last == first + 1 else 'to'} {last}"
