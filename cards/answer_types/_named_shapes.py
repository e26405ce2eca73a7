"""Shapes asked in names, {axes: [B, H, T, D], sizes: {B: 2}}: compared at several sizes. Knows no number."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from attention_engine.shapes import STEPS, axes_of
from cards.answer_types._shape_faults import Seen, Written, of_step, seen
from cards.expressions.symbolic_shapes import (
    SymbolicShape,
    assignments,
    at_sizes,
    format_axes,
    names_in,
    read_symbolic,
)
from cards.grading import Example, Grade, Question, Reading, Unreadable, fill, mistake_title
from cards.keys import KeyProblem
from cards.mistakes import shapes as bank

WORKED = ("(B, T)", "(T, D)", "(H, D)")
_ARGUMENTS = {"B": "batch", "T": "tokens", "S": "key_tokens", "H": "num_heads", "D": "d_head"}


def grade(question: Question, text: str) -> Grade:
    """Correct where every axis agrees at every assignment, else incorrect with what is wrong about it."""
    given, key = read_shape(question, text), key_of(question)
    right = given.values == key.values
    found = Seen("", format_axes(key.axes), "") if right else _fault(question, given, key)
    sizes = question.answer.get("sizes") or {}
    return Grade(
        outcome="correct" if right else "incorrect",
        score=1.0 if right else 0.0,
        mistake=found.name,
        title=found.title,
        feedback=found.says,
        read_as=given.read_as,
        key_text=format_axes(key.axes),
        value=_numbers(given, sizes),
        key=_numbers(key, sizes),
    )


def read(question: Question, text: str) -> Reading:
    """How a shape is read. Raises Unreadable."""
    return Reading(read_shape(question, text).read_as)


def question_input(question: Question) -> dict[str, Any]:
    """The names an answer may use, in an order that tells nothing, and an example that is not the key."""
    key = format_axes(key_of(question).axes)
    names = _names(question)
    worked = next(
        (w for w in WORKED if w != key and set(w) - set("(), ") <= set(names)), f"({names[0]}, ...)"
    )
    return {"hint": f"Axis names, such as {worked}", "names": names}


def examples(question: Question) -> list[Example]:
    """The key in two spellings, and each named mistake's shape."""
    texts = list(map(str, question.answer["axes"]))
    right = [
        Example({"text": _tuple(texts)}),
        Example({"text": f"torch.Size([{', '.join(texts)}])"}),
    ]
    wrong = [
        Example({"text": _tuple(m["axes"])}, str(m.get("name", "")))
        for m in question.mistakes
        if m.get("axes")
    ]
    return [*right, *wrong]


def problems(question: Question) -> list[str]:
    """Mistakes that are right, and sizes that do not say all names."""
    key, sizes = key_of(question), question.answer.get("sizes")
    found = [
        f"mistake {m.get('name')}: its shape is the key"
        for m in question.mistakes
        if m.get("axes") and _axes(question, m["axes"]).values == key.values
    ]
    unsized = sizes is not None and _numbers(key, sizes) is None
    return found + (["sizes does not give every axis a whole size"] if unsized else [])


def read_shape(question: Question, text: str) -> SymbolicShape:
    """The learner's shape. Raises Unreadable."""
    key = key_of(question)
    constants = {axis.values[0] for axis in key.axes if not axis.named}
    return read_symbolic(text, _names(question), constants)


def key_of(question: Question) -> SymbolicShape:
    """The right shape. Raises KeyProblem."""
    return _axes(question, question.answer.get("axes"))


def _tuple(axes: Sequence[object]) -> str:
    """Axes as a shape is written."""
    return f"({', '.join(map(str, axes))}{',' if len(axes) == 1 else ''})"


def _axes(question: Question, axes: object) -> SymbolicShape:
    """Axes an author wrote, which may be numbers of any size."""
    if not isinstance(axes, list | tuple) or not axes:
        raise KeyProblem(f"axes is a list of names such as [B, H, T, D], not {axes!r}")
    constants = {Fraction(str(axis)) for axis in axes if str(axis).isdecimal()}
    try:
        return _authored(_tuple(axes), tuple(_names(question)), frozenset(constants))
    except Unreadable as problem:
        raise KeyProblem(f"axes {axes!r} cannot be read: {problem.message}") from problem


