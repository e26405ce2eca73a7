"""A picture as an event stream: frames while they are drawn. Knows no request, blocks no event loop."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from attention_engine.store import Reading, StoreUnavailable, event_id, place
from studyhub.delivery import ending
from studyhub.delivery.pictures import read_frames

HELLO = b"retry: 2000\n\n"
COMMENT = b": still here\n\n"
GONE = {"code": "gone", "sentence": "This picture is kept no longer; ask for it again."}


@dataclass(frozen=True)
class Pace:
    """How often a stream looks, and how long it lives; all in seconds."""

    shortest: float = 0.025
    longest: float = 0.25
    comment_every: float = 15.0
    watch_every: float = 5.0
    closes_after: float = 120.0


@dataclass
class Follower:
    """Where one client stands in one picture."""

    digest: str
    after: str
    pace: Pace
    now: float
    opened: float = field(init=False)
    spoke: float = field(init=False)
    watched: float = field(default=float("-inf"), init=False)
    wait: float = field(init=False)

    def __post_init__(self) -> None:
        self.opened = self.spoke = self.now
        self.wait = self.pace.shortest

    @property
    def expired(self) -> bool:
        """The stream has lived long enough; the client resumes where it stands."""
        return self.now - self.opened >= self.pace.closes_after

    def look(self) -> Reading | None:
        """Reads on from where the client stands (in a thread); None while the store is away."""
        watch = self.now - self.watched >= self.pace.watch_every
        try:
            reading = read_frames(self.digest, self.after, watched=watch)
        except StoreUnavailable:
            return None
        self.watched = self.now if watch else self.watched
        return reading

    def told(self, reading: Reading | None) -> bytes:
        """The events of a reading, or a comment when there were none for long; adapts the pace."""
        told = b"".join(events(reading)) if reading else b""
        if reading and told:
            self.after, self.wait = _last_told(reading), self.pace.shortest
            return told
        self.wait = min(self.wait * 1.5, self.pace.longest)
        return COMMENT if self.now - self.spoke >= self.pace.comment_every else b""


async def follow(digest: str, last_event_id: str = "", *, pace: Pace = Pace()) -> AsyncIterator[bytes]:
    """The picture's events after `last_event_id` as text/event-stream, until its end or the stream's.

    Asked to end, the server would wait for the stream: so it closes, and the client resumes elsewhere."""
    ending.listen()
    loop = asyncio.get_running_loop()
    follower = Follower(digest, last_event_id, pace, now=loop.time())
    yield HELLO
    while not (follower.expired or ending.asked.is_set()):
        reading = await loop.run_in_executor(_readers(), follower.look)
        if told := follower.told(reading):
            follower.spoke = follower.now
            yield told
        if reading and (reading.ended or reading.state == "absent"):
            return
        await asyncio.sleep(follower.wait)
        follower.now = loop.time()


def is_over(reading: Reading, last_event_id: str) -> bool:
    """The client has had the event that ended the picture: a reconnect gets 204 and stops."""
    attempt, n = place(last_event_id)
    return reading.ended and attempt == reading.attempt and n > reading.count


def events(reading: Reading) -> Iterator[bytes]:
    """A reading as server-sent events: reset, frames, and how it ended."""
    if reading.reset:
        yield event("reset", {}, id=event_id(reading.attempt, 0))
    for id_, frame in reading.frames:
        yield event("frame", frame, id=id_)
    if reading.state == "done":
        yield event("done", {"frames": reading.count}, id=reading.last_id)
    elif reading.state == "failed":
        yield event("failed", {"code": reading.code, "sentence": reading.sentence}, id=reading.last_id)
    elif reading.state == "absent":
        yield event("failed", GONE)


def event(name: str, data: dict[str, Any], *, id: str = "") -> bytes:
    """One event; JSON in ASCII holds no line break of any alphabet, so one data line carries it."""
    body = json.dumps(data, separators=(",", ":"))
    return f"{f'id: {id}' + chr(10) if id else ''}event: {name}\ndata: {body}\n\n".encode()


def _last_told(reading: Reading) -> str:
    if reading.ended:
        return reading.last_id
    return reading.frames[-1][0] if reading.frames else event_id(reading.attempt, 0)


@cache
def _readers() -> ThreadPoolExecutor:
    """Threads of our own, so that streams and views do not wait for each other."""
    return ThreadPoolExecutor(max_workers=8, thread_name_prefix="follow")
