"""A device that is not the CPU, made of the CPU: finds tensors of two devices in one operation without a GPU.

Run by itself, it draws every kind of picture twice, on the CPU and on this device, and prints what differs. A
tensor of it knows where it is, refuses `numpy()` and meets no tensor of the CPU but a number, as on CUDA. Its
sums are the CPU's own, so both pictures must be equal to the last bit. What it cannot tell: how a GPU rounds,
what its kernels refuse, and how long anything takes."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch.utils import backend_registration
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

NAME = "pretend"
OPERATIONS = {"there": 0}
"""How many operations ran on tensors of the other device."""
COPIES = {"aten::_to_copy", "aten::copy_", "aten::index", "aten::index_put_", "aten::index_put"}
"""Operations that take tensors of two devices on CUDA too."""


class Elsewhere(torch.Tensor):
    """A tensor of the other device; `inner` holds its numbers."""

    inner: torch.Tensor

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> "Elsewhere":
        made = torch.Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls,
            inner.size(),
            strides=inner.stride(),
            storage_offset=inner.storage_offset(),
            dtype=inner.dtype,
            device=f"{NAME}:0",
        )
        made.inner = inner
        return made  # type: ignore[no-any-return]

    def __init__(self, inner: torch.Tensor) -> None:
        pass

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        return ran(func, args, dict(kwargs or {}))

    def __getitem__(self, index: Any) -> Any:
        """A list of places is a tensor of them on the CPU, as on CUDA."""
        whole = index if isinstance(index, tuple) else (index,)
        return super().__getitem__(tuple(torch.tensor(i) if isinstance(i, list) else i for i in whole))

    def tolist(self) -> Any:
        """Copies, as on CUDA."""
        return self.inner.tolist()

    def numpy(self, *_: Any, **__: Any) -> Any:
        """Refused in the words of CUDA."""
        raise TypeError("can't convert pretend:0 device type tensor to numpy. Use Tensor.cpu() first")

    def untyped_storage(self) -> Any:
        """Of the numbers themselves."""
        return self.inner.untyped_storage()


class Mode(TorchDispatchMode):
    """Makes tensors there where a device is named, and moves them there and back."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        return ran(func, args, dict(kwargs or {}))


def ran(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """The operation on the numbers, its result on the device where it belongs."""
    tensors: list[torch.Tensor] = []
    tree_map(lambda one: tensors.append(one) if isinstance(one, torch.Tensor) else None, (args, kwargs))
    there = any(isinstance(one, Elsewhere) for one in tensors)
    to = torch.device(kwargs["device"]) if kwargs.get("device") is not None else None
    OPERATIONS["there"] += there
    if there and func._schema.name not in COPIES:
        _refuse_two_devices(func, tensors)
    if to is not None:
        there = to.type == NAME
        kwargs["device"] = torch.device("cpu") if there else to
    elif func._schema.name == "aten::copy_":
        there = isinstance(args[0], Elsewhere)
    made = func(*tree_map(_inner, args), **tree_map(_inner, kwargs))
    known = {id(one.inner): one for one in tensors if isinstance(one, Elsewhere)}

    def placed(one: Any) -> Any:
        return (
            known[id(one)] if id(one) in known else Elsewhere(one) if isinstance(one, torch.Tensor) else one
        )

    return tree_map(placed, made) if there else made


def _inner(one: Any) -> Any:
    return one.inner if isinstance(one, Elsewhere) else one


def _refuse_two_devices(func: Any, tensors: list[torch.Tensor]) -> None:
    strangers = [one for one in tensors if not isinstance(one, Elsewhere) and one.dim() > 0]
    if any(one.device.type == "cpu" for one in strangers):
        raise RuntimeError(f"{func}: expected all tensors to be on the same device, cpu and {NAME}:0")


def drawn(spec: Any, device: torch.device) -> list[Any]:
    """Frames of a spec as the engine makes them on this device, without what differs from run to run."""
    from attention_engine import engine

    for module in [one for name, one in sys.modules.items() if name.startswith("attention_engine.")]:
        if hasattr(module, "chosen_device"):
            module.chosen_device = lambda: device  # type: ignore[attr-defined]
    return [
        ({**frame.as_json(), "stamp": {}}, [tensor.sha256 for tensor in frame.tensors])
        for frame in engine.render(spec)
    ]


def differences(
    kinds: Mapping[str, list[dict[str, Any]]], timeless: Callable[[str], bool], *, told: dict[str, int]
) -> Iterator[str]:
    """What is drawn otherwise, or not at all, on the other device; `told` counts operations there by kind."""
    from attention_engine import memory
    from attention_engine.spec import make_spec

    memory.RESERVE[NAME] = memory.RESERVE["cpu"]
    there = torch.device(NAME)
    _read_weights_through_the_cpu()
    _make_tensors_on_the_cpu_first()
    for kind, specs in kinds.items():
        for given in specs:
            spec = make_spec(kind, given)
            OPERATIONS["there"] = 0
            try:
                right = drawn(spec, torch.device("cpu"))
                with Mode():
                    other = drawn(spec, there)
            except Exception as error:
                import traceback

                where = traceback.extract_tb(error.__traceback__)
                ours = [
                    one
                    for one in where
                    if "attention_engine/" in one.filename and "pretend" not in one.filename
                ]
                at = (
                    f"{ours[-1].filename.rpartition('attention_engine/')[2]}:{ours[-1].lineno}"
                    if ours
                    else ""
                )
                yield f"{kind} {given}: {type(error).__name__} at {at}: {str(error)[:200]}"
                continue
            if timeless(kind) and right != other:
                yield f"{kind} {given}: other frames"
            told[kind] = told.get(kind, 0) + OPERATIONS["there"]


def _read_weights_through_the_cpu() -> None:
    """safetensors writes to CUDA by itself; to a device of ours it cannot."""
    from attention_engine.trained import checkpoint

    read = checkpoint._read

    def moved(path: Any, asked: Any, device: torch.device) -> dict[str, torch.Tensor]:
        found = read(path, asked, torch.device("cpu"))
        return {name: one.to(device) for name, one in found.items()} if device.type == NAME else found

    checkpoint._read = moved


def _make_tensors_on_the_cpu_first() -> None:
    """torch.tensor moves its numbers below the modes of Python, where there is no such device."""
    make = torch.tensor

    def made(data: Any, *, device: Any = None, **more: Any) -> torch.Tensor:
        there = device is not None and torch.device(device).type == NAME
        return make(data, **more).to(device) if there else make(data, device=device, **more)

    torch.tensor = made  # type: ignore[assignment]


def main() -> None:
    """{"kind": [parameters, ...]} on the command line; what was found as JSON on the last line."""
    setup = getattr(backend_registration, "_setup_privateuseone_for_python_backend", None)
    if setup is None:
        sys.stdout.write(json.dumps({"skip": "this torch cannot make a device in Python"}))
        return
    setup(NAME)
    from attention_engine import device, engine, kernels  # noqa: F401
    from tests.attention_engine.timings import TIMED

    kernels.best_linear()
    told: dict[str, int] = {}
    found = list(differences(json.loads(sys.argv[1]), lambda kind: kind not in TIMED, told=told))
    sys.stdout.write(json.dumps({"found": found, "operations": told}))


if __name__ == "__main__":
    main()
