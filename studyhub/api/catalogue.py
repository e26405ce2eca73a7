"""What there is to read: topics with their cards, and published models' numbers. Knows nothing of answers."""

from dataclasses import asdict
from typing import Any

from django.db.models import Count, Q
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from attention_engine.configs import ModelConfig, UnknownModel, all_models, model
from cards.models import Card, Topic
from studyhub.api.problems.problem import not_found
from studyhub.api.reading.requests import current_learner, path_slug
from studyhub.api.schema.operations import in_path, operation
from studyhub.api.schema.shapes import ModelShape, TopicRowShape, TopicShape
from studyhub.study.asking.queue import counts

SLUG = in_path("slug", {"type": "string", "maxLength": 80}, "Such as d-head or bert-base.")
_COLUMNS = tuple(ModelShape().fields)


class TopicList(APIView):
    """Every topic with the number of its published cards."""

    @operation("list_topics", {200: TopicRowShape(many=True)})
    def get(self, request: Request) -> Response:  # noqa: ARG002
        """All topics, in the order of their decks."""
        published = Count("cards", filter=Q(cards__state=Card.State.PUBLISHED))
        topics: Any = Topic.objects.on_shelf().select_related("deck").annotate(card_count=published)
        return Response([_row(topic) | {"cards": topic.card_count} for topic in topics])


class TopicPage(APIView):
    """One topic."""

    @operation("get_topic", {200: TopicShape}, parameters=[SLUG])
    def get(self, request: Request, slug: str) -> Response:
        """A topic's page, its cards, and how many of them are due and new."""
        topic = topic_of(path_slug(slug, "topic"))
        waiting = counts(current_learner(request), timezone.now(), topic=topic)
        cards = Card.objects.filter(topic=topic, state=Card.State.PUBLISHED).select_related(
            "published_version"
        )
        return Response(
            _row(topic)
            | {"sections": [_section(section) for section in topic.sections]}
            | {"cards": [_card(card) for card in cards], "due": waiting.due, "new": waiting.new}
        )


def topic_of(slug: str, field: str = "slug") -> Topic:
    """The topic of a slug. Raises Problem 404 blaming `field`."""
    topic = Topic.objects.on_shelf().select_related("deck").filter(slug=slug).first()
    if topic is None:
        raise not_found(f"no topic {slug}", field)
    return topic


def _row(topic: Topic) -> dict[str, Any]:
    return {"slug": topic.slug, "title": topic.title, "deck": topic.deck.slug, "position": topic.position}


def _section(section: dict[str, Any]) -> dict[str, Any]:
    """A section without its Markdown."""
    return {
        "kind": section.get("kind", ""),
        "title": section.get("title", ""),
        "html": section.get("html", ""),
        "read_seconds": section.get("read_seconds", 0),
    }


def _card(card: Card) -> dict[str, Any]:
    version = card.published_version
    return {"card": card.uuid, "slug": card.slug, "answer_type": version.answer_type if version else ""}


class ModelList(APIView):
    """The whole table."""

    @operation("list_models", {200: ModelShape(many=True)})
    def get(self, request: Request) -> Response:  # noqa: ARG002
        """Every model."""
        return Response([_model(config) for config in all_models()])


class ModelRow(APIView):
    """One line of the table."""

    @operation("get_model", {200: ModelShape}, parameters=[SLUG])
    def get(self, request: Request, slug: str) -> Response:  # noqa: ARG002
        """One model."""
        try:
            return Response(_model(model(path_slug(slug, "model"))))
        except UnknownModel as error:
            raise not_found(str(error), "slug") from error


def _model(config: ModelConfig) -> dict[str, Any]:
    """The columns of the table that the API shows."""
    columns = asdict(config)
    return {name: columns[name] for name in _COLUMNS}
