"""kv_budget without tensors: bytes of a token, of one model and of every row. Allocates nothing."""

from collections.abc import Mapping
from typing import Any

from attention_engine import configs
from attention_engine.kinds.kv import words as told
from attention_engine.kinds.kv.allocation import scaled_down
from attention_engine.kinds.kv.answer import answered
from attention_engine.kinds.kv.decoder_flops import flops
from attention_engine.kinds.kv.rows import attention_weights, left_out, nominal_weights, rows
from attention_engine.kinds.kv.sizes import (
    as_mha,
    as_mqa,
    is_published,
    row_of,
    sizes_of,
    widths_of,
)
from attention_engine.kinds.trained import named, trained
from attention_engine.kinds.work import BESIDE_TENSORS, Work
from attention_engine.parameters import LARGEST_AXIS, InvalidSpec, Parameter

MOST_LAYERS, MOST_HEADS, MOST_WIDTH, MOST_RANK = 1024, 4096, 1024, 2**16
LARGEST_ANSWER = 2**53 - 1
BYTES = (1, 2, 4)
RUN_TOKENS = 8
"""Tokens that a trained model really reads: as many as stay in the fast queue."""
DECODER = "smollm2"

TITLE = "What a KV cache weighs"
PARAMETERS = (
    Parameter(
        "model", "text", "llama-3-70b", "a slug, smollm2, or empty for own numbers", minimum=0, maximum=80
    ),
    Parameter("tokens", "int", 8192, "tokens of a sequence, cached", maximum=LARGEST_AXIS),
    Parameter("batch", "int", 1, "sequences at once", maximum=2**20),
    Parameter("bytes_per_value", "int", 2, "bytes of one cached number: 1, 2 or 4", maximum=4),
    Parameter("layers", "int", 0, "layers that cache; 0: the model's, or 32", minimum=0, maximum=MOST_LAYERS),
    Parameter("d_model", "int", 0, "width; 0: the model's, or unknown", minimum=0),
    Parameter("num_heads", "int", 0, "query heads; 0: the model's, or 32", minimum=0, maximum=MOST_HEADS),
    Parameter(
        "num_kv_heads", "int", 0, "K/V heads; 0: the model's, or num_heads", minimum=0, maximum=MOST_HEADS
    ),
    Parameter(
        "d_head", "int", 0, "width of a key head; 0: the model's, or 128", minimum=0, maximum=MOST_WIDTH
    ),
    Parameter(
        "d_head_v", "int", 0, "of a value head; 0: the model's, or d_head", minimum=0, maximum=MOST_WIDTH
    ),
    Parameter(
        "kv_rank", "int", 0, "numbers of a latent; 0: the model's, or none", minimum=0, maximum=MOST_RANK
    ),
    Parameter("d_head_rope", "int", 0, "of the rotary key beside a latent", minimum=0, maximum=MOST_WIDTH),
    Parameter("card_gib", "int", 80, "memory of a card in GiB; 0: none", minimum=0, maximum=2**20),
    Parameter(
        "answer_bytes", "int", 0, "bytes a token, answered; 0: none", minimum=0, maximum=LARGEST_ANSWER
    ),
)


def by_chance(_parameters: Mapping[str, Any]) -> bool:
    """No number here is drawn: bytes do not depend on what is cached."""
    return False


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """Every number written out: given, else the model's, else the usual one. Raises InvalidSpec."""
    filled = {parameter.name: parameter.default for parameter in PARAMETERS} | dict(given)
    filled["model"] = named(filled["model"])
    if filled["bytes_per_value"] not in BYTES:
        message = f"bytes_per_value {filled['bytes_per_value']} is no width of a cached number: 1, 2 or 4"
        raise InvalidSpec(message, field="bytes_per_value")
    return filled | widths_of(given, filled["model"])


