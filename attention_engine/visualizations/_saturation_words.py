"""What the frames of saturation say, in words made from their own numbers. Knows no tensor."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attention_engine.configs import model as find_model
from attention_engine.kinds import saturation as kind
from attention_engine.kinds.operations import many
from attention_engine.scales import rule_of

Numbers = Mapping[str, Any]
PANELS = ("max p", "entropy", "tr J")
MISSING = "No trained layers are measured: MiniLM cannot be read here."
FLAT, STEEP = 0.97, 0.5
"""Entropy above this share of ln(keys) is flat; a trace below this share of the scaled one saturates."""


@dataclass(frozen=True)
class Measured:
    """Means over the queries: the largest weight, the entropy in nats, the trace of softmax's Jacobian."""

    max_p: float
    entropy: float
    trace: float

    def of(self, panel: str) -> float:
        """The measure that a panel draws."""
        return {"max p": self.max_p, "entropy": self.entropy, "tr J": self.trace}[panel]


@dataclass(frozen=True)
class Point:
    """One place on the x axis: the standard deviation of q.k, and what each line measures there."""

    x: int
    std: float
    lines: Mapping[str, Measured]

    def measures(self, panels: Sequence[str]) -> tuple[float, ...]:
        """Panel by panel, in each the lines in their order, rounded."""
        return tuple(rounded(line.of(panel)) for panel in panels for line in self.lines.values())


def mean_of(x: int, points: Sequence[Point]) -> Point:
    """The mean of several points, line by line."""
    count = len(points)
    lines = {
        name: Measured(
            max_p=sum(point.lines[name].max_p for point in points) / count,
            entropy=sum(point.lines[name].entropy for point in points) / count,
            trace=sum(point.lines[name].trace for point in points) / count,
        )
        for name in points[0].lines
    }
    return Point(x=x, std=sum(point.std for point in points) / count, lines=lines)


def rounded(number: float) -> float:
    """Four significant digits, as tables and values carry them."""
    return float(f"{number:.4g}")


def temperature(numbers: Numbers) -> float:
    """What scores are divided by besides."""
    return float(numbers["temperature_percent"]) / 100


def lines(numbers: Numbers) -> dict[str, str]:
    """Name of each line, by what it does, and its divisor: "÷ 64" where that is not "sqrt" or "none"."""
    found, divisor = {"scaled": "sqrt", "unscaled": "none"}, numbers["divisor"]
    if divisor not in found.values():
        value = divisor if divisor == "d_head" else kind.written(kind.divisor_at(divisor, numbers["d_head"]))
        found[f"÷ {value}"] = divisor
    return found


def _is_the_models(numbers: Numbers) -> bool:
    return bool(numbers["model"]) and numbers["divisor"] == kind.own_divisor(numbers["model"])


def histogram(point: Point, numbers: Numbers) -> str:
    """The law of the variance, beside what was measured, and what each divisor leaves of it."""
    d_head = point.x
    root = math.sqrt(d_head)
    law = (
        f"q and k have {many(d_head, 'independent feature')} of mean 0 and variance 1, so q·k has variance "
        f"{d_head:,} and standard deviation sqrt({d_head}) = {root:.4g}; measured here with "
        f"{numbers['keys']} keys: {point.std:.4g}."
    )
    parts = [f"Divided by sqrt({d_head}) it is {point.std / root:.3g}."]
    if _third(numbers):
        value = kind.divisor_at(numbers["divisor"], d_head)
        parts.append(f"Divided by {_whose(numbers, value)} it is {point.std / value:.3g}.")
        parts += (
            [f"{kind.written(value)} is sqrt({d_head}) within 1 %."]
            if not _is_the_models(numbers) and _is_root(value, root)
            else []
        )
    return " ".join([law, *parts, _assumption(numbers)])


def _third(numbers: Numbers) -> str:
    """The name of the third line, or ""."""
    return next((name for name in lines(numbers) if name not in {"scaled", "unscaled"}), "")


def _is_root(value: float, root: float) -> bool:
    return abs(value - root) <= kind.NEAR * root


def _whose(numbers: Numbers, value: float) -> str:
    """ "64", "d_head = 64" or "the 12 of Gemma-2 27B"."""
    if _is_the_models(numbers):
        return f"the {value:.4g} of {find_model(numbers['model']).name}"
    return f"d_head = {kind.written(value)}" if numbers["divisor"] == "d_head" else kind.written(value)


