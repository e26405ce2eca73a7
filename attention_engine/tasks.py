"""The Celery shell around the engine: digest in, frames into the store. Knows no settings and no web."""

import logging
import re
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

from celery import current_app, shared_task
from celery.signals import worker_process_init, worker_ready, worker_shutting_down

from attention_engine import threads
from attention_engine.admission import admit
from attention_engine.boundaries import asking
from attention_engine.frames import Frame
from attention_engine.lane import Lane
from attention_engine.spec import KINDS, VisualizationSpec, make_spec, spec_from_json
from attention_engine.store import FrameStore, StaleLease, StoreUnavailable, open_store
from attention_engine.store.contract import RENEW_SECONDS

log = logging.getLogger(__name__)
HEAVY = "renders.heavy"
LONG_SECONDS = 0.5
"""A picture of the fast queue that takes longer is given up too once nobody follows it."""
LOOK_SECONDS = 0.005
"""The store is asked at every frame, and between two of them at most this often."""
BROKE = "The engine broke while drawing this picture; the reason is in the worker's log."
Render = Callable[[VisualizationSpec], Iterator[Frame]]
heavy_lane = Lane()
ending = threading.Event()


@shared_task(name="attention_engine.render", bind=True, ignore_result=True, acks_late=False)
def render(task: Any, digest: str) -> None:
    """Draws the picture claimed under this digest. Sent twice, the second finds nothing to do.

    One heavy picture is drawn at a time, so that a pool of two threads always has one for fast ones."""
    if task.request.delivery_info["routing_key"] == HEAVY:
        heavy_lane.run(digest, lambda due: draw(_store(), due))
    else:
        draw(_store(), digest)


def draw(store: FrameStore, digest: str, *, picture: Render | None = None) -> None:
    """Takes the lease, stores every frame as it comes, ends the picture: done, or failed with a reason."""
    try:
        lease = store.start(digest)
        if lease is None:
            return
        with LeaseKeeper(store, lease.token) as keeper:
            _drawn(store, lease.token, lease.spec, keeper=keeper, picture=picture or _engine)
    except StaleLease:
        log.info("picture %s was taken over; this attempt stops", digest)
    except StoreUnavailable as error:
        log.warning("picture %s stops: %s; its readers will have it sent again", digest, error)


class LeaseKeeper:
    """Renews a lease from a thread of its own while its block runs; `lost` once somebody else has it."""

    def __init__(self, store: FrameStore, token: str, *, every: float = RENEW_SECONDS) -> None:
        """`every` in seconds."""
        self.lost = False
        self._store, self._token, self._every = store, token, every
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="lease", daemon=True)

    def __enter__(self) -> "LeaseKeeper":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _renew(self) -> None:
        while not self._stop.wait(self._every):
            try:
                self._store.renew(self._token)
            except StaleLease:
                self.lost = True
                return
            except StoreUnavailable as error:
                log.warning("a lease could not be renewed: %s", error)


class GivenUp(Exception):
    """The picture is somebody else's by now, or nobody's: drawing it ends at a boundary."""


class Following:
    """Whether drawing goes on: the lease is held and, of what takes long, somebody follows the frames."""

    def __init__(self, store: FrameStore, token: str, *, keeper: LeaseKeeper, heavy: bool) -> None:
        """A heavy picture takes long from the start, any other after half a second."""
        self._store, self._digest, self._keeper = store, token.partition(".")[0], keeper
        started = time.monotonic()
        self._long = self._next = started if heavy else started + LONG_SECONDS

    def look(self) -> None:
        """Between two pieces of a frame; costs nothing where the last look was just now. Raises GivenUp."""
        if time.monotonic() >= self._next:
            self.ask()

    def ask(self) -> None:
        """Between two frames. Raises GivenUp."""
        now = time.monotonic()
        self._next = max(self._long, now + LOOK_SECONDS)
        if self._keeper.lost or (now >= self._long and not self._store.watched(self._digest)):
            raise GivenUp


def _drawn(
    store: FrameStore, token: str, data: dict[str, Any], *, keeper: LeaseKeeper, picture: Render
) -> None:
    try:
        spec = spec_from_json(data)
        frames = picture(spec)  # may load torch, which is no time of this picture
        following = Following(store, token, keeper=keeper, heavy=admit(spec).queue == HEAVY)
        with asking(following.look):
            for frame in frames:
                _keep(store, token, frame)
                following.ask()
        store.finish(token)
    except GivenUp:
        if not keeper.lost:
            store.abandon(token)
    except (StaleLease, StoreUnavailable):
        raise
    except Exception as error:  # whatever it was, the learner is told that it ended
        if not _of_the_domain(error):
            log.exception("a picture broke")
        store.fail(token, *reason(error))


def _keep(store: FrameStore, token: str, frame: Frame) -> None:
    for blob in frame.blobs:
        store.put(blob)
    store.append(token, frame)


def reason(error: Exception) -> tuple[str, str]:
    """(code, sentence) for a learner: the engine's own errors speak for themselves, others are ours."""
    if not _of_the_domain(error):
        return "engine-error", BROKE
    return re.sub(r"(?<!^)(?=[A-Z])", "-", type(error).__name__).lower(), str(error)


def _of_the_domain(error: Exception) -> bool:
    return isinstance(error, ValueError) and type(error).__module__.startswith("attention_engine.")


def _engine(spec: VisualizationSpec) -> Iterator[Frame]:
    """The engine, imported when it is first needed: torch takes a second and must not load before a fork."""
    from attention_engine import engine

    return engine.render(spec)


def _store() -> FrameStore:
    return open_store(current_app.conf.frames_url)


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
        for _once in _firsts():
            if ending.is_set():
                return
    except Exception:
        log.exception("the engine could not be loaded; pictures will fail")


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
