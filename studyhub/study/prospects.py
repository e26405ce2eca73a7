"""A learner before a day ahead, read from the tables as arrays: cards, habits, and how sure one is of both.

For workers: it needs numpy. Knows no pair to choose and no sentence.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import sqrt
from typing import Any

import numpy as np

from cards.models import Card
from studyhub.study.models import DayRollup, Interview, Learner, Memory, Review
from studyhub.study.rules import rules_of
from studyhub.study.scheduling import DEFAULT_PARAMETERS, Rules
from studyhub.study.scheduling.planner import Doubt, Pair, Prospect
from studyhub.study.scheduling.simulate import Behaviour, Cards
from studyhub.study.shelf import published

HABIT_DAYS, MOST_LINES = 90, 5_000
"""How far back habits are read: study days, and lines at most, the latest."""
LONGEST_ANSWER_MS = 120_000  # a longer one was a break
SUPPOSED = 10
"""Cards that what is usual counts for, beside what the learner did."""
MOST_CARDS = 1_000
"""Beyond it an even sample of the cards is played, with the time it is due."""
STEADINESS_SPREAD, DRIFT = 0.5, 0.1
"""Log of true over believed stability: how far learners differ before anything is known, and drift."""
PACE_SPREAD, STEADY_PACE = 0.3, 0.1
"""The same of the time answers take."""
USUAL = Behaviour()
Line = tuple[int, date, int, str, int]


@dataclass(frozen=True)
class Known:
    """What is known of a learner before a day; `share` of all cards is in the prospect."""

    prospect: Prospect
    cards: int
    new: int
    share: float


def known_of(learner: Learner, interview: Interview, today: date) -> Known:
    """Reads the cards of the interview's topics and the learner's habits. Five queries, whatever the size."""
    met, new = _met(learner, interview.topics, today), _new(learner, interview.topics)
    share = min(1.0, MOST_CARDS / max(1, len(met) + new))
    rules = _rules(learner)
    lines = _lines(learner, today)
    prospect = Prospect(
        cards=_cards(_sampled(met, share), round(new * share)),
        days=(interview.day - today).days,
        seconds_per_day=interview.minutes_per_day * 60.0 * share,
        behaviour=behaviour_of(lines),
        rules=rules,
        doubt=Doubt(steadiness_of(_promises(learner, today), rules.parameters), _pace_spread(lines)),
        present=Pair(learner.desired_retention, _scaled(learner.new_per_day, share)),
        reviews_per_day=_scaled(learner.reviews_per_day, share),
    )
    return Known(prospect, cards=len(met) + new, new=new, share=share)


def _rules(learner: Learner) -> Rules:
    """The learner's rules; another model than FSRS-6 is played by FSRS-6, from the stabilities it gives."""
    rules = rules_of(learner)
    if len(rules.parameters) == len(DEFAULT_PARAMETERS):
        return rules
    return Rules(
        rules.desired_retention, DEFAULT_PARAMETERS, rules.learning_steps, rules.relearning_steps,
        rules.maximum_interval,
    )  # fmt: skip


def _shelf(topics: Sequence[str], prefix: str = "") -> Any:
    where = published(prefix)
    return where & type(where)(**{f"{prefix}topic__slug__in": topics}) if topics else where


def _met(learner: Learner, topics: Sequence[str], today: date) -> list[tuple[float, float, int, int, int]]:
    """(stability, difficulty, last, due, interval) of every card that was answered, by when it is due."""
    memories = Memory.objects.filter(_shelf(topics, "card__"), learner=learner, suspended=False)
    rows = memories.exclude(state=Memory.State.NEW).filter(stability__gt=0, last_study_day__isnull=False)
    columns = rows.order_by("due", "pk").values_list(
        "stability", "difficulty", "last_study_day", "interval_days", "buried_until"
    )
    return [_row(*column, today=today) for column in columns]


def _row(
    stability: float, difficulty: float, last: date | None, interval: int, buried: date | None, *, today: date
) -> tuple[float, float, int, int, int]:
    since = min(0, (last - today).days) if last else 0
    due = max(0, since + interval)
    return stability, difficulty, since, max(due, (buried - today).days) if buried else due, interval


def _new(learner: Learner, topics: Sequence[str]) -> int:
    met = Memory.objects.filter(learner=learner).exclude(state=Memory.State.NEW, suspended=False)
    return Card.objects.filter(_shelf(topics)).exclude(pk__in=met.values("card")).count()


def _cards(met: Sequence[tuple[float, float, int, int, int]], new: int) -> Cards:
    """Cards met, then so many new ones."""
    table = np.zeros((len(met) + new, 5))
    if met:
        table[: len(met)] = met
    stability, difficulty, last, due, interval = table.T
    return Cards(stability, difficulty, last.astype(int), due.astype(int), interval.astype(int))


