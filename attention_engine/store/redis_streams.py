"""Frames in Redis: a stream a picture. Knows keys, leaves the rules to rules.py."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

import redis
from redis.backoff import NoBackoff
from redis.client import Pipeline
from redis.retry import Retry

from attention_engine.store import contract, rules
from attention_engine.store.base import NOTHING, FrameStore, Step, alive, row
from attention_engine.store.contract import StoreUnavailable
from attention_engine.store.rules import Change, Picture, Situation

PREFIX = "studyhub:"
CONNECT_TIMEOUT = 0.3  # seconds; a Redis that is gone is known at once
TIMEOUT = 1.0  # seconds; no command here blocks: only a hung Redis, or a machine at its limit, takes longer
TRIES = 100  # each lost try means that somebody else's step went through
LOOK = "return {redis.call('TIME'), redis.call('MGET', unpack(KEYS))}"  # one round trip instead of two
GARBAGE_SECONDS = int(contract.KEEP_SECONDS + 2 * contract.KEEP_SLACK_SECONDS)


class RedisFrameStore(FrameStore):
    """Every step is a WATCH/MULTI/EXEC on one picture; Redis's own clock rules, so machines need not."""

    def __init__(self, url: str, *, clock: Callable[[], float] | None = None, prefix: str = PREFIX) -> None:
        """`clock` replaces the server's time; `prefix` begins every key."""
        self._redis = redis.Redis.from_url(
            url,
            socket_timeout=TIMEOUT,
            socket_connect_timeout=CONNECT_TIMEOUT,
            retry=Retry(NoBackoff(), 0),
        )
        self._now, self._by_server = clock or self._server_time, clock is None
        self._prefix = prefix
        self._unfinished_key = self._key("unfinished", "")
        self._workers_key = self._key("workers", "")

    def watch(self, digest: str) -> None:
        """Somebody follows this picture, for the next 15 s."""
        with _as_unavailable():
            until = self._now() + contract.WATCH_SECONDS
            self._redis.set(self._key("watched", digest), repr(until), ex=GARBAGE_SECONDS)

    def watched(self, digest: str) -> bool:
        """Somebody followed this picture in the last 15 s."""
        with _as_unavailable():
            until = self._redis.get(self._key("watched", digest))
            return until is not None and float(cast(bytes, until)) > self._now()

    def forget_drawn(self) -> None:
        """Done pictures become absent; their frames and tensors expire by themselves."""
        with _as_unavailable():
            for key in self._redis.scan_iter(self._key("picture", "*")):
                picture = _loaded(self._redis.get(key), self._now())
                if picture and picture.state == contract.DONE:
                    self._redis.delete(key)

    def announce(self, worker: str) -> None:
        """This worker lives, for the next 15 s."""
        with _as_unavailable():
            now = self._now()
            self._redis.zremrangebyscore(self._workers_key, "-inf", now)
            self._redis.zadd(self._workers_key, {worker: now + contract.WATCH_SECONDS})

    def workers(self) -> int:
        """How many workers announced themselves in the last 15 s."""
        with _as_unavailable():
            return self._redis.zcount(self._workers_key, f"({self._now()!r}", "+inf")

    def get(self, sha256: str) -> bytes | None:
        """The tensor's bytes, kept for another hour; None when expired or never there."""
        with _as_unavailable():
            key, now = self._key("tensor", sha256), self._now()
            body, until = cast(list[bytes | None], self._redis.hmget(key, ["body", "until"]))
            if body is None or until is None or float(until) <= now:
                return None
            if float(until) < now + contract.KEEP_SECONDS:
                self._keep_tensor(self._redis, sha256, _kept_until(now))
            return body

    def ping(self) -> None:
        """Returns if Redis answers."""
        with _as_unavailable():
            self._redis.ping()

    def _server_time(self) -> float:
        seconds, microseconds = self._redis.time()
        return seconds + microseconds / 1e6

    def _load(self, digest: str) -> tuple[float, Picture | None]:
        with _as_unavailable():
            now = self._now()
            return now, _loaded(self._redis.get(self._key("picture", digest)), now)

    def _frames(self, picture: Picture, after: int) -> list[tuple[str, str]]:
        # From the id on within the present attempt: entries of a newer one are left for the next look.
        first, last = f"({picture.attempt}-{after}", f"{picture.attempt}"
        with _as_unavailable():
            entries = cast(list[Any], self._redis.xrange(self._key("frames", picture.digest), first, last))
        return [(event.decode(), fields[b"body"].decode()) for event, fields in entries]

    def _steps(
        self, steps: Mapping[str, Step], *, owner: str = "", tensors: Mapping[str, bytes] = NOTHING
    ) -> dict[str, Change | None]:
        with _as_unavailable(), self._redis.pipeline() as pipe:
            for _ in range(TRIES):
                try:
                    return self._tried(pipe, steps, owner=owner, tensors=tensors)
                except redis.WatchError:
                    continue
        raise StoreUnavailable(f"too many writers at once for {', '.join(steps)}")

    def _tried(
        self, pipe: Pipeline, steps: Mapping[str, Step], *, owner: str, tensors: Mapping[str, bytes]
    ) -> dict[str, Change | None]:
        counted = [self._key("owner", owner), self._unfinished_key] if owner else []
        now, before = self._watched(pipe, list(steps), counted)
        waiting = [pipe.zcount(key, f"({now!r}", "+inf") for key in counted] or (0, 0)
        changes = {digest: step(Situation(now, before[digest], *waiting)) for digest, step in steps.items()}
        made = {digest: change for digest, change in changes.items() if change is not None}
        longer = [digest for digest, change in made.items() if _kept_longer(change, before[digest])]
        used = self._used(pipe, longer)
        pipe.multi()
        for sha256, body in tensors.items():
            self._keep_tensor(pipe, sha256, _kept_until(now), body)
        for digest, change in made.items():
            self._store(pipe, digest, change, before=before[digest])
        for sha256 in used - tensors.keys():
            self._keep_tensor(pipe, sha256, _kept_until(now))
        pipe.zremrangebyscore(self._unfinished_key, "-inf", now - contract.KEEP_SECONDS)
        pipe.execute()
        return changes

    def _watched(
        self, pipe: Pipeline, digests: list[str], others: list[str]
    ) -> tuple[float, dict[str, Picture | None]]:
        """The time and the pictures; a change of them or of the other keys from now on undoes the step."""
        if not digests:
            return self._now(), {}
        keys = [self._key("picture", digest) for digest in digests]
        pipe.watch(*keys, *others)  # type: ignore[no-untyped-call]
        if self._by_server:
            (seconds, microseconds), bodies = cast(Any, pipe.eval(LOOK, len(keys), *keys))
            now = int(seconds) + int(microseconds) / 1e6
        else:
            now, bodies = self._now(), pipe.mget(keys)
        return now, {digest: _loaded(body, now) for digest, body in zip(digests, bodies, strict=True)}

    def _used(self, pipe: Pipeline, digests: list[str]) -> set[str]:
        """Names of the tensors of these pictures."""
        found = [cast(set[bytes], pipe.smembers(self._key("uses", digest))) for digest in digests]
        return {sha256.decode() for names in found for sha256 in names}

    def _store(self, pipe: Pipeline, digest: str, change: Change, *, before: Picture | None) -> None:
        picture, frames, uses = change.picture, self._key("frames", digest), self._key("uses", digest)
        if change.clears:
            pipe.delete(frames, uses)
        if before and (picture is None or not picture.unfinished or picture.owner != before.owner):
            self._release(pipe, before)
        if picture is None:
            pipe.delete(self._key("picture", digest))
            return
        if picture != before:
            pipe.set(self._key("picture", digest), json.dumps(row(picture)), ex=GARBAGE_SECONDS)
        if picture.unfinished and (before is None or picture.holds_until != before.holds_until):
            self._hold(pipe, picture)
        for _, event, body in rules.events(change):
            pipe.xadd(frames, {"body": body}, id=event)
        if change.tensors:
            pipe.sadd(uses, *change.tensors)
        if change.frames or change.tensors or picture != before:
            pipe.expire(frames, GARBAGE_SECONDS)
            pipe.expire(uses, GARBAGE_SECONDS)

    def _hold(self, pipe: Pipeline, picture: Picture) -> None:
        pipe.zadd(self._unfinished_key, {picture.digest: picture.holds_until})
        pipe.zadd(self._key("owner", picture.owner), {picture.digest: picture.holds_until})
        pipe.expire(self._key("owner", picture.owner), GARBAGE_SECONDS)

    def _release(self, pipe: Pipeline, picture: Picture) -> None:
        pipe.zrem(self._unfinished_key, picture.digest)
        pipe.zrem(self._key("owner", picture.owner), picture.digest)

    def _key(self, kind: str, name: str) -> str:
        return f"{self._prefix}{kind}:{name}"

    def _keep_tensor(
        self, client: "redis.Redis | Pipeline", sha256: str, until: float, body: bytes | None = None
    ) -> None:
        """For another hour; with a body it is stored."""
        held: dict[Any, Any] = {"until": repr(until)} | ({} if body is None else {"body": body})
        client.hset(self._key("tensor", sha256), mapping=held)
        client.expire(self._key("tensor", sha256), GARBAGE_SECONDS)


def _loaded(body: Any, now: float) -> Picture | None:
    return alive(Picture(**json.loads(body)), now) if body else None


def _kept_longer(change: Change, before: Picture | None) -> bool:
    return bool(before and change.picture and change.picture.expires_at != before.expires_at)


def _kept_until(now: float) -> float:
    return now + contract.KEEP_SECONDS + contract.KEEP_SLACK_SECONDS


@contextmanager
def _as_unavailable() -> Iterator[None]:
    try:
        yield
    except redis.WatchError:
        raise
    except (redis.RedisError, OSError) as error:
        raise StoreUnavailable(f"the frame store does not answer: {error}") from error
