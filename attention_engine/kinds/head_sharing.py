"""head_sharing without tensors: four ways of sharing K and V, who reads what, the bytes. Has no values."""

from collections.abc import Mapping
from typing import Any

from attention_engine import arithmetic
from attention_engine.kinds import layer
from attention_engine.kinds.attention_pattern import SENTENCE, words
from attention_engine.kinds.kv.schemes import LATENT_RANK, LATENT_ROPE, Scheme, usual_groups
from attention_engine.kinds.kv.schemes import schemes as schemes_of
from attention_engine.kinds.operations import many
from attention_engine.kinds.reading import plain
from attention_engine.kinds.sharing import words as told
from attention_engine.kinds.sharing.source import source_of, widths_of
from attention_engine.kinds.sharing.work import work
from attention_engine.kinds.trained import named
from attention_engine.parameters import LONGEST_SENTENCE, InvalidSpec, Parameter

__all__ = ["PARAMETERS", "TITLE", "complete", "facts", "schemes", "work"]

MOST_HEADS, MOST_LAYERS, MOST_CACHED = 256, 256, 10_000_000
MOST_ANSWERED = 2**16
SLUG = "smollm2"

TITLE = "Which query heads share keys and values"
PARAMETERS = (
    Parameter(
        "model", "text", SLUG, "smollm2, minilm, or a slug; empty for own numbers", minimum=0, maximum=80
    ),
    Parameter("d_model", "int", layer.DEFAULT_D_MODEL, "width of the residual stream"),
    Parameter("num_heads", "int", layer.DEFAULT_NUM_HEADS, "query heads", maximum=MOST_HEADS),
    Parameter("d_head", "int", 0, "width of a head; 0: the model's, or derived", minimum=0, maximum=512),
    Parameter("d_head_v", "int", 0, "of a value head; 0: the model's, or d_head", minimum=0, maximum=512),
    Parameter("layers", "int", 0, "layers that cache; 0: the model's, or 12", minimum=0, maximum=MOST_LAYERS),
    Parameter(
        "num_kv_heads", "int", 0, "K/V heads of GQA; 0: the model's, or 8", minimum=0, maximum=MOST_HEADS
    ),
    Parameter("kv_rank", "int", 0, "numbers of the latent; 0: the model's, or 512", minimum=0, maximum=2**16),
    Parameter("head", "int", 0, "query head followed, counted from 0", minimum=0, maximum=MOST_HEADS),
    Parameter("layer", "int", 0, "layer of these queries, counted from 0", minimum=0, maximum=MOST_LAYERS),
    Parameter("cache_tokens", "int", 8192, "tokens that the cache holds", maximum=MOST_CACHED),
    Parameter("bytes_per_value", "int", 2, "bytes of one cached number", maximum=8),
    Parameter("sentence", "text", SENTENCE, "the text whose tokens attend", maximum=LONGEST_SENTENCE),
    Parameter("answer_kv_heads", "int", 0, "K/V heads to run; 0: none", minimum=0, maximum=MOST_ANSWERED),
)


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """Every number written out: the model's, else by convention. Raises InvalidSpec."""
    filled = {parameter.name: parameter.default for parameter in PARAMETERS} | dict(given)
    filled["model"] = named(filled["model"])
    filled |= widths_of(given, filled["model"])
    if filled["num_heads"] > MOST_HEADS:
        raise InvalidSpec(f"num_heads {filled['num_heads']} is above {MOST_HEADS}", field="num_heads")
    source = source_of(filled)
    filled["kv_rank"] = filled["kv_rank"] or source.kv_rank or LATENT_RANK
    filled["num_kv_heads"] = _groups(filled, own=source.num_kv_heads)
    filled["head"] = given.get("head", _followed(filled))
    if not words(filled["sentence"]):
        raise InvalidSpec("sentence must hold at least one word or mark", field="sentence")
    for name, count in (("layer", source.layers), ("head", filled["num_heads"])):
        if filled[name] >= count:
            message = f"{name} {filled[name]} does not exist: there are {name}s 0 to {count - 1}"
            raise InvalidSpec(message, field=name)
    return filled | {"sentence": plain(filled["sentence"])}


