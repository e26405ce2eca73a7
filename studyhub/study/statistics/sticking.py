"""Cards that keep being forgotten across learners, and how they are answered. Names no learner.

Reads only, for authors: what to change of a card is said elsewhere.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.fields.json import KT

from cards.models import Card
from studyhub.study.models import Attempt, Memory
from studyhub.study.shelf import published

LAPSES = 8
"""Lapses of a learner from which on a card does not stick: a leech, unless the learner says otherwise."""
MOST_CARDS = 50
MOST_ATTEMPTS = 20_000
"""Answers looked at, the latest."""
MOST_NAMED = 3
LONGEST_SHOWN = 60  # characters of an answer
SPOKEN = ("rubric", "reveal", "program")
"""Types whose answers are a learner's own prose or code: never shown to others."""
WRONG, RIGHT, GUESS = ("incorrect", "partial"), "correct", 40
Row = tuple[int, str, str, Mapping[str, Any], int]


@dataclass(frozen=True)
class Answers:
    """How a card was answered: `mistakes` and `unnamed` are the most frequent, each with how often it came.

    `unnamed`: wrong answers that no named mistake explains. `told` of the right ones came with a word on how
    sure the learner was; `guessed` of those were said to be a guess. `cells`: fields at once, at most.
    """

    number: int = 0
    wrong: int = 0
    named: int = 0
    mistakes: Sequence[tuple[str, int]] = ()
    unnamed: Sequence[tuple[str, int]] = ()
    told: int = 0
    guessed: int = 0
    cells: int = 0


@dataclass(frozen=True)
class Unstuck:
    """A card that lapsed LAPSES times or more for `learners` of the `met` who met it; `lapses` in all."""

    card: Card
    learners: int
    lapses: int
    met: int
    answers: Answers = field(default_factory=Answers)


def cards_that_do_not_stick(most: int = MOST_CARDS) -> list[Unstuck]:
    """The published cards that lapsed most, for most learners first. Four queries, whatever the size."""
    lapsed = Memory.objects.filter(published("card__"), lapses__gte=LAPSES).values("card").order_by()
    rows = lapsed.annotate(learners=Count("pk"), sum=Sum("lapses")).order_by("-learners", "-sum", "card")
    found = {row["card"]: row for row in rows[:most]}
    cards = Card.objects.select_related("topic", "published_version").in_bulk(found)
    met, answers = _met(found), _answers(cards)
    return [
        Unstuck(cards[pk], row["learners"], row["sum"], met.get(pk, 0), answers[pk])
        for pk, row in found.items()
    ]


def _met(cards: Iterable[int]) -> dict[int, int]:
    """How many learners have answered each card."""
    memories = Memory.objects.filter(~Q(state=Memory.State.NEW), card__in=list(cards))
    return dict(memories.values_list("card").annotate(Count("pk")).order_by())


def _answers(cards: Mapping[int, Card]) -> dict[int, Answers]:
    rows: dict[int, list[Row]] = {pk: [] for pk in cards}
    for row in _attempts(cards)[:MOST_ATTEMPTS]:
        rows[row[0]].append(row)
    return {pk: _counted(rows[pk], spoken=_type(cards[pk]) in SPOKEN) for pk in cards}


def _attempts(cards: Iterable[int]) -> QuerySet[Attempt, Any]:
    graded = Attempt.objects.filter(card_version__card__in=list(cards), outcome__in=(*WRONG, RIGHT))
    columns = ("card_version__card", "outcome", "mistake", "response", "confidence")
    return graded.annotate(mistake=KT("grade__mistake")).order_by("-pk").values_list(*columns)


def _counted(rows: Sequence[Row], *, spoken: bool) -> Answers:
    wrong = [row for row in rows if row[1] in WRONG]
    mistakes = Counter(row[2] for row in wrong if row[2])
    unnamed = Counter(shown(row[3]) for row in wrong if not row[2] and not spoken)
    unnamed.pop("", None)
    sure = [row[4] for row in rows if row[1] == RIGHT and row[4]]
    return Answers(
        number=len(rows),
        wrong=len(wrong),
        named=mistakes.total(),
        mistakes=mistakes.most_common(MOST_NAMED),
        unnamed=unnamed.most_common(MOST_NAMED),
        told=len(sure),
        guessed=sum(one == GUESS for one in sure),
        cells=max((len(row[3].get("cells") or ()) for row in rows), default=0),
    )


def shown(response: Mapping[str, Any]) -> str:
    """An answer in one short line: what was typed, chosen, put in order or filled in; "" for nothing."""
    cells = response.get("cells") or {}
    parts = response.get("choices") or response.get("order") or [f"{k}: {v}" for k, v in cells.items()]
    line = " ".join(str(response.get("text") or ", ".join(map(str, parts))).split())
    return line if len(line) <= LONGEST_SHOWN else f"{line[: LONGEST_SHOWN - 3]}..."


def _type(card: Card) -> str:
    return card.published_version.answer_type if card.published_version else ""
