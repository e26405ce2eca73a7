"""Formulas written out again: plain text, LaTeX, and words for those who listen. Reads and compares nothing.

What is printed reads back as the same tree but for places and for which products were implicit.
"""

from collections.abc import Mapping
from fractions import Fraction

from cards.expressions.maths.names import GREEK
from cards.expressions.maths.nodes import (
    Absolute,
    Call,
    Name,
    Negative,
    Node,
    Number,
    Operation,
    Postfix,
    Relation,
    fold,
)

_MANY_ZEROS = 20
RELATION, SUM, PRODUCT, SIGN, POWER, ATOM = range(6)
_BINDING = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "@": PRODUCT, "⊙": PRODUCT, "^": POWER}
_LATEX_SIGNS = {"*": r" \cdot ", "⊙": r" \odot ", "@": " ", "<=": r" \le ", ">=": r" \ge ", "!=": r" \ne "}
_GREEK_NAMES = frozenset(GREEK.values())
_COMMANDS = ("exp", "log", "sin", "cos", "tan", "tanh", "min", "max")
_SPOKEN: Mapping[str, str] = {
    "+": "plus", "-": "minus", "*": "times", "@": "times", "⊙": "times, entry by entry,",
    "/": "over", "^": "to the power",
    "=": "equals", "!=": "is not", "<": "is less than", "<=": "is at most",
    ">": "is more than", ">=": "is at least",
    "!": "factorial", "%": "percent", "T": "transposed",
}  # fmt: skip


def binding(node: Node) -> int:
    """How tightly a node holds together: RELATION loosest, ATOM tightest."""
    match node:
        case Relation():
            tight = RELATION
        case Operation():
            tight = _BINDING[node.sign]
        case Number() if node.value >= 0:
            tight = ATOM if _is_decimal(node.value) else PRODUCT
        case Negative() | Number():
            tight = SIGN
        case Postfix():
            tight = POWER
        case _:
            tight = ATOM
    return tight


def brackets(node: Operation) -> tuple[bool, bool]:
    """Whether the left and the right operand need brackets to be read back as they are."""
    own, left, right = binding(node), binding(node.left), binding(node.right)
    if node.sign == "^":
        return left <= POWER, right < SIGN
    return left < own or left == SIGN, right <= own or right == SIGN


def to_plain(node: Node) -> str:
    """As it is typed: 2 * L * d_k / sqrt(n)."""
    return fold(node, _plain)


def _plain(node: Node, parts: tuple[str, ...]) -> str:
    match node:
        case Number():
            text = numeral(node.value)
        case Name():
            text = node.name
        case Negative():
            text = f"-{_in(parts[0], binding(node.operand) <= SIGN)}"
        case Absolute():
            text = f"abs({parts[0]})"
        case Postfix():
            inner = _in(parts[0], binding(node.operand) <= POWER)
            text = f"{inner}^T" if node.sign == "T" else f"{inner}{node.sign}"
        case Operation() | Relation():
            left, right = _sides(node, parts)
            text = f"{left}^{right}" if node.sign == "^" else f"{left} {node.sign} {right}"
        case Call(function="root"):
            degree = _in(parts[1], binding(node.arguments[1]) < ATOM)
            text = f"({parts[0]})^(1/{degree})"
        case Call():
            options = [f"{name}={numeral(value)}" for name, value in node.options]
            text = f"{node.function}({', '.join([*parts, *options])})"
    return text


def _sides(node: Operation | Relation, parts: tuple[str, ...]) -> tuple[str, str]:
    """Both operands, in brackets where these are needed."""
    needed = brackets(node) if isinstance(node, Operation) else (False, False)
    return _in(parts[0], needed[0]), _in(parts[1], needed[1])


def _in(text: str, needed: bool) -> str:
    return f"({text})" if needed else text


def numeral(value: Fraction) -> str:
    """A number exactly: 12.5, 1/3 or -2."""
    if value.denominator == 1:
        digits = str(value.numerator)
        short = digits.rstrip("0")
        return digits if len(digits) - len(short) < _MANY_ZEROS else f"{short}e{len(digits) - len(short)}"
    return _decimal(value) if _is_decimal(value) else f"{value.numerator}/{value.denominator}"


def _is_decimal(value: Fraction) -> bool:
    """Whether a number ends in decimals."""
    return _places(value) is not None


