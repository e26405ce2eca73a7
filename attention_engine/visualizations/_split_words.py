"""What the frames of head_split say, and the one element they follow. Knows shapes, computes no tensor."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from attention_engine.kinds import head_split as kind
from attention_engine.shapes import offset

Numbers = Mapping[str, Any]
Sentence = Callable[[torch.Tensor, Numbers], str]


@dataclass(frozen=True)
class Element:
    """One number of q by its place: sequence, token, head, and place in the head."""

    b: int
    t: int
    h: int
    d: int

    def __str__(self) -> str:
        return f"t {self.t:,}, h {self.h:,}, d {self.d:,}"

    def index(self, step: str, d_head: int) -> tuple[int, ...]:
        """Its index after a step; input and output have no such element, there it is the whole row."""
        places = {
            "view": (self.b, self.t, self.h, self.d),
            "transpose": (self.b, self.h, self.t, self.d),
            "attend": (self.b, self.h, self.t, self.d),
        }
        return places.get(step, (self.b, self.t, self.h * d_head + self.d))


def followed(numbers: Numbers) -> Element:
    """The element that the sentences follow: not the first of anything, where there is more than one."""
    return Element(b=0, **kind.traced(numbers))


def _inner(numbers: Numbers) -> int:
    return int(numbers["num_heads"] * numbers["d_head"])


def _input(_: torch.Tensor, numbers: Numbers) -> str:
    return "x holds {batch:,} × {tokens:,} tokens, each {d_model:,} numbers wide.".format_map(numbers)


def _project(_: torch.Tensor, numbers: Numbers) -> str:
    d_model, inner = numbers["d_model"], _inner(numbers)
    product = f"{numbers['num_heads']:,} × {numbers['d_head']:,} = {inner:,}"
    square = "" if inner == d_model else f" {product} is not d_model {d_model:,}."
    return f"W_Q, {d_model:,} × {inner:,}, makes each of {inner:,} numbers from all {d_model:,} of x.{square}"


def _view(tensor: torch.Tensor, numbers: Numbers) -> str:
    element, d_head = followed(numbers), numbers["d_head"]
    place = f"{element.h:,} × {d_head:,} + {element.d:,} = {element.h * d_head + element.d:,}"
    return (
        f"The last axis is read as {numbers['num_heads']:,} heads of {d_head:,}. No number moves: "
        f"element {element} is number {place} of its token, at offset {_lies(tensor, 'view', numbers):,}."
    )


def _transpose(tensor: torch.Tensor, numbers: Numbers) -> str:
    element = followed(numbers)
    terms = f"{element.t:,} × {_inner(numbers):,} + {element.h:,} × {numbers['d_head']:,} + {element.d:,}"
    return (
        f"No number moves. Element {element} stays at {terms} = {_lies(tensor, 'transpose', numbers):,}; "
        "only the strides swap."
    )


def _attend(_: torch.Tensor, numbers: Numbers) -> str:
    num_heads, shared, tokens = numbers["num_heads"], kind.kv_heads(numbers), numbers["tokens"]
    told = (
        f"Each head weighs its own {tokens:,} × {numbers['key_tokens']:,} pairs "
        f"by softmax(q k / sqrt({numbers['d_head']:,})) "
        "and mixes its values: new numbers, written in order."
    )
    if shared == num_heads:
        return told
    return f"{told} K and V have {shared:,} heads, each read by {num_heads // shared:,} query heads."


def _merge(tensor: torch.Tensor, numbers: Numbers) -> str:
    tokens, num_heads, d_head = (numbers[name] for name in ("tokens", "num_heads", "d_head"))
    if tokens == 1 or num_heads == 1:
        held = f"{_many(tokens, 'token')} and {_many(num_heads, 'head')}"
        return f"With {held} nothing has to move: a view is enough."
    element = followed(numbers)
    before = element.t * d_head + element.h * tokens * d_head + element.d
    return (
        f"{tensor.numel():,} numbers are copied so that the heads of a token lie side by side: "
        f"element {element} goes from offset {before:,} to {_lies(tensor, 'merge', numbers):,}."
    )


def _output(_: torch.Tensor, numbers: Numbers) -> str:
    d_model = numbers["d_model"]
    return f"W_O, {_inner(numbers):,} × {d_model:,}, mixes all heads of a token: d_model {d_model:,} again."


def _many(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def _lies(tensor: torch.Tensor, step: str, numbers: Numbers) -> int:
    """Where the followed element lies after a step."""
    return offset(tensor.stride(), followed(numbers).index(step, numbers["d_head"]))


SENTENCES: Mapping[str, Sentence] = {
    "input": _input,
    "project": _project,
    "view": _view,
    "transpose": _transpose,
    "attend": _attend,
    "merge": _merge,
    "output": _output,
}
"""What each step says, given its tensor."""
