"""The quick rules for shapes give what torch's own rules give, or leave it to them."""

import itertools
import operator
from typing import Any

import pytest
import torch

from attention_engine.execution.quick import RULES, quick

SHAPES = ((), (1,), (4,), (4, 4), (2, 3, 4, 4), (2, 1, 4, 4), (3, 4), (0, 4), (5, 1))
DTYPES = (torch.float32, torch.int64, torch.bool)
CALLS: dict[str, Any] = {
    "add": operator.add,
    "sub": operator.sub,
    "mult": operator.mul,
    "mul": torch.mul,
    "div": operator.truediv,
    "pow": operator.pow,
    "mod": operator.mod,
    "floordiv": operator.floordiv,
    "compare": operator.lt,
    "masked_fill": torch.Tensor.masked_fill,
    "where": torch.where,
    "tril": torch.tril,
    "triu": torch.triu,
    "usub": operator.neg,
    **{name: getattr(torch, name) for name in ("neg", "exp", "sqrt", "rsqrt", "sin", "cos")},
}
PLAIN = [torch.empty(shape, dtype=dtype, device="meta") for shape in SHAPES for dtype in DTYPES]
MASKS = [torch.empty(shape, dtype=torch.bool, device="meta") for shape in SHAPES]
TURNED = [torch.empty(3, 4, device="meta").mT, torch.empty(2, 4, 3, 4, device="meta").transpose(1, 2)]
OPERANDS = (*PLAIN, *TURNED, 2, 2.5)


def assert_as_torch(name: str, arguments: tuple[Any, ...]) -> bool:
    """Whether there was a quick answer; it is torch's own then, and torch has one."""
    found = quick(name, arguments, {})
    if found is None:
        return False
    wanted = CALLS[name](*arguments)
    assert (found.shape, found.dtype, found.device) == (wanted.shape, wanted.dtype, wanted.device), arguments
    assert found.is_contiguous() == wanted.is_contiguous(), arguments
    return True


def test_every_rule_is_held_against_torch() -> None:
    assert set(CALLS) == {name for name, _ in RULES}


@pytest.mark.parametrize("name", ["add", "sub", "mult", "mul", "div", "pow", "mod", "floordiv", "compare"])
def test_two_operands_make_what_torch_makes(name: str) -> None:
    pairs = [pair for pair in itertools.product(OPERANDS, OPERANDS) if any(map(torch.is_tensor, pair))]
    assert sum(assert_as_torch(name, pair) for pair in pairs) > 100


@pytest.mark.parametrize("name", ["usub", "neg", "exp", "sqrt", "rsqrt", "sin", "cos", "tril", "triu"])
def test_one_operand_makes_what_torch_makes(name: str) -> None:
    assert sum(assert_as_torch(name, (one,)) for one in OPERANDS) >= 5


def test_masks_make_what_torch_makes() -> None:
    values = (0, 2.5, float("-inf"))
    filled = itertools.product((*PLAIN, *TURNED), (*MASKS, *TURNED), values)
    assert sum(assert_as_torch("masked_fill", triple) for triple in filled) > 30
    chosen = itertools.product(MASKS[2:6], OPERANDS, OPERANDS)
    assert sum(assert_as_torch("where", triple) for triple in chosen) > 30


def test_what_is_no_plain_case_is_left_to_torch() -> None:
    x = torch.empty(4, 4, device="meta")
    for name, arguments in (("add", (x, "a")), ("add", (x, True)), ("softmax", (x, -1)), ("mul", (x.mT, x))):
        assert quick(name, arguments, {}) is None
    assert quick("where", (x == 0,), {}) is None
    assert quick("div", (x, 2), {"rounding_mode": "floor"}) is None
    assert quick("add", (torch.zeros(4), 1), {}) is None
