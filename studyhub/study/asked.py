"""Which wordings of a card a learner may see and answer: one rule for pages and API. Knows no request."""

from uuid import UUID

from cards.models import Card, CardVersion
from studyhub.study.models import Attempt, Learner

_ASKED = (Card.State.PUBLISHED, Card.State.RETIRED)


class NotAsked(ValueError):
    """No such card or version for this learner. `field` says which of the two: card or card_version."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def asked_version(learner: Learner, card: UUID | str, *, number: int) -> CardVersion:
    """The version of a card (by uuid or slug) that a learner has been asked, now or before.

    Published ones up to the present one; those of a retired card, which still takes late answers; and what
    this learner answered before, so that a repetition finds its outcome. Never a draft. Raises NotAsked.
    """
    named = {"uuid": card} if isinstance(card, UUID) else {"slug": card}
    asked = Card.objects.select_related("published_version").filter(**named).first()
    version = asked.versions.select_related("card__topic").filter(number=number).first() if asked else None
    if asked and version and (_was_published(asked, number) or _answered(learner, version)):
        return version
    if asked and _was_published(asked, 0):
        raise NotAsked("card_version", f"card {card} has no version {number}")
    raise NotAsked("card", f"no card {card}")


def _was_published(card: Card, number: int) -> bool:
    """Whether the card is or was on the shelf, and its version `number` with it."""
    published = card.published_version
    return card.state in _ASKED and published is not None and number <= published.number


def _answered(learner: Learner, version: CardVersion) -> bool:
    return Attempt.objects.filter(learner=learner, card_version=version).exists()
