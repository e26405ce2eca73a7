"""Cards as they are asked: with their wording, a variant not seen of late, and an offer. Knows no order."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from cards.generators import is_parametrised, next_seed
from cards.models import Card, CardVersion
from studyhub.study.asking.offering import offers
from studyhub.study.models import Attempt, Learner, Memory, Review
from studyhub.study.zones import present

LAST_VARIANTS = 5


@dataclass(frozen=True)
class QueueItem:
    """A card to ask now; `memory` None = new. `intervals`: button name -> seconds, with this `draw`.

    `practice`: the answer is an attempt that is never rated and moves no schedule.
    """

    card: Card
    version: CardVersion
    variant_seed: int
    memory: Memory | None
    intervals: Mapping[str, int]
    draw: float = 0.0
    practice: bool = False


def items_of(
    learner: Learner,
    rows: Sequence[tuple[Card, Memory | None]],
    now: datetime,
    *,
    practice: bool = False,
) -> list[QueueItem]:
    """The cards in this order. Published ones, whose `published_version` is selected with them."""
    seeds = variant_seeds(learner, rows, now)
    return [
        QueueItem(card, _version(card), seed, memory, made.intervals, made.draw, practice)
        for (card, memory), seed, made in zip(rows, seeds, offers(learner, rows, now), strict=True)
    ]


def cards_with(
    learner: Learner, cards: Iterable[int], memories: Mapping[int, Memory] | None = None
) -> list[tuple[Card, Memory | None]]:
    """The rows of these cards, in this order, with what the learner knows of each. Two reads."""
    order = list(cards)
    found = Card.objects.select_related("published_version", "topic").in_bulk(order)
    if memories is None:
        rows = Memory.objects.filter(learner=learner, card__in=order)
        memories = {memory.card_id: memory for memory in rows}
    return [(found[card], memories.get(card)) for card in order if card in found]


def variant_seeds(learner: Learner, rows: Sequence[tuple[Card, Memory | None]], now: datetime) -> list[int]:
    """The variant each card is asked in: none of its last five again; 0 for a card without variants.

    Two reads for all, none where no card has variants.
    """
    varied = [card.pk for card, _ in rows if is_parametrised(_version(card))]
    recent = _recent_seeds(learner, varied, now) if varied else {}
    return [
        next_seed(_version(card), _key(learner, card, memory), recent.get(card.pk, ()))
        for card, memory in rows
    ]


def _key(learner: Learner, card: Card, memory: Memory | None) -> str:
    return f"{learner.pk}:{card.uuid}:{memory.reps if memory else 0}"


def _recent_seeds(learner: Learner, cards: Sequence[int], now: datetime) -> dict[int, list[int]]:
    """{card: its last five seeds, newest first}: of rated answers, and of today's practice."""
    rated = Review.objects.filter(learner=learner, card__in=cards, kind=Review.Kind.REVIEW)
    practised = Attempt.objects.filter(
        learner=learner, practice=True, created_at__gte=present(learner, now).rollover_in(0)
    )
    seen = [
        *rated.values_list("answered_at", "card_id", "variant_seed"),
        *practised.filter(card_version__card__in=cards).values_list(
            "created_at", "card_version__card_id", "variant_seed"
        ),
    ]
    seeds: dict[int, list[int]] = {}
    for _, card, seed in sorted(seen, reverse=True):
        if len(seeds.setdefault(card, [])) < LAST_VARIANTS:
            seeds[card].append(seed)
    return seeds


def _version(card: Card) -> CardVersion:
    version = card.published_version
    assert version is not None  # only published cards are asked
    return version
