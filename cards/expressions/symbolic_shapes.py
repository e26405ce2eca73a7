"""Shapes written in names: each axis worked out at several sizes, exactly. Knows no card; runs nothing.

(B, H, T, D)   B x H x T x d_model/H   (B, T, H*D)   [B, H, T+1, d_head]
The sizes of one assignment are different primes, and d_model is H*D: only equal axes agree at all of them.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from cards.expressions.axes import ALIASES, Ambiguous, axes_of
from cards.expressions.looking import Looking
from cards.expressions.shape_text import AxisToken, axes_in, shape_text, unread
from cards.expressions.text import Plain
from cards.grading import Unreadable

MAX_RANK = 8
MAX_DEPTH = 20
MAX_BITS = 4096
MOST_NAMES = 12
MOST_SIGNS = 24
"""Signs of one axis: too few to write a sum that fits every assignment and is not the axis."""
ASSIGNMENTS = 8
BY_NAME = "Write the axes by name"
_PRIMES = (
    11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
    113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223, 227, 229,
    233, 239, 241, 251, 257, 263, 269, 271, 277, 281, 283, 293, 307, 311,
)  # fmt: skip
_STEP, _SHIFT = 8, 3
_EXPONENTS = tuple("12345678")
Values = tuple[Fraction, ...]
Assignments = tuple[Mapping[str, int], ...]


@dataclass(frozen=True)
class Axis:
    """One axis: how it was written, in the names the question uses, and its size at each assignment."""

    text: str
    values: Values
    named: bool
    """Whether a name stands in it, not only numbers."""


@dataclass(frozen=True)
class SymbolicShape:
    """The axes, and the line that shows the learner how they were read."""

    axes: tuple[Axis, ...]
    read_as: str

    @property
    def values(self) -> tuple[Values, ...]:
        """What two equal shapes have in common."""
        return tuple(axis.values for axis in self.axes)


def names_in(axes: Sequence[str]) -> list[str]:
    """The names an author uses in axes, in an order that tells nothing of theirs."""
    found: set[str] = set()
    for axis in axes:
        words = [token.text for part in axes_in(shape_text(axis)) for token in part]
        for word in (word for word in words if word[0].isalpha()):
            found |= {word} if word in ALIASES else {*axes_of(word, {})} or {word}
    if {"H", "D"} <= found:
        found.add("d_model")
    if "d_model" in found and len({"H", "D"} & found) == 1:
        found |= {"H", "D"}
    order = list(ALIASES)
    return sorted(found, key=lambda name: (order.index(name) if name in order else len(order), name))


def assignments(names: Collection[str]) -> Assignments:
    """Sizes for the names, different primes each time; d_model is H*D where heads have names."""
    if len(names) > MOST_NAMES:
        raise ValueError(f"a shape has at most {MOST_NAMES} names, not {len(names)}")
    return tuple(_assignment(sorted(names), number) for number in range(ASSIGNMENTS))


def read_symbolic(text: str, names: Sequence[str], constants: Collection[Fraction] = ()) -> SymbolicShape:
    """The shape a learner wrote in `names`; an axis that is a number has to be 1 or one of `constants`.

    Raises Unreadable with the offset.
    """
    source = shape_text(text)
    parts = axes_in(source)
    if not parts:
        raise unread(source, 0, f"{BY_NAME}, such as (B, T).")
    if len(parts) > MAX_RANK:
        raise unread(source, parts[MAX_RANK][0].index, f"A shape has at most {MAX_RANK} axes here.")
    for part in parts:
        if len(part) > MOST_SIGNS:
            raise unread(source, part[MOST_SIGNS].index, "Write each axis shorter.")
    sizes = assignments(names)
    axes = tuple(_Reader(source, part, sizes).axis() for part in parts)
    for part, axis in zip(parts, axes, strict=True):
        if not axis.named and axis.values[0] != 1 and axis.values[0] not in constants:
            raise unread(source, part[0].index, f"{BY_NAME}, such as {names[0]}.")
    count = f"{len(axes)} {'axis' if len(axes) == 1 else 'axes'}"
    return SymbolicShape(axes, f"Read as a shape with {count}: {format_axes(axes)}")


def format_axes(axes: Sequence[Axis]) -> str:
    """(B, H, T, D), as a shape is written."""
    return f"({', '.join(axis.text for axis in axes)}{',' if len(axes) == 1 else ''})"


def axis_at(source: Plain, part: list[AxisToken], sizes: Mapping[str, int]) -> Axis:
    """One axis at the sizes of a question, whatever arithmetic it is written in. Raises Unreadable."""
    return _Reader(source, part, (sizes,)).axis()


def at_sizes(text: str, sizes: Mapping[str, int]) -> tuple[int, ...] | None:
    """The numbers of a symbolic shape at some sizes; None where a name has none or it is not whole."""
    source = shape_text(text)
    try:
        found = [_Reader(source, part, (sizes,)).axis().values[0] for part in axes_in(source)]
    except Unreadable:
        return None
    return tuple(map(int, found)) if all(v.denominator == 1 and v > 0 for v in found) else None


def _assignment(names: Sequence[str], number: int) -> Mapping[str, int]:
    """One choice of sizes."""
    sizes = {
        name: _PRIMES[(place * _STEP + number * _SHIFT) % len(_PRIMES)] for place, name in enumerate(names)
    }
    if {"H", "D", "d_model"} <= set(sizes):
        sizes["d_model"] = sizes["H"] * sizes["D"]
    return sizes


class _Reader(Looking[AxisToken]):
    """One axis, from left to right: products and quotients, added and subtracted."""

    def __init__(self, source: Plain, tokens: list[AxisToken], sizes: Assignments) -> None:
        super().__init__(tokens)
        self.source, self.sizes = source, sizes
        self.named = False

    def axis(self) -> Axis:
        """The whole axis. Raises Unreadable."""
        values, text = self.sum()
        if self.position < len(self.tokens):
            raise self.unread()
        if any(value <= 0 for value in values):
            raise unread(self.source, self.tokens[0].index, "An axis has a size of 1 or more.")
        return Axis(text, values, self.named)

    def sum(self) -> tuple[Values, str]:
        """Terms added and subtracted."""
        values, text = self.term()
        while sign := self.take("+", "-"):
            others, other = self.term()
            values = tuple(a + b if sign == "+" else a - b for a, b in zip(values, others, strict=True))
            text += f" {'+' if sign == '+' else '−'} {other}"
        return values, text

    def term(self) -> tuple[Values, str]:
        """Factors multiplied and divided."""
        values, text = self.power()
        while sign := self.take("*", "x", "X", "/", "//") or self.joined():
            others, other = self.power()
            if sign in "//":
                if 0 in others:
                    raise self.unread()
                values = tuple(a / b for a, b in zip(values, others, strict=True))
                text += f"/({other})" if "*" in other or "/" in other else f"/{other}"
            else:
                values = self.bounded(tuple(a * b for a, b in zip(values, others, strict=True)))
                text += f"*{other}"
        return values, text

    def joined(self) -> str:
        """A product without a sign, where a name follows a number at once: 2T."""
        before, token = self.tokens[self.position - 1], self.peek()
        adjoins = token is not None and token.index == before.index + len(before.text)
        return "*" if token and adjoins and before.text.isdecimal() and token.text[0].isalpha() else ""

    def power(self) -> tuple[Values, str]:
        """A factor, perhaps with a small whole exponent: T^2, T**2."""
        values, text = self.factor()
        pair = [token.text for token in self.tokens[self.position : self.position + 2]]
        raised = 2 if pair == ["*", "*"] else 1 if pair[:1] == ["^"] else 0
        if not raised:
            return values, text
        self.position += raised
        token = self.peek()
        if token is None or token.text not in _EXPONENTS:
            raise self.unread()
        self.position += 1
        exponent = int(token.text)
        return self.bounded(tuple(value**exponent for value in values)), f"{text}^{exponent}"

    def bounded(self, values: Values) -> Values:
        """The values, if they are not too long."""
        if any(max(v.numerator, v.denominator).bit_length() > MAX_BITS for v in values):
            raise self.unread()
        return values

    def factor(self) -> tuple[Values, str]:
        """A number, a name, or a parenthesis."""
        if self.take("("):
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise self.unread()
            values, text = self.sum()
            self.depth -= 1
            if not self.take(")"):
                raise self.unread()
            return values, f"({text})" if "+" in text or "−" in text else text
        token = self.peek()
        if token is None or not (token.text[0].isalnum() or token.text[0] == "_"):
            raise self.unread()
        self.position += 1
        return self.number(token) if token.text.isdecimal() else self.name(token)

    def number(self, token: AxisToken) -> tuple[Values, str]:
        """Digits, the same at every assignment."""
        if len(token.text) > 10 or token.text.startswith("0"):
            raise unread(self.source, token.index)
        return (Fraction(int(token.text)),) * len(self.sizes), token.text

    def name(self, token: AxisToken) -> tuple[Values, str]:
        """A name of the question, or several run together: HD."""
        known = dict(self.sizes[0])
        try:
            found = axes_of(token.text, known) or tuple(n for n in known if n.lower() == token.text.lower())
        except Ambiguous as problem:
            raise unread(self.source, token.index, str(problem)) from problem
        if not found or any(name not in known for name in found):
            raise unread(self.source, token.index, f"This question has no axis named {token.text}.")
        self.named = True
        values = tuple(Fraction(_product(sizes, found)) for sizes in self.sizes)
        return values, "*".join(found)

    def unread(self) -> Unreadable:
        """The refusal at the next sign."""
        token = self.peek() or self.tokens[-1]
        return unread(self.source, token.index, f"{BY_NAME}.")


def _product(sizes: Mapping[str, int], names: Sequence[str]) -> int:
    """The size of axes run together."""
    product = 1
    for name in names:
        product *= sizes[name]
    return product
