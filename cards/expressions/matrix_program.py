"""A formula of matrices as a line of the engine's language, so that torch runs it. Runs nothing itself."""

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from attention_engine.program.inputs import ALIASES, HEADS, meant, symbols_of
from attention_engine.program.text import LONGEST
from cards.expressions.maths.nodes import Call, Name, Negative, Node, Number, Operation, Postfix, fold

SUM, PRODUCT, POWER, ATOM = range(4)
_LEVELS = {"+": SUM, "-": SUM, "*": PRODUCT, "@": PRODUCT, "/": PRODUCT, "⊙": PRODUCT}
_OF_MATRICES = {"exp": "torch.exp", "sqrt": "torch.sqrt", "sin": "torch.sin", "cos": "torch.cos"}
MASKS = ("M", "mask", "Mask")
DIGITS = 12


class Untranslated(ValueError):
    """A part that the engine's language has no word for."""


class _Part(NamedTuple):
    """Code, how tightly it holds together, and whether it is a tensor."""

    code: str
    level: int
    tensor: bool


def program(tree: Node, matrices: tuple[str, ...], at: Mapping[str, Fraction]) -> str | None:
    """torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(d_k), dim=-1) @ v, or None where there is none.

    `at` gives numbers for sizes that the engine has no name for.
    """
    try:
        part = fold(tree, lambda node, parts: _part(node, parts, matrices, at=at))
    except Untranslated:
        return None
    return part.code if part.tensor and len(part.code) <= LONGEST else None


def _part(
    node: Node, parts: tuple[_Part, ...], matrices: tuple[str, ...], *, at: Mapping[str, Fraction]
) -> _Part:
    match node:
        case Number():
            return _number(node.value)
        case Name():
            return _tensor(node.name) if node.name in matrices else _size(node.name, at)
        case Negative():
            return _Part(f"-{_within(parts[0], POWER)}", PRODUCT, parts[0].tensor)
        case Operation():
            return _operation(node.sign, *parts)
        case Postfix(sign="T") if parts[0].tensor:
            return _Part(f"{_within(parts[0], ATOM)}.transpose(-2, -1)", ATOM, True)
        case Call():
            return _call(node, parts)
    raise Untranslated


def _tensor(name: str) -> _Part:
    """An input of the engine; its mask is true where a query may look, a formula's is added."""
    if name in MASKS:
        return _Part("torch.where(mask, 0.0, -math.inf)", ATOM, True)
    known = meant(name)
    if not symbols_of(known, HEADS):
        raise Untranslated
    return _Part(known, ATOM, True)


def _size(name: str, at: Mapping[str, Fraction]) -> _Part:
    """A size by the engine's name for it, else as the number that the card gives."""
    if name in ALIASES:
        return _Part(name, ATOM, False)
    if name in at:
        return _number(at[name])
    raise Untranslated


def _number(value: Fraction) -> _Part:
    if value.denominator == 1:
        return _Part(str(value), ATOM, False)
    decimal = f"{float(value):.{DIGITS}g}"
    exact = Fraction(decimal) == value and "e" not in decimal
    return (
        _Part(decimal, ATOM, False)
        if exact
        else _Part(f"{value.numerator} / {value.denominator}", PRODUCT, False)
    )


def _operation(sign: str, left: _Part, right: _Part) -> _Part:
    tensor = left.tensor or right.tensor
    if sign == "^":
        if tensor:
            raise Untranslated
        return _Part(f"{_within(left, ATOM)} ** {_within(right, ATOM)}", POWER, False)
    if sign == "/" and right.tensor:
        raise Untranslated
    level = _LEVELS[sign]
    written = "@" if sign in "*@" and left.tensor and right.tensor else "*" if sign in "*@⊙" else sign
    return _Part(f"{_within(left, level)} {written} {_within(right, level + 1)}", level, tensor)


def _call(node: Call, parts: tuple[_Part, ...]) -> _Part:
    axis = dict(node.options).get("axis")
    if node.function == "softmax" and parts[0].tensor:
        return _Part(f"torch.softmax({parts[0].code}, dim={_dim(axis)})", ATOM, True)
    if node.function == "concat" and all(part.tensor for part in parts):
        joined = ", ".join(part.code for part in parts)
        return _Part(f"torch.cat(({joined},), dim={_dim(axis)})", ATOM, True)
    if axis is None and node.function in _OF_MATRICES and parts[0].tensor:
        return _Part(f"{_OF_MATRICES[node.function]}({parts[0].code})", ATOM, True)
    if node.function == "sqrt":
        return _Part(f"math.sqrt({parts[0].code})", ATOM, False)
    if node.function == "root" and not any(part.tensor for part in parts):
        return _Part(f"{_within(parts[0], ATOM)} ** (1 / {_within(parts[1], ATOM)})", POWER, False)
    raise Untranslated


def _dim(axis: Fraction | None) -> int:
    """The axis of one head's matrix as an axis of all heads' tensor."""
    return -2 if axis in (0, -2) else -1


def _within(part: _Part, level: int) -> str:
    """The code, in brackets where it holds together less tightly."""
    return part.code if part.level >= level else f"({part.code})"
