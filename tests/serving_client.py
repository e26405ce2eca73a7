"""A mobile client of a running service: signs in, answers, rates, follows a picture. Stdlib only."""

import json
import time
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tests.serving import Service, call


@dataclass
class MobileClient:
    """Calls the REST API with a bearer token."""

    service: Service
    token: str

    def get(self, path: str) -> tuple[int, Any]:
        """(status, JSON)."""
        return call(f"{self.service.url}{path}", headers=self._headers())

    def post(self, path: str, body: object) -> tuple[int, Any]:
        """(status, JSON)."""
        return call(f"{self.service.url}{path}", body=body, headers=self._headers())

    def attempt(self, card: dict[str, Any], **response: Any) -> tuple[int, Any]:
        """Answers a card of the queue."""
        body = {name: card[name] for name in ("card", "card_version", "variant_seed")}
        return self.post(
            "/api/v1/attempts",
            {"id": str(uuid.uuid4()), **body, "response": response, "elapsed_ms": 4000, "assisted": False},
        )

    def review(self, attempt: str, rating: str, review: str = "") -> tuple[int, Any]:
        """Rates an attempt."""
        return self.post("/api/v1/reviews", review_of(attempt, rating, review))

    def picture_end(self, digest: str, seconds: float) -> dict[str, Any]:
        """The last answer of the poll once the picture is done or failed, or when the time is over."""
        deadline = time.monotonic() + seconds
        answer: Any = {"state": "unknown"}
        while answer.get("state") not in ("done", "failed") and time.monotonic() < deadline:
            time.sleep(0.25)
            try:
                _, answer = self.get(f"/api/v1/visualizations/{digest}")
            except OSError:
                continue  # the web process is on its way back
        return dict(answer)

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


def review_of(attempt: str, rating: str, review: str = "") -> dict[str, Any]:
    """The body of a review, answered now."""
    return {
        "id": review or str(uuid.uuid4()),
        "attempt": attempt,
        "rating": rating,
        "answered_at": datetime.now(UTC).isoformat(),
        "time_zone": "UTC",
        "device": "phone",
        "device_sequence": time.monotonic_ns() // 1000,
    }


def signed_in(service: Service, name: str, password: str) -> MobileClient:
    """Logs in at the app API. Raises AssertionError with what it said."""
    return _client(service, "login", {"username": name, "password": password})


def signed_up(service: Service, name: str) -> MobileClient:
    """A new learner. Raises AssertionError with what the app API said."""
    return _client(service, "signup", {"username": name, "password": f"{name}-pass-768"})


def _client(service: Service, door: str, body: dict[str, str]) -> MobileClient:
    status, answer = call(f"{service.url}/_allauth/app/v1/auth/{door}", body=body)
    assert status == 200, json.dumps(answer)
    assert isinstance(answer, dict)
    return MobileClient(service, str(answer["meta"]["access_token"]))
