"""attention_pattern without tensors: which layer, which heads, mask, scale and turning. Knows no weights."""

import re
from collections.abc import Mapping
from typing import Any

from attention_engine.kinds import layer
from attention_engine.kinds.head_split import attention
from attention_engine.kinds.pattern_layer import (
    PADDING,
    RANDOM,
    WIDTHS,
    WINDOW,
    layers,
    masking,
    mla,
    of_trained,
    own_mask,
    own_masking,
    published,
    turning,
    weights,
    widths,
)
from attention_engine.kinds.projection import Projection
from attention_engine.kinds.reading import MINILM, MOST_TOKENS, plain, reading
from attention_engine.kinds.trained import NAMES
from attention_engine.kinds.work import BESIDE_TENSORS, FLOAT32, Work
from attention_engine.parameters import LARGEST_AXIS, LONGEST_SENTENCE, InvalidSpec, Parameter
from attention_engine.scales import ScaleRule, rule_of

MAPS_AT_ONCE = 10
"""Four stages of one head, and what encoding and telling of one of them takes."""
SENTENCE = "The animal didn't cross the street because it was too tired."
MASKS = ("none", "causal", "sliding_window", "padding")
SCALES = ("own", "sqrt", "none", "d_head")
PAIRINGS = ("none", "half", "interleaved")

__all__ = [
    "RANDOM", "WIDTHS", "complete", "facts", "layers", "mla", "of_trained", "own_mask", "published", "words",
    "work",
]  # fmt: skip

TITLE = "Where one head looks"
PARAMETERS = (
    Parameter("sentence", "text", SENTENCE, "the text whose tokens attend", maximum=LONGEST_SENTENCE),
    Parameter(
        "model", "text", "minilm", f"{', '.join(NAMES)} (trained), random, or a slug (its shape)", maximum=80
    ),
    Parameter("layer", "int", 0, "layer, counted from 0", minimum=0, maximum=LARGEST_AXIS),
    Parameter("head", "int", 0, "query head, counted from 0", minimum=0, maximum=LARGEST_AXIS),
    Parameter("causal", "int", 0, "1 hides later tokens, as mask causal does", minimum=0, maximum=1),
    Parameter("d_model", "int", RANDOM["d_model"], "width of the random layer"),
    Parameter("num_heads", "int", RANDOM["num_heads"], "query heads of the random layer"),
    Parameter("d_head", "int", 0, "width of its heads; 0 derives it", minimum=0),
    layer.NUM_KV_HEADS,
    layer.D_HEAD_V,
    Parameter("mask", "choice", "none", f"{', '.join(MASKS)}; a model's own unless given", choices=MASKS),
    Parameter("window", "int", 0, f"keys a sliding window holds; 0: the model's, else {WINDOW}", minimum=0),
    Parameter("padding", "int", 0, f"last tokens that are filler; 0: {PADDING}", minimum=0),
    Parameter("scale", "choice", "own", "own (the model's), sqrt, none, d_head: 1/d_head", choices=SCALES),
    Parameter("rotary", "choice", "none", f"pairs that turn: {', '.join(PAIRINGS)}", choices=PAIRINGS),
    layer.WEIGHTS,
)


def words(sentence: str) -> list[str]:
    """Words and marks of a sentence, the tokens of the random layer, at most 512."""
    return re.findall(r"\w+|[^\w\s]", sentence)[:MOST_TOKENS]


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """The widths of the layer, a layer and head that exist in it, and its own mask where none is given."""
    filled = {parameter.name: parameter.default for parameter in PARAMETERS} | dict(given)
    filled["model"] = "minilm" if filled["model"] == MINILM else filled["model"]
    filled |= widths(given, filled["model"])
    filled |= masking(given, own_masking(filled))
    filled |= turning(given, filled)
    filled["weights"] = weights(filled)
    if scale_text(filled) == scale_text(filled | {"scale": "own"}):
        filled["scale"] = "own"  # one picture, one digest
    if not words(filled["sentence"]):
        raise InvalidSpec("sentence must hold at least one word or mark", field="sentence")
    for name, count in (("layer", layers(filled["model"])), ("head", filled["num_heads"])):
        if filled[name] >= count:
            message = f"{name} {filled[name]} does not exist: {filled['model']} has {name}s 0 to {count - 1}"
            raise InvalidSpec(message, field=name)
    filled["sentence"] = plain(filled["sentence"])
    return filled | {"padding": min(filled["padding"], _most_tokens(filled))}


