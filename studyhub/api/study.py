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
from cards.models import Deck
from studyhub.api.catalogue import topic_of
from studyhub.api.problems.problem import not_found
from studyhub.api.reading.requests import (
    current_learner,
    query_choice,
    query_integer,
    query_slug,
    query_zone,
)
from studyhub.api.schema import examples
from studyhub.api.schema.operations import answered, operation, query
from studyhub.api.schema.shapes import OverrideShape, QueueItemShape
from studyhub.study.asking.items import QueueItem
from studyhub.study.asking.sessions import (
    KINDS,
    MOST_DAYS_AHEAD,
    MOST_MINUTES,
    MOST_ROUNDS,
    Session,
    study_session,
)
from studyhub.study.statistics import overrides

MAX_LIMIT = 50
MAX_SEED = 999_999_999
LIMIT = query("limit", {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT}, "How many cards at most; 50.")
KIND = query(
    "kind",
    {"type": "string", "enum": list(KINDS)},
    "due (the default); cram: all cards of a topic or deck; failed_today; ahead: before they are due. "
    "cram and failed_today are practice: send their attempts with `practice` and rate none.",
)
TOPIC = query("topic", {"type": "string", "maxLength": 80}, "The slug of one topic.")
DECK = query("deck", {"type": "string", "maxLength": 80}, "The slug of one deck.")
MINUTES = query(
    "minutes",
    {"type": "integer", "minimum": 0, "maximum": MOST_MINUTES},
    "Only as many cards as fit by your pace, the most valuable first; 0 = any number.",
)
SEED = query("seed", {"type": "integer", "minimum": 0, "maximum": MAX_SEED}, "Another order of the day; 0.")
DAYS = query(
    "days", {"type": "integer", "minimum": 1, "maximum": MOST_DAYS_AHEAD}, "ahead: how many study days; 1."
)
ROUNDS = query(
    "rounds",
    {"type": "integer", "minimum": 1, "maximum": MOST_ROUNDS},
    "Practice: leave out cards answered right so often today; 1.",
)
ZONE = query(
    "time_zone", {"type": "string", "maxLength": 64}, "Where the learner is; else the zone sent last."
)


class StudyQueue(APIView):
    """The cards of a session."""

    @operation(
        "get_study_queue",
        {200: QueueItemShape(many=True)},
        problems=[422],
        parameters=[LIMIT, KIND, TOPIC, DECK, MINUTES, SEED, DAYS, ROUNDS, ZONE],
        examples=[answered("A new card", examples.QUEUE[0])],
    )
    def get(self, request: Request) -> Response:
        """The cards to answer now, with what each button would give: steps, due reviews, then new cards.

        Send the `draw` of a card back with its rating: then the review gives the interval that was shown.
        """
        limit = query_integer(request, "limit", default=MAX_LIMIT, lowest=1, highest=MAX_LIMIT)
        session, learner = _session(request), current_learner(request)
        learner.time_zone = query_zone(request, "time_zone") or learner.time_zone  # for this answer only
        items = study_session(learner, timezone.now(), session, limit=limit)
        return Response([_item(item) for item in items])


def _session(request: Request) -> Session:
    """What is to be studied. Raises Problem 404 for a topic or deck that is not there, else 422."""
    topic, deck = query_slug(request, "topic"), query_slug(request, "deck")
    if topic:
        topic_of(topic, "topic")
    if deck and not Deck.objects.filter(slug=deck).exists():
        raise not_found(f"no deck {deck}", "deck")
    return Session(
        kind=query_choice(request, "kind", KINDS),
        topic=topic,
        deck=deck,
        minutes=query_integer(request, "minutes", default=0, lowest=0, highest=MOST_MINUTES),
        seed=query_integer(request, "seed", default=0, lowest=0, highest=MAX_SEED),
        days=query_integer(request, "days", default=1, lowest=1, highest=MOST_DAYS_AHEAD),
        rounds=query_integer(request, "rounds", default=1, lowest=1, highest=MOST_ROUNDS),
    )


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
        "draw": item.draw,
        "practice": item.practice,
        "intervals": item.intervals,
    }
