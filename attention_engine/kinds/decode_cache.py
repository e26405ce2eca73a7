"""decode_cache without tensors: who continues which prompt, and what its cache keeps. Knows no weights."""

from collections.abc import Mapping
from typing import Any

from attention_engine.kinds import layer
from attention_engine.kinds.attention_pattern import words
from attention_engine.kinds.kv import cache_bytes
from attention_engine.kinds.kv.cache_bytes import CacheSizes
from attention_engine.kinds.kv.decoder_flops import flops
from attention_engine.kinds.reading import prompt_room
from attention_engine.kinds.trained import NAMES, TrainedModel, named, trained
from attention_engine.kinds.work import BESIDE_TENSORS, FLOAT32, Work
from attention_engine.parameters import LARGEST_AXIS, LONGEST_SENTENCE, InvalidSpec, Parameter

PROMPT = (
    "Once upon a time, a king had three daughters. The first was wise, the second was brave, and the third"
)
MOST_NEW = 32
MOST_PROMPT, MOST_RUN_TWICE = 352, 176
"""Tokens of a prompt, and of one that is run again without a cache: SmolLM2 keeps within 1.2e11 FLOPs."""
KEEPS = ("all", "window", "sink_window")
WINDOW, SINKS = 8, 4
"""StreamingLLM keeps 4 first tokens (Xiao et al. 2023, section 3.3)."""
STAND_IN = CacheSizes("A random layer", layers=1, num_heads=4, num_kv_heads=2, d_head=16, d_head_v=16)
MOST_KEPT_BYTES = 64 * 1024 * 1024
"""Up to this much a cache without values is really allocated."""
COUNTERS = (
    "position",
    "held",
    "evicted",
    "bytes held",
    "bytes by formula",
    "bytes without eviction",
    "sink share, mean",
    "sink share, head",
    "entropy",
    "log p",
    "FLOPs with cache",
    "FLOPs without cache",
)
"""The values of a step's frame: six counts, of weights two shares more, of a trained model four more.

entropy and log p (nats) are of the distribution the token was taken from; of the prompt, whose tokens are
given, both are 0."""

TITLE = "Decoding with a cache"
WARM_UP = False
"""Its default picture runs a decoder for seconds: a worker that starts does not draw it first."""
PARAMETERS = (
    Parameter("prompt", "text", PROMPT, "the text that is continued", maximum=LONGEST_SENTENCE),
    Parameter("model", "text", "smollm2", "smollm2, local, random, or a slug, counted alone", maximum=80),
    Parameter("new_tokens", "int", 16, "tokens that are added, one by one", maximum=MOST_NEW),
    Parameter(
        "layer",
        "int",
        0,
        "layer shown, from 0; unless given, two thirds up a trained model",
        minimum=0,
        maximum=LARGEST_AXIS,
    ),
    Parameter("head", "int", 0, "query head, counted from 0", minimum=0, maximum=LARGEST_AXIS),
    Parameter("keep", "choice", "all", "what the cache keeps: all, window, sink_window", choices=KEEPS),
    Parameter("window", "int", 0, f"newest tokens kept; 0: {WINDOW}", minimum=0, maximum=512),
    Parameter("sinks", "int", SINKS, "first tokens kept beside the window", minimum=0, maximum=64),
    Parameter("answer_bytes", "int", 0, "bytes you say are held at the end", minimum=0, maximum=2**53),
)


def source(model: str) -> str:
    """ "trained", "random" or "table": where the numbers of a model come from."""
    return "trained" if model in NAMES else "random" if model == "random" else "table"


def cached_sizes(parameters: Mapping[str, Any]) -> CacheSizes:
    """What a token leaves in the cache of this model."""
    model = parameters["model"]
    if source(model) == "trained":
        return cache_bytes.of_trained(trained(model))
    if model == "random":
        return STAND_IN
    return cache_bytes.of_config(layer.published(model))


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """A model that has a cache, a layer and a head that exist in it, and nothing that `keep` does not use.

    Raises InvalidSpec."""
    filled = {parameter.name: parameter.default for parameter in PARAMETERS} | dict(given)
    filled["model"] = named(filled["model"])
    _refuse_no_cache(filled["model"])
    filled |= _kept(filled) | {"layer": given.get("layer", default_layer(filled["model"]))}
    if not words(filled["prompt"]):
        raise InvalidSpec("prompt must hold at least one word or mark", field="prompt")
    sizes = cached_sizes(filled)
    if source(filled["model"]) == "table":
        filled |= {"layer": 0, "head": 0}  # no weights are shown
    for name, count in (("layer", sizes.layers), ("head", sizes.num_heads)):
        if filled[name] >= count:
            message = f"{name} {filled[name]} does not exist: {filled['model']} has {name}s 0 to {count - 1}"
            raise InvalidSpec(message, field=name)
    most_prompt_tokens(filled)  # raises where a decoder has no position left for one
    return filled


def default_layer(model: str) -> int:
    """Two thirds up a trained model, where SmolLM2's sink is strong; the lowest elsewhere."""
    return trained(model).layers * 2 // 3 if source(model) == "trained" else 0


def _refuse_no_cache(model: str) -> None:
    """Raises InvalidSpec where nothing is kept from one token to the next."""
    if source(model) == "trained" and not trained(model).causal:
        raise InvalidSpec(_encoder(trained(model)), field="model")
    if source(model) == "table" and not (config := layer.published(model)).kv_elements:
        raise InvalidSpec(cache_bytes.why_none(config), field="model")


def _encoder(model: TrainedModel) -> str:
    return (
        f"{model.title} is an encoder: every token sees every other, so a new token changes them all and "
        'nothing can be kept; take model "smollm2"'
    )


