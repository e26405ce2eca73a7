"""What a device did while it was away, and what others did meanwhile. Waits for no worker."""

import logging
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID, uuid5

from django.db import Error as DatabaseError
from django.db import transaction
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from studyhub.api.lines_json import event_json, review_json, said_of, submission_of
from studyhub.api.problems.problem import as_problem, invalid, is_unforeseen, not_found
from studyhub.api.reading.events import REVIEW, VOID, Event, EventReader, SyncBody
from studyhub.api.reading.fields import uuid_of
from studyhub.api.reading.requests import current_learner, valid_body
from studyhub.api.schema import examples
from studyhub.api.schema.operations import answered, operation, query, sent
from studyhub.api.schema.sync_shapes import ChangesShape, OutcomesShape
from studyhub.delivery.verdicts import settled, waits_for_a_worker
from studyhub.study.asked import Asked
from studyhub.study.attempting import locked
from studyhub.study.changes import BadCursor, changes
from studyhub.study.desk import Desk
from studyhub.study.models import Attempt, Learner, Memory, Review
from studyhub.study.preferences import settings_of
from studyhub.study.putting import put_event, put_review, put_void
from studyhub.study.rules import rules_of
from studyhub.study.scheduling.leech import is_leech

log = logging.getLogger(__name__)
AFTER = query("after", {"type": "string", "maxLength": 40}, "The cursor of the answer before; else all.")


class Sync(APIView):
    """POST what was done here, GET what was done elsewhere."""

    throttle_scope = "sync"

    @operation(
        "post_sync",
        {200: OutcomesShape},
        body=SyncBody,
        problems=[429],
        examples=[sent("After a day offline", examples.SYNC_SENT), answered("Each by itself", examples.SYNC)],
    )
    def post(self, request: Request) -> Response:
        """Stores events in the order sent, each standing alone: one that is refused stops no other.

        All that are stored are stored at once; where no answer comes, send the same again. An event keeps its
        id and its body for ever. An undo that comes before what it undoes is 404: send it again.
        """
        events, learner = valid_body(SyncBody, request)["events"], current_learner(request)
        now = timezone.now()
        outcomes, programs = record(learner, events, now)
        for attempt in programs:
            settled(attempt, now=now)  # a program that came along is asked for, not waited for
        return Response({"outcomes": outcomes})

    @operation(
        "get_sync",
        {200: ChangesShape},
        problems=[422],
        parameters=[AFTER],
        examples=[answered("After a lapse elsewhere", examples.CHANGES)],
    )
    def get(self, request: Request) -> Response:
        """Memories that any device has changed since a cursor, 500 at a time, and how cards are scheduled.

        While `more` is true, ask again with `after` = `cursor`; keep the last cursor for the next time.
        """
        learner = current_learner(request)
        try:
            found = changes(learner, request.query_params.get("after", ""))
        except BadCursor as error:
            raise invalid("after", str(error)) from error
        after = rules_of(learner).leech_after
        return Response(
            {
                "cursor": found.cursor,
                "more": found.more,
                "memories": [_memory(memory, after) for memory in found.memories],
                "settings": settings_of(learner),
            }
        )


def record(learner: Learner, events: list[Any], now: datetime) -> tuple[list[dict[str, Any]], list[Attempt]]:
    """Writes events in one transaction: (an outcome for each, answers that wait for a worker)."""
    reader = EventReader()
    readings = [_attempted(partial(reader.read, event)) for event in events]
    with transaction.atomic():
        counter = _Counter(learner, [one for one in readings if isinstance(one, Event)], now)
        outcomes = [
            counter.outcome(one) if isinstance(one, Event) else _refusal(event, one)
            for event, one in zip(events, readings, strict=True)
        ]
        counter.desk.write()
    return outcomes, counter.programs


class _Counter:
    """Takes valid events one by one to the desk; what all of them need is read at once."""

    def __init__(self, learner: Learner, events: list[Event], now: datetime) -> None:
        self.desk = Desk(locked(learner), now)
        self.programs: list[Attempt] = []
        self._asked = Asked(self.desk.owner, {one.data["card"] for one in events if "card" in one.data})
        self.desk.expect(cards=self._asked.pks, ids=_ids(events))

    def outcome(self, event: Event) -> dict[str, Any]:
        """What became of an event. Raises what the database raises: then nothing is written."""
        put = {REVIEW: self._review, VOID: self._void}.get(event.type, self._event)
        told = _attempted(partial(put, event))
        if isinstance(told, Exception):
            return _refusal(event.data, told)
        line, created = told
        body = review_json(line) if line.kind == Review.Kind.REVIEW else event_json(line)
        return {"id": event.data["id"], "status": 201 if created else 200, "body": body}

    def _review(self, event: Event) -> tuple[Review, bool]:
        data, named = event.data, event.data.get("attempt")
        attempt = self.desk.row(Attempt, named) if named else None
        if named and attempt is None:
            raise not_found(f"no attempt {named}", "attempt")
        version = None if named else self._asked.version(data["card"], data["card_version"])
        submission = submission_of(data, event.body, attempt=attempt, version=version)
        line, created = put_review(self.desk, submission)
        if created and line.attempt and not named and waits_for_a_worker(line.attempt):
            self.programs.append(line.attempt)
        return line, created

    def _void(self, event: Event) -> tuple[Review, bool]:
        target = self.desk.row(Review, event.data["review"])
        if target is None:
            raise not_found(f"no review {event.data['review']} yet; send that first", "review")
        return put_void(self.desk, target, event.data["id"], said_of(event.data))

    def _event(self, event: Event) -> tuple[Review, bool]:
        data, card = event.data, self._asked.card(event.data["card"])
        day, kind = data.get("target_day"), Review.Kind(event.type)
        said = said_of(data)
        return put_event(self.desk, card, kind, client_id=data["id"], target_day=day, said=said)


def _ids(events: list[Event]) -> set[UUID]:
    """Every id of a line or an answer that the events name or will make."""
    ids = {one.data[name] for one in events for name in ("id", "review", "attempt") if name in one.data}
    return ids | {uuid5(one.data["id"], "attempt") for one in events if one.type == REVIEW}


def _attempted(act: Callable[[], Any]) -> Any:
    """What it gives, or the error it raises; one of the database ends all."""
    try:
        return act()
    except DatabaseError:
        raise
    except Exception as error:
        return error


def _refusal(event: Any, error: Exception) -> dict[str, Any]:
    """The outcome of an event that was refused, under its id where it had one."""
    problem = as_problem(error)
    if is_unforeseen(error, problem):
        log.error("unforeseen error in an event of a sync", exc_info=error)
    named = event.get("id") if isinstance(event, dict) else None
    known = named if isinstance(named, UUID) else uuid_of(named)
    return {"id": str(known or ""), "status": problem.status_code, "problem": problem.as_json()}


def _memory(memory: Memory, leech_after: int) -> dict[str, Any]:
    return {
        "card": memory.card.uuid,
        "state": memory.state,
        "due": memory.due,
        "suspended": memory.suspended,
        "buried_until": memory.buried_until,
        "lapses": memory.lapses,
        "leech": is_leech(memory.lapses, leech_after),
    }
