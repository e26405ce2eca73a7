"""Functions of torch and einops with their arguments looked at first. Knows no program text."""

from typing import Any

import einops
import torch
import torch.nn.functional as F  # noqa: N812  as every learner writes it

from attention_engine.execution.pieces import Call, called
from attention_engine.program import RefusedProgram

REDUCED = frozenset({"min", "max", "sum", "mean", "prod", "any", "all"})
NOT_AN_AXIS = frozenset({"tensor", "pattern", "reduction"})


def by_pattern(name: str) -> Call:
    """rearrange, repeat or reduce, with texts and whole numbers where they belong."""
    found: Call = getattr(einops, name)

    @called(name)
    def run(*arguments: Any, **axes: Any) -> Any:
        texts = arguments[1:]
        right = len(texts) == (2 if name == "reduce" else 1) and all(isinstance(one, str) for one in texts)
        if not right or NOT_AN_AXIS & axes.keys() or (name == "reduce" and texts[1] not in REDUCED):
            how = ' and "sum", "mean", "max" or the like' if name == "reduce" else ""
            raise RefusedProgram(f'{name} takes a tensor, a text such as "b t d -> b d t"{how}')
        wrong = next((axis for axis, size in axes.items() if type(size) is not int or size < 1), "")
        if wrong:
            raise RefusedProgram(f"{wrong}= is the size of an axis: a whole number from 1")
        return found(*arguments, **axes)

    return run


@called("softmax")
def softmax(
    tensor: torch.Tensor, dim: int | None = None, *, dtype: torch.dtype | None = None
) -> torch.Tensor:
    """softmax; without a dim torch takes the first axis of 0, 1 or 3, else the second, and warns of it."""
    if dtype is not None and not (isinstance(dtype, torch.dtype) and dtype.is_floating_point):
        raise RefusedProgram("dtype= of a softmax is a kind of float: torch.float32")
    return F.softmax(tensor, dim=(0 if tensor.dim() in {0, 1, 3} else 1) if dim is None else dim)


@called("scaled_dot_product_attention")
def attend(  # noqa: PLR0917  torch's own order
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:
    """F.scaled_dot_product_attention; on the meta device two products where it is plain: torch takes 8 ms."""
    whole = all(isinstance(one, torch.Tensor) for one in (query, key, value))
    if not isinstance(dropout_p, int | float) or dropout_p != 0:
        raise RefusedProgram("dropout_p is 0 here: what is dropped by chance can be compared with nothing")
    if whole and key.shape[:-1] != value.shape[:-1]:  # the CPU kernel would read past the shorter one
        raise RefusedProgram(
            f"keys {tuple(key.shape)} and values {tuple(value.shape)} belong together: one value for each key"
        )
    plain = scale is None or isinstance(scale, int | float)
    plain = plain and whole and query.is_meta and _alike(query, key, value)
    if plain and _laid_on(attn_mask, query, key, is_causal):
        return (query @ key.mT) @ value
    return F.scaled_dot_product_attention(
        query, key, value, attn_mask, is_causal=is_causal, scale=scale, enable_gqa=enable_gqa
    )


def _laid_on(mask: Any, query: torch.Tensor, key: torch.Tensor, is_causal: Any) -> bool:
    """Whether a mask is plainly one for these scores, or none is given."""
    if mask is None:
        return isinstance(is_causal, bool)
    if not isinstance(mask, torch.Tensor) or is_causal is not False or not 2 <= mask.dim() <= 4:
        return False
    scores = (*query.shape[:-1], key.shape[-2])
    pairs = zip(reversed(mask.shape), reversed(scores), strict=False)
    return mask.dtype in {torch.bool, query.dtype} and all(mine in {1, size} for mine, size in pairs)


def _alike(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> bool:
    """Whether the plain case is asked for: one dtype, four axes, one batch and number of heads."""
    return (
        query.is_floating_point()
        and query.dtype == key.dtype == value.dtype
        and query.dim() == 4
        and query.shape[:2] == key.shape[:2] == value.shape[:2]
    )


@called("einsum")
def einsum(pattern: Any, *tensors: Any) -> torch.Tensor:
    if not isinstance(pattern, str) or not 1 <= len(tensors) <= 3:
        raise RefusedProgram('torch.einsum takes a text such as "bhqd,bhkd->bhqk" and at most 3 tensors')
    return torch.einsum(pattern, *tensors)


def where(*arguments: Any) -> torch.Tensor:
    if len(arguments) != 3:
        raise RefusedProgram("torch.where takes a condition and two values here")
    return torch.where(*arguments)
