"""The event stream: every frame to early, late and resuming readers, and an end in every case."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from attention_engine.frames import Frame
from attention_engine.spec import make_spec
from attention_engine.store import FrameStore, Lease
from studyhub.delivery import follow, is_over, read_frames
from studyhub.delivery.stream import COMMENT, HELLO, Pace

SPEC = make_spec("head_split", {"d_model": 768, "num_heads": 12})
DIGEST = SPEC.digest()
QUICK = Pace(shortest=0.002, longest=0.01)


@dataclass(frozen=True)
class Event:
    """One server-sent event as a client parses it."""

    id: str
    name: str
    data: Any


def parsed(stream: bytes) -> list[Event]:
    """The events of a stream, read by a client that breaks lines wherever Unicode does."""
    events = []
    for block in stream.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
        if "event" in fields:
            events.append(Event(fields.get("id", ""), fields["event"], json.loads(fields["data"])))
    return events


def frame(n: int) -> Frame:
    return Frame(step=f"step {n}", layout="text", title="", sentence="Köpfe\nund\u2028Zeilen", n=n)


def claimed(store: FrameStore) -> Lease:
    store.claim(SPEC, "ben")
    lease = store.start(DIGEST)
    assert lease
    return lease


def drawn(store: FrameStore, frames: int = 3) -> None:
    lease = claimed(store)
    for n in range(frames):
        store.append(lease.token, frame(n))
    store.finish(lease.token)


async def collected(stream: AsyncIterator[bytes]) -> bytes:
    return b"".join([piece async for piece in stream])


def read_to_the_end(last_event_id: str = "", pace: Pace = QUICK) -> bytes:
    return asyncio.run(asyncio.wait_for(collected(follow(DIGEST, last_event_id, pace=pace)), 10))


def test_a_late_reader_gets_every_frame_and_the_end(store: FrameStore) -> None:
    drawn(store)
    told = read_to_the_end()
    assert told.startswith(HELLO)
    assert [(e.id, e.name) for e in parsed(told)] == [
        ("1-1", "frame"),
        ("1-2", "frame"),
        ("1-3", "frame"),
        ("1-4", "done"),
    ]
    assert parsed(told)[0].data == frame(0).as_json()
    assert parsed(told)[-1].data == {"frames": 3}


def test_a_resuming_reader_gets_what_it_missed(store: FrameStore) -> None:
    drawn(store)
    assert [e.id for e in parsed(read_to_the_end("1-2"))] == ["1-3", "1-4"]


def test_an_early_reader_sees_each_frame_while_the_next_is_being_drawn(store: FrameStore) -> None:
    store.claim(SPEC, "ben")

    async def scene() -> list[str]:
        seen: list[str] = []
        lease: Lease | None = None
        async with aclosing(follow(DIGEST, pace=QUICK)) as stream:  # type: ignore[type-var]
            async for piece in stream:
                seen += [e.id for e in parsed(piece)]
                lease = lease or store.start(DIGEST)
                assert lease
                if len(seen) < 3:  # drawn only when the one before has arrived
                    store.append(lease.token, frame(len(seen)))
                elif len(seen) == 3:
                    store.finish(lease.token)
        return seen

    assert asyncio.run(asyncio.wait_for(scene(), 10)) == ["1-1", "1-2", "1-3", "1-4"]


def test_a_new_attempt_tells_the_reader_to_forget(store: FrameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    lease = claimed(store)
    store.append(lease.token, frame(0))
    monkeypatch.setattr(store, "_now", lambda: time.time() + 20)
    second = store.start(DIGEST)
    assert second
    store.append(second.token, frame(0))
    store.finish(second.token)
    told = parsed(read_to_the_end("1-1"))
    assert [(e.id, e.name) for e in told] == [("2-0", "reset"), ("2-1", "frame"), ("2-2", "done")]


def test_a_failed_picture_says_why(store: FrameStore) -> None:
    lease = claimed(store)
    store.append(lease.token, frame(0))
    store.fail(lease.token, "too-large", "512 MiB, above 256; take fewer tokens")
    last = parsed(read_to_the_end())[-1]
    assert (last.id, last.name) == ("1-2", "failed")
    assert last.data == {"code": "too-large", "sentence": "512 MiB, above 256; take fewer tokens"}


def test_a_picture_that_is_gone_ends_the_stream_with_a_reason(store: FrameStore) -> None:
    (only,) = parsed(read_to_the_end())
    assert (only.name, only.data["code"]) == ("failed", "gone")


@pytest.mark.parametrize(
    ("last_event_id", "over"), [("", False), ("1-2", False), ("1-3", False), ("1-4", True), ("2-1", False)]
)
def test_a_reconnect_is_over_only_after_the_end_was_received(
    store: FrameStore, last_event_id: str, over: bool
) -> None:
    drawn(store)
    assert is_over(read_frames(DIGEST), last_event_id) is over


def test_silence_is_broken_by_comments_and_the_stream_closes_in_time(store: FrameStore) -> None:
    claimed(store)
    told = read_to_the_end(pace=Pace(shortest=0.002, longest=0.01, comment_every=0.05, closes_after=0.3))
    assert told.count(COMMENT) >= 2
    assert parsed(told) == []


def test_following_keeps_a_picture_watched(store: FrameStore) -> None:
    claimed(store)
    signs: list[str] = []
    watch, store.watch = store.watch, signs.append  # type: ignore[method-assign]
    try:
        read_to_the_end(pace=Pace(shortest=0.002, longest=0.01, watch_every=0.1, closes_after=0.35))
    finally:
        store.watch = watch  # type: ignore[method-assign]
    assert 2 <= len(signs) <= 4


def test_a_slow_store_does_not_block_the_event_loop(
    store: FrameStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    claimed(store)
    read = store.read

    def slowly(digest: str, after: str = "") -> Any:
        time.sleep(0.8)
        return read(digest, after)

    monkeypatch.setattr(store, "read", slowly)

    async def scene() -> float:
        stream = asyncio.ensure_future(collected(follow(DIGEST, pace=Pace(closes_after=1.2))))
        late = await _longest_delay(1.0)
        await stream
        return late

    assert asyncio.run(scene()) < 0.6


async def _longest_delay(seconds: float) -> float:
    loop, longest = asyncio.get_running_loop(), 0.0
    end = loop.time() + seconds
    while (before := loop.time()) < end:
        await asyncio.sleep(0.01)
        longest = max(longest, loop.time() - before - 0.01)
    return longest


def test_a_store_that_goes_away_and_comes_back_costs_the_reader_nothing(
    store: FrameStore, settings: Any
) -> None:
    drawn(store)
    alive, settings.FRAMES_URL = settings.FRAMES_URL, "redis://127.0.0.1:1/0"

    async def scene() -> bytes:
        stream = asyncio.ensure_future(collected(follow(DIGEST, pace=QUICK)))
        await asyncio.sleep(0.1)
        settings.FRAMES_URL = alive
        return await asyncio.wait_for(stream, 10)

    assert [e.name for e in parsed(asyncio.run(scene()))] == ["frame", "frame", "frame", "done"]


def test_a_client_that_leaves_ends_the_work_at_once(store: FrameStore) -> None:
    claimed(store)

    async def scene(leave: Callable[[asyncio.Task[bytes]], Awaitable[None]]) -> None:
        task = asyncio.create_task(collected(follow(DIGEST, pace=QUICK)))
        await asyncio.sleep(0.05)
        await leave(task)

    async def cancel(task: asyncio.Task[bytes]) -> None:
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 10)

    asyncio.run(scene(cancel))


def test_a_process_that_is_asked_to_end_ends_its_streams_by_itself(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SERVES, f"sqlite:///{tmp_path / 'frames.sqlite3'}"],
        env=os.environ | {"STUDYHUB_VAR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "studyhub.settings"},
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    hello, *ends = done.stdout.split()
    assert hello == "hello", done.stderr
    assert set(ends) == {"server-heard", "stream-ended"}, done.stderr  # whichever hears first


SERVES = """
import asyncio, os, signal, sys
from django.conf import settings
settings.FRAMES_URL = sys.argv[1]
from attention_engine.spec import make_spec
from attention_engine.store import open_store
from studyhub.delivery import follow

spec = make_spec("head_split", {"d_model": 768, "num_heads": 12})
open_store(settings.FRAMES_URL).claim(spec, "ben")

async def serve():
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, lambda: print("server-heard", flush=True))
    async for piece in follow(spec.digest()):
        print("hello", flush=True)
        loop.call_later(0.1, os.kill, os.getpid(), signal.SIGTERM)
    print("stream-ended", flush=True)

asyncio.run(asyncio.wait_for(serve(), 10))
"""
