"""Draws claimed pictures, one or many that waited together: frames into the store, the end of each.

Knows no queue and no Celery. A lone picture's frames are stored one by one. Those of many are gathered for
GATHER_SECONDS at most and stored in one step, because on a picture of 3 ms the steps cost as much again."""

import logging
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from attention_engine.admission import FAST_FLOPS, admit
from attention_engine.boundaries import asking
from attention_engine.frames import Frame
from attention_engine.leases import Following, GivenUp, LeaseKeeper, Outbox
from attention_engine.spec import InvalidSpec, VisualizationSpec, spec_from_json
from attention_engine.store import FrameStore, Lease, StaleLease, StoreUnavailable
from attention_engine.store.base import frame_deed
from attention_engine.store.contract import DONE, FAILED, Deed

log = logging.getLogger(__name__)
GATHER_SECONDS = 0.02
"""How long a frame of a picture that waited among others may wait to be stored with theirs."""
BROKE = "The engine broke while drawing this picture; the reason is in the worker's log."
Render = Callable[[VisualizationSpec], Iterator[Frame]]


class InHand:
    """How many threads of this process draw for somebody now: what is drawn for nobody stands back."""

    def __init__(self) -> None:
        self.count, self._lock = 0, threading.Lock()

    def __enter__(self) -> None:
        with self._lock:
            self.count += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self.count -= 1


in_hand = InHand()


def draw(store: FrameStore, digest: str, *, picture: Render | None = None) -> None:
    """Takes the lease, stores every frame as it comes, ends the picture: done, or failed with a reason."""
    draw_together(store, [digest], picture=picture)


def draw_together(store: FrameStore, digests: Sequence[str], *, picture: Render | None = None) -> None:
    """Pictures one after another under one keeper; one that breaks or is given up leaves the others alone.

    What several of them read is read once."""
    try:
        leases = store.start_many(list(dict.fromkeys(digests)))
        if leases:
            with in_hand:
                _draw_leased(store, leases, picture=picture)
    except StoreUnavailable as error:
        named = ", ".join(digest[:12] for digest in digests)
        log.warning("%s stops: %s; its readers will have it sent again", named, error)


def _draw_leased(store: FrameStore, leases: Sequence[Lease], *, picture: Render | None) -> None:
    with LeaseKeeper(store, *(lease.token for lease in leases)) as keeper:
        outbox = Outbox(store, keeper, gather=GATHER_SECONDS if len(leases) > 1 else 0.0)
        if len(leases) > 1 and picture is None:
            _prepare([lease.spec for lease in leases])
        for lease in leases:
            _Drawing(store, lease, keeper=keeper, outbox=outbox).draw(picture or _engine)
        outbox.flush()


class _Drawing:
    """One picture on its way from its lease to its end."""

    def __init__(self, store: FrameStore, lease: Lease, *, keeper: LeaseKeeper, outbox: Outbox) -> None:
        self._store, self._lease, self._keeper, self._outbox = store, lease, keeper, outbox

    def draw(self, picture: Render) -> None:
        """To its last frame, a reason, or the boundary where nobody wants it. Raises StoreUnavailable."""
        token = self._lease.token
        try:
            self._drawn(picture)
        except GivenUp:
            self._give_up()
        except StoreUnavailable:
            raise
        except Exception as error:  # whatever it was, the learner is told that it ended
            if not _of_the_domain(error):
                log.exception("a picture broke")
            code, sentence = reason(error)
            self._outbox.add(Deed(token, end=FAILED, code=code, sentence=sentence))
        self._keeper.ended(token)

    def _drawn(self, picture: Render) -> None:
        spec, token = spec_from_json(self._lease.spec), self._lease.token
        frames = picture(spec)  # may load torch, which is no time of this picture
        heavy = admit(spec).flops > FAST_FLOPS
        following = Following(self._store, token, keeper=self._keeper, heavy=heavy)

        def look() -> None:
            self._outbox.look()
            following.look()

        with asking(look):
            for frame in frames:
                self._outbox.add(frame_deed(token, frame))
                following.ask()
        self._outbox.add(Deed(token, end=DONE))

    def _give_up(self) -> None:
        token = self._lease.token
        self._outbox.drop(token)
        if token in self._keeper.lost:
            log.info("picture %s was taken over; this attempt stops", token[:12])
            return
        try:
            self._store.abandon(token)
        except StaleLease:
            log.info("picture %s was taken over before it was given up", token[:12])


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


def _prepare(specs: Sequence[dict[str, Any]]) -> None:
    """Reads what they look at. Whatever goes wrong here goes wrong again, and is told, in its own picture."""
    from attention_engine import engine

    read: list[VisualizationSpec] = []
    for spec in specs:
        with suppress(InvalidSpec):
            read.append(spec_from_json(spec))
    try:
        engine.prepare(read)
    except Exception as error:
        log.info("pictures that waited together are read one by one: %s", error)
