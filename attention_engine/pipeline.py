"""Shape, strides and contiguity of every tensor of one attention layer, by arithmetic. Knows no torch.

The tensors are those of the engine's own code (heads.py, attention.py, latent.py), equal to torch's meta
device by test: multi-head (Vaswani et al. 2017), grouped and multi-query attention (Ainslie et al. 2023;
Shazeer 2019), and latent attention in its naive form (DeepSeek-V2 2024, section 2.1)."""

from collections.abc import Mapping
from dataclasses import dataclass

from attention_engine.shapes import MERGE_WITHOUT_COPY, Shape, axes_of

Traced = tuple[str, Shape, Shape, bool]
"""Name, shape, strides in numbers, and whether it is contiguous."""


@dataclass(frozen=True)
class Step:
    """One step of the way from x to the layer's output. Strides count numbers, not bytes."""

    name: str
    axes: tuple[str, ...]
    shape: Shape
    strides: Shape
    contiguous: bool
    copies: bool
    """True where numbers are written anew, False where the same memory is read in another way."""
    note: str


def trace(
    *,
    batch: int,
    tokens: int,
    d_model: int,
    num_heads: int,
    d_head: int,
    num_kv_heads: int = 0,
    d_head_v: int = 0,
    key_tokens: int = 0,
    kv_rank: int = 0,
    d_head_rope: int = 0,
) -> tuple[Traced, ...]:
    """Every tensor from x to W_O in the order it is made: 24, with a latent 33.

    num_kv_heads 0 means num_heads, d_head_v 0 d_head, key_tokens 0 tokens. kv_rank > 0 makes K and V from a
    latent of that width, d_head_rope features of each key being one rotary key that all heads share."""
    keys, value = key_tokens or tokens, d_head_v or d_head
    shared = num_heads if kv_rank else num_kv_heads or num_heads
    whole = (batch, tokens, d_model), (tokens * d_model, d_model, 1), True
    made = _split("q", batch, tokens, heads=num_heads, width=d_head)
    if kv_rank:
        made += _turned(batch, tokens, heads=num_heads, width=d_head, rope=d_head_rope)
        made += _latent(batch, keys, heads=num_heads, width=d_head, rope=d_head_rope, rank=kv_rank)
        query = made[6]
    else:
        made += _keys(batch, keys, shared=shared, width=d_head)
        query = made[2]
    made += _split("v", batch, keys, heads=shared, width=value)
    made += _weighed(batch, tokens, keys, heads=num_heads, shared=shared, query=query)
    made += _mixed(batch, tokens, heads=num_heads, shared=shared, width=value)
    return (("x", *whole), *made, ("output", *whole))


def _split(name: str, batch: int, tokens: int, *, heads: int, width: int) -> tuple[Traced, ...]:
    """What is projected, read as heads, and the heads before the tokens."""
    inner = heads * width
    item = tokens * inner
    return (
        (f"{name}_projected", (batch, tokens, inner), (item, inner, 1), True),
        (f"{name}_view", (batch, tokens, heads, width), (item, inner, width, 1), True),
        (name, (batch, heads, tokens, width), (item, width, inner, 1), heads == 1 or tokens == 1),
    )


def _turned(batch: int, tokens: int, *, heads: int, width: int, rope: int) -> tuple[Traced, ...]:
    """Latent attention: the features of each query head that rotary leaves alone and those it turns."""
    nope, inner = width - rope, heads * width
    strides, alone = (tokens * inner, width, inner, 1), batch == heads == tokens == 1
    turned, joined = (batch, heads, tokens, rope), (batch, heads, tokens, width)
    return (
        ("q_nope", (batch, heads, tokens, nope), strides, alone),
        ("q_rope", turned, strides, alone),
        ("q_turned", turned, _four(heads, tokens, rope), True),
        ("q_joined", joined, _four(heads, tokens, width), True),
    )


def _latent(batch: int, keys: int, *, heads: int, width: int, rope: int, rank: int) -> tuple[Traced, ...]:
    """Latent attention: what is cached (c_kv and one turned key), and the keys of every head made from it."""
    one, joined = keys * rope, (batch, heads, keys, width)
    return (
        ("c_kv", (batch, keys, rank), (keys * rank, rank, 1), True),
        ("k_rope", (batch, keys, rope), (one, rope, 1), True),
        ("k_turned", (batch, keys, rope), (one, rope, 1), True),
        ("k_shared", (batch, heads, keys, rope), (one, 0 if heads > 1 else one, rope, 1), heads == 1),
        *_split("k_nope", batch, keys, heads=heads, width=width - rope),
        ("k", joined, _four(heads, keys, width), True),
        (
            "k_transposed",
            (batch, heads, width, keys),
            (heads * keys * width, keys * width, 1, width),
            keys == 1,
        ),
    )


def _four(heads: int, tokens: int, width: int) -> Shape:
    """Strides of a freshly written (B, heads, tokens, width)."""
    return (heads * tokens * width, tokens * width, width, 1)


def _keys(batch: int, keys: int, *, shared: int, width: int) -> tuple[Traced, ...]:
    """K as every query head of a group reads it, and the same memory turned over for the product."""
    inner = shared * width
    over = (keys * inner, width, 1, inner)
    made = _split("k", batch, keys, heads=shared, width=width)
    flat = keys == 1 or inner == 1
    return (*made, ("k_transposed", (batch, shared, width, keys), over, flat))