def facts(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The asked cache, what it were as MHA and MQA, every row that caches, and the answer explained."""
    sizes, row = sizes_of(parameters), source(parameters)
    answer = answer_of(parameters)
    names = ("tokens", "batch", "bytes_per_value", "card_gib")
    own = ("layers", "num_heads", "num_kv_heads", "d_head", "d_head_v", "kv_rank", "d_head_rope")
    return {
        **{name: parameters[name] for name in (*names, *own)},
        "title": sizes.title,
        "slug": row.slug if row is not None else "",
        "scheme": sizes.scheme,
        "formula": [[one.name, one.value] for one in sizes.factors],
        "bytes_per_token": sizes.bytes_per_token,
        "mha": as_mha(sizes).bytes_per_token,
        "mqa": as_mqa(sizes).bytes_per_token,
        "windowed": told.windowed_bytes(sizes, parameters, row),
        "weights": list(weights_of(parameters)),
        "beside": beside_weights(parameters),
        "sentence": sentence(parameters),
        "source": f"{row.source} ({row.status}, {row.as_of})" if row is not None else "",
        "rows": [_row(one) for one in rows()],
        "left_out": len(left_out()),
        "opens": "answer" if answer else "models",
        "steps": [_step(name, note) for name, note in _notes(parameters)],
    } | ({"answer": answer} if answer else {})


def _row(row: Any) -> list[Any]:
    """[slug, name, scheme, numbers a token, as MHA, attention weights, nominal weights, counted in part]."""
    weights = [row.attention_weights, row.nominal]
    return [row.slug, row.name, row.scheme, row.numbers, row.mha, *weights, int(row.partly)]


def source(parameters: Mapping[str, Any]) -> configs.ModelConfig | None:
    """The row whose numbers these are; None where any was changed."""
    return row_of(parameters["model"]) if is_published(parameters) else None


def answer_of(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The answered bytes of a token, factor by factor; {} where none was given."""
    given, tokens = parameters["answer_bytes"], parameters["tokens"] * parameters["batch"]
    sizes = sizes_of(parameters)
    return answered(given, sizes, d_model=parameters["d_model"], tokens=tokens) if given else {}


def sentence(parameters: Mapping[str, Any]) -> str:
    """The budget of the asked model, with what it leaves out."""
    sizes, row = sizes_of(parameters), source(parameters)
    parts = (
        told.token(sizes, parameters),
        told.against_mha(sizes),
        told.note(sizes, parameters, row),
    )
    return " ".join(part for part in parts if part)


def beside_weights(parameters: Mapping[str, Any]) -> str:
    """The cache beside the weights that are known, and what a card holds."""
    sizes = sizes_of(parameters)
    parts = (
        told.weights(*weights_of(parameters), sizes),
        told.card(sizes, parameters, weights_of(parameters)[1]),
    )
    return " ".join(part for part in parts if part)


def weights_of(parameters: Mapping[str, Any]) -> tuple[int, int]:
    """(weights of W_Q, W_K, W_V and W_O over all layers, all weights as the name says); 0 where unknown."""
    names = ("layers", "d_model", "num_heads", "num_kv_heads", "d_head", "d_head_v")
    row = source(parameters)
    own = attention_weights(**{name: parameters[name] for name in names})
    return own, nominal_weights(row.name) if row is not None else 0


def runs(parameters: Mapping[str, Any]) -> bool:
    """Whether the asked cache is that of a trained decoder, which then really reads a text."""
    return parameters["model"] in {DECODER, "local"} and is_published(parameters)


def _notes(parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Each step with what can be said of it before a worker has allocated anything."""
    answer = answer_of(parameters)
    running = [("run", "The cache of a text that the model reads is being measured.")]
    return [
        *([("answer", answer["sentence"])] if answer else []),
        ("models", sentence(parameters)),
        ("token", beside_weights(parameters)),
        ("allocated", "The tensors of this cache are being allocated and measured."),
        *(running if runs(parameters) else []),
    ]


def _step(name: str, note: str) -> dict[str, Any]:
    return {"step": name, "axes": [], "shape": [], "strides": [], "contiguous": True, "note": note}


def work(parameters: Mapping[str, Any]) -> Work:
    """The tensors of the scaled-down cache; a trained decoder reads a few tokens beside them."""
    scaled = scaled_down(sizes_of(parameters), batch=parameters["batch"], tokens=parameters["tokens"])
    reading = trained(parameters["model"]) if runs(parameters) else None
    tokens = min(RUN_TOKENS, parameters["tokens"])
    return Work(
        values="required",
        largest=scaled.largest,
        flops=flops(reading, tokens, cached=0) if reading else 0,
        peak_bytes=scaled.bytes + BESIDE_TENSORS + (16 * BESIDE_TENSORS if reading else 0),
    )
