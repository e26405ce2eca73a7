"""Why sizes do not fit one tensor: the division behind view, unflatten and einops patterns. Runs nothing."""

import math

import torch

from attention_engine.arithmetic import nearest_divisors
from attention_engine.execution.hint_operands import Shape, asked, operands, shape
from attention_engine.execution.ran import Failure
from attention_engine.parameters import LARGEST_AXIS


def reshaped(failure: Failure) -> str:
    """view and reshape: too many numbers asked for, or a jump in memory."""
    tensor = failure.arguments[0]
    sizes = asked(failure.arguments[1:] or tuple(failure.named.values()))
    return _too_many(shape(tensor), sizes) or _jumps(tensor, sizes)


def _too_many(there: Shape, sizes: list[int]) -> str:
    """Numbers asked for and numbers there, and the axis that the odd sizes were cut from."""
    numbers = math.prod(there)
    known = math.prod(size for size in sizes if size != -1)
    if sizes.count(-1) == 1 and known > 0 and numbers % known:
        if len(sizes) == len(there) + 1 and list(there[:-1]) == sizes[:-2]:
            by = max(sizes[-2:])
            return _shared_out(there[-1], by)
        return f"{numbers:,} = {_divided(numbers, known)}, so no size in the place of -1 fits."
    if sizes.count(-1) > 1:
        return f"-1 stands at {sizes.count(-1)} places: one size follows from the others, not more."
    if -1 in sizes or known == numbers:
        return ""
    told = f"{tuple(sizes)} asks for {known:,} numbers, but {there} holds {numbers:,}."
    return f"{told} {_cut(there, sizes)}".rstrip()


def _cut(there: Shape, sizes: list[int]) -> str:
    """The last axis cut in two, where all before it is as it was: 768 = 10 × 76 + 8."""
    if len(sizes) != len(there) + 1 or list(there[:-1]) != sizes[:-2]:
        return ""
    features, (heads, width) = there[-1], sizes[-2:]
    if heads < 1 or width < 1:
        return ""
    by = heads if features // heads == width else width if features // width == heads else 0
    if by:
        return _shared_out(features, by)
    return f"{heads:,} × {width:,} = {heads * width:,}, but the last axis has {features:,}."


def _divided(numbers: int, by: int) -> str:
    quotient, remainder = divmod(numbers, by)
    return f"{by:,} × {quotient:,}" + (f" + {remainder:,}" if remainder else "")


def _shared_out(features: int, by: int) -> str:
    """ "768 = 10 × 76 + 8; nearest to 10 that divide 768: 8, 12."; beyond the size of an axis half of it."""
    told = f"{features:,} = {_divided(features, by)}"
    if features > LARGEST_AXIS:
        return f"{told}."
    found = ", ".join(f"{one:,}" for one in nearest_divisors(n=features, near=by))
    return f"{told}; nearest to {by:,} that divide {features:,}: {found}."


def _jumps(tensor: torch.Tensor, sizes: list[int]) -> str:
    """view on a tensor whose axes were moved: the lesson of contiguous()."""
    if tensor.is_contiguous():
        return ""
    strides = tuple(tensor.stride())
    return (
        f"The axes were moved: the strides are {strides}, so the numbers that {tuple(sizes)} would join "
        "do not lie one after another. .contiguous() copies them into order first; .reshape copies by itself."
    )


def unflattened(failure: Failure) -> str:
    """One axis cut into several whose product it is not."""
    tensor = failure.arguments[0]
    given = [*failure.arguments[1:], *failure.named.values()]
    size = tensor.shape[given[0]]
    parts = [int(part) for part in given[1]]
    known = math.prod(part for part in parts if part != -1)
    told = f"axis {given[0]} has {size:,}, and {' × '.join(str(part) for part in parts)} = {known:,}"
    if min(parts) < -1 or 0 in parts:
        return ""
    if -1 in parts:
        return f"axis {given[0]} has {_shared_out(size, known)}"
    if len(parts) == 2 and size // parts[0] == parts[1]:
        return f"{told}: {_shared_out(size, parts[0])}"
    return f"{told}."


def pattern(failure: Failure) -> str:
    """An einops pattern that does not divide an axis."""
    tensor = failure.arguments[0]
    there, sizes = shape(tensor), failure.named
    for name, size in sizes.items():
        if f"({name} " in str(failure.arguments[1]) or f" {name})" in str(failure.arguments[1]):
            place = _axis_of(str(failure.arguments[1]), name)
            if 0 <= place < len(there) and size > 0 and there[place] % size:
                return _shared_out(there[place], size)
    return operands(failure)


def _axis_of(pattern: str, name: str) -> int:
    """The place, on the left, of the brackets that have a name in them; -1 where none has."""
    place, inside = -1, False
    for part in pattern.partition("->")[0].replace("(", " ( ").replace(")", " ) ").split():
        place += not inside and part != ")"
        inside = part == "(" or (inside and part != ")")
        if inside and part == name:
            return place
    return -1
