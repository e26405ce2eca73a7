"""What a frame store promises: its values, its errors and its limits. Knows no database."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

ABSENT, QUEUED, RUNNING, DONE, FAILED = "absent", "queued", "running", "done", "failed"

LEASE_SECONDS = 15.0  # a worker that says nothing for so long has lost its picture
RENEW_SECONDS = 5.0  # how often a worker speaks up
RESEND_SECONDS = 30.0  # a queued claim is sent again after this, and at most this often
GIVE_UP_SECONDS = 300.0  # a claim queued for so long fails
RETRY_SECONDS = 30.0  # a failed picture may be asked for anew after this
WATCH_SECONDS = 15.0  # how long one look counts as being watched
KEEP_SECONDS = 3600.0  # a picture outlives its last read by this
KEEP_SLACK_SECONDS = 60.0  # ... and a little more, so that not every read has to write
MAX_LAPSES = 3
MAX_PER_OWNER = 3
MAX_IN_ALL = 200


class StoreUnavailable(Exception):
    """The store cannot be reached; nothing is known about the picture."""


class OwnerBusy(ValueError):
    """One person has too many pictures waiting."""


class StoreFull(ValueError):
    """Everybody together has too many pictures waiting."""


class StaleLease(ValueError):
    """The picture is somebody else's by now (or gone): whoever holds this token must stop."""


@dataclass(frozen=True)
class Claim:
    """What asking for a picture led to; `send` says: a message to the workers is due now."""

    digest: str
    state: str
    created: bool
    send: bool


@dataclass(frozen=True)
class Lease:
    """The right to draw one picture, once; `spec` is the spec's JSON form."""

    token: str
    attempt: int
    spec: dict[str, Any]


@dataclass(frozen=True)
class Reading:
    """A picture as its reader finds it; unpacks as `state, frames`.

    `frames` are (event id, frame as JSON) after the id the reader gave; `reset` says: forget what you have,
    these are all. `count` is how many frames the present attempt has; `send` as in Claim; `code` and
    `sentence` say why a picture failed; `spec` is the spec's JSON form, there only when a message is due.
    """

    digest: str
    state: str
    frames: tuple[tuple[str, dict[str, Any]], ...] = ()
    reset: bool = False
    attempt: int = 0
    count: int = 0
    send: bool = False
    code: str = ""
    sentence: str = ""
    spec: dict[str, Any] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.state, self.frames))

    @property
    def ended(self) -> bool:
        """No more frames will come."""
        return self.state in (DONE, FAILED)

    @property
    def last_id(self) -> str:
        """The id of the event that ends this picture: one past its frames."""
        return event_id(self.attempt, self.count + 1)


@dataclass(frozen=True)
class Deed:
    """What a worker did on the picture it holds: a frame with its tensors, or the end, or both."""

    token: str
    frame: str = ""
    """The frame as JSON; "" where there is none."""
    tensors: tuple[str, ...] = ()
    """What the frame's tensors are called, by the sha256 of their bytes."""
    blobs: tuple[tuple[str, bytes], ...] = ()
    """Those bytes, as (sha256, body)."""
    end: str = ""
    """DONE or FAILED; "" while it goes on."""
    code: str = ""
    sentence: str = ""


def event_id(attempt: int, n: int) -> str:
    """`2-5`: the fifth frame of the second attempt. Also a valid entry id of a Redis stream."""
    return f"{attempt}-{n}"


def place(event: str) -> tuple[int, int]:
    """The (attempt, n) an event id names; (0, 0) for none, (-1, 0) for one no store has ever made."""
    if not event:
        return (0, 0)
    attempt, dash, n = event.partition("-")
    known = dash and len(event) <= 20 and all(part.isascii() and part.isdigit() for part in (attempt, n))
    return (int(attempt), int(n)) if known else (-1, 0)
