"""From a card's id and version number to the version that was answered. Knows no learner."""

import uuid

from cards.models import Card, CardVersion
from studyhub.api.problems import not_found

_ASKED = (Card.State.PUBLISHED, Card.State.RETIRED)


def asked_version(card_uuid: uuid.UUID, number: int) -> CardVersion:
    """A version learners have seen: published now or before; a retired card still takes late answers.

    Raises Problem 404 blaming `card` or `card_version`.
    """
    card = Card.objects.select_related("published_version").filter(uuid=card_uuid, state__in=_ASKED).first()
    if card is None or card.published_version is None:
        raise not_found(f"no card {card_uuid}", "card")
    version = card.versions.select_related("card").filter(number=number).first()
    if version is None or number > card.published_version.number:
        raise not_found(f"card {card_uuid} has no version {number}", "card_version")
    return version
