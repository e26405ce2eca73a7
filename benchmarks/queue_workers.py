"""Real workers for the benchmark of the queue, ours and bare Celery's, on both brokers. Judges nothing."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.peers import bare_celery

ROOT = Path(__file__).resolve().parent.parent
POOLS = {"solo": "1", "threads": "3", "prefork": "2"}
"""How many each draws at a time; threads as `manage.py up` starts them."""
PATIENCE = 120.0


@dataclass(frozen=True)
class Broker:
    """Where messages and frames go; redis is "" for SQLite files in `var`."""

    name: str
    var: Path
    redis: str = ""

    @property
    def messages(self) -> str:
        """The address of the broker."""
        return self.redis or f"studyhubsqlite:///{self.var / 'broker.sqlite3'}"

    @property
    def frames(self) -> str:
        """The address of the frame store."""
        return self.redis or f"sqlite:///{self.var / 'frames.sqlite3'}"

    @property
    def env(self) -> dict[str, str]:
        """What workers of both kinds read."""
        return {
            "STUDYHUB_VAR": str(self.var), "REDIS_URL": self.redis, "DATABASE_URL": "",
            "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE", "BARE_BROKER": self.messages,
            "BARE_BACKEND": bare_celery.backend(self.redis, self.var),
        }  # fmt: skip


@contextmanager
def redis_server() -> Iterator[str]:
    """The address of a Redis of our own, without persistence; "" where there is no binary to start."""
    binary = shutil.which("redis-server") or shutil.which("valkey-server")
    if not binary:
        yield ""
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--port", str(port), "--save", "", "--appendonly", "no", "--bind", "127.0.0.1"]
    process = subprocess.Popen([binary, *options], stdout=subprocess.DEVNULL)
    try:
        _until(lambda: _listens(port))
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.kill()
        process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def worker(broker: Broker, pool: str, *, bare: bool = False) -> Iterator[subprocess.Popen[bytes]]:
    """A worker of one pool in a session of its own, ours or bare Celery's; its end is waited for."""
    app, queues = ("benchmarks.peers.bare_celery", "bare") if bare else ("studyhub", "renders.fast")
    command = [
        sys.executable, "-m", "celery", "-q", "-A", app, "worker", "-P", pool, "-c", POOLS[pool],
        "-Q", queues, "--loglevel", "WARNING", "--without-mingle", "--without-gossip", "--without-heartbeat",
    ]  # fmt: skip
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(
        command, cwd=ROOT, env=os.environ | broker.env, stdout=quiet, stderr=quiet, start_new_session=True
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGCONT)
            process.send_signal(signal.SIGTERM)
        process.wait(60)


@contextmanager
def held(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """While the block runs, the worker and its children stand still."""
    os.killpg(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGCONT)


def _until(there: Any, patience: float = PATIENCE) -> None:
    deadline = time.monotonic() + patience
    while not there():
        if time.monotonic() > deadline:
            sys.exit(f"nothing after {patience:g} s")
        time.sleep(0.002)


class Ours:
    """Asks our own web half for pictures and waits for them in the store, as a page does."""

    def __init__(self, broker: Broker) -> None:
        from django.conf import settings

        from attention_engine.store import open_store

        settings.CELERY_BROKER_URL, settings.FRAMES_URL = broker.messages, broker.frames
        self.store = open_store(broker.frames)

    def ask(self, spec: Any, owner: str) -> str:
        """The digest of a picture that is claimed and whose message is sent."""
        from studyhub.delivery import request_visualization

        return str(request_visualization(spec, owner).digest)

    def wait(self, digests: Sequence[str], pause: float = 0.0) -> None:
        """Until the last frame of each is there, looked for in the order asked, every `pause` seconds."""
        deadline, followed = time.monotonic() + PATIENCE, time.monotonic() + 3
        for number, digest in enumerate(digests):
            while not (reading := self.store.read(digest)).ended:
                if time.monotonic() > followed:
                    for waiting in digests[number:]:  # what nobody follows may be given up
                        self.store.watch(waiting)
                    followed = time.monotonic() + 3
                if time.monotonic() > deadline:
                    sys.exit(f"{reading.state} after {PATIENCE:g} s")
                time.sleep(pause)
            if reading.state != "done":
                sys.exit(f"a picture failed: {reading.sentence}")


class Bare:
    """Asks bare Celery, and waits for its results as its documentation does."""

    def __init__(self, broker: Broker) -> None:
        from celery import Celery

        results = bare_celery.backend(broker.redis, broker.var)
        self.app = Celery("asks", broker=broker.messages, backend=results, set_as_current=False)

    def ask(self, task: str, *args: Any) -> Any:
        """The result to come."""
        return self.app.send_task(task, args=args, queue="bare")

    def wait(self, results: Sequence[Any], pause: float = 0.002) -> None:
        """Until each has come."""
        from kombu.exceptions import DecodeError

        for result in results:
            while True:
                try:
                    result.get(timeout=PATIENCE, interval=pause)
                    break
                except DecodeError:  # Celery's files are seen while they are written
                    time.sleep(pause)
            result.forget()

    def close(self) -> None:
        """Gives connections back."""
        self.app.close()