def _places(value: Fraction) -> int | None:
    """Decimals of a number that has at most 30 of them."""
    return next((n for n in range(31) if (value * 10**n).denominator == 1), None)


def _decimal(value: Fraction) -> str:
    places = _places(value) or 0
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}"


def to_latex(node: Node) -> str:
    """As it is typeset: \\frac{2 \\cdot L}{\\sqrt{d_{k}}}."""
    return fold(node, _latex)


def _latex(node: Node, parts: tuple[str, ...]) -> str:
    match node:
        case Number():
            text = numeral(node.value)
        case Name():
            text = latex_name(node.name)
        case Negative():
            text = f"-{_braced(parts[0], binding(node.operand) <= SIGN)}"
        case Absolute():
            text = rf"\left|{parts[0]}\right|"
        case Postfix():
            inner = _braced(parts[0], binding(node.operand) <= POWER)
            text = inner + {"T": r"^{\top}", "!": "!", "%": r"\%"}[node.sign]
        case Relation():
            text = f"{parts[0]}{_LATEX_SIGNS.get(node.sign, f' {node.sign} ')}{parts[1]}"
        case Operation():
            text = _latex_operation(node, parts)
        case Call():
            text = _latex_call(node, parts)
    return text


def _latex_operation(node: Operation, parts: tuple[str, ...]) -> str:
    if node.sign == "/":
        return rf"\frac{{{parts[0]}}}{{{parts[1]}}}"
    first, second = brackets(node)
    first = first and not (isinstance(node.left, Operation) and node.left.sign == "/" and node.sign != "^")
    if node.sign == "^":
        return f"{_braced(parts[0], first)}^{{{parts[1]}}}"
    sign = _LATEX_SIGNS.get(node.sign, f" {node.sign} ")
    return f"{_braced(parts[0], first)}{sign}{_braced(parts[1], second)}"


def _latex_call(node: Call, parts: tuple[str, ...]) -> str:
    if node.function == "sqrt":
        return rf"\sqrt{{{parts[0]}}}"
    if node.function == "root":
        return rf"\sqrt[{parts[1]}]{{{parts[0]}}}"
    if node.function in ("floor", "ceil"):
        return rf"\l{node.function} {parts[0]} \r{node.function}"
    if node.function in ("log2", "log10"):
        return rf"\log_{{{node.function[3:]}}}\left({parts[0]}\right)"
    name = rf"\{node.function}" if node.function in _COMMANDS else rf"\operatorname{{{node.function}}}"
    options = [rf"\text{{{option}}}={numeral(value)}" for option, value in node.options]
    return rf"{name}\left({', '.join([*parts, *options])}\right)"


def _braced(text: str, needed: bool) -> str:
    return rf"\left({text}\right)" if needed else text


def latex_name(name: str) -> str:
    """d_{\\text{head}} for d_head, d_k for d_k."""
    base, _, below = name.partition("_")
    letters = rf"\{base}" if base in _GREEK_NAMES else base if len(base) == 1 else rf"\text{{{base}}}"
    if not below:
        return letters
    return f"{letters}_{{{below}}}" if len(below) == 1 else rf"{letters}_{{\text{{{below}}}}}"


def in_words(node: Node) -> str:
    """As it is said aloud: 2 times L, over the square root of d_k."""
    return fold(node, _words)


def _words(node: Node, parts: tuple[str, ...]) -> str:
    match node:
        case Number():
            text = numeral(node.value)
        case Name():
            text = node.name
        case Negative():
            text = f"minus {_in(parts[0], binding(node.operand) <= SIGN)}"
        case Absolute():
            text = f"the absolute value of {_in(parts[0], binding(node.operand) < ATOM)}"
        case Postfix():
            text = f"{_in(parts[0], binding(node.operand) <= POWER)} {_SPOKEN[node.sign]}"
        case Operation(sign="^", right=Number(value=value)) if value in (2, 3):
            text = f"{_sides(node, parts)[0]} {'squared' if value == 2 else 'cubed'}"
        case Operation() | Relation():
            left, right = _sides(node, parts)
            text = f"{left} {_SPOKEN[node.sign]} {right}"
        case Call(function="sqrt"):
            text = f"the square root of {_in(parts[0], binding(node.arguments[0]) < ATOM)}"
        case Call():
            options = [f"{name} {numeral(value)}" for name, value in node.options]
            text = f"{node.function} of ({', '.join([*parts, *options])})"
    return text