@lru_cache(maxsize=1024)
def _authored(text: str, names: tuple[str, ...], constants: frozenset[Fraction]) -> SymbolicShape:
    """What authors write comes again with every answer: keys, mistakes, steps of the way."""
    return read_symbolic(text, names, constants)


@lru_cache(maxsize=256)
def _named(axes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(names_in(axes))


def _names(question: Question) -> list[str]:
    """The names of the question: those of its axes and of `sizes`."""
    axes = question.answer.get("axes")
    written = list(map(str, axes)) if isinstance(axes, list | tuple) else []
    try:
        return list(_named((*written, *map(str, question.answer.get("sizes") or {}))))
    except ValueError as problem:
        raise KeyProblem(f"axes {axes!r} cannot be read: {problem}") from problem


def _numbers(shape: SymbolicShape, sizes: Mapping[str, int]) -> list[int] | None:
    """The shape at the card's own sizes, for pictures."""
    if {"H", "D"} <= set(sizes):
        sizes = {"d_model": sizes["H"] * sizes["D"], **sizes}
    numbers = at_sizes(format_axes(shape.axes).replace("−", "-"), sizes) if sizes else None
    return list(numbers) if numbers else None


def _fault(question: Question, given: SymbolicShape, key: SymbolicShape) -> Seen:
    """A mistake of the card, one of the bank, else what the axes show."""
    values = {"answer": format_axes(given.axes), "key": format_axes(key.axes)}
    for mistake in question.mistakes:
        if mistake.get("axes") and _axes(question, mistake["axes"]).values == given.values:
            says = fill(str(mistake.get("says", "")), values)
            return Seen(str(mistake.get("name", "")), mistake_title(mistake, values), says)
    if hit := _banked(question, given, key):
        return Seen(hit.name, fill(hit.title, values), fill(hit.says, values))
    found = seen(_written(given), _written(key), _count(given, key), kind="axes")
    return Seen(found.name, found.title, f"{found.says} {of_step(_step(question, given))}".strip())


def _written(shape: SymbolicShape) -> Written:
    return Written(shape.values, [axis.text for axis in shape.axes], format_axes(shape.axes))


def _banked(question: Question, given: SymbolicShape, key: SymbolicShape) -> bank.Transform | None:
    """A transform of the step whose shape is asked, at the sizes of one assignment."""
    step, sizes = _step(question, key), assignments(_names(question))[0]
    if not step or any(axis.values[0].denominator != 1 for axis in given.axes):
        return None
    arguments: dict[str, Any] = {_ARGUMENTS[name]: size for name, size in sizes.items() if name in _ARGUMENTS}
    case = {"compute": "shape_after", "step": step, "batch": 1, "tokens": 1, "num_heads": 1, "d_head": 1}
    return bank.find({**case, **arguments}, tuple(int(axis.values[0]) for axis in given.axes))


def _step(question: Question, shape: SymbolicShape) -> str:
    """The step of the way through attention that has this shape; "" for none."""
    names = set(_names(question))
    steps = {step: axes_of(step) for step in (*STEPS, "scores")}
    steps |= {"scores": ("B", "H", "T", "S")} if "S" in names else {}
    for step, axes in steps.items():
        if names >= set("*".join(axes).split("*")) and _axes(question, axes).values == shape.values:
            return step
    return ""


def _count(given: SymbolicShape, key: SymbolicShape) -> str:
    """Whether both hold as many numbers."""
    held = [tuple(map(math.prod, zip(*shape.values, strict=True))) for shape in (given, key)]
    texts = format_axes(given.axes), format_axes(key.axes)
    same = "as many numbers as" if held[0] == held[1] else "another number of numbers than"
    return f"{texts[0]} holds {same} {texts[1]}."
