"""The queue: what to answer now, never a key, a mistake or a picture; and how its suggestions fared."""

from dataclasses import asdict
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from cards.answering import offline, question_input
from cards.generators import concrete
from cards.markdown import plain_lines
from studyhub.api.catalogue import topic_of
from studyhub.api.reading.requests import current_learner, query_integer, query_slug, query_zone
from studyhub.api.schema import examples
from studyhub.api.schema.operations import answered, operation, query
from studyhub.api.schema.shapes import OverrideShape, QueueItemShape
from studyhub.study.queue import QueueItem, study_queue
from studyhub.study.statistics import overrides

MAX_LIMIT = 50
LIMIT = query("limit", {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT}, "How many cards at most; 50.")
TOPIC = query("topic", {"type": "string", "maxLength": 80}, "The slug of one topic.")
ZONE = query(
    "time_zone", {"type": "string", "maxLength": 64}, "Where the learner is; else the zone sent last."
)


class StudyQueue(APIView):
    """Due cards first, then new ones."""

    @operation(
        "get_study_queue",
        {200: QueueItemShape(many=True)},
        problems=[422],
        parameters=[LIMIT, TOPIC, ZONE],
        examples=[answered("A new card", examples.QUEUE[0])],
    )
    def get(self, request: Request) -> Response:
        """The cards to answer now, with what each button would give."""
        limit = query_integer(request, "limit", default=MAX_LIMIT, lowest=1, highest=MAX_LIMIT)
        slug = query_slug(request, "topic")
        topic = topic_of(slug, "topic") if slug else None
        learner = current_learner(request)
        learner.time_zone = query_zone(request, "time_zone") or learner.time_zone  # for this answer only
        items = study_queue(learner, timezone.now(), limit=limit, topic=topic)
        return Response([_item(item) for item in items])


class StudyOverrides(APIView):
    """What became of the suggested ratings."""

    @operation(
        "get_overrides",
        {200: OverrideShape(many=True)},
        examples=[answered("Numbers", examples.OVERRIDES[0])],
    )
    def get(self, request: Request) -> Response:
        """For each answer type: how often your rating was the suggested one, a better or a lower one."""
        rows = overrides(current_learner(request))
        return Response([{**asdict(row), "suggested": row.suggested} for row in rows])


def _item(item: QueueItem) -> dict[str, Any]:
    """A card as it is asked."""
    version, memory = concrete(item.version, item.variant_seed), item.memory
    return {
        "card": item.card.uuid,
        "card_version": version.number,
        "variant_seed": item.variant_seed,
        "answer_type": version.answer_type,
        "offline": offline(version.answer_type),
        "prompt_html": version.prompt_html,
        "prompt_text": plain_lines(version.prompt_html),
        "input": question_input(version, item.variant_seed),
        "state": memory.state if memory else "new",
        "due": memory.due if memory else None,
        "intervals": item.intervals,
    }
