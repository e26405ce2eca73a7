"""The step of attention a shape belongs to: the line that makes it and its axes' names; how sentences write
shapes and counts. Has no values."""

from collections.abc import Mapping
from typing import Any

from attention_engine import shapes

ANSWERED_STEPS = ("project", "split", "view", "transpose", "scores", "attend", "merge", "output")
PLAIN = {
    "project": "x @ W_Q",
    "scores": "q @ k.transpose(-2, -1)",
    "attend": "weights @ v",
    "output": "out @ W_O",
}


def written(shape: shapes.Shape | list[int]) -> str:
    """(2, 4, 768), as Python writes a tuple."""
    return repr(tuple(shape))


def many(count: int, name: str) -> str:
    """ "1 head", "12 heads", "6,144 numbers"."""
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def operation(step: str, *, view: shapes.Shape, merged: shapes.Shape) -> str:
    """A step's line: "q.view(2, 4, 12, 64).transpose(1, 2)". `view`, `merged`: shapes after those steps."""
    lines = {
        "view": f"q.view{written(view)}",
        "transpose": f"q.view{written(view)}.transpose(1, 2)",
        "merge": f"out.transpose(1, 2).reshape{written(merged)}",
    }
    return lines[step] if step in lines else PLAIN[step]


def tried(step: str, answer: list[int], line: str) -> str:
    """The learner's shape put into the step: in the view itself, or as a reshape of what the step gives."""
    if step == "view":
        return f"q.view{written(answer)}"
    return f"{f'({line})' if ' @ ' in line else line}.reshape{written(answer)}"


def axes_after(step: str, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the axes after a step; scores between two texts have a token axis of each."""
    if step == "scores" and parameters["key_tokens"] != parameters["tokens"]:
        return ("B", "H", "T_q", "T_k")
    return shapes.axes_of(step)
