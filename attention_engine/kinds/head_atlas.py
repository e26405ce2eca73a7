"""head_atlas without tensors: whose heads, on which sentence, by which measures. Knows no weights."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attention_engine import configs
from attention_engine.kinds import layer
from attention_engine.kinds.attention_pattern import RANDOM, SENTENCE, words
from attention_engine.kinds.reading import MINILM, MOST_TOKENS, plain, reading
from attention_engine.kinds.trained import NAMES, trained
from attention_engine.kinds.work import BESIDE_TENSORS, FLOAT32, Work
from attention_engine.parameters import LONGEST_SENTENCE, InvalidSpec, Parameter

TITLE = "All heads of a model on one sentence"
PAIR = ("it", "animal")
"""Query and key that are followed in the sentence that nobody changed."""
PARAMETERS = (
    Parameter(
        "sentence", "text", SENTENCE, "the text whose tokens attend", minimum=0, maximum=LONGEST_SENTENCE
    ),
    Parameter(
        "model",
        "text",
        "minilm",
        f"{', '.join(NAMES)} (trained), random (one layer), or a slug (its heads without maps)",
        maximum=80,
    ),
    Parameter(
        "query", "text", "", "word or position that sends; nothing: the strongest", minimum=0, maximum=80
    ),
    Parameter(
        "key", "text", "", "word or position that is sent to; nothing: the strongest", minimum=0, maximum=80
    ),
)
SMALL_BYTES = 120_000
"""What the small maps of all heads take together, at most."""
MOST_HEADS = 1600
"""Of all layers together: the tables of more do not fit the frames of a picture."""
DECODER_TOKENS = 480
"""Of a decoder: the maps of all 270 heads of SmolLM2 beside its reading of 512 are above what is admitted."""
MAPS_AT_ONCE, KERNELS = 3, 8
"""Copies of one layer's maps while it is measured, and squares of T x T that weigh them."""
SLUGS = {MINILM: "minilm", "smollm2-135m": "smollm2"}
"""Rows of the table whose weights can be read."""


@dataclass(frozen=True)
class Measure:
    """One number of a head: the step it sorts, the head of its column, and what it is the mean of."""

    name: str
    column: str
    means: str


MEASURES = (
    Measure("entropy", "mean entropy, nats", "entropy of a row of weights, mean over all queries"),
    Measure("sink", "weight on the first token", "weight on the first token"),
    Measure("locality", "mean distance, tokens", "distance |i - j| of query i and key j, by weight"),
    Measure("previous", "weight on the token before", "weight on the token before the query"),
    Measure("own", "weight on the token itself", "weight on the query's own token"),
    Measure("next", "weight on the token after", "weight on the token after the query"),
    Measure("separator", "weight on separators", "weight on [SEP] and on punctuation after the first token"),
)
"""All but entropy and next are means over the queries after the first, which in a causal model sees nothing
but itself; next is one over the queries before the last. Of a single token all are of that one."""

NAMED_FROM, TIMES_EVEN, BROAD_FROM = 0.4, 2, 0.8
WEIGHED = {
    "sink": "sink",
    "previous": "previous token",
    "next": "next token",
    "own": "own token",
    "separator": "separator",
}
"""The pattern that a measure names, the first of equal ones winning."""
BROAD, NO_PATTERN = "broad", "none"
PATTERNS = (NO_PATTERN, *WEIGHED.values(), BROAD)
RULE = (
    f"A pattern is a convention of this picture: of sink, previous, next, own and separator the largest that "
    f"is {NAMED_FROM} or more, and at least {TIMES_EVEN} times what even weights would give, names a head; "
    f"else a head is broad where its mean entropy is {BROAD_FROM} or more of that of even weights."
)


def is_trained(model: str) -> bool:
    """Whether the name is that of a model whose weights can be read, or of the random layer."""
    return model == "random" or model in NAMES


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """The model by one name, its sentence with single blanks; a model without weights here has no sentence.

    Raises InvalidSpec for a model that is none, and for a sentence without a word."""
    filled = {parameter.name: parameter.default for parameter in PARAMETERS} | dict(given)
    filled["model"] = SLUGS.get(filled["model"], filled["model"])
    if not is_trained(filled["model"]):
        layer.published(filled["model"])
        return filled | {"sentence": "", "query": "", "key": ""}
    if filled["model"] != "random":
        trained(filled["model"])
    if not words(filled["sentence"]):
        raise InvalidSpec("sentence must hold at least one word or mark", field="sentence")
    filled["sentence"] = plain(filled["sentence"])
    usual = PAIR if filled["sentence"] == SENTENCE else ("", "")
    return filled | {
        name: given.get(name, word).strip() for name, word in zip(("query", "key"), usual, strict=True)
    }


