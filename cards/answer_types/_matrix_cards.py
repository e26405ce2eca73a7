"""What a card says of its matrices, and its formulas with what they give on trials. Grades nothing."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from cards.expressions.maths import parse, to_plain
from cards.expressions.maths.nodes import Call, Node, Operation, fold, with_children
from cards.expressions.matrices import Misfit
from cards.expressions.matrix_equality import alike, equal
from cards.expressions.matrix_formulas import Result, results
from cards.expressions.matrix_text import one_formula
from cards.expressions.matrix_trials import (
    PRODUCTS,
    Declared,
    Trial,
    UndeclaredSize,
    far_trials,
    square_trials,
    trials,
)
from cards.grading import Question, Unreadable
from cards.keys import KeyProblem
from cards.mistakes.matrices import MatrixMistake, Path, variants

_NAME = re.compile(r"[A-Za-z]\w*")
AXES = (0, 1, -1, -2)
WITH_AXIS = ("softmax", "concat")


@dataclass(frozen=True)
class Formula:
    """A formula with what it gives where sizes differ."""

    tree: Node
    declared: Declared
    first: Result
    """In the first trial; what is already wrong there is tried no further."""

    @cached_property
    def rectangular(self) -> tuple[Result, ...]:
        """What it gives in every trial."""
        return (self.first, *results(self.tree, trials(self.declared)[1:]))

    @cached_property
    def square(self) -> tuple[Result, ...]:
        """What it gives where all sizes are alike; only wrong ones are looked at so closely."""
        return results(self.tree, square_trials(self.declared))


@dataclass(frozen=True)
class Variant:
    """A mistake of the bank in a key: the formula it leads to, and what that gives in one square trial."""

    mistake: MatrixMistake
    tree: Node
    path: Path | None
    first: Result


def declared_of(question: Question) -> Declared:
    """Matrices, numbers and other names of a card. Raises KeyProblem."""
    answer = question.answer
    matrices, aliases, scalars = (
        answer.get("matrices"),
        answer.get("names") or {},
        answer.get("scalars") or {},
    )
    if not isinstance(matrices, Mapping) or not matrices:
        raise KeyProblem("a matrix_formula needs matrices: {Q: [n, d_k], K: [m, d_k], V: [m, d_v]}")
    if not isinstance(aliases, Mapping) or not isinstance(scalars, Mapping | list | tuple):
        raise KeyProblem("names is {NAME: [other names]}; scalars is {NAME: expression of sizes} or a list")
    axes = tuple((_name(name), _texts(given)) for name, given in matrices.items())
    numbers = list(scalars.items() if isinstance(scalars, Mapping) else ((name, None) for name in scalars))
    if both := [str(name) for name, _ in numbers if name in matrices]:
        raise KeyProblem(f"{both[0]} is named as a matrix and as a number; give one of them another name")
    return Declared(
        axes=axes,
        scalars=tuple((_name(name), "" if text is None else str(text)) for name, text in numbers),
        aliases=tuple((_name(name), _texts(given)) for name, given in aliases.items()),
        results=_texts(answer.get("result") or ()),
    )


def _name(name: object) -> str:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise KeyProblem(f"{name!r} is no name of a matrix or a size")
    return name


def _texts(given: object) -> tuple[str, ...]:
    """One text or number, or a list of them."""
    several = given if isinstance(given, list | tuple) else (given,)
    if not all(isinstance(one, str | int) and not isinstance(one, bool) for one in several):
        raise KeyProblem(f"a list of names or sizes, not {given!r}")
    return tuple(map(str, several))


def read_formula(text: str, declared: Declared) -> Node:
    """The tree of a formula, without the name of its result before an =. Raises Unreadable."""
    names = declared.vocabulary.symbols
    spelled = {one for name, aliases in names.items() for one in (name, *aliases)}
    tree = parse(one_formula(text, spelled, declared.results), declared.vocabulary)
    return fold(tree, _called)


def _called(node: Node, parts: tuple[Node, ...]) -> Node:
    """A node with calls that are signs as signs: matmul(a, b) is a @ b. Raises Unreadable."""
    new = with_children(node, parts)
    if isinstance(new, Call) and new.function in PRODUCTS:
        if len(parts) != 2:
            raise Unreadable(f"{new.function} takes two matrices.", new.span[0])
        return Operation("@", *parts, span=new.span)
    if isinstance(new, Call):
        _refuse_axis(new)
    return new


def _refuse_axis(call: Call) -> None:
    """An axis that a matrix does not have, or that the function does not take."""
    axis = dict(call.options).get("axis")
    if axis is not None and call.function not in WITH_AXIS:
        raise Unreadable(f"{call.function} takes no axis.", call.span[0])
    if axis is not None and axis not in AXES:
        raise Unreadable(f"A matrix has the axes 0 and 1; there is no axis {axis}.", call.span[0])


def formula(tree: Node, declared: Declared) -> Formula:
    """A tree with what it gives in the first trial."""
    return Formula(tree, declared, results(tree, trials(declared)[:1])[0])


@lru_cache(maxsize=256)
def key_formula(text: str, declared: Declared) -> Formula:
    """An author's right formula. Raises KeyProblem where it has no value."""
    found = author_formula(text, declared)
    for result in (*found.rectangular, *found.square):
        if isinstance(result, Misfit):
            raise KeyProblem(f"the key {text!r}: {result.message}")
        if result is None:
            raise KeyProblem(f"the key {text!r} has no value at some of the numbers it is tried on")
    return found


