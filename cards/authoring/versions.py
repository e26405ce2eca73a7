"""A card's next version, and publishing it. Knows no form."""

from collections.abc import Mapping
from typing import Any

from django.db import models, transaction

from cards.files import hash_of
from cards.generators import concrete
from cards.lint import Problem, lint_card
from cards.markdown import render
from cards.models import Card, CardVersion, Origin, Source

CONTENT = (
    "answer_type",
    "answer",
    "prompt",
    "explanation",
    "parameters",
    "mistakes",
    "hints",
    "picture",
    "sources",
)


class NotPublishable(ValueError):
    """A version with problems; the message lists them."""


def draft_version(card: Card, content: Mapping[str, Any]) -> CardVersion:
    """The version a card would get, its first variant rendered, not saved.

    Raises MarkdownTooLong, DrawProblem."""
    values = {name: content[name] for name in CONTENT if name in content}
    draft = CardVersion(card=card, **values, content_hash=hash_of(values))
    shown = concrete(draft, 0)
    draft.prompt_html, draft.explanation_html = render(shown.prompt), render(shown.explanation)
    return draft


@transaction.atomic
def write_version(card: Card, content: Mapping[str, Any], *, author: Any, edit: str) -> CardVersion:
    """The latest version if it says the same already, else a new one with the next number."""
    Card.objects.select_for_update().get(pk=card.pk)
    draft, last = draft_version(card, content), latest_version(card)
    if last is not None and last.content_hash == draft.content_hash:
        return last
    draft.number = (last.number if last else 0) + 1
    draft.author, draft.edit = author, edit
    draft.save()
    return draft


def latest_version(card: Card) -> CardVersion | None:
    """The newest version, published or not."""
    return card.versions.order_by("-number").first()


def version_problems(version: CardVersion) -> list[Problem]:
    """What stands against publishing, and warnings."""
    return lint_card(version, sources=set(Source.objects.values_list("key", flat=True)), place=str(version))


@transaction.atomic
def publish(version: CardVersion) -> None:
    """Makes this the version learners get. Raises NotPublishable with the reasons, and changes nothing."""
    errors = [problem for problem in version_problems(version) if not problem.warning]
    if errors:
        raise NotPublishable("; ".join(f"{problem.rule}: {problem.message}" for problem in errors))
    card = version.card
    card.published_version, card.state = version, Card.State.PUBLISHED
    card.save(update_fields=["published_version", "state"])


@transaction.atomic
def copy_to_edit(card: Card, *, author: Any) -> Card:
    """A local draft with the words of a shipped card; the shipped one stays as it is."""
    source = card.published_version or latest_version(card)
    assert source is not None
    copy = Card.objects.create(
        slug=_free_slug(card.slug),
        topic=card.topic,
        position=card.position,
        family=card.family,
        origin=Origin.LOCAL,
    )
    write_version(
        copy, {name: getattr(source, name) for name in CONTENT}, author=author, edit=CardVersion.Edit.MAJOR
    )
    return copy


def _free_slug(slug: str) -> str:
    taken = set(Card.objects.filter(models.Q(slug__startswith=slug)).values_list("slug", flat=True))
    return next(name for n in range(1, 10_000) if (name := f"{slug[:110]}-copy-{n}") not in taken)
