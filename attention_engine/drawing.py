"""Draws claimed pictures, one or many that waited together: leases, frames into the store, the end of each.

Knows no queue and no Celery. A lone picture's frames are stored one by one. Those of many are gathered for
GATHER_SECONDS at most and stored in one step, because on a picture of 3 ms the steps cost as much again."""

import logging
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any

from attention_engine.admission import FAST_FLOPS, admit
from attention_engine.boundaries import asking
from attention_engine.frames import Frame
from attention_engine.spec import InvalidSpec, VisualizationSpec, spec_from_json
from attention_engine.store import FrameStore, Lease, StaleLease, StoreUnavailable
from attention_engine.store.base import frame_deed
from attention_engine.store.contract import DONE, FAILED, RENEW_SECONDS, Deed

log = logging.getLogger(__name__)
LONG_SECONDS = 0.5
"""A picture of the fast queue that takes longer is given up too once nobody follows it."""
LOOK_SECONDS = 0.005
"""The store is asked at every frame, and between two of them at most this often."""
GATHER_SECONDS = 0.02
"""How long a frame of a picture that waited among others may wait to be stored with theirs."""
GATHER_BYTES = 1024 * 1024
"""What may gather before it is stored at once."""
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


class LeaseKeeper:
    """Renews leases from a thread of its own while its block runs; `lost` are those somebody else has."""

    def __init__(self, store: FrameStore, *tokens: str, every: float = RENEW_SECONDS) -> None:
        """`every` in seconds."""
        self.lost: set[str] = set()
        self._held = set(tokens)
        self._store, self._every = store, every
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="lease", daemon=True)

    def ended(self, token: str) -> None:
        """This one needs no keeping any more."""
        self._held.discard(token)

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
                held = self._held.copy()
                stale = self._store.renew_many(list(held)) if held else frozenset()
                self.lost |= stale & self._held  # one that ended meanwhile has lost nothing
                self._held -= stale
            except StoreUnavailable as error:
                log.warning("a lease could not be renewed: %s", error)


class Outbox:
    """What was done and is not stored yet, in order; `gather` seconds may pass from the first of it."""

    def __init__(self, store: FrameStore, keeper: LeaseKeeper, *, gather: float) -> None:
        """0: everything is stored as it comes."""
        self._store, self._keeper, self._gather = store, keeper, gather
        self._deeds: list[Deed] = []
        self._bytes, self._due = 0, 0.0

    def add(self, deed: Deed) -> None:
        """Stores it now or with what comes soon."""
        if not self._deeds:
            self._due = time.monotonic() + self._gather
        self._deeds.append(deed)
        self._bytes += len(deed.frame) + sum(len(body) for _, body in deed.blobs)
        self.look()

    def look(self) -> None:
        """Stores what has waited long enough or is much."""
        if self._deeds and (self._bytes >= GATHER_BYTES or time.monotonic() >= self._due):
            self.flush()

    def flush(self) -> None:
        """Stores it all; what was done under a lease that is lost is left out, and its keeper knows."""
        deeds, self._deeds, self._bytes = self._deeds, [], 0
        if deeds:
            self._keeper.lost |= self._store.write(deeds)

    def drop(self, token: str) -> None:
        """Forgets what was done on this picture and is not stored yet."""
        self._deeds = [deed for deed in self._deeds if deed.token != token]


class GivenUp(Exception):
    """The picture is somebody else's by now, or nobody's: drawing it ends at a boundary."""


class Following:
    """Whether drawing goes on: the lease is held and, of what takes long, somebody follows the frames."""

    def __init__(self, store: FrameStore, token: str, *, keeper: LeaseKeeper, heavy: bool) -> None:
        """A heavy picture takes long from the start, any other after half a second."""
        self._store, self._token, self._keeper = store, token, keeper
        started = time.monotonic()
        self._long = self._next = started if heavy else started + LONG_SECONDS

    def look(self) -> None:
        """Between two pieces of a frame; costs nothing where the last look was just now. Raises GivenUp."""
        if time.monotonic() >= self._next:
            self.ask()

    def ask(self) -> None:
        """Between two frames. Raises GivenUp."""
        now, digest = time.monotonic(), self._token.partition(".")[0]
        self._next = max(self._long, now + LOOK_SECONDS)
        if self._token in self._keeper.lost or (now >= self._long and not self._store.watched(digest)):
            raise GivenUp


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