def by_chance(parameters: Mapping[str, Any]) -> bool:
    """Trained weights may be absent, and a random layer then stands in; a table has no chance."""
    return is_trained(parameters["model"])


def sizes(parameters: Mapping[str, Any]) -> dict[str, int]:
    """layers, num_heads, num_kv_heads (0: from a latent), d_model and d_head of whose heads these are."""
    name = parameters["model"]
    if name == "random":
        heads = RANDOM["num_heads"]
        own = (1, heads, heads, RANDOM["d_model"], RANDOM["d_model"] // heads)
    else:
        found = trained(name) if name in NAMES else configs.model(name)
        own = (found.layers, found.num_heads, found.num_kv_heads, found.d_model, found.d_head)
    return dict(zip(("layers", "num_heads", "num_kv_heads", "d_model", "d_head"), own, strict=True))


def causal(parameters: Mapping[str, Any]) -> bool:
    """Whether later tokens are hidden in what is drawn."""
    return parameters["model"] in NAMES and trained(parameters["model"]).causal


def title_of(parameters: Mapping[str, Any]) -> str:
    """The model as people call it."""
    name = parameters["model"]
    if name == "random":
        return "A random layer"
    return trained(name).title if name in NAMES else configs.model(name).name


def steps(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the steps: a causal model gives the next token no weight, so nothing is sorted by that."""
    if not is_trained(parameters["model"]):
        return ("heads", "groups")
    sorted_by = (one.name for one in MEASURES if one.name != "next" or not causal(parameters))
    return ("maps", *sorted_by, "pair")


def facts(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """How many heads there are, who shares K and V, by what they are sorted and named."""
    own, drawn = sizes(parameters), is_trained(parameters["model"])
    told = {
        "model": parameters["model"],
        "title": title_of(parameters),
        "trained": parameters["model"] in NAMES,
        "drawn": drawn,
        "causal": causal(parameters),
        **own,
        "heads": own["layers"] * own["num_heads"],
        "steps": [{"step": name} for name in steps(parameters)],
    }
    if drawn:
        measures = [{"name": one.name, "column": one.column, "means": one.means} for one in MEASURES]
        return told | {"measures": measures, "patterns": list(PATTERNS), "rule": RULE}
    config = configs.model(parameters["model"])
    return told | {
        "attention": config.attention,
        "kv_rank": config.kv_rank,
        "source": config.source,
        "status": config.status,
        "as_of": config.as_of,
    }


def too_many_heads(parameters: Mapping[str, Any]) -> str:
    """Why the heads of a folder of one's own are counted alone, or ""."""
    own = sizes(parameters)
    heads = own["layers"] * own["num_heads"]
    return f"{heads:,} heads are above {MOST_HEADS:,}" if heads > MOST_HEADS else ""


def most_tokens(parameters: Mapping[str, Any]) -> int:
    """Tokens of the sentence that are read."""
    return DECODER_TOKENS if causal(parameters) else MOST_TOKENS


def _read(parameters: Mapping[str, Any]) -> tuple[int, int, int]:
    """Tokens at most, FLOPs of reading them, and the numbers held for that: what is kept and what passes."""
    name, own = parameters["model"], sizes(parameters)
    if name in NAMES:
        read = reading(parameters["sentence"], most_tokens(parameters), name=name)
        return read.tokens, read.flops, read.weights + read.heads + read.passing
    tokens = len(words(parameters["sentence"]))
    width = own["num_heads"] * own["d_head"]
    return tokens, 6 * tokens * own["d_model"] * width, tokens * (3 * width + 4 * own["d_model"])


def work(parameters: Mapping[str, Any]) -> Work:
    """Reading all layers, then the maps of one of them at a time with what measures them; a table is free."""
    own = sizes(parameters)
    if not is_trained(parameters["model"]) or too_many_heads(parameters):
        return Work(values="never", largest=own["layers"] * own["num_heads"])
    tokens, flops, kept = _read(parameters)
    maps = own["num_heads"] * tokens**2
    each = 2 * own["d_head"] + 8 + 2 * len(MEASURES)
    return Work(
        values="optional",
        largest=max(maps, tokens * own["d_model"]),
        flops=flops + own["layers"] * maps * each,
        peak_bytes=FLOAT32 * (kept + MAPS_AT_ONCE * maps + KERNELS * tokens**2) + BESIDE_TENSORS,
        wire_bytes=SMALL_BYTES,
        sizes={"tokens": tokens, "num_heads": own["num_heads"], "d_head": own["d_head"]},
    )
