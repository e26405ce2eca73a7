"""How torch's threads and kernels behave in this process. Imports no torch: it is said before torch loads.

Measured on two shared cores: a second thread inside an operation halves its time on an idle machine and
makes it 4 to 34 times longer on a busy one, because threads that wait for each other spin."""

import os

DEFAULTS = {
    "OMP_NUM_THREADS": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "128",
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
}
"""One thread inside an operation, and no spinning where somebody asks for more.

oneDNN keeps 1,024 kernels, one for each shape that it meets: as every picture has its own shapes, a worker
grew by some 60 MB in its first thousands of pictures. Whether there is a GPU is asked of the driver's library
(NVML): CUDA's own question would start CUDA, and a process in which it has started cannot be forked."""


def configured() -> bool:
    """True where whoever started this process has said how many threads an operation may take."""
    return any(os.environ.get(name) for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"))


def unconfigured() -> dict[str, str]:
    """Variables a process of ours still needs, as `{"OMP_WAIT_POLICY": "PASSIVE"}`; none if all were said."""
    wanted = {name: value for name, value in DEFAULTS.items() if not os.environ.get(name)}
    if configured():
        wanted.pop("OMP_NUM_THREADS", None)
    return wanted


def prepare() -> None:
    """Fills in what was not configured; has an effect only before torch and numpy are imported."""
    os.environ.update(unconfigured())
