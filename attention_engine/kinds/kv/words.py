"""The sentences of a budget of KV bytes. Knows no tensor."""

import re
from collections.abc import Mapping
from typing import Any

from attention_engine import configs
from attention_engine.kinds.kv import cache_bytes
from attention_engine.kinds.kv.cache_bytes import CacheSizes
from attention_engine.kinds.kv.rows import WEIGHT_BYTES
from attention_engine.kinds.kv.sizes import as_mha
from attention_engine.kinds.operations import many

GIB = 2**30
UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
WINDOW = re.compile(r"(sliding|alternating) window (\d+)")
Numbers = Mapping[str, Any]


def memory(size: int) -> str:
    """2684354560 -> "2.50 GiB"; below 1,024 the bytes themselves."""
    unit = max(0, min(len(UNITS) - 1, (size.bit_length() - 1) // 10))
    return f"{size / 1024**unit:,.2f} {UNITS[unit]}" if unit else f"{size:,} bytes"


def product(sizes: CacheSizes) -> str:
    """ "2 × 80 × 8 × 128 × 2 = 327,680"."""
    return f"{sizes.formula} = {sizes.bytes_per_token:,}"


def context(numbers: Numbers) -> str:
    """ "8,192 tokens", "4 sequences of 8,192 tokens"."""
    tokens = many(numbers["tokens"], "token")
    return tokens if numbers["batch"] == 1 else f"{numbers['batch']:,} sequences of {tokens}"


def token(sizes: CacheSizes, numbers: Numbers) -> str:
    """One token, then all of them."""
    total = sizes.bytes_per_token * numbers["tokens"] * numbers["batch"]
    rotary = f" and a rotary key of {sizes.d_head_rope:,}" if sizes.d_head_rope else ""
    latent, pairs = f"a latent of {sizes.kv_rank:,}{rotary}", many(sizes.num_kv_heads, "head")
    where = "its one layer" if sizes.layers == 1 else f"each of {sizes.layers:,} layers"
    kept = f"{latent if sizes.kv_rank else f'K and V of {pairs}'} in {where}"
    each = product(sizes)
    return f"{sizes.title}: a token leaves {kept}, {each} bytes. {context(numbers)}: {memory(total)}."


def against_mha(sizes: CacheSizes) -> str:
    """How much more the same model kept as MHA would take; "" where it is MHA."""
    mha, own = as_mha(sizes).bytes_per_token, sizes.bytes_per_token
    if mha == own:
        return ""
    times = f"{mha // own:,}" if mha % own == 0 else f"{mha / own:,.1f}"
    heads = f"each of {sizes.num_heads:,} query heads" if sizes.num_heads > 1 else "its one query head"
    return f"As MHA, with K and V for {heads}, it would leave {mha:,}: {times} times as much."


def window_of(row: configs.ModelConfig | None) -> tuple[int, int]:
    """(tokens that a local layer keeps, layers that are local), as the row says; (0, 0) where it does not."""
    found = WINDOW.search(row.attention) if row is not None else None
    if row is None or found is None:
        return 0, 0
    return int(found[2]), row.layers if found[1] == "sliding" else row.layers // 2


def windowed_bytes(sizes: CacheSizes, numbers: Numbers, row: configs.ModelConfig | None) -> int:
    """Bytes where local layers keep their window alone; 0 where the row names no window."""
    window, local = window_of(row)
    if not window or not sizes.attention:
        return 0
    tokens, batch = int(numbers["tokens"]), int(numbers["batch"])
    kept = local * min(window, tokens) + (sizes.layers - local) * tokens
    return kept * sizes.numbers * sizes.bytes_per_value * batch


def note(sizes: CacheSizes, numbers: Numbers, row: configs.ModelConfig | None) -> str:
    """What full attention leaves out of the count, and what a named window would save; "" for neither."""
    told = cache_bytes.full_attention_note(sizes)
    window, local = window_of(row)
    total = windowed_bytes(sizes, numbers, row)
    if not total:
        return told
    where = "every layer" if local == sizes.layers else f"{local:,} of {sizes.layers:,} layers"
    if numbers["tokens"] <= window:
        return f"{told} Its window of {window:,} tokens in {where} hides none of them yet."
    return f"{told} With a window of {window:,} tokens in {where} it is {memory(total)}."


def card(sizes: CacheSizes, numbers: Numbers, nominal: int) -> str:
    """How many tokens fit on a card, beside the nominal weights where they are known; "" for no card."""
    if not numbers["card_gib"]:
        return ""
    size, weights_size = numbers["card_gib"] * GIB, WEIGHT_BYTES * nominal
    held = f"A card of {numbers['card_gib']:,} GiB"
    if weights_size >= size:
        return f"{held} does not hold these weights, and has no room for a cache."
    fits = (size - weights_size) // (sizes.bytes_per_token * numbers["batch"])
    each = "" if numbers["batch"] == 1 else f" of each of {numbers['batch']:,} sequences"
    beside = "beside these weights" if nominal else "where no weights stand on it"
    return f"{held} holds the cache of {many(fits, 'token')}{each} {beside}."


def weights(attention: int, nominal: int, sizes: CacheSizes) -> str:
    """What stands on the card beside the cache, as far as the table tells it."""
    if sizes.kv_rank:
        own = "What W_Q, W_K, W_V and W_O weigh is not told: a latent's projections go by ranks not listed."
    elif attention:
        own = (
            f"W_Q, W_K, W_V and W_O of all layers are {attention:,} weights, "
            f"{memory(WEIGHT_BYTES * attention)} at {WEIGHT_BYTES} bytes each (biases left out)."
        )
    else:
        own = "Without d_model the weights of attention are not known."
    if not nominal:
        return f"{own} How many weights there are in all is not in the table."
    return (
        f"{own} By its name there are about {nominal:,} in all: nominally {memory(WEIGHT_BYTES * nominal)}."
    )
