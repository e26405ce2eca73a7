"""One slip at a time: every program that differs from a given one by one swapped, changed or dropped part."""

import ast
import copy
import re
from collections.abc import Callable, Iterator
from functools import cache

DROPPED = {
    "transpose",
    "swapaxes",
    "permute",
    "movedim",
    "masked_fill",
    "repeat_interleave",
    "softmax",
    "mT",
    "T",
}
SWAPPED = {"view", "reshape", "unflatten", "permute", "expand", "repeat"}
NAMES = {
    "q": "k",
    "k": "v",
    "v": "q",
    "k_new": "k_cache",
    "k_cache": "k_new",
    "W_q": "W_k",
    "W_k": "W_v",
    "cos": "sin",
}
OPERATORS: dict[type[ast.operator], ast.operator] = {
    ast.Div: ast.Mult(),
    ast.Mult: ast.Div(),
    ast.Add: ast.Sub(),
    ast.Sub: ast.Add(),
}
METHODS = {
    "tril": "triu",
    "triu": "tril",
    "repeat_interleave": "tile",
    "sqrt": "rsqrt",
    "cos": "sin",
    "chunk": "split",
}
AXES = {
    "transpose",
    "swapaxes",
    "movedim",
    "softmax",
    "cat",
    "stack",
    "sum",
    "unsqueeze",
    "unbind",
    "flatten",
    "chunk",
}
Change = Callable[[ast.AST], Iterator[ast.AST]]


@cache
def mutants(text: str) -> tuple[str, ...]:
    """Each mutant once, the program itself never."""
    tree = ast.parse(text)
    found: dict[str, None] = {}
    for parent in list(ast.walk(tree)):
        for name, value in list(ast.iter_fields(parent)):
            for place, node in enumerate(value) if isinstance(value, list) else ((-1, value),):
                if isinstance(node, ast.AST):
                    found.update(dict.fromkeys(_put(tree, parent, name, place, node)))
    found.pop(ast.unparse(tree), None)
    return tuple(found)


def _put(tree: ast.AST, parent: ast.AST, name: str, place: int, node: ast.AST) -> list[str]:
    """The program with each change of one node in its place, which is then put back."""
    texts = []
    for change in CHANGES:
        for changed in change(node):
            _set(parent, name, place, changed)
            texts.append(ast.unparse(tree))
    _set(parent, name, place, node)
    return texts


def _set(parent: ast.AST, name: str, place: int, node: ast.AST) -> None:
    if place < 0:
        setattr(parent, name, node)
    else:
        getattr(parent, name)[place] = node


def _method(node: ast.AST) -> str:
    return node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""


def _dropped(node: ast.AST) -> Iterator[ast.AST]:
    """q.transpose(1, 2) -> q."""
    attribute = node.attr if isinstance(node, ast.Attribute) else ""
    named = _method(node) if isinstance(node, ast.Call) else attribute if attribute in {"mT", "T"} else ""
    on = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    on = node.value if isinstance(node, ast.Attribute) else on
    if named in DROPPED and on is not None and not (isinstance(on, ast.Name) and on.id in {"torch", "F"}):
        yield on


def _swapped_sizes(node: ast.AST) -> Iterator[ast.AST]:
    """view(B, T, H, D) -> view(B, T, D, H), every pair of neighbours; in a tuple of sizes too."""
    if _method(node) not in SWAPPED or not isinstance(node, ast.Call):
        return
    for first in range(len(node.args) - 1):
        other = copy.deepcopy(node)
        other.args[first], other.args[first + 1] = other.args[first + 1], other.args[first]
        yield other
    for place, argument in enumerate(node.args):
        if isinstance(argument, ast.Tuple):
            for first in range(len(argument.elts) - 1):
                other = copy.deepcopy(node)
                sizes = other.args[place].elts
                sizes[first], sizes[first + 1] = sizes[first + 1], sizes[first]
                yield other


def _other_axis(node: ast.AST) -> Iterator[ast.AST]:
    """softmax(-1) -> softmax(-2), cat(..., dim=2) -> dim=1."""
    if _method(node) not in AXES or not isinstance(node, ast.Call):
        return
    for place, argument in enumerate(node.args):
        number = _number(argument)
        if number is not None:
            other = copy.deepcopy(node)
            other.args[place] = ast.Constant(number - 1)
            yield other
    for place, keyword in enumerate(node.keywords):
        number = _number(keyword.value)
        if keyword.arg == "dim" and number is not None:
            other = copy.deepcopy(node)
            other.keywords[place].value = ast.Constant(number - 1)
            yield other


def _number(node: ast.AST) -> int | None:
    if (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.operand, ast.Constant)
        and isinstance(node.op, ast.USub)
    ):
        return -node.operand.value if isinstance(node.operand.value, int) else None
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _other_operator(node: ast.AST) -> Iterator[ast.AST]:
    """/ for *, operands of @ the other way round."""
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield ast.BinOp(node.left, OPERATORS[type(node.op)], node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult | ast.Div | ast.Sub | ast.Pow):
        yield ast.BinOp(node.right, node.op, node.left)
    if (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and not isinstance(node.operand, ast.Constant)
    ):
        yield node.operand
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
        yield node.operand
    if isinstance(node, ast.Compare):
        turned = {ast.Eq: ast.NotEq(), ast.Lt: ast.GtE(), ast.NotEq: ast.Eq()}
        if type(node.ops[0]) in turned:
            yield ast.Compare(node.left, [turned[type(node.ops[0])]], node.comparators)


def _other_name(node: ast.AST) -> Iterator[ast.AST]:
    """k for q, D for H, another method, a scale without its root."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in NAMES:
        yield ast.Name(NAMES[node.id], ast.Load())
    if isinstance(node, ast.Attribute) and node.attr in METHODS and getattr(node.value, "id", "") != "math":
        yield ast.Attribute(node.value, METHODS[node.attr], ast.Load())
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "math.sqrt":
        yield node.args[0]
    if isinstance(node, ast.Call) and ast.unparse(node.func) in {"torch.cat", "torch.concat", "torch.stack"}:
        other = copy.deepcopy(node)
        if isinstance(other.args[0], ast.List | ast.Tuple):
            other.args[0].elts.reverse()
            yield other
    if isinstance(node, ast.keyword) and node.arg in {"is_causal", "enable_gqa"}:
        yield ast.keyword(node.arg, ast.Constant(not node.value.value))


def _other_pattern(node: ast.AST) -> Iterator[ast.AST]:
    """Two neighbouring axes of an einops or einsum result the other way round, on the right of the arrow."""
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str) and "->" in node.value):
        return
    left, right = node.value.split("->")
    parts = re.findall(r"[A-Za-z]+|[()]", right) if " " in node.value else list(right)
    glue = " " if " " in node.value else ""
    for first in range(len(parts) - 1):
        if parts[first] not in "()" and parts[first + 1] not in "()":
            swapped = [*parts[:first], parts[first + 1], parts[first], *parts[first + 2 :]]
            yield ast.Constant(f"{left}->{glue}{glue.join(swapped)}".replace("( ", "(").replace(" )", ")"))


CHANGES: tuple[Change, ...] = (
    _dropped,
    _swapped_sizes,
    _other_axis,
    _other_operator,
    _other_name,
    _other_pattern,
)
