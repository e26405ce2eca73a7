"""Lines of the ledger as the API takes and tells them. Reads nothing and writes nothing."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from cards.models import CardVersion
from studyhub.study.models import Attempt, Review
from studyhub.study.rating import NAMES, RATINGS
from studyhub.study.reviews import UNDONE_WITHIN, ReviewSubmission, Said


def submission_of(
    data: Mapping[str, Any], sent: Mapping[str, Any], *, attempt: Attempt | None, version: CardVersion | None
) -> ReviewSubmission:
    """A valid review as the study room takes it; `sent` is the body that tells a repetition."""
    return ReviewSubmission(
        client_id=data["id"],
        rating=RATINGS[data["rating"]],
        answered_at=data["answered_at"],
        time_zone=data["time_zone"],
        device=data["device"],
        device_sequence=data["device_sequence"],
        elapsed_ms=data["elapsed_ms"],
        attempt=attempt,
        version=version,
        variant_seed=data.get("variant_seed", 0),
        response=None if attempt else dict(data["response"]),
        confidence=data["confidence"],
        draw=data.get("draw"),
        body=sent,
    )


def said_of(data: Mapping[str, Any]) -> Said:
    """When and where, of a valid event."""
    return Said(data.get("answered_at"), data["time_zone"], data["device"], data["device_sequence"])


def review_json(review: Review) -> dict[str, Any]:
    """A stored rating: the same however often it is asked for."""
    stored = review.outcome
    given = {"grade": _ordered(stored["grade"]), "intervals": _ordered(stored["intervals"])}
    return {"review": review.client_id, **standing_json(review), **given}


def _ordered(value: Any) -> Any:
    """The same with names in order: PostgreSQL keeps an order of its own, and a repetition is equal to
    the byte."""
    if isinstance(value, dict):
        return {name: _ordered(value[name]) for name in sorted(value)}
    return [_ordered(one) for one in value] if isinstance(value, list) else value


def event_json(line: Review) -> dict[str, Any]:
    """A stored line of any kind, and where it left its card."""
    return {"review": line.client_id, "kind": line.kind, **standing_json(line)}


def standing_json(line: Review) -> dict[str, Any]:
    """When the card comes back and its state, as of a line."""
    due = line.outcome["due"]
    return {"due": datetime.fromisoformat(due) if due else None, "state": line.outcome["state"]}


def recent_json(line: Review) -> dict[str, Any]:
    """A line that can be undone."""
    return {
        "review": line.client_id,
        "kind": line.kind,
        "card": line.card.uuid,
        "rating": NAMES.get(line.rating, ""),
        "answered_at": line.answered_at,
        "received_at": line.received_at,
        "clock_adjusted": line.clock_adjusted,
        "device": line.device,
        "undo_until": line.received_at + UNDONE_WITHIN,
    }
