"""Which pools may compute on a GPU, and whether one is there to be seen. Imports no torch, starts no CUDA.

A process that has started CUDA cannot be forked into one that uses it, and two pictures at a time on one GPU
share neither its memory nor its clock fairly: one process a GPU, pool solo."""

import os
import re
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

DEVICES = Path("/dev")
ONE_PROCESS = (
    "a GPU is drawn on by one process at a time: start this worker with -P solo, one for each GPU, "
    "and say which with CUDA_VISIBLE_DEVICES=0"
)


class OneProcessPerGpu(ValueError):
    """A pool of several threads or processes was asked to compute on a GPU; the message says the way out."""


def asked() -> str:
    """STUDYHUB_DEVICE as it stands: auto where it is not set. Which names there are, `device` knows."""
    return os.environ.get("STUDYHUB_DEVICE", "") or "auto"


def seen() -> int:
    """How many NVIDIA GPUs this process may use, by their device files; 0 with a torch built without CUDA.

    A guess without a driver call, for what must not touch CUDA; torch has the last word in the worker."""
    if _torch_without_cuda():
        return 0
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    here = 0
    with suppress(OSError):
        here = sum(bool(re.fullmatch(r"nvidia\d+", entry.name)) for entry in DEVICES.iterdir())
    if named is None:
        return here
    return min(here, len([one for one in named.split(",") if one.strip() not in {"", "-1"}]))


def _torch_without_cuda() -> bool:
    with suppress(PackageNotFoundError):
        return "+cpu" in version("torch")
    return True


def settle_pool(pool: str) -> str:
    """Before a pool starts: with any but solo, `auto` becomes cpu; what to log about that, "" for nothing.

    `pool` is the name of the pool or of its module. Raises OneProcessPerGpu where cuda was asked for."""
    if "solo" in pool or asked() == "cpu":
        return ""
    if asked() == "cuda":
        raise OneProcessPerGpu(
            f"STUDYHUB_DEVICE is cuda, but the pool is {pool.rpartition('.')[2]}: {ONE_PROCESS}"
        )
    os.environ["STUDYHUB_DEVICE"] = "cpu"
    return f"this worker computes on the CPU, though a GPU is here: {ONE_PROCESS}" if seen() else ""
