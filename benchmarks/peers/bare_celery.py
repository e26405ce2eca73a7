"""Celery as its tutorial has it: a task a picture, the frames as its result. Knows no store, no lease."""

import base64
import os
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import worker_process_init, worker_ready

from attention_engine import broker

NAME = "bare Celery"
broker.register_transport()
app = Celery(
    "bare", broker=os.environ.get("BARE_BROKER", "memory://"), backend=os.environ.get("BARE_BACKEND")
)
app.conf.update(
    worker_prefetch_multiplier=1, broker_connection_retry_on_startup=True, task_default_queue="bare"
)


def backend(redis: str, var: Path) -> str:
    """Where results go: Redis itself, or files beside the SQLite broker."""
    folder = var / "results"
    folder.mkdir(exist_ok=True)
    return redis or f"file://{folder}"


@app.task(name="bare.noop")
def noop() -> None:
    """Nothing at all."""


@app.task(name="bare.draw")
def draw(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """The frames of a spec as JSON, their tensors in base64."""
    from attention_engine import engine
    from attention_engine.spec import spec_from_json

    return [
        frame.as_json() | {"blobs": [base64.b64encode(blob).decode() for blob in frame.blobs]}
        for frame in engine.render(spec_from_json(spec))
    ]


@worker_process_init.connect(weak=False)
def _on_fork(**_: Any) -> None:
    _load()


@worker_ready.connect(weak=False)
def _on_ready(sender: Any = None, **_: Any) -> None:
    if "prefork" not in type(sender.pool).__module__:
        _load()


def _load() -> None:
    """torch is there before the first task, as with ours."""
    from attention_engine import threads

    threads.prepare()
    from attention_engine import engine, kernels  # noqa: F401

    kernels.best_linear()
