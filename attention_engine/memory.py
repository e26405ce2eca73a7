"""Whether a device has room for a picture, and what is said and done when it had not. Knows no picture."""

import gc
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import torch

from attention_engine.device import device_name

MIB = 2**20
RESERVE = {"cuda": 512 * MIB, "cpu": 64 * MIB}
"""Bytes left free beside a picture: kernels, workspaces and fragments on a GPU; the process on a CPU."""
MEMINFO = Path("/proc/meminfo")
ALLOCATORS = ("can't allocate memory", "out of memory", "CUBLAS_STATUS_ALLOC_FAILED")
"""What torch's allocators say where they raise a plain RuntimeError."""
Made = TypeVar("Made")


class OutOfMemory(ValueError):
    """This device has, or had, no room for a picture; the message gives the numbers and the way out."""


def free_bytes(device: torch.device) -> int | None:
    """Bytes that an allocation may take now: the driver's and those that torch keeps unused; None if unknown.

    On a CPU what the system calls available, which knows no limit of a container."""
    if device.type == "cuda":
        free, _total = torch.cuda.mem_get_info(device)
        return int(free) + torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    with suppress(OSError, StopIteration, ValueError):
        lines = MEMINFO.read_text().splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("MemAvailable")).split()[1])
    return None


def make_room(peak_bytes: int, device: torch.device) -> None:
    """Before anything is allocated: frees what torch keeps if that is needed. Raises OutOfMemory."""
    wanted = peak_bytes + RESERVE[device.type]
    for attempt in range(2):
        free = free_bytes(device)
        if free is None or wanted <= free:
            return
        if attempt == 0:
            release(device)
    assert free is not None
    raise OutOfMemory(
        f"This picture would hold {_mib(peak_bytes)} MiB at once, and {device_name(device)} has {_mib(free)} "
        f"MiB free, of which {_mib(RESERVE[device.type])} are kept back: take less, or try again when others "
        "are done"
    )


def _mib(size: int) -> str:
    return f"{-(-size // MIB):,}"


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an allocation failed, on a GPU, in torch's allocator of the CPU, or in Python."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error) for words in ALLOCATORS)


def release(device: torch.device) -> None:
    """Gives back what nobody holds: cycles of Python, and torch's cache on a GPU."""
    gc.collect()
    if device.type == "cuda":
        torch.cuda.empty_cache()


def guarded(made: Iterator[Made], device: torch.device) -> Iterator[Made]:
    """The same things; a failed allocation ends them with OutOfMemory, once nothing holds their memory.

    The error's traceback holds the frames in which tensors stand: it is let go before caches are emptied."""
    while True:
        try:
            one = next(made)
        except StopIteration:
            return
        except Exception as error:
            if not is_out_of_memory(error):
                raise
        else:
            yield one
            continue
        release(device)
        raise OutOfMemory(_ran_out(device))


def _ran_out(device: torch.device) -> str:
    free = free_bytes(device)
    left = f" ({_mib(free)} MiB are free again)" if free is not None else ""
    return (
        f"{device_name(device)} ran out of memory while this picture was drawn{left}: take less, or try "
        "again when others are done"
    )
