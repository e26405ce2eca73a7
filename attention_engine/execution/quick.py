"""Shapes of common operations on the meta device, without torch's slow rules; equal to them by test."""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from attention_engine.device import META

Rule = Callable[..., torch.Tensor | None]


def quick(name: str, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> torch.Tensor | None:
    """The result of an operation on contiguous meta tensors, None where torch itself must be asked.

    torch derives them in Python, 0.2 to 1.5 ms each; a program has dozens, run several times over."""
    rule = RULES.get((name, len(arguments)))
    if rule is None or named or not all(_plain(one) for one in arguments):
        return None
    return rule(*arguments)


def _plain(one: Any) -> bool:
    if isinstance(one, torch.Tensor):
        return one.is_meta and one.is_contiguous()
    return type(one) in {int, float}


def _shape(*operands: Any) -> tuple[int, ...] | None:
    """The shape operands have together, None where they do not fit."""
    shapes = [tuple(one.shape) for one in operands if isinstance(one, torch.Tensor)]
    if len(set(shapes)) == 1:
        return shapes[0]
    try:
        return tuple(torch.broadcast_shapes(*shapes))  # type: ignore[no-untyped-call]
    except RuntimeError:
        return None


def _made(shape: tuple[int, ...] | None, dtype: torch.dtype) -> torch.Tensor | None:
    return None if shape is None else torch.empty(shape, dtype=dtype, device=META)


def _number(left: Any, right: Any) -> torch.Tensor | None:
    """Sums and products: not of masks, of which torch refuses some."""
    dtype = torch.result_type(left, right)
    masks = any(isinstance(one, torch.Tensor) and one.dtype == torch.bool for one in (left, right))
    return None if masks or dtype == torch.bool else _made(_shape(left, right), dtype)


def _quotient(left: Any, right: Any) -> torch.Tensor | None:
    dtype = torch.result_type(left, right)
    return _made(_shape(left, right), dtype) if dtype.is_floating_point else None


def _compared(left: Any, right: Any) -> torch.Tensor | None:
    return _made(_shape(left, right), torch.bool)


def _filled(tensor: Any, mask: Any, value: Any) -> torch.Tensor | None:
    """masked_fill of floats by a mask that fits into them."""
    if not isinstance(tensor, torch.Tensor) or not isinstance(mask, torch.Tensor):
        return None
    if not tensor.is_floating_point() or mask.dtype != torch.bool or isinstance(value, torch.Tensor):
        return None
    shape = tuple(tensor.shape)
    return _made(shape, tensor.dtype) if _shape(tensor, mask) == shape else None


def _chosen(mask: Any, left: Any, right: Any) -> torch.Tensor | None:
    """torch.where of a mask."""
    if not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool:
        return None
    if not isinstance(left, torch.Tensor) and not isinstance(right, torch.Tensor):
        return None
    return _made(_shape(mask, left, right), torch.result_type(left, right))


def _triangle(tensor: Any, diagonal: Any = 0) -> torch.Tensor | None:
    if not isinstance(tensor, torch.Tensor) or tensor.dim() < 2 or type(diagonal) is not int:
        return None
    return _made(tuple(tensor.shape), tensor.dtype)


def _of_floats(tensor: Any) -> torch.Tensor | None:
    floats = isinstance(tensor, torch.Tensor) and tensor.is_floating_point()
    return _made(tuple(tensor.shape), tensor.dtype) if floats else None


RULES: Mapping[tuple[str, int], Rule] = {
    **dict.fromkeys((("add", 2), ("sub", 2), ("mult", 2), ("mul", 2)), _number),
    **dict.fromkeys((("pow", 2), ("mod", 2), ("floordiv", 2)), _number),
    ("div", 2): _quotient,
    ("compare", 2): _compared,
    ("masked_fill", 3): _filled,
    ("where", 3): _chosen,
    **dict.fromkeys(((name, count) for name in ("tril", "triu") for count in (1, 2)), _triangle),
    **dict.fromkeys(
        ((name, 1) for name in ("usub", "neg", "exp", "sqrt", "rsqrt", "sin", "cos")), _of_floats
    ),
}
"""By name and number of arguments."""