def _groups(filled: Mapping[str, Any], *, own: int) -> int:
    """K/V heads of the grouped scheme: asked for, answered where that can be, else the usual number."""
    heads, asked, answered = (filled[name] for name in ("num_heads", "num_kv_heads", "answer_kv_heads"))
    if asked and heads % asked:
        raise InvalidSpec(layer.unequal_groups(heads, asked), field="num_kv_heads")
    if not asked and answered and heads % answered == 0:
        return int(answered)
    return int(asked) or usual_groups(heads, own=own)


def _followed(filled: Mapping[str, Any]) -> int:
    """The first head of the third group, or of the last where there are fewer."""
    size = filled["num_heads"] // filled["num_kv_heads"]
    return int(size * min(2, filled["num_kv_heads"] - 1))


def rope(parameters: Mapping[str, Any]) -> int:
    """Numbers of the one rotary key beside the latent: the model's own, else DeepSeek's."""
    return source_of(parameters).d_head_rope or LATENT_ROPE


def schemes(parameters: Mapping[str, Any]) -> tuple[Scheme, ...]:
    """mha, gqa, mqa and mla of these numbers."""
    names = ("num_heads", "num_kv_heads", "d_head", "d_head_v", "kv_rank")
    return schemes_of(d_head_rope=rope(parameters), **{name: parameters[name] for name in names})


def facts(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The four schemes with what they cache, who reads which pair, and the model's own scheme."""
    source, numbers = source_of(parameters), dict(parameters) | {"d_head_rope": rope(parameters)}
    names = ("d_model", "num_heads", "d_head", "d_head_v", "kv_rank", "d_head_rope", "head")
    sizes = ("layers", "cache_tokens", "bytes_per_value", "layer")
    answered = answer(parameters)
    return {
        **{name: numbers[name] for name in (*names, *sizes)},
        "title": source.title,
        "own": source.scheme if source.title else "",
        "num_kv_heads": source.num_kv_heads,
        "groups": numbers["num_kv_heads"],
        "divisors": arithmetic.divisors(n=numbers["num_heads"]),
        "schemes": [_scheme(one, numbers) for one in schemes(parameters)],
        "ships": told.ships(source, numbers),
        "no_groups": told.no_third_way(numbers["num_heads"]),
        "opens": "answer" if answered else source.scheme if source.title else "gqa",
        "steps": [_step(name, note) for name, note in _notes(parameters, numbers)],
    } | ({"answer_kv_heads": numbers["answer_kv_heads"], "answer": answered} if answered else {})


def _scheme(scheme: Scheme, numbers: Mapping[str, Any]) -> dict[str, Any]:
    each = scheme.bytes_per_token(layers=numbers["layers"], bytes_per_value=numbers["bytes_per_value"])
    return {
        "step": scheme.name,
        "name": told.NAMES[scheme.name],
        "kv_heads": scheme.kv_heads,
        "numbers": scheme.numbers,
        "bytes_per_token": each,
        "bytes": each * numbers["cache_tokens"],
        "formula": told.formula(scheme, numbers),
    }


def _notes(parameters: Mapping[str, Any], numbers: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Each step with what can be said of it before a worker has drawn it."""
    answered = [("answer", answer(parameters)["sentence"])] if parameters["answer_kv_heads"] else []
    shared = [(one.name, told.sentence(one, numbers)) for one in schemes(parameters)]
    measured = [
        ("compare", "How far each scheme moves the output of the same queries is being computed."),
        ("maps", f"What query head {parameters['head']} sees under each scheme is being computed."),
    ]
    return [*answered, *shared, *measured]


def _step(name: str, note: str) -> dict[str, Any]:
    return {"step": name, "axes": [], "shape": [], "strides": [], "contiguous": True, "note": note}


def answer(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What follows from the number of K/V heads that was answered; {} where none was."""
    heads, given = parameters["num_heads"], parameters["answer_kv_heads"]
    if not given:
        return {}
    works = heads % given == 0
    size = heads // given
    each = f"{many(size, 'query head')} {'reads' if size == 1 else 'read'}"
    said = f"{given:,} divides {heads:,}: {each} each pair."
    return {
        "kv_heads": given,
        "works": works,
        "size": size,
        "left_over": heads % given,
        "nearest": [] if works else arithmetic.nearest_divisors(n=heads, near=given),
        "sentence": said if works else f"{layer.unequal_groups(heads, given)}.",
    }
