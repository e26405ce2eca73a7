"""Which wordings of a card a learner may see and answer: one rule for pages and API. Knows no request."""

from collections.abc import Collection
from uuid import UUID

from cards.models import Card, CardVersion
from studyhub.study.models import Attempt, Learner, Memory

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


class Asked:
    """`asked_version` for many cards: one query for what is published now, one by one for the rest."""

    def __init__(self, learner: Learner, cards: Collection[UUID]) -> None:
        self._learner = learner
        rows = Card.objects.select_related("topic", "published_version").filter(uuid__in=cards)
        self._cards = {card.uuid: card for card in rows}

    @property
    def pks(self) -> list[int]:
        """The pks of the cards there are."""
        return [card.pk for card in self._cards.values()]

    def version(self, card: UUID, number: int) -> CardVersion:
        """The version. Raises NotAsked."""
        known = self._cards.get(card)
        if known is None or not _was_published(known, number):
            return asked_version(self._learner, card, number=number)
        version = known.published_version
        if version is None or version.number != number:
            return asked_version(self._learner, card, number=number)
        version.card = known  # with its topic at hand
        return version

    def card(self, uuid: UUID) -> Card:
        """The card, if it is or was on the shelf, or was answered. Raises NotAsked."""
        card = self._cards.get(uuid)
        known = card is not None and (_was_published(card, 0) or _met(self._learner, card))
        if card is None or not known:
            raise NotAsked("card", f"no card {uuid}")
        return card


def asked_card(learner: Learner, uuid: UUID) -> Card:
    """The card of a uuid, if it is or was on the shelf, or was answered. Raises NotAsked."""
    return Asked(learner, {uuid}).card(uuid)


def _met(learner: Learner, card: Card) -> bool:
    return Memory.objects.filter(learner=learner, card=card).exists()


def _was_published(card: Card, number: int) -> bool:
    """Whether the card is or was on the shelf, and its version `number` with it."""
    published = card.published_version
    return card.state in _ASKED and published is not None and number <= published.number


def _answered(learner: Learner, version: CardVersion) -> bool:
    return Attempt.objects.filter(learner=learner, card_version=version).exists()
