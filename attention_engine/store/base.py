"""FrameStore: every store's public face. Knows the rules, leaves keeping things to its two children."""

import hashlib
import json
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from attention_engine.frames import MAX_TENSOR_BYTES, Frame, TooBig, within_limits
from attention_engine.store import contract, rules
from attention_engine.store.contract import ABSENT, Claim, Lease, Reading
from attention_engine.store.rules import Change, Picture, Situation

if TYPE_CHECKING:
    from attention_engine.spec import VisualizationSpec

Step = Callable[[Situation], Change | None]


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
        token = f"{digest}.{secrets.token_hex(8)}"
        change = self._step(digest, lambda situation: rules.started(situation, token=token))
        if change is None or change.picture is None:
            return None
        return Lease(token, change.picture.attempt, json.loads(change.picture.spec))

    def renew(self, token: str) -> None:
        """Keeps the lease for another 15 s. Raises StaleLease."""
        self._held_step(token, lambda situation: rules.renewed(situation, token=token))

    def append(self, token: str, frame: Frame) -> str:
        """Stores the next frame and returns its event id. Raises StaleLease, TooBig."""
        text = within_limits(frame).as_bytes().decode()
        tensors = tuple(tensor.sha256 for tensor in frame.tensors)

        def step(situation: Situation) -> Change:
            return rules.appended(situation, token=token, frame=text, tensors=tensors)

        picture = self._held_step(token, step).picture
        assert picture is not None
        return contract.event_id(picture.attempt, picture.count)

    def finish(self, token: str) -> None:
        """The picture is done. Raises StaleLease."""
        self._held_step(token, lambda situation: rules.finished(situation, token=token))

    def fail(self, token: str, code: str, sentence: str) -> None:
        """The picture ends with a reason a learner can read. Raises StaleLease."""
        self._held_step(
            token, lambda situation: rules.failed(situation, token=token, code=code, sentence=sentence)
        )

    def abandon(self, token: str) -> None:
        """Gives an unwatched picture up: it becomes absent. Raises StaleLease."""
        self._held_step(token, lambda situation: rules.abandoned(situation, token=token))

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
        if len(body) > MAX_TENSOR_BYTES:
            raise TooBig(f"a tensor of {len(body)} bytes; at most {MAX_TENSOR_BYTES}")
        sha256 = hashlib.sha256(body).hexdigest()
        self._put(sha256, body)
        return sha256

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
    def _step(self, digest: str, step: Step, *, owner: str = "") -> Change | None:
        """Loads, decides by `step` and stores what it decided, as one; `owner` asks for the counts too."""

    @abstractmethod
    def _put(self, sha256: str, body: bytes) -> None:
        """Stores a tensor for an hour."""

    def _looked_at(self, digest: str) -> tuple[Picture | None, bool]:
        """The picture as of now, and whether a message is due. Writes only if time has changed something."""
        now, picture = self._load(digest)
        if picture is None or rules.read(Situation(now, picture)).picture == picture:
            return picture, False
        change = self._step(digest, rules.read)
        return (change.picture, change.send) if change else (None, False)

    def _held_step(self, token: str, step: Step) -> Change:
        change = self._step(token.partition(".")[0], step)
        assert change is not None
        return change


def row(picture: Picture) -> dict[str, Any]:
    """The picture's fields by name, in the order of the dataclass."""
    return {name: getattr(picture, name) for name in Picture.__dataclass_fields__}


def alive(picture: Picture | None, now: float) -> Picture | None:
    """None when it has expired."""
    return picture if picture and picture.expires_at > now else None
