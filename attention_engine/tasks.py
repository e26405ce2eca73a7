"""The Celery shell around the engine: digest in, frames into the store. Knows no settings and no web."""

import ctypes
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from celery import current_app, shared_task
from celery.signals import worker_init, worker_process_init, worker_ready, worker_shutting_down

from attention_engine import draining, gpus, threads
from attention_engine.drawing import draw, draw_together, in_hand
from attention_engine.frames import Frame
from attention_engine.lane import Lane
from attention_engine.spec import KINDS, VisualizationSpec, make_spec
from attention_engine.store import FrameStore, StoreUnavailable, open_store
from attention_engine.store.contract import RENEW_SECONDS

log = logging.getLogger(__name__)
TASK, HEAVY = "attention_engine.render", "renders.heavy"
heavy_lane = Lane()
ending = threading.Event()
STANDS_BACK = 0.02
"""Seconds between two looks of the warm-up at whether somebody waits."""
pool_size = 1
"""How many pictures this worker draws at a time."""


@shared_task(name=TASK, bind=True, ignore_result=True, acks_late=False)
def render(task: Any, digest: str) -> None:
    """Draws the picture claimed under this digest, and with a fast one those that wait behind it.

    Sent twice, the second finds nothing to do. One heavy picture is drawn at a time, so that a pool of two
    threads always has one for fast ones."""
    if task.request.delivery_info["routing_key"] == HEAVY:
        heavy_lane.run(digest, _draw_heavy)
    else:
        draw_together(_store(), [digest, *_waiting_behind(task)])


def _draw_heavy(digest: str) -> None:
    """Then gives the free ends of the heap back to the system, which the C library would keep: some ms.

    After a reading of 512 tokens by SmolLM2 they are 70 to 140 MB."""
    draw(_store(), digest)
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _waiting_behind(task: Any) -> Iterator[str]:
    """Digests of further fast pictures that wait already; none while the worker ends."""
    if ending.is_set():
        return iter(())
    flops = getattr(task.request, draining.FLOPS, None)
    return draining.waiting(task.app, TASK, flops=flops, share=pool_size)


def _engine(spec: VisualizationSpec) -> Iterator[Frame]:
    """The engine, imported when it is first needed: torch takes a second and must not load before a fork."""
    from attention_engine import engine

    return engine.render(spec)


def _store() -> FrameStore:
    return open_store(current_app.conf.frames_url)


@worker_init.connect(weak=False)
def _on_init(sender: Any = None, **_: Any) -> None:
    """Before the pool starts, so that the children of prefork know it too."""
    global pool_size  # noqa: PLW0603 - one fact of the process, written once
    pool = str(getattr(sender.pool_cls, "__module__", sender.pool_cls))
    _settle_device(pool)
    alone = "solo" in pool
    pool_size = 1 if alone else int(sender.concurrency or os.cpu_count() or 1)


def _settle_device(pool: str) -> None:
    """Ends the worker with a sentence where its pool may not compute on the device that was asked for."""
    try:
        told = gpus.settle_pool(pool)
    except gpus.OneProcessPerGpu as error:
        raise SystemExit(f"{error}.") from None  # of any other exception Celery would make a line in a log
    if told:
        log.warning("%s", told)


@worker_ready.connect(weak=False)
def _on_ready(sender: Any = None, **_: Any) -> None:
    """Says that a worker lives, and draws before the first learner waits for it."""
    threading.Thread(target=_announce, args=(str(sender.hostname),), name="announce", daemon=True).start()
    if "prefork" not in type(sender.pool).__module__:
        _warm_up_beside()


@worker_process_init.connect(weak=False)
def _on_fork(**_: Any) -> None:
    """A child of the prefork pool loads torch itself; used in the parent it would hang here for ever."""
    load()
    _warm_up_beside()


@worker_shutting_down.connect(weak=False)
def _on_end(**_: Any) -> None:
    """What waits in the lane is sent again by its readers, to a worker that lives."""
    heavy_lane.close()
    ending.set()


def _warm_up_beside() -> None:
    """No daemon: Python ends only when this thread has, and torch aborts a process that ends inside it."""
    threading.Thread(target=warm_up, name="warm-up").start()


def load() -> None:
    """Imports the torch half, with one thread inside an operation: the pool's own share the cores.

    Chooses the fastest product."""
    threads.prepare()
    from attention_engine import engine, kernels  # noqa: F401

    kernels.best_linear()


def warm_up() -> None:
    """Draws each kind once, to nobody, then runs each kind of operation that learners write.

    What torch does once in a process, no learner waits for."""
    try:
        load()
        _log_device()
        _stand_back()  # behind whoever has waited for torch meanwhile
        for _once in _firsts():
            _stand_back()
            if ending.is_set():
                return
    except Exception:
        log.exception("the engine could not be loaded; pictures will fail")


def _stand_back() -> None:
    """Returns when nobody's picture is drawn here: warming up would take half a core from the first one."""
    while in_hand.count and not ending.wait(STANDS_BACK):
        pass


def _firsts() -> Iterator[Any]:
    """Frames of each kind of picture, then programs as they are judged."""
    from attention_engine.execution.warm import warming

    for kind in (row.name for row in KINDS.values() if row.warms):
        yield from _engine(make_spec(kind, {}))
    yield from warming()


def _log_device() -> None:
    from attention_engine.kernels import report_line

    log.info("pictures are computed with %s", report_line())


def _announce(name: str) -> None:
    while not ending.is_set():
        try:
            _store().announce(name)
        except StoreUnavailable as error:
            log.warning("this worker cannot announce itself: %s", error)
        ending.wait(RENEW_SECONDS)
