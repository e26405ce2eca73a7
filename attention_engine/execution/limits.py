"""How much a program may make: counted on the meta device, where nothing is allocated. Knows no operation."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from attention_engine.program import TooMuch

SLOW = 50
"""Common operations that take as long as one whose shapes torch derives in milliseconds."""
MOST_PIECES = 512
"""Tensors that chunk, split or unbind give."""


@dataclass(frozen=True)
class Limits:
    """Numbers in one tensor, numbers newly held in all, and multiplications in all."""

    tensor: int
    held: int
    work: int
    operations: int = 400


TINY = Limits(tensor=95_000, held=95_000, work=40_000_000)
"""Of one program on real numbers: 0.8 MB in float64, and about 20 ms of products."""


def on_meta(largest: int) -> Limits:
    """On the meta device only shapes are made: the card's own largest tensor sets the measure."""
    most = max(2_000_000, 2 * largest)
    return Limits(tensor=most, held=400 * most, work=2**62)


@dataclass
class Meter:
    """What one run has made so far. Raises TooMuch at the first thing beyond a limit."""

    limits: Limits
    held: int = 0
    work: int = 0
    operations: int = 0
    _storages: dict[int, torch.UntypedStorage] = field(default_factory=dict)

    def given(self, tensors: Sequence[torch.Tensor]) -> None:
        """Inputs, and what is a view of them, count as nothing new."""
        for tensor in tensors:
            self._storages[tensor.untyped_storage()._cdata] = tensor.untyped_storage()

    def operation(self, cost: int = 1) -> None:
        """One more operation; cost: how many common ones take as long."""
        self.operations += cost
        if self.operations > self.limits.operations:
            raise TooMuch(
                f"a program runs at most {self.limits.operations} operations; attention and // count {SLOW}"
            )

    def made(self, value: Any) -> None:
        """What an operation gave, a tensor or several."""
        if isinstance(value, torch.Tensor):
            self._tensor(value)
        elif isinstance(value, tuple | list):
            for one in value:
                self.made(one)

    def _tensor(self, tensor: torch.Tensor) -> None:
        shape = tuple(tensor.shape)
        numbers = math.prod(shape)
        if numbers > self.limits.tensor:
            said = f"{shape} holds {numbers:,} numbers, above {self.limits.tensor:,}"
            raise TooMuch(said, numbers=numbers)
        storage = tensor.untyped_storage()
        if storage._cdata not in self._storages:
            self._storages[storage._cdata] = storage
            self.holds(storage.nbytes() // tensor.element_size())

    def holds(self, numbers: int) -> None:
        """Numbers that are held beside the tensors already there."""
        self.held += numbers
        if self.held > self.limits.held:
            raise TooMuch(
                f"the lines hold more than {self.limits.held:,} numbers: take smaller sizes, or fewer copies"
            )

    def multiplies(self, times: int) -> None:
        """Multiplications of a product of tensors."""
        self.work += times
        if self.work > self.limits.work:
            raise TooMuch(f"the products take more than {self.limits.work:,} multiplications")
