"""What a picture is drawn under: its lease renewed, its frames on their way, somebody who follows it.

Knows no spec and no frame."""

import logging
import threading
import time
from types import TracebackType

from attention_engine.store import FrameStore, StoreUnavailable
from attention_engine.store.contract import RENEW_SECONDS, Deed

log = logging.getLogger(__name__)
LONG_SECONDS = 0.5
"""A picture of the fast queue that takes longer is given up too once nobody follows it."""
LOOK_SECONDS = 0.005
"""The store is asked at every frame, and between two of them at most this often."""
GATHER_BYTES = 1024 * 1024
"""What may gather before it is stored at once."""


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
