"""saturation without tensors: by what scores are divided, what that makes of their spread. Knows no score."""

import math
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from attention_engine import arithmetic, configs
from attention_engine.kinds import layer
from attention_engine.kinds.attention_pattern import SENTENCE, words
from attention_engine.kinds.reading import MINILM, plain, reading
from attention_engine.kinds.work import BESIDE_TENSORS, FLOAT32, Work
from attention_engine.parameters import LONGEST_SENTENCE, InvalidSpec, Parameter
from attention_engine.scales import exceptions, rule_of

QUERIES = 256
WIDTHS = (8, 16, 32, 64, 96, 128, 192, 256, 512, 1024)
"""Head widths of the sweep; the one asked for is added."""
WIDEST = WIDTHS[-1]
MOST_KEYS = 512
NAMED = ("sqrt", "none", "d_head")
LARGEST_DIVISOR, SMALLEST_DIVISOR = Decimal(10) ** 6, Decimal(10) ** -6
NEAR = 0.01
"""Two divisors this near, as shares of the right one, are the same answer: 11.31 is sqrt(128)."""

TITLE = "Why scores are divided by sqrt(d_head)"
PARAMETERS = (
    Parameter(
        "model", "text", "", "a published model, by slug: its d_head and divisor", minimum=0, maximum=80
    ),
    Parameter("d_head", "int", 64, "width of a head", maximum=WIDEST),
    Parameter("keys", "int", 64, "keys that each query weighs", minimum=2, maximum=MOST_KEYS),
    Parameter("temperature_percent", "int", 100, "200 halves every score once more", maximum=10_000),
    Parameter("divisor", "text", "sqrt", "sqrt, none, d_head, or a number such as 11.31", maximum=40),
    Parameter("sentence", "text", SENTENCE, "the text that MiniLM reads", maximum=LONGEST_SENTENCE),
)


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """d_head and divisor of the model where they are not given, the divisor in one way of writing.

    Raises InvalidSpec."""
    filled = {parameter.name: parameter.default for parameter in PARAMETERS} | dict(given)
    if filled["model"]:
        filled["d_head"] = given.get("d_head", layer.published(filled["model"]).d_head)
    filled["divisor"] = read_divisor(given.get("divisor", "") or own_divisor(filled["model"]))
    if not words(filled["sentence"]):
        raise InvalidSpec("sentence must hold at least one word or mark", field="sentence")
    return filled | {"sentence": plain(filled["sentence"])}


def own_divisor(model: str) -> str:
    """The divisor of a published model as this kind writes it; "sqrt" without a model."""
    rule = rule_of(layer.published(model)) if model else None
    if rule is None or rule.name in {"sqrt", "none"}:
        return rule.name if rule else "sqrt"
    return f"{rule.divisor:.6g}"


def read_divisor(text: str) -> str:
    """ "8.0" -> "8", "SQRT " -> "sqrt". Raises InvalidSpec for what nothing can be divided by."""
    name = text.strip().lower()
    if name in NAMED:
        return name
    number = _decimal(name)
    if number is None or not number.is_finite():
        raise _refused(f"{text[:20]!a} is no number", 'write 8, 11.31, "sqrt", "none" or "d_head"')
    if number <= 0:
        raise _refused(f"{name} is not above 0", "a score divided by it would lose its sign or its meaning")
    if not SMALLEST_DIVISOR <= number <= LARGEST_DIVISOR:
        raise _refused(
            f"{name} lies beyond 0.000001 to 1000000", "all weights would be equal, or one of them 1"
        )
    return f"{number.normalize():f}"


def _decimal(text: str) -> Decimal | None:
    try:
        return Decimal(text) if text.isascii() and "_" not in text else None
    except InvalidOperation:
        return None


def _refused(what: str, why: str) -> InvalidSpec:
    return InvalidSpec(f"divisor {what}: {why}", field="divisor")


def divisor_at(divisor: str, d_head: int) -> float:
    """What scores of heads this wide are divided by; a number is itself at every width."""
    named = {"sqrt": math.sqrt(d_head), "none": 1.0, "d_head": float(d_head)}
    return named[divisor] if divisor in named else float(divisor)


def written(divisor: float) -> str:
    """A divisor as a sentence has it: 8, 11.3137, 6,144, 1,000,000."""
    return f"{divisor:,.6g}" if divisor < 999_999.5 else f"{divisor:,.0f}"


def right_divisor(parameters: Mapping[str, Any]) -> float:
    """The model's own divisor, or the root of d_head."""
    return divisor_at(own_divisor(parameters["model"]), parameters["d_head"])


def works(parameters: Mapping[str, Any]) -> bool:
    """Whether the divisor asked for is the right one, within 1 %."""
    right = right_divisor(parameters)
    return abs(divisor_at(parameters["divisor"], parameters["d_head"]) - right) <= NEAR * right


def facts(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Spread before and after the divisor, the largest entropy, and the models that divide otherwise."""
    d_head, keys, divisor = (parameters[name] for name in ("d_head", "keys", "divisor"))
    value, std = divisor_at(divisor, d_head), math.sqrt(d_head)
    return {
        "d_head": d_head,
        "keys": keys,
        "divisor": divisor,
        "divisor_value": written(value),
        "right_divisor": written(right_divisor(parameters)),
        "works": works(parameters),
        "std_before": f"{std:.4g}",
        "std_after": f"{std / value:.4g}",
        "max_entropy": f"{arithmetic.largest_entropy(keys=keys):.4g}",
        "scale_rule": scale_rule(parameters),
        "exceptions": list(exceptions(configs.all_models())),
    }


def scale_rule(parameters: Mapping[str, Any]) -> str:
    """The rule of the model, or the usual one, as a formula with its numbers."""
    own, d_head = own_divisor(parameters["model"]), parameters["d_head"]
    if own == "sqrt":
        return f"1/sqrt({d_head})"
    return str(rule_of(layer.published(parameters["model"])))


def widths(d_head: int) -> tuple[int, ...]:
    """The widths of the sweep, ascending, with the one asked for."""
    return tuple(sorted({*WIDTHS, d_head}))


def work(parameters: Mapping[str, Any]) -> Work:
    """The laboratory (scores of one width, their weights beside them), then MiniLM and the maps of one head.

    MiniLM's weights stay loaded."""
    read, keys = reading(parameters["sentence"]), parameters["keys"]
    measuring = read.heads + max(read.passing, 5 * read.tokens**2)
    laboratory = 5 * QUERIES * keys + (QUERIES + keys) * (WIDEST - WIDTHS[-2])
    layers = configs.model(MINILM).layers
    # Scores of every head once more, and some 60 operations a number for three lines of measures.
    flops = read.flops + layers * read.maps * (2 * configs.model(MINILM).d_head + 60)
    return Work(
        values="required",
        largest=max(QUERIES * keys, read.maps, read.weights),
        flops=flops + 2 * QUERIES * keys * (WIDEST + 30 * (len(WIDTHS) + 1)),
        peak_bytes=FLOAT32 * (read.weights + max(measuring, laboratory)) + BESIDE_TENSORS,
        sizes={"tokens": max(read.tokens, keys)},
    )
