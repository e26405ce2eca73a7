"""Why two tensors do not fit each other: in a product, laid on each other, or joined. Runs nothing."""

from collections.abc import Sequence

from attention_engine.execution.hint_operands import Shape, operands, shape, tensors
from attention_engine.execution.ran import Failure


def product(failure: Failure) -> str:
    """Rows of the left operand against columns of the right one."""
    left, right = (shape(tensor) for tensor in tensors(failure)[:2])
    if not left or not right:
        return "A product of matrices takes tensors with at least one axis."
    inner, rows = left[-1], right[-2] if len(right) > 1 else right[-1]
    if inner == rows:
        return _batches(left[:-2], right[:-2])
    told = (
        f"{left} @ {right}: the left one's last axis has {inner:,}, the right one's second to last {rows:,}."
    )
    if len(right) > 1 and right[-1] == inner:
        return f"{told} Transposed, .transpose(-2, -1), the right one has {inner:,} there."
    if len(left) > 2 and len(right) > 2 and left[-3] != right[-3]:
        return f"{told} Axes before the last two stay as they are: {left[:-2]} and {right[:-2]}."
    return told


def linear(failure: Failure) -> str:
    """F.linear multiplies with the transposed weight: its last axis is the one that must agree."""
    x, weight = (shape(tensor) for tensor in tensors(failure)[:2])
    told = f"F.linear takes a weight of (out, in): x has {x[-1]:,} features"
    return f"{told}, and the weight {weight} has {weight[-1]:,} in."


def _batches(left: Shape, right: Shape) -> str:
    """Axes before the last two must be equal, or 1."""
    pairs = list(zip(reversed(left), reversed(right), strict=False))
    uneven = [(a, b) for a, b in pairs if a != b and 1 not in {a, b}]
    if not uneven:
        return f"The axes before the last two are {left} and {right}."
    mine, theirs = uneven[0]
    told = (
        f"Before the last two axes stand {left} and {right}: {mine:,} and {theirs:,} are neither equal nor 1."
    )
    small, large = sorted((mine, theirs))
    if large % small == 0:
        again, dim = large // small, len(left) - 1 - [a == mine and b == theirs for a, b in pairs].index(True)
        evened = f".repeat_interleave({again}, dim={dim}) evens them out"
        return f"{told} {large:,} = {small:,} × {again:,}: {evened}."
    return told


def together(failure: Failure) -> str:
    """Two shapes that do not broadcast, from the last axis on."""
    shapes = [shape(tensor) for tensor in tensors(failure)]
    if len(shapes) < 2:
        return operands(failure)
    left, right = shapes[0], shapes[1]
    for back, (mine, theirs) in enumerate(zip(reversed(left), reversed(right), strict=False), 1):
        if mine != theirs and 1 not in {mine, theirs}:
            return (
                f"{left} and {right} are laid on each other from the last axis: at axis -{back} {mine:,} and "
                f"{theirs:,} are neither equal nor 1."
            )
    return operands(failure)


def joined(failure: Failure) -> str:
    """cat and stack: every axis but the joined one must agree."""
    shapes = [shape(tensor) for tensor in tensors(failure)]
    rest = failure.arguments[1:]
    dim = failure.named.get("dim", rest[0] if rest else 0)
    if len({len(shape) for shape in shapes}) > 1:
        return f"They have {' and '.join(str(len(shape)) for shape in shapes)} axes: {_listed(shapes)}."
    dim = dim % len(shapes[0]) if failure.name != "stack" else -1
    uneven = [
        axis for axis in range(len(shapes[0])) if axis != dim and len({shape[axis] for shape in shapes}) > 1
    ]
    told = ", ".join(
        f"axis {axis}: {' and '.join(str(size) for size in dict.fromkeys(shape[axis] for shape in shapes))}"
        for axis in uneven
    )
    if not told:
        return operands(failure)
    if len(uneven) == 1 and failure.name != "stack":
        return f"{_listed(shapes)} differ at {told}; joined along dim={uneven[0]} they fit."
    return f"{_listed(shapes)} differ at {told}."


def _listed(shapes: Sequence[Shape]) -> str:
    return " and ".join(str(shape) for shape in dict.fromkeys(shapes))
