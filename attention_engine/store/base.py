"""FrameStore: every store's public face. Knows the rules, leaves keeping things to its two children."""

import hashlib
import json
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from attention_engine.frames import MAX_TENSOR_BYTES, Frame, TooBig, within_limits
from attention_engine.store import contract, rules
from attention_engine.store.contract import ABSENT, DONE, FAILED, Claim, Deed, Lease, Reading, StaleLease
from attention_engine.store.rules import Change, Picture, Situation

if TYPE_CHECKING:
    from attention_engine.spec import VisualizationSpec

Step = Callable[[Situation], Change | None]
NOTHING: Mapping[str, bytes] = MappingProxyType({})


class FrameStore(ABC):
    """Pictures, their frames and their tensors (design: one way from a claim to its last reader).

    Synchronous, safe between threads and processes. Every method may raise StoreUnavailable.
    """

    # ---- for those who ask

    def claim(self, spec: "VisualizationSpec", owner: str) -> Claim:
        """Creates the picture if it is absent, never touches a live one. Raises OwnerBusy, StoreFull."""
        digest = spec.digest()

        def step(situation: Situation) -> Change:
            return rules.claimed(situation, digest=digest, spec=spec.as_json(), owner=owner)

        change = self._step(digest, step, owner=owner)
        assert change is not None
        assert change.picture is not None
        if change.created:
            self.watch(digest)
        return Claim(digest, change.picture.state, change.created, change.send)

    def read(self, digest: str, after: str = "") -> Reading:
        """The picture's state and its frames after the event id `after` ("" = from the start)."""
        picture, send = self._looked_at(digest)
        if picture is None:
            return Reading(digest, ABSENT)
        attempt, n = contract.place(after)
        reset = bool(after) and attempt != picture.attempt
        frames = self._frames(picture, 0 if reset else n)
        return Reading(
            digest,
            picture.state,
            tuple((event, json.loads(body)) for event, body in frames),
            reset=reset,
            attempt=picture.attempt,
            count=picture.count,
            send=send,
            code=picture.code,
            sentence=picture.sentence,
            spec=json.loads(picture.spec) if send else {},
        )

    @abstractmethod
    def watch(self, digest: str) -> None:
        """Somebody follows this picture, for the next 15 s."""

    @abstractmethod
    def watched(self, digest: str) -> bool:
        """Somebody followed this picture in the last 15 s."""

    # ---- for workers

    def start(self, digest: str) -> Lease | None:
        """Takes the lease of a queued picture; None when it is not waiting (done, taken, gone)."""
        return next(iter(self.start_many([digest])), None)

    def start_many(self, digests: Sequence[str]) -> tuple[Lease, ...]:
        """Leases of those that wait, in this order, taken as one; what is done, taken or gone has none."""
        tokens = {digest: f"{digest}.{secrets.token_hex(8)}" for digest in digests}
        changes = self._steps({one: partial(rules.started, token=token) for one, token in tokens.items()})
        begun = [(tokens[digest], change.picture) for digest, change in changes.items() if change]
        return tuple(Lease(token, one.attempt, json.loads(one.spec)) for token, one in begun if one)

    def renew(self, token: str) -> None:
        """Keeps the lease for another 15 s. Raises StaleLease."""
        self._held_step(token, partial(rules.renewed, token=token))

    def renew_many(self, tokens: Sequence[str]) -> frozenset[str]:
        """Keeps these leases for another 15 s, as one; returns those that are stale."""
        return self._held_steps({token: partial(rules.renewed, token=token) for token in tokens})

    def append(self, token: str, frame: Frame) -> str:
        """Stores the next frame with its tensors and returns its event id. Raises StaleLease, TooBig."""
        picture = self._worked(frame_deed(token, frame)).picture
        assert picture is not None
        return contract.event_id(picture.attempt, picture.count)

    def write(self, deeds: Sequence[Deed]) -> frozenset[str]:
        """Stores what was done on one picture or many, each in order, all as one; returns stale tokens.

        Of a stale token nothing is kept; the others are not touched by it."""
        by_token: dict[str, list[Deed]] = {}
        for deed in deeds:
            by_token.setdefault(deed.token, []).append(deed)
        steps = {token: partial(rules.worked, token=token, deeds=own) for token, own in by_token.items()}
        return self._held_steps(steps, dict(blob for deed in deeds for blob in deed.blobs))

    def finish(self, token: str) -> None:
        """The picture is done. Raises StaleLease."""
        self._worked(Deed(token, end=DONE))

    def fail(self, token: str, code: str, sentence: str) -> None:
        """The picture ends with a reason a learner can read. Raises StaleLease."""
        self._worked(Deed(token, end=FAILED, code=code, sentence=sentence))

    def abandon(self, token: str) -> None:
        """Gives an unwatched picture up: it becomes absent. Raises StaleLease."""
        self._held_step(token, partial(rules.abandoned, token=token))

    @abstractmethod
    def forget_drawn(self) -> None:
        """Done pictures become absent: what they were drawn with has changed, and digests do not tell."""

    @abstractmethod
    def announce(self, worker: str) -> None:
        """This worker lives, for the next 15 s."""

    @abstractmethod
    def workers(self) -> int:
        """How many workers announced themselves in the last 15 s."""

    # ---- tensors

    def put(self, body: bytes) -> str:
        """Stores a tensor under the sha256 of its bytes, which it returns. Raises TooBig."""
        named = _named(body)
        self._steps({}, tensors=dict([named]))
        return named[0]

    @abstractmethod
    def get(self, sha256: str) -> bytes | None:
        """The tensor's bytes, kept for another hour; None when expired or never there."""

    @abstractmethod
    def ping(self) -> None:
        """Returns if the store answers."""

    # ---- what a store must be able to do

    @abstractmethod
    def _load(self, digest: str) -> tuple[float, Picture | None]:
        """The time and the picture (None when absent or expired)."""

    @abstractmethod
    def _frames(self, picture: Picture, after: int) -> list[tuple[str, str]]:
        """(event id, JSON) of the present attempt's frames whose number is above `after`."""

    @abstractmethod
    def _steps(
        self, steps: Mapping[str, Step], *, owner: str = "", tensors: Mapping[str, bytes] = NOTHING
    ) -> dict[str, Change | None]:
        """Loads every digest, decides by its step and stores all that was decided, as one.

        `owner` asks for the counts too; `tensors` (sha256 -> bytes) are kept for an hour."""

    def _step(
        self, digest: str, step: Step, *, owner: str = "", tensors: Mapping[str, bytes] = NOTHING
    ) -> Change | None:
        return self._steps({digest: step}, owner=owner, tensors=tensors)[digest]

    def _looked_at(self, digest: str) -> tuple[Picture | None, bool]:
        """The picture as of now, and whether a message is due. Writes only if time has changed something."""
        now, picture = self._load(digest)
        if picture is None or rules.read(Situation(now, picture)).picture == picture:
            return picture, False
        change = self._step(digest, rules.read)
        return (change.picture, change.send) if change else (None, False)

    def _worked(self, deed: Deed) -> Change:
        step = partial(rules.worked, token=deed.token, deeds=[deed])
        return self._held_step(deed.token, step, dict(deed.blobs))

    def _held_step(self, token: str, step: Step, tensors: Mapping[str, bytes] = NOTHING) -> Change:
        change = self._step(_digest(token), step, tensors=tensors)
        assert change is not None
        return change

    def _held_steps(
        self, steps: Mapping[str, Step], tensors: Mapping[str, bytes] = NOTHING
    ) -> frozenset[str]:
        """Steps by token, as one; returns the tokens that are stale, whose steps change nothing."""
        stale: set[str] = set()

        def forgiving(token: str, step: Step) -> Step:
            def tried(situation: Situation) -> Change | None:
                try:
                    return step(situation)
                except StaleLease:
                    stale.add(token)
                    return None

            return tried

        self._steps({_digest(token): forgiving(token, one) for token, one in steps.items()}, tensors=tensors)
        return frozenset(stale)


def frame_deed(token: str, frame: Frame) -> Deed:
    """One more frame with its tensors, written out. Raises TooBig."""
    text = within_limits(frame).as_bytes().decode()
    names = tuple(tensor.sha256 for tensor in frame.tensors)
    return Deed(token, frame=text, tensors=names, blobs=tuple(map(_named, frame.blobs)))


def _named(body: bytes) -> tuple[str, bytes]:
    """(sha256, body). Raises TooBig."""
    if len(body) > MAX_TENSOR_BYTES:
        raise TooBig(f"a tensor of {len(body)} bytes; at most {MAX_TENSOR_BYTES}")
    return hashlib.sha256(body).hexdigest(), body


def _digest(token: str) -> str:
    return token.partition(".")[0]


def row(picture: Picture) -> dict[str, Any]:
    """The picture's fields by name, in the order of the dataclass."""
    return {name: getattr(picture, name) for name in Picture.__dataclass_fields__}


def alive(picture: Picture | None, now: float) -> Picture | None:
    """None when it has expired."""
    return picture if picture and picture.expires_at > now else None
