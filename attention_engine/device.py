"""Which device tensors live on, and where chance comes from. Knows no picture."""

import platform
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from attention_engine import gpus, threads
from attention_engine.boundaries import boundary

META = torch.device("meta")
CHOICES = ("auto", "cpu", "cuda")
_backends: Any = torch.backends  # torch ships no types for what is set here


class NoSuchDevice(ValueError):
    """STUDYHUB_DEVICE asks for what this machine does not have."""


def chosen_device() -> torch.device:
    """STUDYHUB_DEVICE=auto|cpu|cuda; auto takes a GPU where torch finds one."""
    name = gpus.asked()
    if name not in CHOICES:
        raise NoSuchDevice(f"STUDYHUB_DEVICE must be one of {', '.join(CHOICES)}, not {name}")
    if name == "cuda" and not torch.cuda.is_available():
        raise NoSuchDevice(
            f"STUDYHUB_DEVICE is cuda, but torch {torch.__version__} finds no GPU: use auto or cpu"
        )
    if name == "cpu" or not torch.cuda.is_available():
        return torch.device("cpu")
    return torch.device("cuda")


def settle(device: torch.device) -> None:
    """One intra-op thread on CPU unless configured: two workers on one core each beat one on both.

    float32 stays float32 on a GPU: TF32 keeps 10 bits of a number, and draws other pictures than a CPU."""
    exact = _backends.cuda.matmul, _backends.cudnn.conv, _backends.cudnn.rnn
    for products in exact:
        if products.fp32_precision != "ieee":
            products.fp32_precision = "ieee"
    if device.type == "cpu" and not threads.configured() and torch.get_num_threads() != 1:
        torch.set_num_threads(1)


def device_name(device: torch.device) -> str:
    """ "CPU", or the GPU as its driver calls it."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type.upper()


def processor_name() -> str:
    """The CPU as its maker calls it, "" where the system does not say."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    return platform.processor()


class Chance:
    """Normal numbers from one seed, drawn on the CPU so that every device sees the same; on meta shapes."""

    def __init__(self, seed: int, device: torch.device) -> None:
        self.seed = seed
        self._generator = torch.Generator("cpu").manual_seed(seed)
        self._device = device

    def normal(self, shape: Sequence[int], *, deviation: float = 1.0) -> torch.Tensor:
        """Independent numbers of mean 0 and this standard deviation; one copy in memory, not two.

        A boundary: what draws much is given up here once nobody follows it."""
        boundary()
        if self._device.type == "meta":
            return torch.empty(tuple(shape), device=META)
        drawn = torch.randn(tuple(shape), generator=self._generator)
        return (drawn if deviation == 1.0 else drawn.mul_(deviation)).to(self._device)
