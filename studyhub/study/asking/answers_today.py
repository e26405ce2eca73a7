"""What a learner answered on this study day, in one read: it limits what is asked next. Knows no order."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from studyhub.study.models import Learner, Memory
from studyhub.study.shelf import answered_today, due_reviews

State = Memory.State


class Answer(NamedTuple):
    """An answer that counts: its card with topic and family ("" = none), and how the card stood before."""

    card: int
    topic: int
    family: str
    state_before: str


@dataclass(frozen=True)
class AnswersToday:
    """The answers of this study day, in the order they came."""

    answers: tuple[Answer, ...]

    @property
    def last_topic(self) -> int:
        """The topic of the last one; 0 = none."""
        return self.answers[-1].topic if self.answers else 0

    @property
    def reviews(self) -> int:
        """Answers to cards past their steps."""
        return sum(answer.state_before == State.REVIEW for answer in self.answers)

    @property
    def new_cards(self) -> int:
        """Cards that were new when they were answered; one that was reset counts once more."""
        return len({answer.card for answer in self.answers if answer.state_before == State.NEW})

    def barred(self, due: Collection[int]) -> frozenset[str]:
        """Families that have had their turn: their other cards wait for tomorrow, but for steps.

        A card that was answered and is `due` once more (its learner set it so) does not bar itself.
        """
        return frozenset(answer.family for answer in self.answers if answer.card not in due) - {""}

    @property
    def kin(self) -> frozenset[int]:
        """The cards among them that have a family."""
        return frozenset(answer.card for answer in self.answers if answer.family)


def answers_today(learner: Learner, now: datetime) -> AnswersToday:
    """One read of as many rows as were answered today."""
    columns = ("card_id", "card__topic_id", "card__family", "state_before")
    rows = answered_today(learner, now).order_by("pk").values_list(*columns)
    return AnswersToday(tuple(Answer(*row) for row in rows))


def barred_today(learner: Learner, now: datetime, answered: AnswersToday) -> frozenset[str]:
    """Families that have had their turn, where the due cards are not at hand; a read if there are any."""
    if not answered.kin:
        return frozenset()
    again = due_reviews(learner, now).filter(card__in=answered.kin).values_list("card_id", flat=True)
    return answered.barred(set(again))
