"""What a client hands in, as values whose digest tells a repetition from a contradiction. No database."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid5

from cards.models import CardVersion
from studyhub.study.models import Attempt
from studyhub.study.rating import LONGEST_MS, NAMES

EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
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
class AttemptSubmission:
    """An answer: `response` is {"text", "choices", "order", "cells", "revealed"}, its type says which.

    `time_zone` is where the device is, "" where that is not known; it is no part of the answer.
    """

    client_id: UUID
    version: CardVersion
    variant_seed: int = 0
    response: Mapping[str, Any] = field(default_factory=dict)
    elapsed_ms: int = 0
    assisted: bool = False
    time_zone: str = ""

    def digest(self) -> str:
        """sha256 of the body. Raises InvalidSubmission on what cannot be stored."""
        _check_seed(self.variant_seed)
        body = {
            "version": self.version.pk,
            "variant_seed": self.variant_seed,
            "response": self.response,
            "elapsed_ms": self.elapsed_ms,
            "assisted": self.assisted,
        }
        return digest_of("attempt", body)


@dataclass(frozen=True)
class ReviewSubmission:
    """A rating of an attempt, or of the response it brings along (offline).

    `time_zone` "" means the learner's own. `body` is what was sent, where that alone tells a repetition
    (a page stamps `answered_at` itself, so its two clicks differ); left empty, all fields count.
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
    body: Mapping[str, Any] = field(default_factory=dict)

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
        )

    def _check(self) -> None:
        if self.rating not in NAMES:
            raise InvalidSubmission("rating", f"rating {self.rating!r} is none of 1, 2, 3, 4")
        if self.answered_at.tzinfo is None or self.answered_at < EARLIEST:
            raise InvalidSubmission(
                "answered_at",
                f"answered_at {self.answered_at.isoformat()} is no instant since {EARLIEST:%Y-%m-%d}; "
                "send the time of the answer with its offset",
            )
        if len(self.device) > 64 or "\x00" in self.device:
            raise InvalidSubmission("device", "device is a name of at most 64 characters without NUL")
        _check_seed(self.variant_seed)
        _check_int64("device_sequence", self.device_sequence)

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
        }


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


def _check_int64(name: str, number: int) -> None:
    if not 0 <= number < 2**63:
        raise InvalidSubmission(name, f"{name} {number} is not between 0 and 2^63 - 1")
