"""Three devices that study offline and sync when they can, badly. Used by the property test and by the soak.

A device keeps its events until the service has answered for them. On the way they are shuffled, sent twice,
delayed, cut off by a dead process or a dead connection, and answered by nobody. What is stored in the end
must be what the set of events says, whichever way it came.
"""

import random
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db import OperationalError, connection

from cards.models import Card
from studyhub.api.sync import record
from studyhub.study.checking import Findings, check
from studyhub.study.lines import plain_line
from studyhub.study.memories import memory_value
from studyhub.study.models import Attempt, DayRollup, Learner, Memory, Review, learner_of
from studyhub.study.rating import RATINGS
from studyhub.study.replay import fold
from studyhub.study.submissions import Said

MONDAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
NOW = MONDAY + timedelta(days=400)
ZONES = {"phone": "Europe/Berlin", "tablet": "Asia/Tokyo", "desk": "America/New_York"}
KINDS = ("review", "void", "suspend", "unsuspend", "bury", "set_due", "reset")
OFTEN = (30, 5, 2, 2, 2, 5, 1)
AT_ONCE = 200
SUMS = ("again", "hard", "good", "easy", "elapsed_ms")
"""What a day's answers are, whenever they came. (What was known of a card as a line came depends on that.)"""


class Killed(BaseException):
    """The process died here: nobody catches it."""


@dataclass
class Device:
    """What a device has done and not yet been answered for, and all it ever sent."""

    name: str
    sequence: int = 0
    waiting: list[dict[str, Any]] = field(default_factory=list)
    sent: list[dict[str, Any]] = field(default_factory=list)


