"""What the parts of a formula of matrices are: scales, products, masks. Knows no mistake."""

from collections.abc import Iterator
from fractions import Fraction

from cards.expressions.maths.nodes import Call, Name, Node, Number, Operation, names_in
from cards.expressions.matrix_trials import Declared


def scalar(node: Node, declared: Declared) -> bool:
    """Whether no matrix occurs in it."""
    return not names_in(node) & set(declared.matrices)


def times(node: Node) -> bool:
    """Whether it is a product, with or without a sign."""
    return isinstance(node, Operation) and node.sign in "*@"


def is_mask(node: Node, declared: Declared) -> bool:
    """Whether it is a declared matrix that is called M or mask."""
    return isinstance(node, Name) and node.name in declared.matrices and node.name[0] in "Mm"


def weighs_values(node: Node) -> bool:
    """Whether it is a softmax times something with values in it: V, X W_V."""
    if not isinstance(node, Operation) or not times(node) or not softmax(node.left):
        return False
    return any(name.startswith(("V", "W_V", "W_v", "v")) for name in names_in(node.right))


def softmax(node: Node) -> bool:
    """Whether it is a softmax of something."""
    return isinstance(node, Call) and node.function == "softmax"


def scaled(node: Node, declared: Declared) -> Iterator[tuple[Node, Node]]:
    """(what is scaled, by what it is divided) of a node that scales a matrix."""
    if not isinstance(node, Operation) or scalar(node, declared):
        return
    if node.sign == "/" and scalar(node.right, declared):
        yield node.left, node.right
    if times(node):
        for scale, other in ((node.left, node.right), (node.right, node.left)):
            if scalar(scale, declared):
                yield other, _inverse(scale)


def _inverse(scale: Node) -> Node:
    """x of 1/x, else 1/x."""
    if isinstance(scale, Operation) and scale.sign == "/" and isinstance(scale.left, Number):
        return scale.right if scale.left.value == 1 else Operation("/", scale.right, scale.left)
    return Operation("/", Number(Fraction(1)), scale)


def masked(node: Node, declared: Declared) -> Iterator[tuple[Node, Node]]:
    """(scores, mask) of a sum with a mask."""
    if isinstance(node, Operation) and node.sign == "+":
        for scores, mask in ((node.left, node.right), (node.right, node.left)):
            if is_mask(mask, declared):
                yield scores, mask
