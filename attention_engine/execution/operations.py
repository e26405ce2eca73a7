"""The operations of the language as torch and einops carry them out, on any device. Knows no program text."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812  as every learner writes it

from attention_engine.execution import wrapped
from attention_engine.execution.limits import SLOW
from attention_engine.execution.pieces import Call, called, guarded
from attention_engine.program import RefusedProgram, words

FLOATS = frozenset({"float", "double"})
PICKY = frozenset({"softmax", "bitand", "bitor", "invert"})
"""Operations of which the meta device admits more than a real one does."""
COSTS = {"scaled_dot_product_attention": SLOW, "floordiv": SLOW}


@dataclass(frozen=True)
class Space:
    """Where a program runs: the device of its tensors, and the one kind of float it computes in."""

    device: torch.device
    dtype: torch.dtype


def constant(name: str, space: Space) -> Any:
    """The value of "math.inf" or "torch.float32"; every float is the space's own."""
    last = name.rpartition(".")[2]
    if last in {"inf", "pi"}:
        return math.inf if last == "inf" else math.pi
    return {"bool": torch.bool, "long": torch.long, "int64": torch.int64}.get(last, space.dtype)


def attribute(tensor: torch.Tensor, name: str) -> Any:
    """tensor.T and tensor.mT; T turns round any number of axes, as torch does, without its warning."""
    if name == "T" and tensor.dim() != 2:
        return tensor.permute(tuple(reversed(range(tensor.dim()))))
    if name == "mT" and tensor.dim() == 0:
        return tensor
    return getattr(tensor, name)


def probe(call: Call, arguments: Sequence[Any], named: Mapping[str, Any]) -> None:
    """Runs an operation on one number of each dtype: the meta device lets pass what no kernel does."""

    def small(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or not value.is_meta:
            return value
        return torch.zeros((1,) * value.dim(), dtype=value.dtype)

    if any(isinstance(one, torch.Tensor) and one.is_meta for one in arguments):
        call(*(small(one) for one in arguments), **{name: small(one) for name, one in named.items()})


def method(name: str, space: Space) -> Call:
    """The method of that name, its tensor first."""
    if name in FLOATS:
        return called(name)(lambda tensor: tensor.to(space.dtype))
    found: Call = getattr(torch.Tensor, name)
    return guarded(name, found)


def function(name: str, space: Space) -> Call:
    """The function of that dotted name."""
    last, prefix = name.rpartition(".")[2], name.rpartition(".")[0]
    if prefix in {"", "einops"} and last in words.PATTERNS:
        return wrapped.by_pattern(last)
    if name in {"float", "int", "math.sqrt"}:
        return called(last)(_of_number(name))
    if prefix != "torch":
        ours: dict[str, Call] = {"softmax": wrapped.softmax, "scaled_dot_product_attention": wrapped.attend}
        return ours.get(last) or _of_torch(F, last)
    if last in {"ones", "zeros", "full", "arange", "tensor"}:
        return _factory(last, space)
    ours = {"einsum": wrapped.einsum, "where": wrapped.where, "softmax": wrapped.softmax}
    return ours.get(last) or guarded(last, _of_torch(torch, last))


def _of_torch(module: Any, name: str) -> Call:
    found: Call = getattr(module, name)
    return found


def _of_number(name: str) -> Call:
    """float, int and math.sqrt take a number: what is in a tensor is not known where only shapes are."""
    runs: dict[str, Call] = {"float": float, "int": int, "math.sqrt": math.sqrt}
    run = runs[name]

    def of_number(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            raise RefusedProgram(f"{name} takes a number; of a tensor write .sqrt() or keep it a tensor")
        if isinstance(value, str) and value.strip().lower() not in {"inf", "-inf", "+inf"}:
            raise RefusedProgram(f'{name} takes a number, or the text "-inf"')
        return run(value)

    return of_number


def _factory(name: str, space: Space) -> Call:
    """ones, zeros, full, arange and tensor on the program's own device, floats in its own kind."""

    def make(*arguments: Any, dtype: torch.dtype | None = None, **_device: Any) -> torch.Tensor:
        if any(isinstance(one, torch.Tensor) for one in arguments):
            raise RefusedProgram(f"torch.{name} takes numbers here, not a tensor")
        numbers = name in {"arange", "tensor", "full"}
        wide = dtype or (None if numbers and not _any_float(arguments) else space.dtype)
        made: torch.Tensor = getattr(torch, name)(*arguments, dtype=wide, device=space.device)
        return made

    return make


def _any_float(values: Sequence[Any]) -> bool:
    return any(_any_float(one) if isinstance(one, tuple | list) else isinstance(one, float) for one in values)


def multiplications(name: str, arguments: tuple[Any, ...], result: Any) -> tuple[int, int]:
    """(multiplications, numbers held beside the result) of a product; (0, 0) of everything else."""
    tensors = [one for one in arguments if isinstance(one, torch.Tensor)]
    if not isinstance(result, torch.Tensor) or len(tensors) < 2:
        return 0, 0
    if name == "einsum":
        letters = _letters(str(arguments[0]), tensors)
        beside = sum(math.prod(tensor.shape) for tensor in tensors)
        return letters, beside if len(tensors) < 3 else beside + letters
    if name == "scaled_dot_product_attention":
        scores = math.prod(tensors[0].shape[:-1]) * tensors[1].shape[-2]
        return 2 * scores * tensors[0].shape[-1], 4 * scores
    if name in {"matmul", "mm", "bmm", "linear", "outer"}:
        inner = tensors[0].shape[-1] if name != "outer" else 1
        copied = tensors[1].dim() > 2 and tensors[0].shape[:-2] != tensors[1].shape[:-2]
        times = math.prod(result.shape) * inner
        return times, 2 * times if copied else 0
    return 0, 0


def _letters(pattern: str, tensors: list[torch.Tensor]) -> int:
    """The product of the sizes of all letters, an ellipsis counted once at its largest."""
    sizes: dict[str, int] = {}
    beyond = 1
    for term, tensor in zip(pattern.partition("->")[0].replace(" ", "").split(","), tensors, strict=False):
        left, _, right = term.partition("...")
        for letter, size in zip(left, tensor.shape, strict=False):
            sizes[letter] = max(size, sizes.get(letter, 1))
        for letter, size in zip(reversed(right), reversed(tensor.shape), strict=False):
            sizes[letter] = max(size, sizes.get(letter, 1))
        between = tensor.shape[len(left) : tensor.dim() - len(right)] if "..." in term else ()
        beyond = max(beyond, math.prod(between))
    return math.prod(sizes.values()) * beyond
