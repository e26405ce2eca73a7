"""What a device of Ben's sends, in short words."""

import uuid
from datetime import date, datetime
from typing import Any

from cards.models import Card
from tests.studyhub.api.conftest import Api

Event = dict[str, Any]


def rated(card: Card, rating: str = "good", *, at: datetime, **more: Any) -> Event:
    """An answer given on a device, with its rating."""
    return {
        "type": "review",
        "id": str(uuid.uuid4()),
        "card": str(card.uuid),
        "card_version": 1,
        "response": {"text": "12"},
        "rating": rating,
        "answered_at": at.isoformat(),
        "time_zone": "UTC",
        **more,
    }


def event(card: Card, kind: str, day: date | None = None, **more: Any) -> Event:
    """Something done to a card beside answering it."""
    target = {"target_day": day.isoformat()} if day else {}
    return {"type": kind, "id": str(uuid.uuid4()), "card": str(card.uuid), **target, **more}


def alone(review: Event) -> Event:
    """The same review as POST reviews takes it."""
    return {name: value for name, value in review.items() if name != "type"}


def synced(api: Api, *events: Event) -> list[Event]:
    """What became of events that are sent together."""
    response = api.post("sync", {"events": list(events)})
    assert response.status_code == 200, response.content
    return list(response.json()["outcomes"])


def told(api: Api, path: str, status: int = 200) -> Any:
    """What an address answers."""
    response = api.get(path)
    assert response.status_code == status, response.content
    return response.json()


def posted(api: Api, path: str, body: Event, status: int = 201) -> Any:
    """What a body sent there is answered with."""
    response = api.post(path, body)
    assert response.status_code == status, response.content
    return response.json()


def asked(api: Api, query: str = "") -> list[str]:
    """The cards of the queue, in order."""
    return [item["card"] for item in told(api, f"study/queue{query}")]
