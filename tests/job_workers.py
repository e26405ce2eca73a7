"""A worker as `up` starts it, on a database of its own that this process reads and writes as well."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path

from django.core.management import call_command
from django.db import connections

from studyhub.operations.models import Job
from studyhub.settings import _database

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def database_in(var: Path) -> Iterator[None]:
    """While the block runs, this thread works on the database file of `manage.py up` in `var`."""
    handler, before = connections["default"], deepcopy(connections.databases["default"])
    file = _database(f"sqlite:///{var / 'studyhub.sqlite3'}")
    connections.databases["default"] = connections.configure_settings({"default": file})["default"]
    connections["default"] = connections.create_connection("default")
    try:
        call_command("migrate", verbosity=0, interactive=False)
        yield
    finally:
        connections["default"].close()
        connections.databases["default"] = before
        connections["default"] = handler


def started_worker(var: Path, redis: str) -> subprocess.Popen[bytes]:
    """The worker, in a session of its own."""
    from studyhub.operations.management.commands.up import worker

    child = worker()
    command = ["tests.job_worker" if part == "studyhub" else part for part in child.command[1:]]
    env = child.env | {"STUDYHUB_VAR": str(var), "REDIS_URL": redis, "DATABASE_URL": ""}
    return subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, env=os.environ | env, start_new_session=True
    )


def kill(process: subprocess.Popen[bytes]) -> None:
    """kill -9; a second time does nothing."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Raises AssertionError, with all jobs, where the condition does not come true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, list(Job.objects.values())
        time.sleep(0.05)
