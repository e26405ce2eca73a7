"""Asks for pictures and reads them: store and broker behind three functions. Knows no HTTP."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings

from attention_engine.admission import admit
from attention_engine.spec import InvalidSpec, VisualizationSpec, facts, spec_from_json
from attention_engine.store import FrameStore, Reading, open_store
from studyhub.delivery import publisher


@dataclass(frozen=True)
class Requested:
    """A picture that was asked for: its address, how far it is, and what is known without a tensor."""

    digest: str
    state: str
    facts: dict[str, Any]


def request_visualization(spec: VisualizationSpec, owner: str) -> Requested:
    """Claims the picture and wakes a worker if there is something to draw.

    Raises TooLarge, OwnerBusy, StoreFull, StoreUnavailable. With a dead broker the claim stays queued.
    """
    cost = admit(spec)
    claim = store().claim(spec, owner)
    if claim.send:
        publisher.send(claim.digest, cost)
    return Requested(claim.digest, claim.state, facts(spec))


def read_frames(digest: str, after: str = "", *, watched: bool = True) -> Reading:
    """The picture after the event id `after`; sends it again where that is due. Raises StoreUnavailable."""
    frames = store()
    reading = frames.read(digest, after)
    if reading.send:
        _send_again(reading)
    if watched and not reading.ended:
        frames.watch(digest)
    return reading


def tensor(sha256: str) -> bytes | None:
    """The bytes of a tensor, None when expired. Raises StoreUnavailable."""
    return store().get(sha256)


def store() -> FrameStore:
    """The store the settings name."""
    return open_store(settings.FRAMES_URL)


def _send_again(reading: Reading) -> None:
    try:
        cost = admit(spec_from_json(reading.spec))
    except InvalidSpec:
        return  # claimed by another version of the engine; it fails by itself
    publisher.send(reading.digest, cost)
