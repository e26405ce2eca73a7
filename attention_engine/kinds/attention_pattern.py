"""attention_pattern without tensors: which layer, which scale, how many tokens at most. Knows no weights."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from attention_engine import configs
from attention_engine.kinds import layer
from attention_engine.kinds.work import BESIDE_TENSORS, FLOAT32, Work
from attention_engine.parameters import LARGEST_AXIS, LONGEST_SENTENCE, InvalidSpec, Parameter

MODELS = ("minilm", "random")
MINILM = "all-minilm-l6-v2"
MOST_TOKENS = 512
MAPS_AT_ONCE = 9
"""Four stages of one head, and what encoding and telling of one of them takes."""
SENTENCE = "The animal didn't cross the street because it was too tired."
RANDOM = {"d_model": 64, "num_heads": 4, "d_head": 0}

PARAMETERS = (
    Parameter("sentence", "text", SENTENCE, "the text whose tokens attend", maximum=LONGEST_SENTENCE),
    Parameter("model", "choice", "minilm", "trained weights, or a seeded random layer", choices=MODELS),
    Parameter("layer", "int", 0, "layer, counted from 0", minimum=0, maximum=LARGEST_AXIS),
    Parameter("head", "int", 0, "head, counted from 0", minimum=0, maximum=LARGEST_AXIS),
    Parameter("causal", "int", 0, "1 hides later tokens", minimum=0, maximum=1),
    Parameter("d_model", "int", RANDOM["d_model"], "width of the random layer"),
    Parameter("num_heads", "int", RANDOM["num_heads"], "heads of the random layer"),
    Parameter("d_head", "int", 0, "width of its heads; 0 derives it", minimum=0),
)


def words(sentence: str) -> list[str]:
    """Words and marks of a sentence, the tokens of the random layer, at most 512."""
    return re.findall(r"\w+|[^\w\s]", sentence)[:MOST_TOKENS]


def layers(model: str) -> int:
    """How many layers can be asked for."""
    return configs.model(MINILM).layers if model == "minilm" else 1


def _widths(given: Mapping[str, Any], model: str) -> dict[str, int]:
    if model == "random":
        filled = layer.complete_whole({name: given.get(name, default) for name, default in RANDOM.items()})
        return {name: filled[name] for name in RANDOM}
    config = configs.model(MINILM)
    own = {"d_model": config.d_model, "num_heads": config.num_heads, "d_head": config.d_head}
    for name, number in own.items():
        if given.get(name, number) not in {number, 0}:
            message = f'{name} of MiniLM is {number}, not {given[name]}; model "random" takes any'
            raise InvalidSpec(message, field=name)
    return own


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """The widths of the layer, and a layer and head that exist in it."""
    filled = {parameter.name: parameter.default for parameter in PARAMETERS} | dict(given)
    filled |= _widths(given, filled["model"])
    if not words(filled["sentence"]):
        raise InvalidSpec("sentence must hold at least one word or mark", field="sentence")
    for name, count in (("layer", layers(filled["model"])), ("head", filled["num_heads"])):
        if filled[name] >= count:
            message = f"{name} {filled[name]} does not exist: {filled['model']} has {name}s 0 to {count - 1}"
            raise InvalidSpec(message, field=name)
    return filled


def facts(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The layer's numbers and its scale."""
    return {
        "scale": f"1/sqrt({parameters['d_head']})",
        "d_head": parameters["d_head"],
        "d_model": parameters["d_model"],
        "num_heads": parameters["num_heads"],
        "layers": layers(parameters["model"]),
        "causal": parameters["causal"],
    }


def _most_tokens(parameters: Mapping[str, Any]) -> int:
    """MiniLM takes letters apart (NFD) before it cuts them: a Korean syllable becomes up to 3 tokens."""
    if parameters["model"] == "random":
        return len(words(parameters["sentence"]))
    return min(MOST_TOKENS, len(unicodedata.normalize("NFD", parameters["sentence"])) + 2)


def work(parameters: Mapping[str, Any]) -> Work:
    """A layer that is read, with q, k, v kept of each; then the stages of one head, and their encodings."""
    tokens, d_model = _most_tokens(parameters), parameters["d_model"]
    num_heads, d_head = parameters["num_heads"], parameters["d_head"]
    inner, maps, depth = num_heads * d_head, tokens * tokens, layers(parameters["model"])
    projections, kept, reading = 6 * d_model * inner, 0, d_model * inner + 4 * tokens * d_model
    if parameters["model"] == "minilm":
        places = MOST_TOKENS * d_model
        projections, kept = 24 * d_model**2, configs.model(MINILM).vocab * d_model + places
        kept += 12 * depth * d_model**2 + 16 * depth * d_model
        reading = 2 * num_heads * maps + 12 * tokens * d_model
    held = kept + 3 * depth * tokens * inner
    stages = MAPS_AT_ONCE * maps + 5 * tokens * d_head
    return Work(
        values="required",
        largest=max(d_model * inner, maps, tokens * max(inner, d_model)),
        flops=depth * (projections * tokens + 4 * maps * inner),
        peak_bytes=FLOAT32 * (held + max(reading, stages)) + BESIDE_TENSORS,
        wire_bytes=2 * tokens * max(tokens, d_head),
        sizes={"tokens": tokens, "num_heads": num_heads, "d_head": d_head},
    )
