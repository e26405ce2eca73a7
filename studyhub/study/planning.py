"""Plans for an interview: which retention and pace, what they lead to, and that in words. For workers.

The search is scheduling/planner.py; what is known of the learner comes from prospects.py.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.utils import timezone

from studyhub.study.interviews import InvalidInterview, NoPlan, interview_of, store_plan
from studyhub.study.models import Interview, Learner
from studyhub.study.prospects import Known, known_of
from studyhub.study.scheduling.planner import Outlook, outlooks
from studyhub.study.zones import study_day_of

Progress = Callable[[int], None]
MOST_TRIES = 5


@dataclass(frozen=True)
class Course:
    """What one pair leads to: cards recalled on the day, on average and in 9 of 10 cases; minutes a day."""

    retention: float
    new_per_day: int
    expected: float
    low: int
    high: int
    minutes: float
    unseen: int


@dataclass(frozen=True)
class Plan:
    """The pair that leaves most in mind on the day, beside others; `sentences` say it in plain words.

    `curve`: the best pace at each retention; `now`: what the learner has chosen so far."""

    desired_retention: float
    new_per_day: int
    expected: float
    low: int
    high: int
    minutes: float
    cards: int
    new_left: int
    unseen: int
    finish_day: date | None
    curve: tuple[Course, ...]
    now: Course
    sentences: tuple[str, ...]
    made_on: date
    seed: int

    def as_json(self) -> dict[str, Any]:
        """As it is kept: days as ISO dates."""
        found = asdict(self) | {"made_on": self.made_on.isoformat()}
        found["finish_day"] = self.finish_day.isoformat() if self.finish_day else None
        return found


def plan(
    learner: Learner,
    interview: Interview,
    now: datetime,
    seed: int = 0,
    progress: Progress = lambda _percent: None,
) -> Plan:
    """The plan for the interview as things stand: the same for the same memories, study day and seed.

    It takes for granted that the learner studies these topics alone, every day, for the minutes given, and
    that no deck among them has a retention of its own: such a deck goes on by its own.
    Raises InvalidInterview for a day that is not ahead and for topics without a card.
    """
    today = study_day_of(learner, now)
    if interview.day <= today:
        raise InvalidInterview("day", f"{interview.day} is not ahead on {today}; set the next interview")
    known = known_of(learner, interview, today)
    if not known.cards:
        raise InvalidInterview("topics", "no card is left to plan for: all are suspended or withdrawn")
    best, all_of_them = outlooks(known.prospect, seed=seed, progress=progress)
    return _plan(best, all_of_them, known, interview, today=today, seed=seed)


def plan_job(learner_id: int | None, progress: Progress) -> dict[str, Any]:
    """The job behind an interview: plans until the plan is of what was asked last, and keeps it.

    Raises NoPlan where the learner has no interview (any more).
    """
    learner = Learner.objects.get(pk=learner_id or 0)
    for _ in range(MOST_TRIES):
        interview = interview_of(learner)
        if interview is None:
            raise NoPlan("the interview was cleared before its plan was made")
        now = timezone.now()
        made = plan(learner, interview, now, seed=learner.pk, progress=progress).as_json()
        if store_plan(interview, made, now):
            return {name: made[name] for name in ("desired_retention", "new_per_day", "expected", "cards")}
        learner.refresh_from_db()
    raise NoPlan(f"the interview was changed {MOST_TRIES} times while its plan was made; set it once more")


def _plan(
    best: Outlook, found: list[Outlook], known: Known, interview: Interview, *, today: date, seed: int
) -> Plan:
    chosen = _course(best, known)
    finish = today + timedelta(days=best.finish) if best.finish >= 0 else None
    present = next(one for one in found if one.pair == known.prospect.present)
    return Plan(
        desired_retention=chosen.retention,
        new_per_day=chosen.new_per_day,
        expected=chosen.expected,
        low=chosen.low,
        high=chosen.high,
        minutes=chosen.minutes,
        cards=known.cards,
        new_left=known.new,
        unseen=chosen.unseen,
        finish_day=finish,
        curve=tuple(_course(one, known) for one in _best_of_each(found, best)),
        now=_course(present, known),
        sentences=tuple(sentences(chosen, known, interview, finish=finish, today=today)),
        made_on=today,
        seed=seed,
    )


def _best_of_each(found: list[Outlook], best: Outlook) -> list[Outlook]:
    """One outlook a retention, rising: the most cards, and of its own retention the chosen one."""
    ranked = {one.pair.retention: one for one in sorted(found, key=lambda one: one.expected)}
    ranked[best.pair.retention] = best
    return [ranked[retention] for retention in sorted(ranked)]


def _course(found: Outlook, known: Known) -> Course:
    """An outlook of the sample as one of all cards."""
    share = known.share
    return Course(
        retention=found.pair.retention,
        new_per_day=round(found.pair.new_per_day / share),
        expected=round(found.expected / share, 1),
        low=round(found.low / share),
        high=round(found.high / share),
        minutes=round(found.seconds / share / 60, 1),
        unseen=round(found.unseen / share),
    )


def sentences(
    chosen: Course, known: Known, interview: Interview, *, finish: date | None, today: date
) -> list[str]:
    """What the plan says: what is new and when it ends or what stays unseen; what to expect of the day."""
    told = [_of_new(chosen, known, finish=finish, today=today)] if known.new else []
    if chosen.unseen:
        minutes = _number(interview.minutes_per_day, "minute")
        told.append(f"At {minutes} a day {_number(chosen.unseen, 'card')} {_stay(chosen.unseen)} unseen.")
    told.append(
        f"On {_day(interview.day, today)} expect to recall {round(chosen.expected)} of "
        f"{_number(known.cards, 'card')}; 9 times of 10 it is {chosen.low} to {chosen.high}."
    )
    return told


def _of_new(chosen: Course, known: Known, *, finish: date | None, today: date) -> str:
    verb = "is" if known.new == 1 else "are"
    new = f"{known.new} of {_number(known.cards, 'card')} {verb} still new."
    return f"{new} At {chosen.new_per_day} a day you finish on {_day(finish, today)}." if finish else new


def _number(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _stay(number: int) -> str:
    return "stays" if number == 1 else "stay"


def _day(day: date, today: date) -> str:
    """10 December, with its year where that is another one."""
    return f"{day.day} {day:%B}" + (f" {day.year}" if day.year != today.year else "")