def _weighed(
    batch: int, tokens: int, keys: int, *, heads: int, shared: int, query: Traced
) -> tuple[Traced, ...]:
    """The query heads of a group under one another, their scores, and what becomes of them."""
    rows = heads // shared * tokens
    folded = query if heads == shared else _folded(batch, shared, rows, query[1][3])
    maps = (batch, heads, tokens, keys), _four(heads, tokens, keys), True
    grouped = (batch, shared, rows, keys), _four(shared, rows, keys), True
    return (
        ("q_folded", *folded[1:]),
        ("scores_folded", *grouped),
        ("scores", *maps),
        ("scaled", *maps),
        ("masked", *maps),
        ("weights", *maps),
        ("weights_folded", *grouped),
    )


def _folded(batch: int, shared: int, rows: int, width: int) -> Traced:
    return "q_folded", (batch, shared, rows, width), _four(shared, rows, width), True


def _mixed(batch: int, tokens: int, *, heads: int, shared: int, width: int) -> tuple[Traced, ...]:
    """The values each query head mixes, and the heads of a token side by side again."""
    rows, inner = heads // shared * tokens, heads * width
    turned, written = (batch, tokens, heads, width), _four(tokens, heads, width)
    strides, still = (tokens * inner, width, tokens * width, 1), heads == 1 or tokens == 1
    return (
        ("mixed_folded", (batch, shared, rows, width), _four(shared, rows, width), True),
        ("mixed", (batch, heads, tokens, width), _four(heads, tokens, width), True),
        ("merge_transposed", turned, strides, still),
        ("merge_copied", turned, strides if still else written, True),
        ("merged", (batch, tokens, inner), (tokens * inner, inner, 1), True),
    )


TENSORS = {
    "input": "x",
    "project": "q_projected",
    "view": "q_view",
    "transpose": "q",
    "latent": "c_kv",
    "rope_key": "k_turned",
    "keys": "k",
    "values": "v",
    "attend": "mixed",
    "merge": "merged",
    "output": "output",
}
"""Steps a picture shows, in their order, and the tensor each leaves."""
NOTES = {
    "input": "what the layer is given",
    "project": "new numbers: every feature reads all of d_model",
    "view": "same memory: the last axis is read as heads of width D",
    "transpose": "same memory, new strides: heads before tokens",
    "latent": "new numbers: what is cached of K and V, for all heads together",
    "rope_key": "new numbers: one key for all heads, turned by its position",
    "keys": "new numbers: K as the query heads read it",
    "values": "new numbers: V as the query heads read it",
    "attend": "new numbers: each head mixes its own tokens",
    "merge": "copied: the heads of one token lie side by side again",
    "output": "new numbers: W_O mixes the heads",
}
SAME_MEMORY = {"input", "view", "transpose"}


def head_split_steps(**sizes: int) -> tuple[Step, ...]:
    """The steps of one layer that a picture shows, of the sizes `trace` takes.

    Always input, project, view, transpose, attend, merge, output. Between transpose and attend come keys
    where K has heads of its own number, values where they have a width of their own, and all four of latent,
    rope_key, keys and values where K and V are made from a latent."""
    tensors = {row[0]: row[1:] for row in trace(**sizes)}
    hidden = _hidden(sizes)
    still = sizes["num_heads"] == 1 or sizes["tokens"] == 1
    return tuple(
        Step(
            name=name,
            axes=step_axes(name, sizes),
            shape=tensors[tensor][0],
            strides=tensors[tensor][1],
            contiguous=tensors[tensor][2],
            copies=name not in SAME_MEMORY and not (name == "merge" and still),
            note=MERGE_WITHOUT_COPY if name == "merge" and still else NOTES[name],
        )
        for name, tensor in TENSORS.items()
        if name not in hidden
    )


def _hidden(sizes: Mapping[str, int]) -> set[str]:
    """Steps in which a layer of these sizes does nothing of its own."""
    if sizes.get("kv_rank"):
        return set()
    plain = {"latent", "rope_key"}
    if _shared(sizes) == sizes["num_heads"]:
        plain.add("keys")
    return plain if _value_width(sizes) != sizes["d_head"] else plain | {"values"}


def step_axes(step: str, sizes: Mapping[str, int]) -> tuple[str, ...]:
    """Names of the axes after a step: H_kv, T_k and D_v where they differ from H, T and D."""
    keys = "T" if sizes.get("key_tokens", 0) in {0, sizes["tokens"]} else "T_k"
    heads = "H" if _shared(sizes) == sizes["num_heads"] else "H_kv"
    value = "D" if _value_width(sizes) == sizes["d_head"] else "D_v"
    own = {
        "latent": ("B", keys, "kv_rank"),
        "rope_key": ("B", keys, "d_rope"),
        "keys": ("B", heads, keys, "D"),
        "values": ("B", heads, keys, value),
        "attend": ("B", "H", "T", value),
        "merge": ("B", "T", f"H*{value}"),
    }
    return own.get(step) or axes_of(step)


def _shared(sizes: Mapping[str, int]) -> int:
    """Heads of K and V as they are read."""
    return sizes["num_heads"] if sizes.get("kv_rank") else sizes.get("num_kv_heads", 0) or sizes["num_heads"]


def _value_width(sizes: Mapping[str, int]) -> int:
    return sizes.get("d_head_v", 0) or sizes["d_head"]
