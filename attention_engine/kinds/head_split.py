"""head_split without tensors: seven steps, their shapes and strides, and what their values would cost."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from attention_engine import pipeline
from attention_engine.kinds import layer
from attention_engine.kinds.work import BESIDE_TENSORS, FLOAT32, Work
from attention_engine.parameters import InvalidSpec

PARAMETERS = (*layer.LAYER, layer.KEY_TOKENS)
DRAWN_PIECES = 512
"""Pieces (one head of one token) that a drawing moves: of many heads it draws the first tokens."""
SIZES = ("batch", "tokens", "d_model", "num_heads", "d_head")


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers of the layer with d_head written out; one width for queries, keys and values."""
    filled = layer.complete_whole(given)
    filled["key_tokens"] = given.get("key_tokens", 0) or filled["tokens"]
    config = layer.published(filled["model"]) if filled["model"] else None
    if config and config.d_head != config.d_head_v and filled["d_head"] == config.d_head:
        raise InvalidSpec(
            f"{config.name} scores in heads of {config.d_head} and mixes values of {config.d_head_v}: "
            "head_split follows one width; give d_model, num_heads and d_head instead",
            field="model",
        )
    return filled


def steps(parameters: Mapping[str, Any]) -> tuple[pipeline.Step, ...]:
    """The seven steps by arithmetic."""
    return pipeline.head_split_steps(**{name: parameters[name] for name in SIZES})


def kv_heads(parameters: Mapping[str, Any]) -> int:
    """Heads of K and V: the model's where its own query heads are drawn, else as many as query heads."""
    config = layer.published(parameters["model"]) if parameters["model"] else None
    same = config is not None and config.num_heads == parameters["num_heads"] and config.num_kv_heads
    return config.num_kv_heads if config is not None and same else int(parameters["num_heads"])


def traced(parameters: Mapping[str, Any]) -> dict[str, int]:
    """The element followed at first: not the first of anything, where more than one is drawn."""
    tokens, num_heads, d_head = (parameters[name] for name in ("tokens", "num_heads", "d_head"))
    rows = max(1, min(tokens, DRAWN_PIECES // num_heads))
    return {"t": min(2, rows - 1), "h": num_heads // 2, "d": min(5, d_head - 1)}


def facts(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The steps as JSON and the numbers they follow from."""
    listed = [asdict(step) for step in steps(parameters)]
    for step in listed:
        step["step"] = step.pop("name")
    numbers = {name: parameters[name] for name in SIZES}
    inner = parameters["num_heads"] * parameters["d_head"]
    tuples = ("axes", "shape", "strides")
    return {
        **numbers,
        "key_tokens": parameters["key_tokens"],
        "traced": traced(parameters),
        "num_kv_heads": kv_heads(parameters),
        "inner": inner,
        "steps": [step | {name: list(step[name]) for name in tuples} for step in listed],
    }


def work(parameters: Mapping[str, Any]) -> Work:
    """Four projections one weight at a time, scores and mixing; values where admitted.

    At the peak x and y, q, k, v, mixed and merged are held with the bytes of the frame before, and beside
    them two maps of every head (scaled and weights), or one weight, or the four copies of an encoding.
    K and V come from as many places as there are key tokens; another text is held beside x, and its keys
    are copied to be multiplied."""
    batch, tokens, d_model, num_heads, d_head = (parameters[name] for name in SIZES)
    keys = parameters["key_tokens"]
    inner, scores = num_heads * d_head, batch * num_heads * tokens * keys
    places, other = batch * tokens, batch * keys
    rows, held = max(inner, d_model) * places, (2 * d_model + 3 * inner) * places + 2 * inner * other
    copied = inner * other if keys != tokens else 0
    held += d_model * other if keys != tokens else 0
    return Work(
        values="optional",
        largest=max(scores, rows, max(inner, d_model) * other, d_model * inner),
        flops=4 * (places + other) * d_model * inner + 4 * scores * d_head,
        peak_bytes=FLOAT32 * (held + max(2 * scores + copied, d_model * inner, 4 * rows))
        + 2 * rows
        + BESIDE_TENSORS,
        wire_bytes=2 * rows,
        sizes={"batch": batch, "tokens": max(tokens, keys), "num_heads": num_heads, "d_head": d_head},
    )
