"""After a break: how much waits, and how long it lasts under one cap a day or another. Reads only.

A cap is accepted by setting `reviews_per_day` (see preferences); caps.py says when it holds. The same backlog
always gives the same preview. Knows no page.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import islice

from studyhub.study.asking.answers_today import answers_today
from studyhub.study.asking.projection import Waiting, project
from studyhub.study.asking.spreading import loads_ahead
from studyhub.study.models import Learner
from studyhub.study.pace import usual_reviews
from studyhub.study.rules import rules_of
from studyhub.study.scheduling.trace import Trace
from studyhub.study.shelf import due_reviews
from studyhub.study.zones import study_day_of

SMALLEST_BACKLOG = 30
TIMES_USUAL = 2
FACTORS = (1.25, 1.5, 2, 3, 5, 8)
"""Of a usual day: the caps that are looked at."""
MOST_OPTIONS = 4
ROUND_TO = 5


@dataclass(frozen=True)
class Cap:
    """A cap of reviews a day: on how many days it leaves something for the next, and the last of them.

    `forgotten_meanwhile`: of the cards due now, how many more are forgotten by their turn than are today.
    """

    per_day: int
    days: int
    last_day: date
    forgotten_meanwhile: float


@dataclass(frozen=True)
class CatchUp:
    """What waits: reviews due now (`backlog`) beside a usual day's, the cap now set (0 = none), and options.

    `is_backlog`: at least 30 and more than twice the usual. `options`: smallest cap first, none where there
    is no backlog or where no cap up to eight usual days clears it in 180 days.
    """

    backlog: int
    usual: int
    is_backlog: bool
    cap: int
    options: tuple[Cap, ...]


def catch_up_preview(learner: Learner, now: datetime) -> CatchUp:
    """The backlog of now and what each cap would do. Five reads; 0.1 s for a backlog of thousands."""
    usual, backlog = usual_reviews(learner, now), due_reviews(learner, now).count()
    is_backlog = backlog >= SMALLEST_BACKLOG and backlog > TIMES_USUAL * usual
    options = tuple(islice(_options(learner, now, usual, backlog), MOST_OPTIONS)) if is_backlog else ()
    return CatchUp(backlog, usual, is_backlog, learner.reviews_per_day, options)


def caps_for(usual: int, backlog: int) -> list[int]:
    """Caps worth a look: multiples of a usual day in whole fives, below what would be done in one day."""
    rounded = [-(-round(usual * factor) // ROUND_TO) * ROUND_TO for factor in FACTORS]
    return sorted({cap for cap in rounded if usual < cap < backlog})


def _options(learner: Learner, now: datetime, usual: int, backlog: int) -> Iterator[Cap]:
    rules, today = rules_of(learner), study_day_of(learner, now)
    waiting, scheduled = list(_waiting(learner, now)), loads_ahead(learner, now)
    done = answers_today(learner, now).reviews
    for cap in caps_for(usual, backlog):
        found = project(waiting, scheduled=scheduled, cap=cap, rules=rules, done=done)
        if found:
            last = today + timedelta(days=found.days - 1)
            yield Cap(cap, found.days, last, round(found.forgotten, 1))


def _waiting(learner: Learner, now: datetime) -> Iterator[Waiting]:
    today = study_day_of(learner, now)
    rows = due_reviews(learner, now).filter(stability__gt=0, last_study_day__isnull=False)
    traces = rows.values_list("stability", "difficulty", "short_stability", "last_study_day")
    for stability, difficulty, short, last in traces.order_by("pk"):
        yield Waiting(Trace(stability, difficulty, short), max(0, (today - (last or today)).days))
