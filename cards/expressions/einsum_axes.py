"""An einsum equation and what it computes: axes, sums, a program, a formula. Reads no text, knows no key."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from string import ascii_letters

from attention_engine.program import inputs as engine_inputs

REST = "..."


@dataclass(frozen=True)
class Axis:
    """An axis by its name, or REST for all axes that are not named; where it stands in the learner's text."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Term:
    """The axes of one operand or of the output."""

    axes: tuple[Axis, ...]
    start: int
    end: int

    @property
    def names(self) -> tuple[str, ...]:
        """The names alone."""
        return tuple(axis.name for axis in self.axes)


@dataclass(frozen=True)
class Einsum:
    """An equation; `operands` are the declared names of its terms where it names them, else empty."""

    inputs: tuple[Term, ...]
    output: Term
    operands: tuple[str, ...] = ()

    @property
    def summed(self) -> tuple[str, ...]:
        """Axes that are in a term and not in the output, in order of appearance."""
        names = dict.fromkeys(name for term in self.inputs for name in term.names)
        return tuple(name for name in names if name not in self.output.names)

    @property
    def text(self) -> str:
        """b h q d, b h k d -> b h q k"""
        return f"{', '.join(' '.join(term.names) for term in self.inputs)} -> {' '.join(self.output.names)}"


Rows = tuple[tuple[str, ...], ...]
Numbered = tuple[tuple[int, ...], ...]


def rows(equation: Einsum, ranks: Sequence[int] = ()) -> Rows:
    """Names of the axes of each operand and of the output, with one of its own for each that `...` is.

    `ranks` says how many axes each operand has; a term that names too many keeps them all.
    """
    padded = [*ranks, *[0] * len(equation.inputs)]
    counts = [max(0, rank - len(term.axes) + 1) for term, rank in zip(equation.inputs, padded, strict=False)]
    most = max((c for c, t in zip(counts, equation.inputs, strict=True) if REST in t.names), default=0)
    terms = zip((*equation.inputs, equation.output), (*counts, most), strict=True)
    return tuple(tuple(_spread(term, count)) for term, count in terms)


def structure(equation: Einsum, ranks: Sequence[int] = ()) -> Numbered:
    """The same with axes numbered by first appearance: equal for equations that differ in names alone."""
    numbers: dict[str, int] = {}
    return tuple(
        tuple(numbers.setdefault(name, len(numbers)) for name in row) for row in rows(equation, ranks)
    )


def in_order(equation: Einsum, operands: Sequence[str]) -> Einsum:
    """The same with its terms in the order of the declared operands, where it names them all."""
    if sorted(equation.operands) != sorted(operands):
        return equation
    places = [equation.operands.index(name) for name in operands]
    return replace(equation, inputs=tuple(equation.inputs[i] for i in places), operands=tuple(operands))


def _spread(term: Term, count: int) -> list[str]:
    """Names with one of its own for each axis that `...` stands for, counted from the right."""
    rows = ([f"{REST}{i}" for i in reversed(range(count))] if n == REST else [n] for n in term.names)
    return [name for row in rows for name in row]


def program(equation: Einsum, operands: Sequence[str]) -> str | None:
    """A line of the engine's language that runs it; None where an operand is no input of the engine.

    torch.einsum("bhqd,bhkd->bhqk", q, k)
    """
    names = [engine_inputs.meant(name) for name in (equation.operands or operands)]
    if len(names) != len(equation.inputs) or not all(engine_inputs.symbols_of(n, "heads") for n in names):
        return None
    letters = _letters(equation)
    if letters is None:
        return None
    terms = ["".join(letters[name] for name in term.names) for term in (*equation.inputs, equation.output)]
    return f'torch.einsum("{",".join(terms[:-1])}->{terms[-1]}", {", ".join(names)})'


def _letters(equation: Einsum) -> dict[str, str] | None:
    """A letter for each axis: its own where it is one, else its first that is free, else any."""
    names = list(dict.fromkeys(name for term in equation.inputs for name in term.names))
    if len(names) > len(ascii_letters):
        return None
    letters = {name: name for name in names if len(name) == 1 or name == REST}
    for name in names:
        free = [
            one for one in (*name, *ascii_letters) if one in ascii_letters and one not in letters.values()
        ]
        letters.setdefault(name, free[0] if free else "")
    return letters


def in_words(equation: Einsum, operands: Sequence[str]) -> str:
    """Q (b, h, q, d) and K (b, h, k, d) give (b, h, q, k), summed over d"""
    names = [*(equation.operands or operands), *[""] * len(equation.inputs)]
    terms = [f"{name} {_bracketed(term)}".strip() for name, term in zip(names, equation.inputs, strict=False)]
    result = f"{_bracketed(equation.output)}" if equation.output.axes else "one number"
    gives = f"{' and '.join(terms)} give{'s' if len(terms) == 1 else ''} {result}"
    return f"{gives}, " + (
        f"summed over {', '.join(equation.summed)}" if equation.summed else "nothing summed"
    )


def _bracketed(term: Term) -> str:
    return f"({', '.join(term.names)})"


def to_mathml(equation: Einsum, operands: Sequence[str]) -> str:
    """The sum over products of entries, as a <math> element."""
    names = [*(equation.operands or operands), *[f"X{i + 1}" for i in range(len(equation.inputs))]]
    factors = "".join(_entry(name, term) for name, term in zip(names, equation.inputs, strict=False))
    summed = f"<munder><mo>∑</mo>{_indices(equation.summed)}</munder>" if equation.summed else ""
    return f"<math><mrow>{_entry('out', equation.output)}<mo>=</mo>{summed}{factors}</mrow></math>"


def _entry(name: str, term: Term) -> str:
    """One tensor with its axes as indices."""
    letter = f"<mi>{escape(name)}</mi>"
    return f"<msub>{letter}{_indices(term.names)}</msub>" if term.axes else letter


def _indices(names: Sequence[str]) -> str:
    commas = any(len(name) > 1 for name in names)
    between = "<mo>,</mo>" if commas else ""
    return f"<mrow>{between.join(f'<mi>{escape(name)}</mi>' for name in names)}</mrow>"
