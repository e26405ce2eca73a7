"""The life of a picture as pure steps: claimed, sent, started, lapsed, ended. No database, no clock."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from attention_engine.store import contract
from attention_engine.store.contract import (
    FAILED,
    QUEUED,
    RUNNING,
    Deed,
    OwnerBusy,
    StaleLease,
    StoreFull,
)

NO_WORKER = "no worker took this picture within 5 minutes; ask for it again later"
WORKER_LOST = "the worker was lost three times while drawing this picture"


@dataclass(frozen=True)
class Picture:
    """One row of a store; times are seconds since the epoch. `since` is when it began to wait, or ended."""

    digest: str
    spec: str
    owner: str
    state: str
    since: float
    sent_at: float
    expires_at: float
    attempt: int = 0
    token: str = ""
    lease_until: float = 0.0
    lapses: int = 0
    count: int = 0
    code: str = ""
    sentence: str = ""

    @property
    def unfinished(self) -> bool:
        """Waiting for a worker or being drawn."""
        return self.state in (QUEUED, RUNNING)

    @property
    def holds_until(self) -> float:
        """When it stops counting against its owner if nobody touches it."""
        if self.state == RUNNING:
            return self.lease_until
        return self.since + contract.GIVE_UP_SECONDS if self.state == QUEUED else 0.0


@dataclass(frozen=True)
class Situation:
    """What a step is decided on: the time, the picture (None when absent) and how many are unfinished."""

    now: float
    picture: Picture | None
    of_owner: int = 0
    in_all: int = 0


@dataclass(frozen=True)
class Change:
    """What a step decided: the picture to store (None: remove it), and what happens to its frames."""

    picture: Picture | None
    send: bool = False
    created: bool = False
    clears: bool = False
    frames: tuple[str, ...] = ()
    """JSON of those that come to it; `picture.count` counts them already."""
    tensors: tuple[str, ...] = ()


def claimed(situation: Situation, *, digest: str, spec: dict[str, Any], owner: str) -> Change:
    """A picture is asked for. Raises OwnerBusy, StoreFull."""
    passed = after_time(situation)
    picture = passed.picture
    if picture is not None and not _may_be_retried(picture, situation.now):
        return Change(touched(picture, situation.now), send=passed.send)
    _check_room(situation)
    fresh = Picture(
        digest=digest,
        spec=json.dumps(spec, separators=(",", ":")),
        owner=owner,
        state=QUEUED,
        since=situation.now,
        sent_at=situation.now,
        expires_at=_until(situation.now),
        attempt=picture.attempt if picture else life(situation.now),
    )
    return Change(fresh, send=True, created=True, clears=True)


def after_time(situation: Situation) -> Change:
    """What the mere passage of time does: resend, give up, lapse."""
    picture, now = situation.picture, situation.now
    if picture is None:
        return Change(None)
    if picture.state == QUEUED:
        return _waited(picture, now)
    if picture.state == RUNNING and picture.lease_until <= now:
        return _lapsed(picture, now)
    return Change(picture)


def read(situation: Situation) -> Change:
    """A reader looks: time passes, and the picture is kept for another hour."""
    passed = after_time(situation)
    if passed.picture is None:
        return passed
    return replace(passed, picture=touched(passed.picture, situation.now))


def started(situation: Situation, *, token: str) -> Change | None:
    """A worker begins the next attempt; None when there is nothing to begin."""
    picture = after_time(situation).picture
    if picture is None or picture.state != QUEUED:
        return None
    running = replace(
        picture,
        state=RUNNING,
        attempt=picture.attempt + 1,
        token=token,
        lease_until=situation.now + contract.LEASE_SECONDS,
        count=0,
    )
    return Change(running, clears=True)


def renewed(situation: Situation, *, token: str) -> Change:
    """The worker is still at it. Raises StaleLease."""
    held = _held(situation, token)
    return Change(replace(held, lease_until=situation.now + contract.LEASE_SECONDS))


def worked(situation: Situation, *, token: str, deeds: Sequence[Deed]) -> Change:
    """More frames, in their order; the last deed may end the picture. Raises StaleLease."""
    held, last = _held(situation, token), deeds[-1]
    frames = tuple(deed.frame for deed in deeds if deed.frame)
    picture = replace(held, count=held.count + len(frames))
    if last.end:
        picture = _ended(picture, situation.now, last.end, code=last.code, sentence=last.sentence)
    return Change(picture, frames=frames, tensors=tuple(name for deed in deeds for name in deed.tensors))


def abandoned(situation: Situation, *, token: str) -> Change:
    """Nobody looks any more: the picture becomes absent. Raises StaleLease."""
    _held(situation, token)
    return Change(None, clears=True)


def touched(picture: Picture, now: float) -> Picture:
    """Kept for an hour from now; unchanged while it is kept that long anyway."""
    if picture.expires_at >= now + contract.KEEP_SECONDS:
        return picture
    return replace(picture, expires_at=_until(now))


def life(now: float) -> int:
    """Where the attempts of a picture begin that is absent: at the milliseconds of the clock, so that an
    event id from an earlier life names no event of this one, and its reader starts anew."""
    return int(now * 1000)


def events(change: Change) -> list[tuple[int, str, str]]:
    """(number, event id, JSON) of the frames that come to the picture, in order."""
    picture = change.picture
    assert picture is not None
    first = picture.count - len(change.frames) + 1
    return [(n, contract.event_id(picture.attempt, n), frame) for n, frame in enumerate(change.frames, first)]


def _until(now: float) -> float:
    return now + contract.KEEP_SECONDS + contract.KEEP_SLACK_SECONDS


def _may_be_retried(picture: Picture, now: float) -> bool:
    return picture.state == FAILED and now - picture.since >= contract.RETRY_SECONDS


def _check_room(situation: Situation) -> None:
    if situation.of_owner >= contract.MAX_PER_OWNER:
        raise OwnerBusy(
            f"{situation.of_owner} of your pictures are unfinished; at most {contract.MAX_PER_OWNER} may be"
        )
    if situation.in_all >= contract.MAX_IN_ALL:
        raise StoreFull(f"{situation.in_all} pictures are waiting to be drawn; try again in a few seconds")


def _waited(picture: Picture, now: float) -> Change:
    if now - picture.since >= contract.GIVE_UP_SECONDS:
        return Change(_ended(picture, now, FAILED, code="no-worker", sentence=NO_WORKER))
    if now - picture.sent_at >= contract.RESEND_SECONDS:
        return Change(replace(picture, sent_at=now), send=True)
    return Change(picture)


def _lapsed(picture: Picture, now: float) -> Change:
    lapses = picture.lapses + 1
    if lapses >= contract.MAX_LAPSES:
        lost = replace(picture, lapses=lapses)
        return Change(_ended(lost, now, FAILED, code="worker-lost", sentence=WORKER_LOST))
    again = replace(picture, state=QUEUED, lapses=lapses, token="", since=now, sent_at=now)
    return Change(again, send=True)


def _held(situation: Situation, token: str) -> Picture:
    picture = situation.picture
    if picture is None or picture.state != RUNNING or picture.token != token:
        raise StaleLease("this attempt no longer holds the picture; stop drawing")
    return picture


def _ended(picture: Picture, now: float, state: str, *, code: str = "", sentence: str = "") -> Picture:
    return replace(picture, state=state, token="", since=now, code=code, sentence=sentence)