@lru_cache(maxsize=256)
def author_formula(text: str, declared: Declared) -> Formula:
    """An author's formula, right or a mistake. Raises KeyProblem where it cannot be read."""
    try:
        return formula(read_formula(text, declared), declared)
    except Unreadable as problem:
        raise KeyProblem(f"{text!r} cannot be read: {problem.message}") from problem
    except UndeclaredSize as problem:
        raise KeyProblem(str(problem)) from problem


@lru_cache(maxsize=128)
def bank(text: str, declared: Declared) -> tuple[Variant, ...]:
    """Every mistake of the bank that the key can be made with."""
    first: Trial = square_trials(declared)[0]
    found = variants(key_formula(text, declared).tree, declared)
    return tuple(Variant(one, tree, path, results(tree, (first,))[0]) for one, tree, path in found)


def gives_the_same(one: Formula, other: Formula) -> bool | None:
    """Whether two formulas are equal where sizes differ; None where too few trials have values."""
    if equal((one.first,), (other.first,)) is False:
        return False
    return equal(one.rectangular, other.rectangular) and _same_far_out(one, other)


def _same_far_out(one: Formula, other: Formula) -> bool:
    """Whether they stay equal where sizes are 1 or large: min(d_k, 64) is d_k at those of the trials.

    The sizes are drawn for these two formulas, so that none can be made to fit them.
    """
    far = far_trials(one.declared, f"{to_plain(one.tree)} and {to_plain(other.tree)}")
    return equal(results(one.tree, far), results(other.tree, far)) is not False


def is_same(one: Formula, other: Formula) -> bool:
    """Whether two formulas are equal, also where their shapes do not fit or a value is missing."""
    if gives_the_same(one, other):
        return True
    if isinstance(one.first, Misfit) != isinstance(other.first, Misfit):
        return False
    if not isinstance(one.first, Misfit) and None not in (one.first, other.first):
        return False
    pairs = [(a, b) for a, b in zip(one.square, other.square, strict=True) if a is not None or b is not None]
    return bool(pairs) and all(alike(a, b, (one.tree, other.tree)) for a, b in pairs)


def sizes_at(question: Question) -> dict[str, Fraction]:
    """Numbers for sizes in pictures. Raises KeyProblem."""
    at = question.answer.get("at") or {}
    try:
        return {str(name): Fraction(str(value)) for name, value in at.items()}
    except (AttributeError, ValueError, ZeroDivisionError) as problem:
        raise KeyProblem(f"at is {{d_k: 64}}, not {at!r}") from problem


def texts_of(question: Question) -> Sequence[str]:
    """The key and what else is right. Raises KeyProblem."""
    accepts: Any = question.answer.get("accepts") or ()
    texts = [question.answer.get("key"), *(accepts if isinstance(accepts, list | tuple) else [accepts])]
    if not all(isinstance(text, str) and text for text in texts):
        raise KeyProblem("a matrix_formula needs key: the formula as text, and accepts: a list of such")
    return [str(text) for text in texts]
