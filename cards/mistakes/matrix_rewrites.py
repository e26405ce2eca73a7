"""Wrong parts that people write in the place of right ones in a formula of matrices. Names no mistake.

Each takes a node and what the card declares, and gives what would stand there by mistake: often nothing.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

from cards.expressions.maths.nodes import Call, Name, Node, Operation, Postfix
from cards.expressions.matrix_trials import Declared
from cards.mistakes.matrix_parts import masked, scalar, scaled, softmax, times, weighs_values

Rewrite = Callable[[Node, Declared], Iterator[Node]]


def no_scale(node: Node, declared: Declared) -> Iterator[Node]:
    return (matrix for matrix, _ in scaled(node, declared))


def multiplied(node: Node, declared: Declared) -> Iterator[Node]:
    return (Operation("*", matrix, divisor) for matrix, divisor in scaled(node, declared))


def no_root(node: Node, declared: Declared) -> Iterator[Node]:
    if isinstance(node, Call) and node.function == "sqrt" and scalar(node, declared):
        yield node.arguments[0]
    if (
        isinstance(node, Operation)
        and node.sign == "^"
        and isinstance(node.left, Name)
        and scalar(node, declared)
    ):
        yield node.left


def root_of_all(node: Node, declared: Declared) -> Iterator[Node]:
    """The root drawn over the whole quotient."""
    for matrix, divisor in scaled(node, declared):
        if isinstance(divisor, Call) and divisor.function == "sqrt":
            yield Call("sqrt", (Operation("/", matrix, divisor.arguments[0]),))


def other_size(node: Node, declared: Declared) -> Iterator[Node]:
    """Another declared size in the place of one; the width of the model has a name of its own."""
    if isinstance(node, Name) and node.name not in declared.matrices:
        for name in dict.fromkeys([*declared.sizes, *(name for name, _ in declared.scalars)]):
            if name not in (node.name, "d_model"):
                yield Name(name)


def model_width(node: Node, declared: Declared) -> Iterator[Node]:
    known = (*declared.sizes, *(name for name, _ in declared.scalars))
    if isinstance(node, Name) and node.name in known and node.name != "d_model" and "d_model" in known:
        yield Name("d_model")


def no_transpose(node: Node, _declared: Declared) -> Iterator[Node]:
    if isinstance(node, Postfix) and node.sign == "T":
        yield node.operand


def transposed_other(node: Node, _declared: Declared) -> Iterator[Node]:
    if isinstance(node, Operation) and times(node):
        left, right = node.left, node.right
        if isinstance(right, Postfix) and right.sign == "T" and not isinstance(left, Postfix):
            yield replace(node, left=Postfix("T", left), right=right.operand)
        if isinstance(left, Postfix) and left.sign == "T" and not isinstance(right, Postfix):
            yield replace(node, left=left.operand, right=Postfix("T", right))


def swapped(node: Node, _declared: Declared) -> Iterator[Node]:
    """K Q^T for Q K^T."""
    if isinstance(node, Operation) and times(node):
        left, right = node.left, node.right
        if isinstance(right, Postfix) and right.sign == "T" and not isinstance(left, Postfix):
            yield replace(node, left=right.operand, right=Postfix("T", left))


def over_queries(node: Node, _declared: Declared) -> Iterator[Node]:
    if isinstance(node, Call) and softmax(node):
        down = dict(node.options).get("axis") in (0, -2)
        yield replace(node, options=() if down else (("axis", Fraction(0)),))


def before_scale(node: Node, declared: Declared) -> Iterator[Node]:
    if isinstance(node, Call) and softmax(node):
        for matrix, divisor in scaled(node.arguments[0], declared):
            yield Operation("/", replace(node, arguments=(matrix,)), divisor)


def after_values(node: Node, _declared: Declared) -> Iterator[Node]:
    if isinstance(node, Operation) and weighs_values(node):
        inner = node.left
        assert isinstance(inner, Call)
        yield replace(inner, arguments=(replace(node, left=inner.arguments[0]),))


def missing_factor(node: Node, _declared: Declared) -> Iterator[Node]:
    """The values left out behind the weights."""
    if isinstance(node, Operation) and weighs_values(node):
        yield node.left


def missing_projection(node: Node, declared: Declared) -> Iterator[Node]:
    if isinstance(node, Operation) and times(node) and isinstance(node.right, Name):
        projection = node.right.name
        if projection.startswith("W") and projection in declared.matrices:
            yield node.left


def values_first(node: Node, _declared: Declared) -> Iterator[Node]:
    if isinstance(node, Operation) and weighs_values(node):
        yield replace(node, left=node.right, right=node.left)


def no_softmax(node: Node, _declared: Declared) -> Iterator[Node]:
    if isinstance(node, Call) and softmax(node):
        yield node.arguments[0]


def missing_mask(node: Node, declared: Declared) -> Iterator[Node]:
    return (scores for scores, _ in masked(node, declared))


def mask_multiplied(node: Node, declared: Declared) -> Iterator[Node]:
    return (Operation("⊙", scores, mask) for scores, mask in masked(node, declared))


def mask_subtracted(node: Node, declared: Declared) -> Iterator[Node]:
    return (Operation("-", scores, mask) for scores, mask in masked(node, declared))


def mask_scaled(node: Node, declared: Declared) -> Iterator[Node]:
    for scores, mask in masked(node, declared):
        for matrix, divisor in scaled(scores, declared):
            yield Operation("/", Operation("+", matrix, mask), divisor)


def mask_after(node: Node, declared: Declared) -> Iterator[Node]:
    if isinstance(node, Call) and softmax(node):
        for scores, mask in masked(node.arguments[0], declared):
            weights = replace(node, arguments=(scores,))
            yield from (Operation(sign, weights, mask) for sign in "⊙+")


def role(written: str, wanted: str) -> Rewrite:
    """A matrix of one role in the place of another: K for V."""

    def rewrite(node: Node, declared: Declared) -> Iterator[Node]:
        if isinstance(node, Name) and node.name in declared.matrices and node.name.startswith(wanted):
            name = written + node.name[1:]
            others = [one for one in declared.matrices if one.startswith(written)]
            if name in others or len(others) == 1:
                yield Name(name if name in others else others[0])

    return rewrite


def added_heads(node: Node, _declared: Declared) -> Iterator[Node]:
    if isinstance(node, Call) and node.function == "concat" and len(node.arguments) > 1:
        total = node.arguments[0]
        for one in node.arguments[1:]:
            total = Operation("+", total, one)
        yield total


def turned_heads(node: Node, _declared: Declared) -> Iterator[Node]:
    if isinstance(node, Call) and node.function == "concat" and len(node.arguments) > 1:
        yield replace(node, arguments=node.arguments[::-1])


def by_entry(node: Node, declared: Declared) -> Iterator[Node]:
    if (
        isinstance(node, Operation)
        and times(node)
        and not (scalar(node.left, declared) or scalar(node.right, declared))
    ):
        yield replace(node, sign="⊙", implicit=False)
