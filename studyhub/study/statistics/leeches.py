"""Cards that keep being forgotten, worst first: what to rewrite or set aside. Decides nothing about them."""

from dataclasses import dataclass

from studyhub.study.models import Learner, Memory
from studyhub.study.rules import rules_of
from studyhub.study.shelf import published

MOST = 50


@dataclass(frozen=True)
class Leech:
    """A card and how often it lapsed; `recalled` of its `tested` answers were not Again."""

    card: str
    slug: str
    topic: str
    title: str
    lapses: int
    tested: int
    recalled: int
    suspended: bool


_COLUMNS = ("card__uuid", "card__slug", "card__topic__slug", "card__topic__title")


def leeches(learner: Learner, most: int = MOST) -> list[Leech]:
    """At most `most` published cards whose lapses reached the learner's limit; a limit of 0 finds none."""
    after = rules_of(learner).leech_after
    if not after:
        return []
    memories = Memory.objects.filter(published("card__"), learner=learner, lapses__gte=after)
    rows = memories.order_by("-lapses", "card").values_list(
        *_COLUMNS, "lapses", "tested", "recalled", "suspended"
    )
    return [Leech(str(uuid), *rest) for uuid, *rest in rows[:most]]
