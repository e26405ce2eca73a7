"""Does a job in a worker: takes it, keeps its lease, ends it. Knows no broker and no kind of work."""

import json
import logging
import threading
import time
from collections.abc import Callable
from pkgutil import resolve_name
from types import TracebackType
from typing import Any
from uuid import UUID

from django.db import DatabaseError, connections
from django.utils import timezone

from studyhub.operations import jobs
from studyhub.operations.jobs import StaleToken, Taken

log = logging.getLogger(__name__)
Progress = Callable[[int], None]
Work = Callable[[int | None, Progress], dict[str, Any]]
SAY_SECONDS = 1.0
"""Progress is written at most this often, however often it is told."""
OURS = ("studyhub.", "cards.")
ending = threading.Event()
"""Set when this worker is asked to end: its job stops at the next word of progress and is given back."""


class Interrupted(Exception):
    """The job is somebody else's by now, or the worker ends: the work stops where it told its progress."""


def run(job_id: UUID) -> None:
    """Does the job once, unless somebody has it; whatever happens, its row says how it stands."""
    taken = jobs.take(job_id, now=timezone.now())
    if taken is None:
        return
    try:
        with Keeper(taken) as keeper:
            _done(taken, keeper)
    except StaleToken:
        log.warning("%s job %s was given up for lost; what this worker found is dropped", taken.kind, job_id)
    except DatabaseError as error:
        log.warning("%s job %s could not say how it ended: %s", taken.kind, job_id, error)


class Keeper:
    """Renews a lease from a thread of its own while its block runs; `lost` once somebody else has the job."""

    def __init__(self, taken: Taken, *, every: float = jobs.RENEW_SECONDS) -> None:
        """`every` in seconds."""
        self.lost = False
        self._taken, self._every = taken, every
        self._said = -SAY_SECONDS
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="job lease", daemon=True)

    def __enter__(self) -> "Keeper":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def progress(self, percent: int) -> None:
        """How far the work is, 0 to 100. Raises Interrupted where it has to stop."""
        if self.lost or ending.is_set():
            raise Interrupted
        if time.monotonic() - self._said >= SAY_SECONDS:
            self._said = time.monotonic()
            jobs.renew(self._taken, now=timezone.now(), progress=int(percent))

    def _renew(self) -> None:
        try:
            while not self._stop.wait(self._every) and not self.lost:
                self._renew_once()
        finally:
            connections.close_all()  # this thread's own

    def _renew_once(self) -> None:
        try:
            jobs.renew(self._taken, now=timezone.now())
        except StaleToken:
            self.lost = True
        except DatabaseError as error:
            log.warning("the lease of job %s could not be renewed: %s", self._taken.id, error)


def work_of(kind: str) -> Work:
    """The function that does a kind of job, imported now: what it needs may be heavy. Raises UnknownKind."""
    if kind not in jobs.KINDS:
        raise jobs.UnknownKind(f"this worker knows no job of kind {kind!r}")
    work: Work = resolve_name(jobs.KINDS[kind])
    return work


def _done(taken: Taken, keeper: Keeper) -> None:
    try:
        result = work_of(taken.kind)(taken.learner_id, keeper.progress)
        json.dumps(result, allow_nan=False)  # what no database takes is the work's fault: told before writing
        jobs.finish(taken, result, now=timezone.now())
    except Interrupted:
        if not keeper.lost:
            jobs.release(taken, now=timezone.now())
    except StaleToken:
        raise
    except Exception as error:  # whatever it was, the row says that it ended or is tried again
        _troubled(taken, error)


def _troubled(taken: Taken, error: Exception) -> None:
    """An error of the domain speaks for itself and would come again; any other may have been chance."""
    if isinstance(error, ValueError) and type(error).__module__.startswith(OURS):
        jobs.fail(taken, "refused", str(error), now=timezone.now())
        return
    log.error("%s job %s broke in attempt %d", taken.kind, taken.id, taken.attempt, exc_info=error)
    jobs.give_back(taken, now=timezone.now())
