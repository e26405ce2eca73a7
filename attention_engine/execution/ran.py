"""What became of a program: its operations one by one, and a tensor or a failure. Runs nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch


@dataclass(frozen=True)
class Step:
    """One operation that ran."""

    line: int
    code: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    contiguous: bool
    pieces: int = 1
    """More than 1 where several tensors came out: then shape is the first one's."""


@dataclass(frozen=True)
class Failure:
    """An operation that was refused by torch, einops or Python, in their own words."""

    line: int
    statement: str
    code: str
    words: str
    name: str
    arguments: tuple[Any, ...] = ()
    named: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Ran:
    """What became of a program: a tensor, or a failure, and the way there."""

    steps: tuple[Step, ...]
    tensor: torch.Tensor | None = None
    failure: Failure | None = None
    work: int = 0
    operations: int = 0
    """What it took, a slow operation counted as so many common ones."""


class Failed(Exception):
    """Ends a run; carries the failure out of the tree."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.words)
        self.failure = failure
