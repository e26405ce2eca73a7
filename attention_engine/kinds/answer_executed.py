"""answer_executed without tensors: the line, whether it can run, what works nearby. Has no values."""

import math
from collections.abc import Mapping
from typing import Any

from attention_engine import arithmetic, shapes
from attention_engine.kinds import layer, operations
from attention_engine.kinds.answers import program as answer_program
from attention_engine.kinds.answers.asked import asks, shape_of, whole, width
from attention_engine.kinds.work import BESIDE_TENSORS, Work
from attention_engine.parameters import LARGEST_AXIS, InvalidSpec, Parameter

INT32 = 4
REAL_NUMBERS = 2 * 1024 * 1024
"""Up to this many numbers (8 MiB) a line runs on a real tensor, beyond it on the meta device."""
COPIES = {"project": 2, "view": 2, "merge": 2, "transpose": 3, "attend": 3, "scores": 1, "output": 1}
"""Tensors of one size held at once while a shape is compared: the step's, one to compare, a reshaped copy."""
LINES = ("view", "floor", "module")

TITLE = "What the answer does when it is run"
PARAMETERS = (
    *layer.LAYER,
    layer.KEY_TOKENS,
    Parameter(
        "q_width",
        "int",
        0,
        "features of q; 0 takes the model's, else num_heads * d_head if d_head is given, else d_model",
        minimum=0,
    ),
    Parameter(
        "answer_shape", "ints", [], "the learner's shape; empty: none", minimum=-1, maximum=LARGEST_AXIS
    ),
    Parameter("step", "choice", "view", "the step that the shape answers", choices=operations.ANSWERED_STEPS),
    Parameter(
        "line",
        "choice",
        "view",
        "view cuts q; floor makes q itself, with d_model // num_heads; module is nn.MultiheadAttention",
        choices=LINES,
    ),
    *answer_program.PARAMETERS,
)


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers of the layer; num_heads need not divide d_model: that is what the picture is about."""
    others = {parameter.name: parameter.default for parameter in PARAMETERS}
    filled = others | layer.complete(given)
    filled["step"] = shapes.SYNONYMS.get(filled["step"], filled["step"])
    filled["key_tokens"] = given.get("key_tokens", 0) or filled["tokens"]
    if filled["program"]:
        return answer_program.complete(filled, given)
    for name in ("reference", *answer_program.LISTS):
        if filled[name]:
            raise InvalidSpec(f"{name} stands beside a program: give a program too", field=name)
    if filled["line"] == "floor" and not filled["d_head"]:
        filled["d_head"] = filled["d_model"] // filled["num_heads"]
    filled["q_width"] = given.get("q_width", 0) or _features(filled)
    return filled


def _features(filled: Mapping[str, Any]) -> int:
    """Features of q where none are given: the published model's own, whatever else was asked of it."""
    config = layer.published(filled["model"]) if filled["model"] else None
    if config and config.d_model == filled["d_model"]:
        return config.num_heads * config.d_head
    stated = filled["d_head"] or filled["line"] == "floor"
    return int(filled["num_heads"] * filled["d_head"] if stated else filled["d_model"])


def operation(parameters: Mapping[str, Any]) -> str:
    """The line of the step that is asked about."""
    view, merged = shape_of(parameters, "view"), shape_of(parameters, "merge")
    return operations.operation(parameters["step"], view=view, merged=merged)


def code(parameters: Mapping[str, Any]) -> str:
    """The line that is run: "q.view(2, 4, 10, 76)"."""
    d_model, num_heads, answer = (parameters[name] for name in ("d_model", "num_heads", "answer_shape"))
    if parameters["line"] == "module":
        return f"nn.MultiheadAttention({d_model}, {num_heads})"
    if asks(parameters) == "shape":
        line = operation(parameters)
        return line if works(parameters) else operations.tried(parameters["step"], answer, line)
    view = f"view{operations.written(answer or shape_of(parameters, 'view'))}"
    return f"{_made(parameters)}.{view}" if parameters["line"] == "floor" else f"q.{view}"


def _on(parameters: Mapping[str, Any]) -> str:
    """What the line is run on, where the line does not say it: "q of shape (2, 4, 768)"."""
    if parameters["line"] != "view" or asks(parameters) == "shape":
        return ""
    return f"q of shape {operations.written(shape_of(parameters, 'project'))}"


