"""A tensor's shape, in numbers or axis names. Knows no card file and no learner.

    answer:   {type: shape, key: {compute: shape_after, step: transpose, batch: 2, tokens: 4, ...}}
    mistakes: [{name, key: KEY or list of sizes, says}]
    answer:   {type: shape, axes: [B, H, T, D], sizes: {B: 2, ...}}
    mistakes: [{name, axes: [B, T, H, D], says}]
Axis names take their sizes from the key's own arguments (batch B, tokens T, key_tokens S, num_heads H,
d_head D, d_model), or from `sizes: {B: 2}` beside the key. `says` may use {answer} {key} and those sizes.
With `axes` the answer is written in names; `sizes` is for the picture. Found without being named: the bank
(cards/mistakes/shapes.py), axes_swapped, wrong_rank, wrong_size; and which step has the given shape.
"""

import math
from collections.abc import Mapping
from typing import Any

from attention_engine.shapes import STEPS
from cards.answer_types import _named_shapes
from cards.answer_types._shape_faults import Seen, Written, of_step, seen
from cards.expressions.shapes import Shape, format_shape, read_shape
from cards.grading import Example, Grade, Question, Reading, Response, fill, mistake_title
from cards.keys import AnyOf, KeyProblem, compute, is_key
from cards.mistakes import shapes as bank

OFFLINE = True
FIELDS = ("type", "key", "axes", "sizes")
ARGUMENTS = {
    "batch": "B",
    "tokens": "T",
    "key_tokens": "S",
    "num_heads": "H",
    "d_head": "D",
    "d_model": "d_model",
}
WORKED = ("(3, 5, 7)", "(5, 11)")
Sizes = tuple[int, ...]
OFFLINE = True


def grade(question: Question, response: Response) -> Grade:
    """Correct where every axis has the key's size, else incorrect with what is wrong about it."""
    if is_named(question):
        return _named_shapes.grade(question, response.text)
    shape, keys = _read(question, response.text), keys_of(question)
    right = shape.sizes in keys
    key = shape.sizes if right else keys[0]
    found = Seen("", format_shape(key), "") if right else _diagnosis(question, shape.sizes, key)
    return Grade(
        outcome="correct" if right else "incorrect",
        score=1.0 if right else 0.0,
        mistake=found.name,
        title=found.title,
        feedback=found.says,
        read_as=shape.read_as,
        key_text=" or ".join(map(format_shape, keys)),
        value=list(shape.sizes),
        key=list(key),
    )


def read(question: Question, text: str) -> Reading:
    """How a text is read, before it is graded. Raises Unreadable."""
    if is_named(question):
        return _named_shapes.read(question, text)
    return Reading(_read(question, text).read_as)


def is_named(question: Question) -> bool:
    """Whether the shape is asked in names."""
    return "axes" in question.answer


def question_input(question: Question) -> dict[str, Any]:
    """A worked example that has another number of axes than most keys, and the names of axes, no size."""
    if is_named(question):
        return _named_shapes.question_input(question)
    return {"hint": f"Numbers or axis names, such as {WORKED[0]}", "names": list(sizes_of(question))}


def examples(question: Question) -> list[Example]:
    """The key in two spellings and its alternatives, and each named mistake's shape."""
    if is_named(question):
        return _named_shapes.examples(question)
    keys = keys_of(question)
    right = [Example({"text": format_shape(key)}) for key in keys]
    plain = Example({"text": "x".join(map(str, keys[0]))})
    wrong = [
        Example({"text": format_shape(value)}, str(mistake.get("name", "")))
        for mistake in question.mistakes
        for value in _mistaken(mistake)[:1]
    ]
    return [*right, plain, *wrong]


def problems(question: Question) -> list[str]:
    """Mistakes that are right."""
    if is_named(question):
        return _named_shapes.problems(question)
    keys = keys_of(question)
    return [
        f"mistake {m.get('name')}: its shape is the key"
        for m in question.mistakes
        if set(_mistaken(m)) & set(keys)
    ]


def keys_of(question: Question) -> tuple[Sizes, ...]:
    """The right shapes. Raises KeyProblem."""
    value = compute(question.answer.get("key"))
    return tuple(_shape(one) for one in (value.values if isinstance(value, AnyOf) else (value,)))


def sizes_of(question: Question) -> dict[str, int]:
    """What each axis name stands for in this question."""
    key = question.answer.get("key")
    stated = key.items() if isinstance(key, Mapping) else ()
    sizes = {ARGUMENTS[name]: compute(v) if is_key(v) else v for name, v in stated if name in ARGUMENTS}
    if {"H", "D"} <= set(sizes):
        sizes.setdefault("d_model", sizes["H"] * sizes["D"])
    sizes.update(question.answer.get("sizes") or {})
    return {name: size for name, size in sizes.items() if isinstance(size, int) and size > 0}


def _shape(value: Any) -> Sizes:
    """A computed value as sizes."""
    if not isinstance(value, list | tuple) or not value or not all(isinstance(size, int) for size in value):
        raise KeyProblem(f"a shape's key must be a list of whole numbers, not {value!r}")
    return tuple(value)


def _mistaken(mistake: Mapping[str, Any]) -> tuple[Sizes, ...]:
    """The shapes a mistake leads to."""
    key = mistake.get("key")
    value = compute(key) if is_key(key) else key
    return tuple(map(_shape, value.values)) if isinstance(value, AnyOf) else (_shape(value),)


def _read(question: Question, text: str) -> Shape:
    return read_shape(text, sizes_of(question))


def _diagnosis(question: Question, given: Sizes, key: Sizes) -> Seen:
    """What is wrong: a mistake of the card, one of the bank, else what the sizes show and whose they are."""
    facts = {name: str(size) for name, size in sizes_of(question).items()}
    values = {"answer": format_shape(given), "key": format_shape(key), **facts}
    for mistake in question.mistakes:
        if given in _mistaken(mistake):
            says = fill(str(mistake.get("says", "")), values)
            return Seen(str(mistake.get("name", "")), mistake_title(mistake, values), says)
    if hit := _banked(question, given):
        return Seen(hit.name, fill(hit.title, values), fill(hit.says, values))
    found = seen(_written(given), _written(key), _count(given, key))
    return Seen(found.name, found.title, f"{found.says} {of_step(_step_of(question, given))}".strip())


def _banked(question: Question, given: Sizes) -> bank.Transform | None:
    """A transform of a key that computes one shape."""
    key = question.answer.get("key")
    return bank.find(key, given) if isinstance(key, Mapping) and "compute" in key else None


def _written(sizes: Sizes) -> Written:
    return Written(sizes, list(map(str, sizes)), format_shape(sizes))


def _count(given: Sizes, key: Sizes) -> str:
    """How many numbers either shape holds."""
    if math.prod(given) == math.prod(key):
        return f"You gave {format_shape(given)}, which holds as many numbers as {format_shape(key)}."
    asked, there = f"{math.prod(given):,}", f"{math.prod(key):,}"
    return f"{format_shape(given)} asks for {asked} numbers; {format_shape(key)} holds {there}."


def _step_of(question: Question, given: Sizes) -> str:
    """The other step of the way through attention that has this shape; "" for none."""
    key = question.answer.get("key")
    if not isinstance(key, Mapping) or key.get("compute") != "shape_after":
        return ""
    shapes = {step: tuple(compute({**key, "step": step})) for step in (*STEPS, "scores")}
    return next((step for step, shape in shapes.items() if shape == given), "")