def _sampled(rows: list[Any], share: float) -> list[Any]:
    """An even sample."""
    wanted = round(len(rows) * share)
    return rows if share == 1.0 else [rows[place * len(rows) // wanted] for place in range(wanted)]


def _scaled(number: int, share: float) -> int:
    return max(1, round(number * share)) if number else 0


def _lines(learner: Learner, today: date) -> list[Line]:
    """(card, study day, rating, state before, milliseconds) of the latest answers, oldest first."""
    answers = Review.objects.filter(learner=learner, kind=Review.Kind.REVIEW, voided_by=None)
    recent = answers.filter(study_day__gt=today - timedelta(days=HABIT_DAYS)).order_by("-answered_at", "-pk")
    rows = recent.values_list("card_id", "study_day", "rating", "state_before", "elapsed_ms")
    return list(rows[:MOST_LINES])[::-1]


def behaviour_of(lines: Iterable[Line]) -> Behaviour:
    """Ratings and seconds of a card's day, mixed with what is usual while there are few."""
    first: Counter[int] = Counter()
    passes: Counter[int] = Counter()
    seconds: dict[str, list[float]] = {"new": [], "recalled": [], "forgotten": []}
    for kind, rating, took in _days_of_cards(lines):
        (first if kind == "new" else passes)[rating] += 1
        if took:
            seconds[kind].append(took)
    return Behaviour(
        seconds_new=_mean(seconds["new"], USUAL.seconds_new),
        seconds_recalled=_mean(seconds["recalled"], USUAL.seconds_recalled),
        seconds_forgotten=_mean(seconds["forgotten"], USUAL.seconds_forgotten),
        first=_shares(first, (1, 2, 3, 4), USUAL.first),  # type: ignore[arg-type]
        passes=_shares(passes, (2, 3, 4), USUAL.passes),  # type: ignore[arg-type]
    )


def _days_of_cards(lines: Iterable[Line]) -> list[tuple[str, int, float]]:
    """(new, recalled or forgotten; rating; seconds with what followed in steps) of each card on each day."""
    days: dict[tuple[int, date], list[Line]] = {}
    for line in lines:
        days.setdefault((line[0], line[1]), []).append(line)
    found = []
    for answers in days.values():
        _, _, rating, state, _ = answers[0]
        kind = "new" if state == Memory.State.NEW else "forgotten" if rating == 1 else "recalled"
        took = sum(min(line[4], LONGEST_ANSWER_MS) for line in answers) / 1000
        found.append((kind, rating, took))
    return found


def _mean(values: Sequence[float], usual: float) -> float:
    return (sum(values) + SUPPOSED * usual) / (len(values) + SUPPOSED)


def _shares(counts: Counter[int], ratings: Sequence[int], usual: Sequence[float]) -> tuple[float, ...]:
    total = sum(counts[rating] for rating in ratings) + SUPPOSED
    return tuple((counts[r] + SUPPOSED * share) / total for r, share in zip(ratings, usual, strict=True))


def _pace_spread(lines: Sequence[Line]) -> float:
    return sqrt(STEADY_PACE**2 + PACE_SPREAD**2 / (1 + len({line[:2] for line in lines}) / 20))


def _promises(learner: Learner, today: date) -> list[tuple[int, int, float]]:
    """(answers, recalled, mean promise) for each bin of promised recall, of the days habits are read from."""
    sums: dict[str, list[int]] = {}
    days = DayRollup.objects.filter(learner=learner, study_day__gt=today - timedelta(days=HABIT_DAYS))
    for promised in days.values_list("promised", flat=True):
        for edge, three in promised.items():
            sums[edge] = [have + more for have, more in zip(sums.get(edge, (0, 0, 0)), three, strict=True)]
    return [(number, good, total / number / 1000) for number, good, total in sums.values() if number > 0]


def steadiness_of(
    promises: Iterable[tuple[int, int, float]], numbers: Sequence[float], quantiles: int = 41
) -> tuple[float, ...]:
    """Equally likely ratios of true to believed stability, given what was promised and what was recalled.

    Bayes on a grid: log ratio normal with spread 0.5 before any answer; a promise p holds at the time where
    stability times the ratio gives p' (the forgetting curve of FSRS-6); each answer is one draw at p'.
    """
    grid = np.linspace(-2.5, 2.5, 501)
    weight = -((grid / STEADINESS_SPREAD) ** 2) / 2
    for number, recalled, promise in promises:
        held = min(max(promise, 0.01), 0.999)
        chance = (1 + (held ** (-1 / numbers[20]) - 1) / np.exp(grid)) ** -numbers[20]
        weight = weight + recalled * np.log(chance) + (number - recalled) * np.log1p(-chance)
    share = np.exp(weight - weight.max())
    below = np.cumsum(share) / share.sum()
    places = (np.arange(quantiles) + 0.5) / quantiles
    found = np.interp(places, below, grid)
    spread = found.std()
    wider = sqrt(1 + (DRIFT / spread) ** 2) if spread else 1.0
    return tuple(np.exp(found.mean() + wider * (found - found.mean())).tolist())
