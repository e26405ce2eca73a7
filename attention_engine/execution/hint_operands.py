"""The operands of a failed operation, for a sentence. Runs no operation."""

from collections.abc import Sequence
from typing import Any

import torch

from attention_engine.execution.ran import Failure

Shape = tuple[int, ...]


def tensors(failure: Failure) -> list[torch.Tensor]:
    """The tensors among the operands, those of a list too."""
    flat: list[torch.Tensor] = []
    for one in (*failure.arguments, *failure.named.values()):
        flat += [
            part
            for part in (one if isinstance(one, tuple | list) else (one,))
            if isinstance(part, torch.Tensor)
        ]
    return flat


def shape(tensor: torch.Tensor) -> Shape:
    """The shape as a plain tuple."""
    return tuple(tensor.shape)


def operands(failure: Failure) -> str:
    """Which operand has which shape."""
    shapes = [str(shape(tensor)) for tensor in tensors(failure)]
    if not shapes:
        return ""
    return f"{'The operand is' if len(shapes) == 1 else 'The operands are'} {' and '.join(shapes)}."


def asked(arguments: Sequence[Any]) -> list[int]:
    """Sizes given one by one or as a tuple. Raises TypeError where they are no whole numbers."""
    first = arguments[0] if arguments else ()
    sizes = first if isinstance(first, tuple | list) else arguments
    if not all(type(size) is int for size in sizes):
        raise TypeError("sizes are whole numbers")
    return list(sizes)
