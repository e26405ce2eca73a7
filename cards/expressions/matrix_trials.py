"""Matrices and numbers that formulas are tried on: random entries, sizes that differ. Knows no formula."""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from operator import add, mul, sub, truediv

from cards.expressions.maths import Vocabulary, parse
from cards.expressions.maths.nodes import Name, Negative, Node, Number, Operation, fold
from cards.expressions.matrices import Matrix, Value

MOST_ENTRIES = 4096
"""Entries of one declared matrix."""
SIZES = ((5, 3, 7, 4), (4, 5, 3, 6), (7, 4, 6, 3), (3, 7, 4, 5))
"""Sizes of the first four axes by trial."""
FURTHER = (11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53)
"""Sizes of what else there is."""
SQUARE = 3
FAR = ((1, 2), (100, 1000), (10**4, 10**6))
"""Between what numbers sizes are drawn that are smaller or larger than those of the matrices."""
PRODUCTS = ("matmul",)
"""Calls that are a product of two matrices."""
_SIGNS: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {"+": add, "-": sub, "*": mul, "/": truediv}
_WORD = re.compile(r"[A-Za-z_]\w*")


class UndeclaredSize(ValueError):
    """An axis or a number that the declaration does not settle."""


@dataclass(frozen=True)
class Declared:
    """What a card declares: axes of matrices, numbers, other spellings, and names the result may have.

    Axes are names, whole numbers, or products and sums of them ("2 d_v"). A number is an expression of axes
    and other numbers ("n_heads d_k"), or "" where it is free.
    """

    axes: tuple[tuple[str, tuple[str, ...]], ...]
    scalars: tuple[tuple[str, str], ...] = ()
    aliases: tuple[tuple[str, tuple[str, ...]], ...] = ()
    results: tuple[str, ...] = ()

    @cached_property
    def matrices(self) -> tuple[str, ...]:
        """The names of the matrices, in order."""
        return tuple(name for name, _ in self.axes)

    @cached_property
    def sizes(self) -> tuple[str, ...]:
        """Names that get a size of their own, in order of appearance."""
        computed = {name for name, text in self.scalars if text}
        texts = [
            *(axis for _, axes in self.axes for axis in axes),
            *(text or name for name, text in self.scalars),
        ]
        words = dict.fromkeys(word for text in texts for word in _WORD.findall(text))
        return tuple(word for word in words if word not in computed)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Every name a formula may use."""
        names = dict.fromkeys([*self.matrices, *self.sizes, *(name for name, _ in self.scalars)])
        other = dict(self.aliases)
        taken = {*names, *(one for aliases in other.values() for one in aliases), "e"}
        small = {name: (name.lower(),) for name in self.matrices if name.lower() not in taken}
        symbols = {name: (*other.get(name, ()), *small.get(name, ())) for name in names}
        return Vocabulary(symbols, functions=PRODUCTS, matrices=True)


@dataclass(frozen=True)
class Trial:
    """A value for each name: a matrix, or a number."""

    values: Mapping[str, Value]
    names: Mapping[int, str]
    """What a size stands for, where it stands for one thing."""


@lru_cache(maxsize=256)
def trials(declared: Declared) -> tuple[Trial, ...]:
    """Three with entries of both signs and one with positive ones. Raises UndeclaredSize."""
    return tuple(_trial(declared, number, square=False) for number in range(len(SIZES)))


@lru_cache(maxsize=256)
def square_trials(declared: Declared) -> tuple[Trial, ...]:
    """Two where every axis has the same size, so that formulas whose shapes do not fit can be compared."""
    return tuple(_trial(declared, number, square=True) for number in (0, len(SIZES) - 1))


def far_trials(declared: Declared, seed: str) -> tuple[Trial, ...]:
    """Three where sizes stand for other numbers, drawn by the seed; the matrices are those of the first."""
    return tuple(_far(declared, f"{bounds} {seed}", bounds) for bounds in FAR)


def _far(declared: Declared, seed: str, bounds: tuple[int, int]) -> Trial:
    near, drawn = trials(declared)[0], random.Random(seed)  # noqa: S311 - the same for the same formulas
    numbers = _computed(declared, {name: Fraction(drawn.randint(*bounds)) for name in declared.sizes})
    return Trial({**near.values, **{name: float(value) for name, value in numbers.items()}}, near.names)


def _trial(declared: Declared, number: int, *, square: bool) -> Trial:
    pool = [*SIZES[number], *FURTHER[number:], *FURTHER[:number]]
    if len(declared.sizes) > len(pool):
        raise UndeclaredSize(f"at most {len(pool)} sizes are declared")
    numbers = {name: Fraction(size) for name, size in zip(declared.sizes, pool, strict=False)}
    lengths = dict.fromkeys(numbers, Fraction(SQUARE)) if square else numbers
    scalars = _computed(declared, numbers)
    lengths = _computed(declared, lengths) if square else scalars
    positive = number == len(SIZES) - 1
    drawn = random.Random(f"matrices {number} {square}")  # noqa: S311 - the same numbers in every process
    known: dict[str, Value] = {name: float(value) for name, value in scalars.items()}
    for name, axes in declared.axes:
        known[name] = _drawn(drawn, _shape(name, axes, lengths), positive=positive)
    sizes = [int(size) for size in numbers.values()]
    return Trial(known, {size: name for name, size in zip(numbers, sizes, strict=True)})


def _computed(declared: Declared, sizes: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """The sizes with the declared numbers that follow from them."""
    known = dict(sizes)
    for name, text in declared.scalars:
        if text:
            known[name] = _number(text, known)
    return known


def _shape(name: str, axes: tuple[str, ...], sizes: Mapping[str, Fraction]) -> tuple[int, int]:
    """Rows and columns of a declared matrix; one axis makes a row."""
    lengths = [_number(axis, sizes) for axis in axes]
    if not 1 <= len(lengths) <= 2 or any(length.denominator != 1 or length < 1 for length in lengths):
        raise UndeclaredSize(
            f"{name} needs one or two axes with whole sizes, not {', '.join(axes) or 'none'}"
        )
    rows, columns = (1, *map(int, lengths)) if len(lengths) == 1 else map(int, lengths)
    if rows * columns > MOST_ENTRIES:
        raise UndeclaredSize(f"{name} has {rows} × {columns} entries; at most {MOST_ENTRIES} are tried")
    return rows, columns


def _drawn(drawn: random.Random, size: tuple[int, int], *, positive: bool) -> Matrix:
    entries = ((drawn.gauss(0, 1) for _ in range(size[1])) for _ in range(size[0]))
    return tuple(tuple(abs(entry) + 0.1 if positive else entry for entry in row) for row in entries)


def _number(text: str, sizes: Mapping[str, Fraction]) -> Fraction:
    """The value of an author's expression of sizes: sums, products and quotients. Raises UndeclaredSize."""
    try:
        tree = parse(str(text), Vocabulary(dict.fromkeys(sizes, ())))
        return fold(tree, lambda node, parts: _exact(node, parts, sizes))
    except (ValueError, ArithmeticError) as problem:
        raise UndeclaredSize(f"the size {text!r} cannot be computed: {problem}") from problem


def _exact(node: Node, parts: tuple[Fraction, ...], sizes: Mapping[str, Fraction]) -> Fraction:
    match node:
        case Number():
            return node.value
        case Name() if node.name in sizes:
            return sizes[node.name]
        case Negative():
            return -parts[0]
        case Operation() if node.sign in _SIGNS:
            return _SIGNS[node.sign](*parts)
    raise UndeclaredSize("a size is made of sums, products and quotients")