def _made(parameters: Mapping[str, Any]) -> str:
    """How q is made by code that floors: Linear(10, 3 * (10 // 3))(x)."""
    d_model, num_heads, q_width = (parameters[name] for name in ("d_model", "num_heads", "q_width"))
    floored = q_width == num_heads * (d_model // num_heads)
    return f"Linear({d_model}, {f'{num_heads} * ({d_model} // {num_heads})' if floored else q_width})(x)"


def runs(parameters: Mapping[str, Any]) -> bool:
    """Whether torch runs the line; equal to what it does by test."""
    if parameters["line"] == "module":
        return bool(parameters["d_model"] % parameters["num_heads"] == 0)
    answer = parameters["answer_shape"]
    if not answer:
        return whole(parameters)
    step = parameters["step"] if whole(parameters) else "project"
    return _fits(answer, math.prod(shape_of(parameters, step)))


def _fits(answer: list[int], numbers: int) -> bool:
    """Whether a shape, with at most one -1, can hold so many numbers."""
    known = math.prod(size for size in answer if size != -1)
    if -1 not in answer:
        return known == numbers
    return answer.count(-1) == 1 and known > 0 and numbers % known == 0


def works(parameters: Mapping[str, Any]) -> bool:
    """Whether the line gives the shape of its step."""
    if asks(parameters) == "shape":
        return list(shape_of(parameters, parameters["step"])) == list(parameters["answer_shape"])
    return runs(parameters) and not parameters["answer_shape"]


def sentence(parameters: Mapping[str, Any]) -> str:
    """The arithmetic of the line: "768 = 10 × 76 + 8", "12 × 12 = 144, but q has 768 features"."""
    asked, heads, features = asks(parameters), parameters["num_heads"], parameters["q_width"]
    if asked == "shape":
        return _counts(parameters)
    if asked in {"heads", "module"}:
        return _divided(features if asked == "heads" else parameters["d_model"], heads)
    inner = heads * width(parameters)
    product = f"{heads:,} × {width(parameters):,} = {inner:,}"
    if inner != features:
        return f"{product}, but q has {features:,} feature{'' if features == 1 else 's'}"
    other = "" if features == parameters["d_model"] else f", which is not d_model {parameters['d_model']:,}"
    return f"{product} features of q{other}"


def _divided(features: int, heads: int) -> str:
    """(768, 10) -> "768 = 10 × 76 + 8"; without a remainder "768 = 12 × 64"."""
    quotient, remainder = divmod(features, heads)
    return f"{features:,} = {heads:,} × {quotient:,}" + (f" + {remainder:,}" if remainder else "")


def _counts(parameters: Mapping[str, Any]) -> str:
    """Numbers asked for and numbers there, in words."""
    answer = parameters["answer_shape"]
    there = math.prod(shape_of(parameters, parameters["step"]))
    if works(parameters):
        return f"{operation(parameters)} gives {there:,} numbers"
    if runs(parameters):
        return f"{operations.written(answer)} holds {there:,} numbers, as many as there are"
    if min(answer) < 0:
        return f"{operations.written(answer)} cannot hold the {there:,} numbers there are"
    asked = f"{operations.written(answer)} asks for {math.prod(answer):,} numbers"
    return f"{asked}, but {operation(parameters)} gives {there:,}"


def nearest(parameters: Mapping[str, Any]) -> list[dict[str, int]]:
    """The nearest numbers of heads below and above that divide q, with the width they give."""
    features = parameters["q_width"]
    found = arithmetic.nearest_divisors(n=features, near=parameters["num_heads"])
    return [{"num_heads": heads, "d_head": features // heads} for heads in found]


def by_chance(parameters: Mapping[str, Any]) -> bool:
    """Only a program is run on random numbers."""
    return bool(parameters["program"])


def facts(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What is true without a tensor. A division and what divides are told only where heads are asked for."""
    if parameters["program"]:
        return answer_program.facts(parameters)
    asked, shaped = asks(parameters), whole(parameters) and parameters["line"] != "module"
    step = parameters["step"]
    told = {
        "asks": asked,
        **{name: parameters[name] for name in ("d_model", "num_heads", "q_width")},
        "d_head": width(parameters),
        "sentence": sentence(parameters),
        "code": code(parameters),
        "on": _on(parameters),
        "runs": runs(parameters),
        "works": works(parameters),
        "expected_shape": list(shape_of(parameters, step)) if shaped else [],
        "axes": list(operations.axes_after(step, parameters)) if shaped else [],
        "answer_shape": list(parameters["answer_shape"]),
    }
    return told | _division(parameters) if asked == "heads" else told


def _division(parameters: Mapping[str, Any]) -> dict[str, Any]:
    quotient, remainder = divmod(parameters["q_width"], parameters["num_heads"])
    return {
        "quotient": quotient,
        "remainder": remainder,
        "divides": remainder == 0,
        "nearest": nearest(parameters),
    }


def _named(parameters: Mapping[str, Any]) -> list[int]:
    """Numbers in each tensor that the picture makes, on the meta device where they are many."""
    steps = ["input", "project"]
    if asks(parameters) == "shape":
        steps += ["scores", "attend"] if parameters["step"] in {"scores", "attend"} else [parameters["step"]]
    return [shapes.numbers_in(shape=shape_of(parameters, step)) for step in steps]


def work(parameters: Mapping[str, Any]) -> Work:
    """The largest tensor that is made, on the meta device; a small one is real, and comparing copies it."""
    if parameters["program"]:
        return answer_program.work(parameters)
    named = _named(parameters)
    viewed = asks(parameters) == "width" and parameters["line"] == "view"
    weight = 0 if viewed else parameters["d_model"] * max(parameters["d_model"], parameters["q_width"])
    real = max((count for count in named if count <= REAL_NUMBERS), default=0)
    shaped = asks(parameters) == "shape"
    copies = COPIES[parameters["step"]] if shaped else 1
    return Work(
        values="never",
        largest=max(*named, weight),
        peak_bytes=(INT32 * copies + shaped) * real + BESIDE_TENSORS,
    )
