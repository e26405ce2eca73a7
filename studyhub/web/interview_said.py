"""The interview and its plan in words. Counts nothing itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from studyhub.study.interviews import interview_of
from studyhub.study.models import Learner
from studyhub.study.readiness import Readiness, readiness
from studyhub.study.zones import study_day_of
from studyhub.web import words


@dataclass(frozen=True)
class InterviewLine:
    """What Today says of the interview."""

    title: str
    sentence: str


def interview_line(learner: Learner, now: datetime) -> InterviewLine | None:
    """The interview as Today tells it; None where none is set."""
    interview = interview_of(learner)
    if interview is None:
        return None
    today = study_day_of(learner, now)
    if interview.day < today:
        told = f"It was on {long_day(interview.day, today)}. Set the next one, or remove it."
        return InterviewLine("Interview is over", told)
    stand = standing(readiness(learner, interview, now), interview.day, today)
    return InterviewLine(countdown(interview.day, today), f"{long_day(interview.day, today)}. {stand}")


def countdown(day: date, today: date) -> str:
    """ "Interview in 12 days"."""
    ahead = (day - today).days
    near = {0: "Interview today", 1: "Interview tomorrow"}
    return near.get(ahead, f"Interview in {words.counted(ahead, 'day')}")


def standing(found: Readiness, day: date, today: date) -> str:
    """How many cards are still new, and when they are met at the present pace."""
    if not found.new:
        cards = words.counted(found.cards, "card")
        return f"You have met {'it' if found.cards == 1 else f'all {cards}'}."
    verb = "is" if found.new == 1 else "are"
    new = f"{words.grouped(found.new)} of {words.counted(found.cards, 'card')} {verb} still new."
    return f"{new} {_pace(found, day, today)}"


def _pace(found: Readiness, day: date, today: date) -> str:
    if found.finish is None:
        return "You have set 0 new cards a day, so none of them is met."
    at = f"At {words.grouped(found.per_day)} a day you finish"
    if found.finish == today:
        return "You can meet the last of them today."
    late = ", not before the interview" if found.finish >= day else ""
    return f"{at} on {short_day(found.finish, today)}{late}."


def long_day(day: date, today: date) -> str:
    """ "Saturday 12 December", its year where it is another one."""
    return f"{day:%A} {short_day(day, today)}"


def short_day(day: date, today: date) -> str:
    """ "12 December", its year where it is another one."""
    return f"{day.day} {day:%B}" + (f" {day.year}" if day.year != today.year else "")


def pair(chosen: Mapping[str, Any]) -> str:
    """ "a recall of 94% and 9 new cards a day"."""
    percent = f"{100 * chosen['desired_retention']:.3g}%"
    return f"a recall of {percent} and {words.counted(chosen['new_per_day'], 'new card')} a day"


def course(found: Mapping[str, Any], cards: int) -> str:
    """What a pair leads to: "206 of 216 cards, 189 to 213 (90%)"."""
    of = f"{round(found['expected']):,} of {words.counted(cards, 'card')}"
    return f"{of}, {found['low']:,} to {found['high']:,} (90%)"


def gain(plan: Mapping[str, Any]) -> str:
    """How the plan compares with what the learner has."""
    now, more = plan["now"], round(plan["expected"]) - round(plan["now"]["expected"])
    have = pair({"desired_retention": now["retention"], "new_per_day": now["new_per_day"]})
    told = f"With what you have now, {have}, expect {course(now, plan['cards'])}, {_minutes(now)}."
    if (now["retention"], now["new_per_day"]) == (plan["desired_retention"], plan["new_per_day"]):
        return "No other pair that was tried does better than what you have now."
    if more <= 0:
        return f"{told} The plan takes {_minutes(plan)} for about the same."
    return f"{told} The plan adds {words.counted(more, 'card')} and takes {_minutes(plan)}."


def _minutes(found: Mapping[str, Any]) -> str:
    """ "16 minutes a day"."""
    return f"{words.counted(max(1, round(found['minutes'])), 'minute')} a day"


def made_on(plan: Mapping[str, Any]) -> str:
    """When the plan was made, and that it is made again."""
    made = date.fromisoformat(plan["made_on"])
    return f"Made on {made.day} {made:%B}; it is made anew every day."