def own_rule(parameters: Mapping[str, Any]) -> ScaleRule:
    """The scale the layer has by itself: its model's, else 1/sqrt(d_head)."""
    config = published(parameters)
    return rule_of(config) if config else ScaleRule("sqrt", parameters["d_head"])


def scale_text(parameters: Mapping[str, Any]) -> str:
    """What scores are multiplied by, as a formula with its numbers."""
    d_head = parameters["d_head"]
    told = {"sqrt": f"1/sqrt({d_head})", "none": "no division", "d_head": f"1/{d_head}"}
    return told.get(parameters["scale"]) or str(own_rule(parameters))


def facts(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The layer's numbers, its scale and what it hides."""
    names = (*WIDTHS, "mask", "causal", "window", "padding", "rotary", "weights")
    told = {
        "attention": attention(parameters),
        "scale": scale_text(parameters),
        "layers": layers(parameters["model"]),
        **{name: parameters[name] for name in names},
    }
    config = mla(parameters)
    return told | ({"kv_rank": config.kv_rank, "d_head_rope": config.d_head_rope} if config else {})


def _most_tokens(parameters: Mapping[str, Any]) -> int:
    if parameters["model"] not in NAMES:
        return len(words(parameters["sentence"]))
    return reading(parameters["sentence"], name=parameters["model"]).tokens


def _projections(parameters: Mapping[str, Any], tokens: int) -> list[Projection]:
    """Every x @ W of a random layer, in the order it is drawn; W_O is not."""
    pinned, heads, d_head = parameters["weights"] == "pinned", parameters["num_heads"], parameters["d_head"]
    d_model, shared, value = parameters["d_model"], parameters["num_kv_heads"], parameters["d_head_v"]
    config, parts = mla(parameters), [(d_model, heads, d_head)]
    if config:
        rank, rope = config.kv_rank, config.d_head_rope
        parts += [(d_model, 1, rank), (d_model, 1, rope), (rank, heads, d_head - rope), (rank, heads, value)]
    else:
        parts += [(d_model, shared, d_head), (d_model, shared, value)]
    return [
        Projection(rows=tokens, width=width, heads=count, d_head=each, pinned=pinned)
        for width, count, each in parts
    ]


def _read_trained(parameters: Mapping[str, Any], _tokens: int) -> tuple[int, int, int]:
    """FLOPs, numbers kept and numbers in passing where all layers are run."""
    read = reading(parameters["sentence"], name=parameters["model"])
    return read.flops, read.weights + read.heads, read.passing


def _read_random(parameters: Mapping[str, Any], tokens: int) -> tuple[int, int, int]:
    """The same of one random layer."""
    made = _projections(parameters, tokens)
    kept = sum(one.made for one in made)
    if mla(parameters):
        # q and k joined from their parts, which are given up: q's before K and V are unpacked.
        kept = 2 * made[0].made + sum(one.made for one in made[1:])
    passing = 4 * tokens * parameters["d_model"] + max(one.passing_bytes for one in made) // FLOAT32
    scores = 2 * parameters["num_heads"] * parameters["d_head"] * tokens**2
    return sum(one.flops for one in made) + scores, kept, passing


def work(parameters: Mapping[str, Any]) -> Work:
    """A layer that is read, with its q, k, v kept; then the stages of one head, and their encodings."""
    tokens, widest = _most_tokens(parameters), max(parameters["d_head"], parameters["d_head_v"])
    read = _read_trained if parameters["model"] in NAMES else _read_random
    flops, kept, passing = read(parameters, tokens)
    stages = MAPS_AT_ONCE * tokens**2 + 5 * tokens * widest
    made = _projections(parameters, tokens)
    return Work(
        values="required",
        largest=max(
            tokens**2,
            tokens * parameters["d_model"],
            *(one.made for one in made),
            *(one.width * one.d_head for one in made),
        ),
        flops=flops + 6 * tokens**2 * widest,
        peak_bytes=FLOAT32 * (kept + max(passing, stages)) + BESIDE_TENSORS,
        wire_bytes=2 * tokens * max(tokens, widest),
        sizes={"tokens": tokens} | {name: parameters[name] for name in ("num_heads", "d_head", "d_head_v")},
    )