def _assumption(numbers: Numbers) -> str:
    """Where the law holds; a model that breaks the rule is told with it."""
    holds = "That assumption fits fresh weights of variance 1/d_model, not trained ones."
    config = find_model(numbers["model"]) if numbers["model"] else None
    rule = rule_of(config) if config else None
    if config is None or rule is None or rule.name == "sqrt":
        return holds
    if rule.name == "none":
        return (
            f"{holds} {config.name} divides by nothing: its W_Q starts smaller by the factor "
            f"sqrt({config.d_head}) instead, so its q does not have variance 1."
        )
    if rule.name == "mla":
        return f"{holds} {config.name} scales by {rule}, the square of YaRN's mscale beside the root."
    return f"{holds} {config.name} scales by {rule}, while its d_head is {config.d_head}."


def sweep(point: Point, numbers: Numbers) -> str:
    """What softmax makes of the scores at the width asked for, line by line."""
    scaled, unscaled = point.lines["scaled"], point.lines["unscaled"]
    most = math.log(numbers["keys"])
    told = [
        f"At d_head {point.x} with {numbers['keys']} keys, divided by sqrt({point.x}): {_spread(scaled)} of "
        f"at most {most:.2f} nats, tr J {scaled.trace:.3g}.",
        f"Not divided{_asked(numbers)}: {_spread(unscaled)}, tr J {unscaled.trace:.3g}"
        f"{_times(scaled, unscaled)}{_saturates(scaled, unscaled)}.",
    ]
    if third := _third(numbers):
        told.append(_verdict(point.lines[third], scaled, numbers=numbers, d_head=point.x))
    told.append(
        "tr J, the sum of p (1 - p), is the trace of softmax's Jacobian: how far weights follow a change of "
        "what enters softmax."
    )
    return " ".join([*told, *_warmth(numbers)])


def _asked(numbers: Numbers) -> str:
    """Which model does not divide, or ""."""
    if numbers["divisor"] != "none" or not _is_the_models(numbers):
        return ""
    return f", as in {find_model(numbers['model']).name}, but here with q of variance 1, which its q has not"


def _saturates(scaled: Measured, other: Measured) -> str:
    return ": softmax saturates" if other.trace < STEEP * scaled.trace else ""


def _spread(line: Measured) -> str:
    return f"largest weight {line.max_p:.3g} on average, entropy {line.entropy:.2f}"


def _times(scaled: Measured, other: Measured) -> str:
    """ ", 3.1 times smaller" where it is clearly smaller."""
    if other.trace >= STEEP * scaled.trace or other.trace < 1e-6:
        return ""
    return f", {scaled.trace / other.trace:.2g} times smaller"


def _verdict(line: Measured, scaled: Measured, *, numbers: Numbers, d_head: int) -> str:
    """Too flat, too steep, or about right."""
    value, most = kind.divisor_at(numbers["divisor"], d_head), math.log(numbers["keys"])
    told = f"Divided by {_whose(numbers, value)}: {_spread(line)}, tr J {line.trace:.3g}"
    told += f"{_times(scaled, line)}{_saturates(scaled, line)}."
    if line.entropy > FLAT * most and line.entropy > scaled.entropy:
        told += f" That entropy is nearly ln({numbers['keys']}): "
        told += "all keys weigh almost alike, whatever q and k say."
    return told


def _warmth(numbers: Numbers) -> list[str]:
    value = temperature(numbers)
    return [] if value == 1 else [f"Temperature {value:g} divides every score once more."]


def model(points: Sequence[Point], numbers: Numbers, *, d_head: int, tokens: int) -> str:
    """What a trained encoder does with and without its divisor, and whether the law holds there."""
    told = [
        f"MiniLM on the sentence, {tokens} tokens, entropy by layer with its own 1/sqrt({d_head}): "
        f"{_by_layer(points, 'scaled')} of at most {math.log(tokens):.2f} nats.",
        f"Without it: {_by_layer(points, 'unscaled')}; the largest weight goes from "
        f"{_mean(points, 'scaled'):.2f} to {_mean(points, 'unscaled'):.2f} on average.",
    ]
    if third := _third(numbers):
        whose = _whose(numbers, kind.divisor_at(numbers["divisor"], d_head))
        told.append(f"Divided by {whose}: {_by_layer(points, third)}.")
    spreads = [point.std / math.sqrt(d_head) for point in points]
    told.append(
        f"Its scaled scores have standard deviations from {min(spreads):.2f} to {max(spreads):.2f}: "
        "nothing keeps trained weights to the assumption."
    )
    return " ".join([*told, *_warmth(numbers)])


def _by_layer(points: Sequence[Point], line: str) -> str:
    return ", ".join(f"{point.lines[line].entropy:.2f}" for point in points)


def _mean(points: Sequence[Point], line: str) -> float:
    return sum(point.lines[line].max_p for point in points) / len(points)