class World:
    """One learner, their devices and all their events; every chance comes from a Random that is passed in."""

    def __init__(self, cards: list[Card]) -> None:
        self.cards = cards
        self.devices = [Device(name) for name in ZONES]
        self.events: list[dict[str, Any]] = []
        self.learner = new_learner()

    def act(self, device: Device, chance: random.Random, number: int) -> None:
        """The device studies: `number` more events wait on it."""
        for _ in range(number):
            event = self._event(device, chance)
            self.events.append(event)
            device.waiting.append(event)

    def upload(self, device: Device, chance: random.Random, *, fault: str = "", limit: int = AT_ONCE) -> None:
        """The device syncs some of what waits, in any order, with some that were sent before."""
        some = chance.sample(device.waiting, min(len(device.waiting), limit))
        again = chance.choices([*some, *device.sent], k=chance.randint(0, 5)) if some or device.sent else []
        events = [*some, *again][:AT_ONCE]
        chance.shuffle(events)
        device.sent += some
        if fault in ("killed", "dropped"):
            with broken_at(chance.randint(1, 24), fault):
                self.send(device, events)
        elif fault == "unanswered":
            record(self.learner, events, NOW)
        else:
            self.send(device, events)

    def send(self, device: Device, events: list[dict[str, Any]]) -> None:
        """Sends events, and forgets those the service has answered for."""
        outcomes, _ = record(self.learner, events, NOW)
        for event, outcome in zip(events, outcomes, strict=True):
            early_undo = event["type"] == "void" and outcome["status"] == 404
            assert outcome["status"] in (200, 201) or early_undo, outcome
            if not early_undo:
                device.waiting = [one for one in device.waiting if one["id"] != event["id"]]

    def settle(self, chance: random.Random) -> None:
        """Everybody reaches the service at last."""
        while any(device.waiting for device in self.devices):
            for device in self.devices:
                self.upload(device, chance)

    def verify(self, chance: random.Random) -> None:
        """What is stored is what the events say: as the fold has it, and as any other way has it."""
        stored = memories(self.learner)
        assert stored == self.folded()
        assert self.stored_ids() == self.expected_ids()
        other = self.another_way(chance)
        assert memories(other) == stored
        assert sums(other) == sums(self.learner)
        assert check(self.learner) == check(other) == Findings()

    def another_way(self, chance: random.Random) -> Learner:
        """A learner who got the same events from one device in another order."""
        twin, left = new_learner(), chance.sample(self.events, len(self.events))
        while left:
            outcomes, _ = record(twin, left[:AT_ONCE], NOW)
            early = [event for event, one in zip(left, outcomes, strict=False) if one["status"] == 404]
            left = left[AT_ONCE:] + early
        return twin

    def folded(self) -> dict[int, tuple[Any, ...]]:
        """{card: (memory, id of the last line)} by the events alone."""
        lines = {event["id"]: self._line(event) for event in self.events}
        for event in self.events:
            if event["type"] == "void":
                lines[event["id"]].voids = lines[event["review"]]
                lines[event["id"]].card = lines[event["review"]].card
        found = {}
        for card in {line.card for line in lines.values()}:
            memory, last = fold([line for line in lines.values() if line.card == card], str(card.uuid))
            found[card.pk] = (memory, last.client_id if last else None)
        return found

    def expected_ids(self) -> tuple[int, set[str], set[str]]:
        """(answers, ids of lines but undos, ids of what is undone): each once."""
        lines = {event["id"] for event in self.events if event["type"] != "void"}
        undone = {event["review"] for event in self.events if event["type"] == "void"}
        return sum(event["type"] == "review" for event in self.events), lines, undone

    def stored_ids(self) -> tuple[int, set[str], set[str]]:
        """The same as it is stored."""
        lines = Review.objects.filter(learner=self.learner)
        plain = [str(one) for one in lines.exclude(kind="void").values_list("client_id", flat=True)]
        undone = [str(one) for one in lines.filter(kind="void").values_list("voids__client_id", flat=True)]
        assert (len(plain), len(undone)) == (len(set(plain)), len(set(undone)))
        return Attempt.objects.filter(learner=self.learner).count(), set(plain), set(undone)

    def _event(self, device: Device, chance: random.Random) -> dict[str, Any]:
        device.sequence += 1
        at = MONDAY + timedelta(minutes=chance.choice((10, 600, 50_000, 500_000)) * chance.random())
        if chance.random() < 0.2 and self.events:
            at = datetime.fromisoformat(chance.choice(self.events)["answered_at"])  # at the same instant
        event: dict[str, Any] = {
            "type": chance.choices(KINDS, OFTEN)[0],
            "id": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{device.name} {device.sequence}")),
            "answered_at": at.isoformat(timespec="milliseconds"),
            "time_zone": ZONES[device.name],
            "device": device.name,
            "device_sequence": device.sequence,
        }
        targets = [one["id"] for one in self.events if one["type"] != "void"]
        if event["type"] == "void" and targets:
            return event | {"review": chance.choice(targets)}
        if event["type"] == "void":
            event["type"] = "suspend"
        event["card"] = str(chance.choice(self.cards).uuid)
        if event["type"] in ("bury", "set_due"):
            event["target_day"] = (at + timedelta(days=chance.randint(0, 40))).date().isoformat()
        if event["type"] == "review":
            event |= {
                "rating": chance.choice([*RATINGS, "good", "good"]),
                "elapsed_ms": chance.randint(0, 9000),
            }
            event |= {"card_version": 1, "response": {"text": chance.choice(("12", "10"))}}
            event |= {"draw": chance.random()} if chance.random() < 0.5 else {}
        return event

    def _line(self, event: dict[str, Any]) -> Review:
        said = Said(
            datetime.fromisoformat(event["answered_at"]),
            event["time_zone"], event["device"], event["device_sequence"],
        )  # fmt: skip
        card = next((one for one in self.cards if str(one.uuid) == event.get("card")), self.cards[0])
        kind = Review.Kind(event["type"])
        line = plain_line(self.learner, card, kind, client_id=uuid.UUID(event["id"]), now=NOW, said=said)
        line.rating, line.draw = RATINGS.get(event.get("rating", ""), 0), event.get("draw", -1)
        line.target_day = date.fromisoformat(event["target_day"]) if "target_day" in event else None
        return line


def new_learner() -> Learner:
    return learner_of(get_user_model().objects.create(username=str(uuid.uuid4())))


def memories(learner: Learner) -> dict[int, tuple[Any, ...]]:
    """{card: (memory, id of the last line)} as it is stored."""
    rows = Memory.objects.filter(learner=learner).select_related("as_of")
    return {row.card_id: (memory_value(row), row.as_of.client_id if row.as_of else None) for row in rows}


def sums(learner: Learner) -> dict[date, tuple[int, ...]]:
    """{study day: what was answered}; days whose answers are all undone are as good as none."""
    rows = DayRollup.objects.filter(learner=learner)
    return {row.study_day: tuple(vars(row)[name] for name in SUMS) for row in rows}


@contextmanager
def broken_at(statement: int, fault: str) -> Iterator[None]:
    """The process dies before the n-th statement, or the connection does; the caller goes on after it."""
    seen = 0

    def wrapper(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal seen
        seen += 1
        if seen == statement and fault == "killed":
            raise Killed
        if seen == statement:
            connection.connection.close()
        return execute(sql, params, many, context)

    try:
        with connection.execute_wrapper(wrapper):
            yield
    except (Killed, OperationalError):
        connection.close_if_unusable_or_obsolete()
        if fault == "dropped":
            connection.close()
