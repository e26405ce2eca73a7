"""Attempts that wait for a worker: asked for, and settled once there is a verdict. Knows no HTTP."""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from cards.answering import grade, judged
from cards.grading import Unreadable
from cards.keys import KeyProblem
from studyhub.delivery.judging import LATER, LONGEST_WAIT, ask
from studyhub.study.models import Attempt
from studyhub.study.settling import settle

__all__ = ["LONGEST_WAIT", "Settled", "settled", "waits_for_a_worker"]
BROKEN = "this program cannot be judged any more; rate yourself"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Settled:
    """An attempt as it is now. While its verdict is still to come: why, and when to ask again (seconds)."""

    attempt: Attempt
    reason: str = ""
    retry_after: int = 0

    @property
    def pending(self) -> bool:
        """Whether the verdict is still to come."""
        return bool(self.reason)


def waits_for_a_worker(attempt: Attempt) -> bool:
    """Whether a program is still to be run."""
    return bool(attempt.grade.get("pending") == "worker")


def settled(attempt: Attempt, *, now: datetime, wait: float = 0.0) -> Settled:
    """The attempt with its verdict where there is one within `wait` seconds; any other attempt as it is.

    The program is asked for again where its picture is gone. Holds no lock and no transaction while it waits.
    """
    if not waits_for_a_worker(attempt):
        return Settled(attempt)
    version, seed = attempt.card_version, attempt.variant_seed
    try:
        waiting = grade(version, seed, attempt.response)
        if not waiting.pending:
            return Settled(settle(attempt, waiting, now)[0])
        told = ask(waiting.asks, str(attempt.learner.user_id), wait=wait)
        if told.verdict is None:
            return Settled(attempt, told.reason, told.retry_after)
        found = judged(version, seed, attempt.response, told.verdict)
    except (Unreadable, KeyProblem):
        log.exception("attempt %s can be judged no more", attempt.pk)
        return Settled(attempt, BROKEN, LATER)
    return Settled(settle(attempt, found, now)[0])


def shown(found: Settled, told: dict[str, Any]) -> dict[str, Any]:
    """GRADE as it is told now: while the verdict is to come, its title says why."""
    return {**told, "title": found.reason} if found.pending else told
