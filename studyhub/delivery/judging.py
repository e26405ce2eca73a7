"""Programs judged by a worker: asked for, waited for, read out of their picture. Knows no attempt, no HTTP.

The verdict stands in the last frame of the picture that shows the program run, so there is nothing to keep
twice: a program that was judged is drawn, and one that is drawn is judged.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import BoundedSemaphore
from typing import Any

from attention_engine.spec import InvalidSpec, VisualizationSpec, make_spec
from attention_engine.store import OwnerBusy, Reading, StoreFull, StoreUnavailable
from studyhub.delivery.pictures import read_frames, request_visualization, store

LONGEST_WAIT = 2.0  # seconds
FIRST_LOOK, LONGEST_LOOK = 0.01, 0.08  # seconds between two looks
MOST_WAITING = 6
"""Threads of this process that wait for a verdict at once; who comes after them is not kept waiting."""
SOON, LATER = 1, 30  # seconds after which it is worth asking again
NO_WORKER = "no worker is running; rate yourself, it is graded when one comes"
UNREACHABLE = "programs cannot be run now; rate yourself, it is graded when they can"
BUSY = "three of your programs are still to be run; this one comes after them"
FULL = "many programs are waiting to be run; this one comes after them"
RUNNING = "the program is being run"
COMES_LATER = frozenset({"no-worker"})
"""Ends of a picture after which it may be asked for anew."""
_waiting = BoundedSemaphore(MOST_WAITING)


@dataclass(frozen=True)
class Asked:
    """A verdict (as `cards.answering.judged` takes it), or None with the reason and when to ask again."""

    verdict: Mapping[str, Any] | None = None
    reason: str = ""
    retry_after: int = SOON
    digest: str = ""


def ask(asks: Mapping[str, Any], owner: str, *, wait: float = 0.0) -> Asked:
    """Asks a worker what {"kind", "parameters", "seed"} gives and waits up to `wait` seconds for it.

    Raises nothing: what cannot be asked now is asked again later. The limit on unfinished pictures counts
    an owner's programs apart from the pictures that the same person looks at.
    """
    try:
        spec = make_spec(asks["kind"], asks["parameters"], asks.get("seed", 0))
    except InvalidSpec as error:
        return Asked({"outcome": "undecided", "reason": str(error)})
    try:
        return _asked(spec, f"judging {owner}", wait)
    except OwnerBusy:
        return Asked(None, BUSY, 2, spec.digest())
    except StoreFull:
        return Asked(None, FULL, 5, spec.digest())
    except StoreUnavailable:
        return Asked(None, UNREACHABLE, LATER, spec.digest())


def _asked(spec: VisualizationSpec, owner: str, wait: float) -> Asked:
    requested = request_visualization(spec, owner)
    alive = store().workers() > 0
    reading = _awaited(requested.digest, wait if alive else 0.0)
    if reading.state == "done":
        return Asked(verdict_of([frame for _, frame in reading.frames]), digest=requested.digest)
    if reading.state == "failed" and reading.code not in COMES_LATER:
        return Asked({"outcome": "undecided", "reason": reading.sentence}, digest=requested.digest)
    if not alive or reading.state == "failed":
        return Asked(None, NO_WORKER, LATER, requested.digest)
    return Asked(None, RUNNING, SOON, requested.digest)


def _awaited(digest: str, wait: float) -> Reading:
    """The picture once it has ended, or as it is after `wait` seconds; looks ever less often."""
    until, pause = time.monotonic() + wait, FIRST_LOOK
    reading = read_frames(digest)
    if wait <= 0 or not _waiting.acquire(blocking=False):
        return reading
    try:
        while not (reading.ended or reading.state == "absent") and time.monotonic() < until:
            time.sleep(min(pause, max(until - time.monotonic(), 0)))
            pause = min(pause * 1.3, LONGEST_LOOK)
            reading = read_frames(digest, watched=False)
    finally:
        _waiting.release()
    return reading


def verdict_of(frames: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The verdict that the last frame carries, with the sentence that says most: of the line that torch
    refused, where it did, else of the comparison."""
    last = frames[-1] if frames else {}
    refused = next((frame for frame in frames if frame.get("error")), None)
    told = dict(last.get("verdict") or {"outcome": "undecided", "reason": "the worker gave no verdict"})
    shown = refused if refused is not None and told["outcome"] == "error" else last
    return told | {"sentence": str(shown.get("sentence", ""))}
