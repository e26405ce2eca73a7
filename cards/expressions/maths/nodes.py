"""The parts of a formula as a tree, each with its place in the learner's text. Reads and computes nothing.

Trees are at most a few hundred nodes deep and are walked without recursion: `fold` from the leaves up.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias, TypeVar

Span: TypeAlias = tuple[int, int]
"""First and one past the last character in the original text; (0, 0) for what nobody typed."""
NOWHERE: Span = (0, 0)
Result = TypeVar("Result")


@dataclass(frozen=True)
class Number:
    """A numeral, exactly."""

    value: Fraction
    span: Span = NOWHERE


@dataclass(frozen=True)
class Name:
    """A declared symbol by its own name (never an alias), or the constants `pi` and `e`."""

    name: str
    span: Span = NOWHERE


@dataclass(frozen=True)
class Call:
    """A function of its arguments; `options` are named numbers such as axis of softmax.

    `sqrt(x)`, `root(x, n)`, `log(x)` natural, `log(x, base)`, `log2`, `exp`, `min`, `floor` ...
    """

    function: str
    arguments: "tuple[Node, ...]"
    span: Span = NOWHERE
    options: tuple[tuple[str, Fraction], ...] = ()


@dataclass(frozen=True)
class Negative:
    """A minus in front."""

    operand: "Node"
    span: Span = NOWHERE


@dataclass(frozen=True)
class Operation:
    """Two operands and one of + - * / ^ @ ⊙; `implicit` where no sign stood between them."""

    sign: str
    left: "Node"
    right: "Node"
    span: Span = NOWHERE
    implicit: bool = False


@dataclass(frozen=True)
class Postfix:
    """A sign behind: ! (factorial), % (hundredths) or T (transpose)."""

    sign: str
    operand: "Node"
    span: Span = NOWHERE


@dataclass(frozen=True)
class Absolute:
    """What stands between bars."""

    operand: "Node"
    span: Span = NOWHERE


@dataclass(frozen=True)
class Relation:
    """Two sides and one of = != < <= > >=; only ever at the top."""

    sign: str
    left: "Node"
    right: "Node"
    span: Span = NOWHERE


Node: TypeAlias = Number | Name | Call | Negative | Operation | Postfix | Absolute | Relation


def children(node: Node) -> tuple[Node, ...]:
    """The parts directly below a node, from left to right."""
    match node:
        case Operation() | Relation():
            return node.left, node.right
        case Negative() | Postfix() | Absolute():
            return (node.operand,)
        case Call():
            return node.arguments
        case _:
            return ()


def with_children(node: Node, parts: tuple[Node, ...]) -> Node:
    """The same node over other parts."""
    match node:
        case Operation() | Relation():
            return replace(node, left=parts[0], right=parts[1])
        case Negative() | Postfix() | Absolute():
            return replace(node, operand=parts[0])
        case Call():
            return replace(node, arguments=parts)
        case _:
            return node


def postorder(node: Node) -> list[Node]:
    """Every node of a tree, parts before what they are part of."""
    order: list[Node] = []
    stack = [node]
    while stack:
        top = stack.pop()
        order.append(top)
        stack.extend(children(top))
    order.reverse()
    return order


def fold(node: Node, combine: Callable[[Node, tuple[Result, ...]], Result]) -> Result:
    """`combine(node, results of its parts)` from the leaves up, without recursion."""
    results: list[Result] = []
    for one in postorder(node):
        count = len(children(one))
        parts = tuple(results[len(results) - count :])
        del results[len(results) - count :]
        results.append(combine(one, parts))
    return results[0]


def label(node: Node) -> tuple[Any, ...]:
    """What a node is without its parts and its place."""
    match node:
        case Number():
            return ("number", node.value)
        case Name():
            return ("name", node.name)
        case Call():
            return ("call", node.function, node.options, len(node.arguments))
        case Operation() | Postfix() | Relation():
            return (type(node).__name__, node.sign)
        case _:
            return (type(node).__name__,)


def same(one: Node, other: Node) -> bool:
    """Whether two trees are written alike, wherever they stand."""
    return [label(node) for node in postorder(one)] == [label(node) for node in postorder(other)]


def names_in(node: Node) -> frozenset[str]:
    """The symbols and constants that occur."""
    return frozenset(one.name for one in postorder(node) if isinstance(one, Name))


def walk(node: Node) -> Iterator[tuple[tuple[int, ...], Node]]:
    """Each node with the way to it, as indices of parts; the whole comes first."""
    stack: list[tuple[tuple[int, ...], Node]] = [((), node)]
    while stack:
        path, top = stack.pop()
        yield path, top
        parts = children(top)
        stack.extend((path + (i,), parts[i]) for i in reversed(range(len(parts))))


def replaced(node: Node, path: tuple[int, ...], new: Node) -> Node:
    """The tree with another node at the end of a path."""
    above: list[Node] = []
    for index in path:
        above.append(node)
        node = children(node)[index]
    for parent, index in zip(reversed(above), reversed(path), strict=True):
        parts = children(parent)
        new = with_children(parent, (*parts[:index], new, *parts[index + 1 :]))
    return new