def _kept(filled: Mapping[str, Any]) -> dict[str, Any]:
    """window and sinks as far as `keep` uses them, 0 where it does not; no sinks are a window alone."""
    if filled["keep"] == "all":
        return {"window": 0, "sinks": 0}
    sinks = filled["sinks"] if filled["keep"] == "sink_window" else 0
    return {
        "keep": "sink_window" if sinks else "window",
        "window": filled["window"] or WINDOW,
        "sinks": sinks,
    }


def kept(parameters: Mapping[str, Any], position: int) -> tuple[int, ...]:
    """Positions that the cache holds once the token of this position is in it, ascending.

    The first `sinks` and the last `window`, the new one among them (StreamingLLM, Xiao et al. 2023)."""
    if parameters["keep"] == "all":
        return tuple(range(position + 1))
    first = max(0, position + 1 - parameters["window"])
    return (*range(min(parameters["sinks"], first)), *range(first, position + 1))


def prompt_words(parameters: Mapping[str, Any]) -> list[str]:
    """Words and marks, which stand for tokens where there is no tokenizer; at most MOST_PROMPT."""
    return words(parameters["prompt"])[:MOST_PROMPT]


def by_chance(parameters: Mapping[str, Any]) -> bool:
    """The seed makes a random layer, and what stands in for a trained model that is not installed."""
    return source(parameters["model"]) != "table"


def facts(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Bytes of a token as a formula with its numbers, what is kept, and the steps to come."""
    sizes, from_ = cached_sizes(parameters), source(parameters["model"])
    counters = {"table": 6, "random": 8, "trained": len(COUNTERS)}[from_]
    names = ("keep", "window", "sinks", "new_tokens", "layer", "head", "answer_bytes")
    told = {
        "model": sizes.title,
        "source": from_,
        "layers": sizes.layers,
        "num_heads": sizes.num_heads,
        "num_kv_heads": sizes.num_kv_heads,
        "d_head": sizes.d_head,
        "bytes_per_value": sizes.bytes_per_value,
        "bytes_per_token": sizes.bytes_per_token,
        "factors": sizes.formula,
        "meaning": sizes.meaning,
        "note": cache_bytes.full_attention_note(sizes),
        "counters": list(COUNTERS[:counters]),
        "steps": [{"step": step, "axes": [], "shape": [], "strides": []} for step in steps(parameters)],
        **{name: parameters[name] for name in names},
    }
    return told | _at_the_end(parameters, sizes)


def steps(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """prompt, t1 ..., and what compares; a text may end before its last step."""
    whole, from_ = parameters["keep"] == "all", source(parameters["model"])
    silent = from_ == "table" or (from_ == "random" and whole)
    tokens = tuple(f"t{n}" for n in range(1, parameters["new_tokens"] + 1))
    return ("prompt", *tokens, *(() if silent else ("whole" if whole else "evicted",)))


def _at_the_end(parameters: Mapping[str, Any], sizes: CacheSizes) -> dict[str, Any]:
    """Without a tokenizer the tokens are known at once: how many are held at the end, and their bytes."""
    if source(parameters["model"]) == "trained":
        return {}
    last = len(prompt_words(parameters)) + parameters["new_tokens"] - 1
    held = len(kept(parameters, last))
    told: dict[str, Any] = {"held": held, "seen": last + 1, "bytes_at_end": held * sizes.bytes_per_token}
    if answer := parameters["answer_bytes"]:
        told["mistake"] = cache_bytes.mistake_of(answer, sizes, held=held, seen=last + 1)
    return told


def most_prompt_tokens(parameters: Mapping[str, Any]) -> int:
    """No more than bytes of the text, since a byte-level tokenizer makes none of nothing."""
    if source(parameters["model"]) != "trained":
        return len(prompt_words(parameters))
    room = prompt_room(parameters["model"], parameters["new_tokens"], MOST_PROMPT)
    return min(room, len(parameters["prompt"].encode()) + 1)


def work(parameters: Mapping[str, Any]) -> Work:
    """The prompt, then each token; comparing runs the new tokens three times more, or a short text once more.

    The weights of a trained model are mapped from its file and counted where they are loaded."""
    tokens, new = most_prompt_tokens(parameters), parameters["new_tokens"]
    sizes, whole = cached_sizes(parameters), tokens + new
    cache = sizes.bytes_per_token * whole
    if source(parameters["model"]) == "table":
        allocated = cache if cache <= MOST_KEPT_BYTES else 0
        return Work("never", sizes.numbers * whole, peak_bytes=allocated + BESIDE_TENSORS)
    if parameters["model"] == "random":
        numbers = 20 * whole * 64 + 8 * whole * whole
        peak = FLOAT32 * numbers + BESIDE_TENSORS
        return Work("required", whole * whole, 100 * numbers, peak, sizes={"tokens": whole})
    return _work_of(trained(parameters["model"]), tokens, new, cache=cache)


def _work_of(model: TrainedModel, tokens: int, new: int, *, cache: int) -> Work:
    whole, step = tokens + new, flops(model, 1, cached=tokens + new)
    again = flops(model, min(tokens, MOST_RUN_TWICE) + new, cached=0)
    passing = tokens * (2 * model.num_heads * tokens + 6 * model.d_inner) + 6 * new * model.vocab
    passing += 2 * model.d_inner * model.d_model  # weights are widened piece by piece
    return Work(
        values="required",
        largest=max(model.num_heads * whole * whole, new * model.vocab),
        flops=max(
            flops(model, tokens, cached=0) + 4 * new * step,
            flops(model, min(tokens, MOST_RUN_TWICE), cached=0) + 2 * new * step + again,
        ),
        peak_bytes=4 * cache + FLOAT32 * passing + BESIDE_TENSORS,
        wire_bytes=2 * whole,
        sizes={"tokens": whole},
    )
