"""Where pictures and their frames are kept, drawn or waiting. Knows no settings, no Django."""

from functools import cache

from attention_engine.store.base import FrameStore
from attention_engine.store.contract import (
    Claim,
    Lease,
    OwnerBusy,
    Reading,
    StaleLease,
    StoreFull,
    StoreUnavailable,
    event_id,
    place,
)

SQLITE = "sqlite:///"


@cache
def open_store(url: str) -> FrameStore:
    """The store behind `redis://...` or `sqlite:///path`, one for each address in a process.

    Opening reaches out to nothing yet."""
    if url.startswith(SQLITE):
        from attention_engine.store.embedded import SqliteFrameStore

        return SqliteFrameStore(url.removeprefix(SQLITE))
    if url.startswith(("redis://", "rediss://", "unix://")):
        from attention_engine.store.redis_streams import RedisFrameStore

        return RedisFrameStore(url)
    raise ValueError(
        f"no frame store for {url.partition('://')[0]!r}; use redis://host:port/db or sqlite:///path"
    )


__all__ = [
    "Claim",
    "FrameStore",
    "Lease",
    "OwnerBusy",
    "Reading",
    "StaleLease",
    "StoreFull",
    "StoreUnavailable",
    "event_id",
    "open_store",
    "place",
]
