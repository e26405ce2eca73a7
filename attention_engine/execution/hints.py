"""The arithmetic behind torch's words: which size did not fit, and what would. Runs no operation."""

from collections.abc import Callable, Mapping

import torch

from attention_engine.execution import hint_pairs, hint_sizes
from attention_engine.execution.hint_operands import asked, operands, shape, tensors
from attention_engine.execution.ran import Failure


def hint(failure: Failure) -> str:
    """One or two sentences with the numbers of this failure, "" where torch has said all there is."""
    explain = HINTS.get(failure.name, operands)
    try:
        return _several(failure) or explain(failure)
    except (TypeError, ValueError, IndexError, AttributeError, KeyError, ArithmeticError):
        return ""  # the arguments are not what the operation takes: torch's words say so


def _several(failure: Failure) -> str:
    """A method called on the pieces of chunk, split or unbind."""
    first = failure.arguments[0] if failure.arguments else None
    if not isinstance(first, tuple) or not first or not failure.words.startswith("AttributeError"):
        return ""
    if not isinstance(first[0], torch.Tensor):
        return ""
    told = f"These are {len(first)} tensors of {shape(first[0])}"
    return f"{told}: torch.stack or torch.cat makes one of them."


def _axes(failure: Failure) -> str:
    """Axes that are not there, or not all named."""
    axes = shape(tensors(failure)[0])
    named = asked(
        [one for one in (*failure.arguments, *failure.named.values()) if not isinstance(one, torch.Tensor)]
    )
    count = len(axes)
    if failure.name == "permute" and len(named) != count:
        return f"{axes} has {count} axes, and permute names {len(named)}: it names each one once."
    twice = next((one for one in named if named.count(one) > 1), None)
    if failure.name == "permute" and twice is not None:
        return f"permute names axis {twice} twice; {axes} has {count} axes, and each is named once."
    beyond = [one for one in named if not -count <= one < count]
    if not beyond:
        return operands(failure)
    return f"{axes} has {count} axes, 0 to {count - 1}; there is no axis {beyond[0]}."


def _unpacked(failure: Failure) -> str:
    value = failure.arguments[0]
    if not all(isinstance(one, int) for one in value):
        return ""
    return f"There are {len(value)}: {tuple(value)}. Each takes a name of its own, _ where it is not used."


HINTS: Mapping[str, Callable[[Failure], str]] = {
    **dict.fromkeys(("view", "reshape"), hint_sizes.reshaped),
    **dict.fromkeys(("matmul", "mm", "bmm"), hint_pairs.product),
    **dict.fromkeys(
        ("add", "sub", "mult", "div", "mul", "masked_fill", "compare", "bitand", "where"), hint_pairs.together
    ),
    **dict.fromkeys(("cat", "concat", "stack"), hint_pairs.joined),
    **dict.fromkeys(
        ("permute", "transpose", "swapaxes", "movedim", "softmax", "sum", "mean", "unsqueeze"), _axes
    ),
    **dict.fromkeys(("rearrange", "repeat", "reduce"), hint_sizes.pattern),
    "unflatten": hint_sizes.unflattened,
    "linear": hint_pairs.linear,
    "unpack": _unpacked,
}
