"""The true peak of a computation: bytes of live tensor storages, beside what numpy and Python hold."""

import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch._dynamo  # a dispatch mode loads it at its first operation; under tracemalloc that takes 10 s
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Packed:
    """A weight that oneDNN has packed: it lies in no storage, so it is watched itself."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self._tensor = weakref.ref(tensor)

    def expired(self) -> bool:
        return self._tensor() is None


class Meter(TorchDispatchMode):
    """Sees every tensor that goes into or comes out of an operation of torch; `peak` in bytes."""

    def __init__(self) -> None:
        super().__init__()
        self.peak = 0
        self._live: dict[int, tuple[StorageWeakRef | Packed, int]] = {}
        self._held = 0
        self._python = tracemalloc.get_traced_memory()[0]

    def __torch_dispatch__(
        self, run: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        self.look()
        made = run(*args, **(kwargs or {}))
        for tensor in tree_leaves((args, kwargs, made)):
            if isinstance(tensor, torch.Tensor) and tensor.is_mkldnn:
                self._live[id(tensor)] = (Packed(tensor), tensor.numel() * tensor.element_size())
            elif isinstance(tensor, torch.Tensor) and not tensor.is_meta:
                storage = tensor.untyped_storage()
                self._live[storage._cdata] = (StorageWeakRef(storage), storage.nbytes())
        self._live = {key: held for key, held in self._live.items() if not held[0].expired()}
        self._held = sum(size for _, size in self._live.values())
        self.look()
        return made

    def look(self) -> None:
        """Between two operations tensors are only given up, so what was held last bounds what is held."""
        python = tracemalloc.get_traced_memory()[1] - self._python
        tracemalloc.reset_peak()
        self.peak = max(self.peak, self._held + python)


@contextmanager
def measured() -> Iterator[Meter]:
    """A meter that runs while its block does."""
    tracemalloc.start()
    try:
        with Meter() as meter:
            yield meter
            meter.look()
    finally:
        tracemalloc.stop()
