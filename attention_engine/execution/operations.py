"""The operations of the language as torch and einops carry them out, on any device. Knows no program text."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import einops
import torch
import torch.nn.functional as F  # noqa: N812  as every learner writes it

from attention_engine.execution.limits import MOST_PIECES
from attention_engine.program import RefusedProgram, words

Call = Callable[..., Any]
FLOATS = frozenset({"float", "double"})
PICKY = frozenset({"softmax", "bitand", "bitor", "invert"})
"""Operations of which the meta device admits more than a real one does."""


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
        return lambda tensor: tensor.to(space.dtype)
    found: Call = getattr(torch.Tensor, name)
    return _guarded(name, found)


def function(name: str, space: Space) -> Call:
    """The function of that dotted name."""
    last, prefix = name.rpartition(".")[2], name.rpartition(".")[0]
    if prefix in {"", "einops"} and last in words.PATTERNS:
        found: Call = getattr(einops, last)
        return found
    if name in {"float", "int", "math.sqrt"}:
        return _of_number(name)
    if prefix != "torch":
        ours: dict[str, Call] = {"softmax": _softmax, "scaled_dot_product_attention": _attend}
        return ours.get(last) or _of_torch(F, last)
    if last in {"ones", "zeros", "full", "arange", "tensor"}:
        return _factory(last, space)
    ours = {"einsum": _einsum, "where": _where}
    return ours.get(last) or _guarded(last, _of_torch(torch, last))


def _of_torch(module: Any, name: str) -> Call:
    found: Call = getattr(module, name)
    return found


def _guarded(name: str, run: Call) -> Call:
    """The same operation, with what would make very many pieces refused before it runs."""
    checks: dict[str, Call] = {
        "chunk": _chunks,
        "split": _splits,
        "unbind": _slices,
        "repeat_interleave": _repeats,
    }
    check = checks.get(name)
    if check is None:
        return run

    def checked(*arguments: Any, **named: Any) -> Any:
        check(*arguments, **named)
        return run(*arguments, **named)

    return checked


def _pieces(number: int) -> None:
    if number > MOST_PIECES:
        raise RefusedProgram(f"{number:,} pieces are above {MOST_PIECES}")


def _length(tensor: Any, dim: Any) -> int:
    """The size of an axis, 0 where there is none: then torch itself says so."""
    if (
        not isinstance(tensor, torch.Tensor)
        or not isinstance(dim, int)
        or not -tensor.dim() <= dim < tensor.dim()
    ):
        return 0
    return tensor.shape[dim]


def _chunks(tensor: Any, chunks: Any = 0, dim: Any = 0) -> None:
    _pieces(min(chunks, _length(tensor, dim)) if isinstance(chunks, int) else 0)


def _splits(tensor: Any, size: Any = 0, dim: Any = 0, **named: Any) -> None:
    size = next((value for name, value in named.items() if name.startswith("split_size")), size)
    _pieces(math.ceil(_length(tensor, dim) / size) if isinstance(size, int) and size > 0 else 0)


def _slices(tensor: Any, dim: Any = 0) -> None:
    _pieces(_length(tensor, dim))


def _repeats(tensor: Any, repeats: Any = 0, dim: Any = None) -> None:  # noqa: ARG001
    if isinstance(repeats, torch.Tensor):
        raise RefusedProgram("repeat_interleave takes a whole number here, not a tensor of numbers")


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
        made: torch.Tensor = getattr(torch, name)(
            *arguments, dtype=dtype if numbers or dtype else space.dtype, device=space.device
        )
        return made

    return make


def _softmax(tensor: torch.Tensor, dim: int | None = None) -> torch.Tensor:
    """F.softmax; without a dim torch takes the first axis of 0, 1 or 3, else the second, and warns of it."""
    return F.softmax(tensor, dim=(0 if tensor.dim() in {0, 1, 3} else 1) if dim is None else dim)


def _attend(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    """F.scaled_dot_product_attention; on the meta device two products where it is plain: torch takes 8 ms."""
    if (
        key.shape[:-1] != value.shape[:-1]
    ):  # torch's kernel for CPUs would read past the end of the shorter one
        raise RefusedProgram(
            f"keys {tuple(key.shape)} and values {tuple(value.shape)} belong together: one value for each key"
        )
    if query.is_meta and not is_causal and attn_mask is None and _alike(query, key, value):
        return (query @ key.mT) @ value
    return F.scaled_dot_product_attention(
        query, key, value, attn_mask, is_causal=is_causal, scale=scale, enable_gqa=enable_gqa
    )


def _alike(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> bool:
    """Whether the plain case is asked for: one dtype, four axes, one batch and number of heads."""
    return (
        query.is_floating_point()
        and query.dtype == key.dtype == value.dtype
        and query.dim() == 4
        and query.shape[:2] == key.shape[:2] == value.shape[:2]
    )


def _einsum(pattern: Any, *tensors: Any) -> torch.Tensor:
    if not isinstance(pattern, str) or not 1 <= len(tensors) <= 3:
        raise RefusedProgram('torch.einsum takes a text such as "bhqd,bhkd->bhqk" and at most 3 tensors')
    return torch.einsum(pattern, *tensors)


def _where(*arguments: Any) -> torch.Tensor:
    if len(arguments) != 3:
        raise RefusedProgram("torch.where takes a condition and two values here")
    return torch.where(*arguments)


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
