"""Ben with his cards, his devices by HTTP, and a clock that stands still until it is moved."""

from typing import Any

import pytest
from rest_framework.throttling import ScopedRateThrottle

from tests.studyhub.api.conftest import Api
from tests.studyhub.study.conftest import (
    MONDAY,
    Room,
    card,
    new_card,
    new_topic,
    other_room,
    room,
    topic,
)

__all__ = ["card", "new_card", "new_topic", "other_room", "room", "topic"]


@pytest.fixture
def clock(time_machine: Any) -> Any:
    """The time of the service: Monday, until `clock.move_to` says another."""
    time_machine.move_to(MONDAY, tick=False)
    return time_machine


@pytest.fixture
def api(clock: Any, room: Room, monkeypatch: pytest.MonkeyPatch) -> Api:
    """A device of Ben's, as often as a test likes."""
    monkeypatch.setattr(ScopedRateThrottle, "allow_request", lambda self, request, view: True)
    return Api(room.learner.user)
