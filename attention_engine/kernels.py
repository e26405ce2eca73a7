"""Which matrix product is the fastest at full float32 here, found once a process. Knows no layer.

torch's own product goes to MKL, which runs at half speed on some processors; oneDNN (in torch) and NumPy's
BLAS compute the same sums. Each is timed on one product and held to an error bound against float64, so that
a faster path that rounds to bfloat16 or TF32 on the way is never taken for an exact one."""

import os
import statistics
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from attention_engine.device import Chance, chosen_device, device_name, settle

ROWS, WIDTH, COLUMNS = 64, 768, 1536
LARGEST_ERROR = 1e-6
"""Of |row| * |column|: float32 sums stay below 4e-7, TF32 rounds to 5e-5, bfloat16 to 4e-4."""
WORTH_IT = 0.75
"""Share of the time of torch's own product below which another path is taken. Where torch's is the slow one
the other takes half; a near tie must not be a race, or two processes would draw one picture in other bits."""
ROUNDS = 9
CPU = torch.device("cpu")
_once = threading.Lock()
_backends: Any = torch.backends  # torch ships no types for what is asked of it here
Product = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Path:
    """One way to multiply, as measured here."""

    name: str
    gflops: float
    share: float
    """Of the time of torch's own product, the median of rounds in which both ran."""
    error: float
    """The largest distance to float64, as a share of |row| * |column|."""

    @property
    def exact(self) -> bool:
        """True where it rounds as float32 does."""
        return self.error <= LARGEST_ERROR


@dataclass(frozen=True)
class Choice:
    """The path taken, all that were tried, and whether torch's own product now goes through oneDNN."""

    linear: str
    paths: tuple[Path, ...]
    flag: bool


TORCH = "MKL" if _backends.mkl.is_available() else "torch"
ONEDNN, NUMPY = "oneDNN", "NumPy's BLAS"


class Linear:
    """x @ weight^T + bias with the weight laid out once, for the path chosen here. float32 stays float32."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor, *, rows: int = ROWS, path: str = "") -> None:
        """weight (out, in), bias (out,); `rows` is how many are usual, `path` overrides the choice."""
        self.path = _path_of(weight, path)
        self.bias = bias
        self._held = PACKERS[self.path](weight, rows)
        self._product = PRODUCTS[self.path]

    @property
    def weight(self) -> torch.Tensor:
        """(out, in), a view wherever the layout allows one."""
        return self._held.to_dense() if self._held.is_mkldnn else self._held.T

    def __call__(self, x: torch.Tensor, out: torch.Tensor | None = None) -> torch.Tensor:
        """(T, in) -> (T, out), in `out` where this path can write there; always read what is returned."""
        return self._product(x, self._held, self.bias, out)


def _path_of(weight: torch.Tensor, asked: str) -> str:
    """The measured path for float32 on a CPU; for bfloat16 oneDNN's packed one where it computes in it."""
    if weight.device.type != "cpu":
        return TORCH
    if weight.dtype == torch.float32:
        return asked or best_linear().linear
    return ONEDNN if weight.dtype == torch.bfloat16 and has_bfloat16() else TORCH


def has_bfloat16() -> bool:
    """True where this processor has instructions for bfloat16 that oneDNN uses."""
    return bool(_backends.mkldnn.is_available() and torch.ops.mkldnn._is_mkldnn_bf16_supported())


def _by_torch(
    x: torch.Tensor, held: torch.Tensor, bias: torch.Tensor, out: torch.Tensor | None
) -> torch.Tensor:
    return torch.addmm(bias, x, held) if out is None else torch.addmm(bias, x, held, out=out)


def _by_numpy(
    x: torch.Tensor, held: torch.Tensor, bias: torch.Tensor, out: torch.Tensor | None
) -> torch.Tensor:
    written = torch.empty(x.shape[0], held.shape[1]) if out is None else out
    np.matmul(x.numpy(), held.numpy(), out=written.numpy())
    return written.add_(bias)


def _by_onednn(
    x: torch.Tensor, held: torch.Tensor, bias: torch.Tensor, _out: torch.Tensor | None
) -> torch.Tensor:
    made: torch.Tensor = torch.ops.mkldnn._linear_pointwise(x, held, bias, "none", [], "")
    return made


def _packed_for_onednn(weight: torch.Tensor, rows: int) -> torch.Tensor:
    packed: torch.Tensor = torch.ops.mkldnn._reorder_linear_weight(weight, rows)
    return packed


