"""Starts a command that ends with its parent: on Linux the kernel sends SIGTERM. Run as a file, stdlib only.

`python tied.py PARENT COMMAND ...`: a process of its own, since Python between fork and exec is unsafe beside
threads. Elsewhere than on Linux the command runs untied."""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence

PR_SET_PDEATHSIG = 1  # prctl(2); kept across exec


def tied(command: Sequence[str]) -> list[str]:
    """The command line that runs `command` tied to this process."""
    if sys.platform != "linux":
        return list(command)
    return [sys.executable, "-I", "-S", __file__, str(os.getpid()), *command]


def main(parent: str, *command: str) -> None:
    """Ties itself to the parent and becomes the command; does nothing where the parent is gone already."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() == int(parent):
        os.execv(command[0], command)  # noqa: S606 - our own command, without a shell


if __name__ == "__main__":
    main(*sys.argv[1:])
