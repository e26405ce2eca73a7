"""What a client hands in, as values whose digest tells a repetition from a contradiction. No database."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid5

from cards.models import CardVersion
from studyhub.study.models import Attempt
from studyhub.study.rating import LONGEST_MS, NAMES

EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
CLOCK_TOLERANCE = timedelta(minutes=5)
"""A device's clock may be as far ahead; what is further is replaced by the time of receipt."""
CONFIDENCES = (0, 40, 70, 95)
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


class InvalidSubmission(ValueError):
    """Something no ledger can hold. `field` names it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class IdempotencyConflict(ValueError):
    """The same client id came before with another body."""


class AlreadyRated(IdempotencyConflict):
    """A live review rates this attempt already."""


@dataclass(frozen=True)
class Said:
    """When and where: `answered_at` None = as it is received, `time_zone` "" = the learner's own."""

    answered_at: datetime | None = None
    time_zone: str = ""
    device: str = ""
    device_sequence: int = 0

    def check(self) -> None:
        """Raises InvalidSubmission on what no ledger can hold."""
        at = self.answered_at
        if at is not None and (at.tzinfo is None or at < EARLIEST):
            raise InvalidSubmission(
                "answered_at",
                f"answered_at {at.isoformat()} is no instant since {EARLIEST:%Y-%m-%d}; "
                "send the time of the answer with its offset",
            )
        if len(self.device) > 64 or "\x00" in self.device:
            raise InvalidSubmission("device", "device is a name of at most 64 characters without NUL")
        _check_int64("device_sequence", self.device_sequence)

    def body(self) -> dict[str, Any]:
        """What was sent of it, for a digest; nothing where nothing was."""
        self.check()
        sent = {"time_zone": self.time_zone, "device": self.device, "device_sequence": self.device_sequence}
        at = self.answered_at and {"answered_at": self.answered_at.astimezone(UTC).isoformat()}
        return {name: value for name, value in sent.items() if value} | (at or {})


@dataclass(frozen=True)
class AttemptSubmission:
    """An answer: `response` is {"text", "choices", "order", "cells", "revealed"}, its type says which.

    `time_zone` is where the device is, "" where that is not known; it is no part of the answer.
    `practice`: without effect on the schedule. `confidence`: 40, 70 or 95 per cent sure; 0 = not said.
    """

    client_id: UUID
    version: CardVersion
    variant_seed: int = 0
    response: Mapping[str, Any] = field(default_factory=dict)
    elapsed_ms: int = 0
    assisted: bool = False
    time_zone: str = ""
    practice: bool = False
    confidence: int = 0

    def digest(self) -> str:
        """sha256 of the body. Raises InvalidSubmission on what cannot be stored."""
        _check_seed(self.variant_seed)
        _check_confidence(self.confidence)
        body = {
            "version": self.version.pk,
            "variant_seed": self.variant_seed,
            "response": self.response,
            "elapsed_ms": self.elapsed_ms,
            "assisted": self.assisted,
        }
        later = {"practice": self.practice, "confidence": self.confidence}  # older digests are without
        return digest_of("attempt", body | {name: value for name, value in later.items() if value})


@dataclass(frozen=True)
class ReviewSubmission:
    """A rating of an attempt, or of the response it brings along (offline).

    `time_zone` "" means the learner's own. `draw` is the one that came with the intervals (None: none did):
    it says on which day within the fuzz the card lands. `body` is what was sent, where that alone tells a
    repetition (a page stamps `answered_at` itself, so its two clicks differ); left empty, all fields count.
    """

    client_id: UUID
    rating: int
    answered_at: datetime
    time_zone: str = ""
    device: str = ""
    device_sequence: int = 0
    elapsed_ms: int = 0
    attempt: Attempt | None = None
    version: CardVersion | None = None
    variant_seed: int = 0
    response: Mapping[str, Any] | None = None
    confidence: int = 0
    draw: float | None = None
    body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def said(self) -> Said:
        """When and where it was rated."""
        return Said(self.answered_at, self.time_zone, self.device, self.device_sequence)

    def digest(self) -> str:
        """sha256 of the body. Raises InvalidSubmission on what cannot be stored."""
        self._check()
        return digest_of("review", self.body or self._fields())

    def attempt_submission(self) -> AttemptSubmission:
        """The attempt inside an offline review; its id follows from the review's."""
        if self.version is None:
            raise InvalidSubmission(
                "attempt", "a review needs an attempt, or a card version with the response"
            )
        return AttemptSubmission(
            client_id=uuid5(self.client_id, "attempt"),
            version=self.version,
            variant_seed=self.variant_seed,
            response=self.response or {},
            elapsed_ms=self.elapsed_ms,
            confidence=self.confidence,
        )

    def _check(self) -> None:
        if self.rating not in NAMES:
            raise InvalidSubmission("rating", f"rating {self.rating!r} is none of 1, 2, 3, 4")
        if self.draw is not None and not 0 <= self.draw < 1:
            raise InvalidSubmission("draw", f"draw {self.draw!r} is no number from 0 up to, not including, 1")
        self.said.check()
        _check_seed(self.variant_seed)
        _check_confidence(self.confidence)

    def _fields(self) -> dict[str, Any]:
        return {
            "rating": self.rating,
            "answered_at": self.answered_at.astimezone(UTC).isoformat(),
            "time_zone": self.time_zone,
            "device": self.device,
            "device_sequence": self.device_sequence,
            "elapsed_ms": self.elapsed_ms,
            "attempt": str(self.attempt.client_id) if self.attempt else "",
            "version": self.version.pk if self.version else 0,
            "variant_seed": self.variant_seed,
            "response": self.response,
        } | {name: value for name, value in (("draw", self.draw), ("confidence", self.confidence)) if value}


def digest_of(kind: str, body: Mapping[str, Any]) -> str:
    """sha256 hex of a body in canonical JSON; the kind is part of it. Raises InvalidSubmission."""
    return sha256(_canonical({"kind": kind, "body": body})).hexdigest()


def duration(elapsed_ms: int) -> int:
    """Milliseconds of thought: at most two minutes, for a longer one was a break; 0 where it is not known."""
    return min(max(0, elapsed_ms), LONGEST_MS)


def _canonical(value: object) -> bytes:
    """Canonical JSON, UTF-8. What PostgreSQL's jsonb refuses (NUL, lone surrogates, NaN) is refused here."""
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        encoded = text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidSubmission("response", f"this is no JSON we can keep: {type(error).__name__}") from error
    if _NUL.search(text):
        raise InvalidSubmission("response", "a NUL character cannot be kept; leave it out")
    return encoded


def _check_seed(seed: int) -> None:
    _check_int64("variant_seed", seed)


def _check_confidence(confidence: int) -> None:
    if confidence not in CONFIDENCES:
        said = ", ".join(map(str, CONFIDENCES[1:]))
        raise InvalidSubmission("confidence", f"confidence {confidence} is none of {said}; 0 says nothing")


def _check_int64(name: str, number: int) -> None:
    if not 0 <= number < 2**63:
        raise InvalidSubmission(name, f"{name} {number} is not between 0 and 2^63 - 1")