PACKERS: dict[str, Callable[[torch.Tensor, int], torch.Tensor]] = {
    # Copied: MKL takes a fifth to a third less time of 12 to 34 rows than by a transposed view.
    TORCH: lambda weight, _rows: weight.T.contiguous(),
    NUMPY: lambda weight, _rows: weight.T.contiguous(),
    ONEDNN: _packed_for_onednn,
}
PRODUCTS = {TORCH: _by_torch, NUMPY: _by_numpy, ONEDNN: _by_onednn}


def best_linear() -> Choice:
    """The fastest exact path of this process; measured at the first call, in about 0.1 s."""
    with _once:
        return _chosen()


@lru_cache(maxsize=1)
def _chosen() -> Choice:
    settle(CPU)
    chance = Chance(0, CPU)
    x, weight = chance.normal((ROWS, WIDTH)), chance.normal((COLUMNS, WIDTH))
    names = [TORCH, NUMPY, *([ONEDNN] if _backends.mkldnn.is_available() else [])]
    linears = {name: Linear(weight, torch.zeros(COLUMNS), path=name) for name in names}
    flag = _flag_pays(linears[TORCH], x, weight)
    paths = measured(linears, x, weight)
    return Choice(linear=choose(paths), paths=paths, flag=flag)


def choose(paths: Sequence[Path]) -> str:
    """The fastest path that is exact; torch's own, the first, unless another saves a quarter of its time."""
    faster = [path for path in paths[1:] if path.exact and path.share < WORTH_IT]
    return min(faster, key=lambda path: path.share, default=paths[0]).name


def measured(products: Mapping[str, Product], x: torch.Tensor, weight: torch.Tensor) -> tuple[Path, ...]:
    """Every named way from x (T, K) to x @ weight^T (T, N), in alternating rounds; torch's is the first."""
    errors = [_error(product(x), x, weight) for product in products.values()]
    rounds = [[_seconds(product, x) for product in products.values()] for _ in range(ROUNDS)]
    shares = [[own / times[0] for own in times] for times in rounds]
    operations = 2 * x.numel() * len(weight)
    rates = [operations / statistics.median(times) / 1e9 for times in zip(*rounds, strict=True)]
    told = zip(products, rates, map(statistics.median, zip(*shares, strict=True)), errors, strict=True)
    return tuple(Path(*one) for one in told)


def _seconds(product: Product, x: torch.Tensor) -> float:
    started = time.process_time()
    product(x)
    return time.process_time() - started


def _error(product: torch.Tensor, x: torch.Tensor, weight: torch.Tensor) -> float:
    exact_x, exact_weight = x.double(), weight.double()
    norms = exact_x.norm(dim=1)[:, None] * exact_weight.norm(dim=1)
    return float(((product - exact_x @ exact_weight.T).abs() / norms).max())


def _flag_pays(own: Product, x: torch.Tensor, weight: torch.Tensor) -> bool:
    """Leaves torch's products on oneDNN where that is exact and faster, else the setting as it was.

    The setting allows bfloat16. On processors without instructions for it oneDNN computes in float32 all the
    same; where it does not, the error shows it. Where no bit of the product changes, nothing was rerouted."""
    switch = _backends.mkldnn.matmul
    before = switch.fp32_precision

    def rerouted(rows: torch.Tensor) -> torch.Tensor:
        switch.fp32_precision = "bf16"
        made = own(rows)
        switch.fp32_precision = before
        return made

    _, other = measured({TORCH: own, "rerouted": rerouted}, x, weight)
    pays = other.exact and other.share < WORTH_IT and not torch.equal(own(x), rerouted(x))
    if pays:
        switch.fp32_precision = "bf16"
    return pays


def report() -> dict[str, Any]:
    """What this process computes with: device, threads, the path chosen, and what each path measured."""
    device, choice = chosen_device(), best_linear()
    return {
        "device": device_name(device),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
        "wait_policy": os.environ.get("OMP_WAIT_POLICY", "") or "ACTIVE",
        "linear": choice.linear,
        "flag": choice.flag,
        "paths": {path.name: {"gflops": round(path.gflops, 1), "error": path.error} for path in choice.paths},
    }


def report_line() -> str:
    """The report in one line, for the log of a worker."""
    told = report()
    paths = ", ".join(f"{name} {path['gflops']:.0f} GFLOP/s" for name, path in told["paths"].items())
    threads = f"{told['threads']} thread{'s' if told['threads'] > 1 else ''} inside an operation"
    return (
        f"{told['device']}, torch {told['torch']}, {threads}, waiting {told['wait_policy'].lower()}; "
        f"products by {told['linear']} ({paths}), torch's own by oneDNN: {'yes' if told['flag'] else 'no'}"
    )
