"""What an answer is about, and the sizes it means. Knows no line of code and has no values."""

from collections.abc import Mapping
from typing import Any

from attention_engine import shapes


def asks(parameters: Mapping[str, Any]) -> str:
    """What is tried: a number of "heads", the "width" of a given number, a "shape", "module" or "program"."""
    if parameters["program"]:
        return "program"
    if parameters["line"] == "module":
        return "module"
    if parameters["answer_shape"] and whole(parameters):
        return "shape"
    return "width" if parameters["d_head"] or parameters["line"] == "floor" else "heads"


def width(parameters: Mapping[str, Any]) -> int:
    """The head width that is run: the given one, else q_width // num_heads."""
    return int(parameters["d_head"]) or int(parameters["q_width"]) // int(parameters["num_heads"])


def whole(parameters: Mapping[str, Any]) -> bool:
    """True where the heads take up q to its last feature, so that the steps after the view exist."""
    return bool(parameters["num_heads"] * width(parameters) == parameters["q_width"])


def shape_of(parameters: Mapping[str, Any], step: str) -> shapes.Shape:
    """Shape after a step of this layer."""
    names = ("batch", "tokens", "d_model", "num_heads", "key_tokens")
    if step == "project":
        return (parameters["batch"], parameters["tokens"], parameters["q_width"])
    sizes = {name: parameters[name] for name in names}
    return shapes.shape_after(step=step, d_head=width(parameters), **sizes)
