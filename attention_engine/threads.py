"""How torch's threads behave in this process. Imports no torch: it must be said before torch is loaded.

Measured on two shared cores: a second thread inside an operation halves its time on an idle machine and
makes it 4 to 34 times longer on a busy one, because threads that wait for each other spin."""

import os

DEFAULTS = {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}
"""One thread inside an operation, and no spinning where somebody asks for more."""


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
