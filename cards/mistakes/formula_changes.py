"""Small changes of one node of a formula, each of them a slip that people make. Knows no key."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from cards.expressions.maths.nodes import Call, Name, Negative, Node, Number, Operation, Relation, children

Change = Callable[[Node], Iterable[Node]]
ONE, TWO = Number(Fraction(1)), Number(Fraction(2))


def product(left: Node, right: Node) -> Node:
    """left · right"""
    return Operation("*", left, right)


def is_root(node: Node) -> bool:
    """Whether a node is a square root, as sqrt or as a power of 1/2."""
    power = isinstance(node, Operation) and node.sign == "^" and isinstance(node.right, Number)
    return (isinstance(node, Call) and node.function == "sqrt") or (
        power and isinstance(node, Operation) and node.right == Number(Fraction(1, 2), node.right.span)
    )


def inverted(node: Node) -> Iterator[Node]:
    """a/b as b/a"""
    if isinstance(node, Operation) and node.sign == "/":
        yield Operation("/", node.right, node.left)


def without_root(node: Node) -> Iterator[Node]:
    """√x as x"""
    if is_root(node):
        yield children(node)[0]


def rooted(node: Node) -> Iterator[Node]:
    """A symbol as its root."""
    if isinstance(node, Name) and node.name not in ("pi", "e"):
        yield Call("sqrt", (node,))


def root_squared(node: Node) -> Iterator[Node]:
    """√x as x²."""
    if is_root(node):
        yield Operation("^", children(node)[0], TWO)


def squared(node: Node) -> Iterator[Node]:
    """A symbol as its square."""
    if isinstance(node, Name) and node.name not in ("pi", "e"):
        yield Operation("^", node, TWO)


def two_lost(node: Node) -> Iterator[Node]:
    """2n as n."""
    if isinstance(node, Operation) and node.sign == "*":
        for kept, factor in ((node.right, node.left), (node.left, node.right)):
            if isinstance(factor, Number) and factor.value % 2 == 0:
                yield product(Number(factor.value / 2), kept)


def exponent_lost(node: Node) -> Iterator[Node]:
    """x^n as x."""
    if isinstance(node, Operation) and node.sign == "^" and not is_root(node):
        yield node.left


def factor_lost(node: Node) -> Iterator[Node]:
    """A symbol left out."""
    if isinstance(node, Name) and node.name not in ("pi", "e"):
        yield ONE


def number_lost(node: Node) -> Iterator[Node]:
    """A numeral left out of a product."""
    if isinstance(node, Operation) and node.sign == "*":
        if isinstance(node.left, Number):
            yield node.right
        if isinstance(node.right, Number):
            yield node.left


def sign_turned(node: Node) -> Iterator[Node]:
    """Plus as minus, minus as plus."""
    match node:
        case Operation(sign="+" | "-"):
            yield Operation("-" if node.sign == "+" else "+", node.left, node.right)
        case Negative():
            yield node.operand


def term_lost(node: Node) -> Iterator[Node]:
    """A sum without one of its terms."""
    if isinstance(node, Operation) and node.sign in "+-":
        yield node.left
        yield node.right if node.sign == "+" else Negative(node.right)


def resigned(old: str, new: str) -> Change:
    """One operation in place of another."""

    def change(node: Node) -> Iterator[Node]:
        if isinstance(node, Operation) and node.sign == old:
            yield Operation(new, node.left, node.right)

    return change


def one_more_or_less(node: Node) -> Iterator[Node]:
    """x + 1 and x - 1."""
    for sign in "+-":
        yield Operation(sign, node, ONE)


def symbol_off_by_one(node: Node) -> Iterator[Node]:
    """A symbol as one more or one less."""
    if isinstance(node, Name) and node.name not in ("pi", "e"):
        yield from one_more_or_less(node)


def other_log(node: Node) -> Iterator[Node]:
    """A logarithm to another base."""
    logs = ("log", "log2", "log10")
    if isinstance(node, Call) and node.function in logs and len(node.arguments) == 1:
        yield from (Call(name, node.arguments) for name in logs if name != node.function)


def turned(node: Node) -> Iterator[Node]:
    """a < b as a > b."""
    turned = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
    if isinstance(node, Relation) and node.sign in turned:
        yield Relation(turned[node.sign], node.left, node.right)


def other_strictness(node: Node) -> Iterator[Node]:
    """a < b as a <= b."""
    other = {"<": "<=", ">": ">=", "<=": "<", ">=": ">"}
    if isinstance(node, Relation) and node.sign in other:
        yield Relation(other[node.sign], node.left, node.right)


def multiplied_by(factor: Fraction) -> Change:
    """A formula times a number."""
    return lambda node: [product(Number(factor), node)]
