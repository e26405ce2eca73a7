"""Formulas as presentation MathML, for the line that shows how an answer was read; everything is escaped."""

from html import escape

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
from cards.expressions.maths.printing import POWER, SIGN, binding, brackets, numeral

_LETTERS = {name: letter for letter, name in GREEK.items()}
_SIGNS = {"-": "−", "*": "·", "@": "\u2062", "<=": "≤", ">=": "≥", "!=": "≠"}
_FENCES = {"floor": ("⌊", "⌋"), "ceil": ("⌈", "⌉")}


def to_mathml(node: Node) -> str:
    """One <math> element that needs nothing else."""
    return f"<math>{fold(node, _element)}</math>"


def _element(node: Node, parts: tuple[str, ...]) -> str:
    match node:
        case Number():
            shown = _number(node)
        case Name():
            shown = _name(node.name)
        case Negative():
            shown = _row(_operator("−", prefix=True), _in(parts[0], binding(node.operand) <= SIGN))
        case Absolute():
            shown = _row(_operator("|"), parts[0], _operator("|"))
        case Postfix():
            inner = _in(parts[0], binding(node.operand) <= POWER)
            raised = f"<msup>{inner}<mo>⊤</mo></msup>"
            shown = raised if node.sign == "T" else _row(inner, _operator(node.sign))
        case Relation():
            shown = _row(parts[0], _operator(_SIGNS.get(node.sign, node.sign)), parts[1])
        case Operation():
            shown = _operation(node, parts)
        case Call():
            shown = _call(node, parts)
    return shown


def _number(node: Number) -> str:
    text = numeral(node.value)
    if "/" in text:
        above, below = text.split("/")
        return f"<mfrac><mn>{above}</mn><mn>{below}</mn></mfrac>"
    return f"<mn>{text.replace('-', '−')}</mn>"


def _operation(node: Operation, parts: tuple[str, ...]) -> str:
    if node.sign == "/":
        return f"<mfrac>{parts[0]}{parts[1]}</mfrac>"
    left, right = brackets(node)
    if node.sign == "^":
        return f"<msup>{_in(parts[0], left)}{parts[1]}</msup>"
    left = left and not _stacked(node.left)
    right = right and not _stacked(node.right)
    sign = (
        "\u2062" if node.implicit and not isinstance(node.right, Number) else _SIGNS.get(node.sign, node.sign)
    )
    return _row(_in(parts[0], left), _operator(sign), _in(parts[1], right))


def _stacked(node: Node) -> bool:
    """Whether a node is drawn as a fraction, which needs no brackets in a product."""
    return isinstance(node, Operation) and node.sign == "/"


def _call(node: Call, parts: tuple[str, ...]) -> str:
    if node.function == "sqrt":
        return f"<msqrt>{parts[0]}</msqrt>"
    if node.function == "root":
        return f"<mroot>{parts[0]}{parts[1]}</mroot>"
    if node.function in _FENCES:
        opening, closing = _FENCES[node.function]
        return _row(_operator(opening), parts[0], _operator(closing))
    options = [
        _row(_name(name), _operator("="), f"<mn>{numeral(value)}</mn>") for name, value in node.options
    ]
    inside = _operator(",").join([*parts, *options])
    return _row(_function(node.function), _operator("\u2061"), _in(inside, True))


def _function(name: str) -> str:
    if name in ("log2", "log10"):
        return f"<msub><mi>log</mi><mn>{name[3:]}</mn></msub>"
    return _name(name)


def _name(name: str) -> str:
    """A name with what stands below it; Greek ones by their letter."""
    base, _, below = name.partition("_")
    letters = f"<mi>{escape(_LETTERS.get(base, base))}</mi>"
    return f"<msub>{letters}<mi>{escape(below)}</mi></msub>" if below else letters


def _operator(sign: str, *, prefix: bool = False) -> str:
    form = ' form="prefix"' if prefix else ""
    return f"<mo{form}>{escape(sign)}</mo>"


def _row(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"


def _in(inner: str, needed: bool) -> str:
    return _row(_operator("("), inner, _operator(")")) if needed else inner
