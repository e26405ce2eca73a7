"""answer_executed without tensors: the division, the line that is run, what works nearby. Has no values."""

from collections.abc import Mapping
from typing import Any

from attention_engine import arithmetic, shapes
from attention_engine.kinds import layer
from attention_engine.kinds.work import BESIDE_TENSORS, Work
from attention_engine.parameters import LARGEST_AXIS, Parameter

ANSWERED_STEPS = ("project", "split", "view", "transpose", "scores", "attend", "merge", "output")
INT32 = 4
REAL_NUMBERS = 2 * 1024 * 1024
"""Up to this many numbers (8 MiB) a line runs on a real tensor, beyond it on the meta device."""
NAMES = {
    "project": "q",
    "view": "q",
    "transpose": "heads",
    "scores": "scores",
    "attend": "mixed",
    "merge": "merged",
    "output": "y",
}
"""What the tensor is called on which the learner's shape is tried."""

PARAMETERS = (
    *layer.LAYER,
    Parameter(
        "answer_shape", "ints", [], "the learner's shape; empty: none", minimum=-1, maximum=LARGEST_AXIS
    ),
    Parameter("step", "choice", "view", "the step that the shape answers", choices=ANSWERED_STEPS),
)


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers of the layer; num_heads need not divide d_model: that is what the picture is about."""
    filled = {"answer_shape": [], "step": "view"} | layer.complete(given)
    return filled | {"step": shapes.SYNONYMS.get(filled["step"], filled["step"])}


def width(parameters: Mapping[str, Any]) -> int:
    """The head width that is run: the given one, else d_model // num_heads."""
    return int(parameters["d_head"]) or int(parameters["d_model"]) // int(parameters["num_heads"])


def has_shape(parameters: Mapping[str, Any]) -> bool:
    """True where the steps after the projection exist: d_head is independent, or the division is whole."""
    return bool(parameters["d_head"]) or parameters["d_model"] % parameters["num_heads"] == 0


def shape_of(parameters: Mapping[str, Any], step: str) -> shapes.Shape:
    """Shape after a step of this layer."""
    sizes = {name: parameters[name] for name in ("batch", "tokens", "d_model", "num_heads")}
    return shapes.shape_after(step=step, d_head=width(parameters), **sizes)


def code(parameters: Mapping[str, Any]) -> str:
    """The line that is run: "q.view(2, 4, 10, 76)"."""
    wanted = parameters["answer_shape"] or shape_of(parameters, "view")
    name = NAMES[parameters["step"]] if parameters["answer_shape"] else "q"
    return f"{name}.view({', '.join(str(size) for size in wanted)})"


def _sentence(parameters: Mapping[str, Any]) -> str:
    d_model, num_heads, d_head = (parameters[name] for name in ("d_model", "num_heads", "d_head"))
    if not d_head or d_head * num_heads == d_model:
        return arithmetic.division_sentence(d_model, num_heads)
    return f"{num_heads}*{d_head} = {num_heads * d_head}, which is not d_model {d_model}"


def nearest(parameters: Mapping[str, Any]) -> list[dict[str, int]]:
    """The nearest numbers of heads below and above that divide d_model, with the width they give."""
    d_model = parameters["d_model"]
    found = arithmetic.nearest_divisors(n=d_model, near=parameters["num_heads"])
    return [{"num_heads": heads, "d_head": d_model // heads} for heads in found]


def facts(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What is true without a tensor."""
    d_model, num_heads = parameters["d_model"], parameters["num_heads"]
    expected = shape_of(parameters, parameters["step"]) if has_shape(parameters) else ()
    return {
        "d_model": d_model,
        "num_heads": num_heads,
        "d_head": width(parameters),
        "quotient": d_model // num_heads,
        "remainder": d_model % num_heads,
        "divides": d_model % num_heads == 0,
        "sentence": _sentence(parameters),
        "code": code(parameters),
        "nearest": nearest(parameters),
        "expected_shape": list(expected),
        "answer_shape": list(parameters["answer_shape"]),
    }


def _real_numbers(parameters: Mapping[str, Any]) -> int:
    """Numbers of the largest tensor that is not on the meta device."""
    tried = parameters["step"] if parameters["answer_shape"] and has_shape(parameters) else "input"
    counts = [shapes.numbers_in(shape=shape_of(parameters, step)) for step in ("input", "project", tried)]
    return max((count for count in counts if count <= REAL_NUMBERS), default=0)


def work(parameters: Mapping[str, Any]) -> Work:
    """The largest tensor that is named, on the meta device; a small one is real, and a reshape copies it."""
    steps = ("input", "project", "scores", "attend")
    named = [shapes.numbers_in(shape=shape_of(parameters, step)) for step in steps]
    weight = parameters["d_model"] * max(parameters["d_model"], parameters["num_heads"] * width(parameters))
    copies = 2 if parameters["answer_shape"] else 1
    return Work(
        values="never",
        largest=max(*named, weight),
        peak_bytes=INT32 * copies * _real_numbers(parameters) + BESIDE_TENSORS,
    )
