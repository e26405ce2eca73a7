"""Cards as an author writes them: rendered and published by the code that does it for the admin."""

from datetime import date
from typing import Any

from cards.authoring.versions import publish, write_version
from cards.models import Card, CardVersion, Source, Topic

AS_OF = date(2026, 11, 30)
NUMBER = {"type": "numeric", "key": {"compute": "num_heads", "model": "bert-base"}}


def authored(topic: Topic, slug: str, answer: dict[str, Any], position: int = 0, **fields: Any) -> Card:
    """A published card with this answer and these fields."""
    version = _written(topic, slug, answer, position, fields)
    publish(version)
    version.card.refresh_from_db()
    return version.card


def stored(topic: Topic, slug: str, answer: dict[str, Any], position: int = 0, **fields: Any) -> Card:
    """The same where nobody has looked over what the fields hold: no lint stands before it."""
    version = _written(topic, slug, answer, position, fields)
    version.card.state, version.card.published_version = Card.State.PUBLISHED, version
    version.card.save()
    return version.card


def _written(
    topic: Topic, slug: str, answer: dict[str, Any], position: int, fields: dict[str, Any]
) -> CardVersion:
    card = Card.objects.create(slug=slug, topic=topic, position=position)
    usual = {"answer_type": answer["type"], "answer": answer, "prompt": "How many heads?", "mistakes": []}
    source, _ = Source.objects.get_or_create(key="table", defaults={"title": "A table", "as_of": AS_OF})
    blank = {"hints": [], "explanation": "See the table.", "picture": [], "sources": [source.key]}
    return write_version(card, usual | blank | fields, author=None, edit="major")
