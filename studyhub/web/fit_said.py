"""What a fit of the schedule found, in words and rows. Counts nothing itself."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from studyhub.study.dues import DueDifference
from studyhub.study.fit_report import BETTER, KEPT, TOO_FEW
from studyhub.study.models import Parameters
from studyhub.web import words

TITLES = {
    BETTER: "Numbers fitted to you predict better",
    KEPT: "The numbers in force are kept",
    TOO_FEW: "Too few answers to fit",
}
FORETOLD = {
    "fitted": "Fitted to you",
    "one_stability": "21 numbers fitted to you",
    "current": "Numbers in force then",
    "defaults": "Built-in numbers",
    "average": "Your average until then",
    "moving_average": "Your average of late",
}
RIVALS = {
    "current": "the numbers in force then",
    "defaults": "the built-in ones",
    "one_stability": "21 numbers fitted to the same answers",
}
DROPPED = {
    "in_bulk": "marked in bulk",
    "begun_elsewhere": "of imported cards whose beginning is missing",
    "before_reset": "from before a reset",
}
ORIGINS = {Parameters.Origin.FIT: "Fitted to your answers", Parameters.Origin.EDIT: "Changed in settings"}


def report(result: Mapping[str, Any]) -> dict[str, Any]:
    """The report of a fit as a page shows it."""
    return {
        "title": TITLES[result["outcome"]],
        "outcome": result["outcome"],
        "reason": result["reason"],
        "gains": gains(result),
        "counts": counts(result),
        "rows": rows(result),
        "held_out": result.get("held_out", 0),
    }


def gains(result: Mapping[str, Any]) -> list[str]:
    """How much better or worse the fitted numbers foretell than each rival, with the interval and n."""
    number = words.counted(result.get("held_out", 0), "held-out answer")
    found = {rival: result.get("differences", {}).get(rival) for rival in RIVALS}
    if found["current"] == found["defaults"]:
        del found["current"]  # the built-in ones are in force
    return [
        f"Beside {RIVALS[rival]} the fitted numbers predict {_gain(one)}, on {number}."
        for rival, one in found.items()
        if one and one["mean"] is not None
    ]


def _gain(found: Mapping[str, float | None]) -> str:
    """ "better by 0.0180 of log loss (95%: 0.0040 to 0.0320)"; a loss less than the rival's is a gain."""
    mean, low, high = (found[name] or 0.0 for name in ("mean", "low", "high"))
    word = "better" if mean < 0 else "worse"
    ends = (-high, -low) if mean < 0 else (low, high)
    return f"{word} by {_signed(abs(mean))} of log loss (95%: {_signed(ends[0])} to {_signed(ends[1])})"


def _signed(number: float) -> str:
    """With a real minus."""
    return f"{number:.4f}".replace("-", "\N{MINUS SIGN}")


def counts(result: Mapping[str, Any]) -> str:
    """What was read, what of it can be foretold, what was held out and what was left out."""
    read = f"{words.counted(result['reviews'], 'answer')} to {words.counted(result['cards'], 'card')}"
    told = f"Read: {read}. {words.grouped(result['terms'])} came a day or more after the one before"
    if result.get("held_out"):
        told += f"; {words.grouped(result['held_out'])} of these were foretold from earlier ones alone"
    left = [f"{number:,} {DROPPED[why]}" for why, number in result["dropped"].items() if number]
    return f"{told}." + (f" Left out: {words.listed(left)}." if left else "")


def rows(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row for who foretold, best first."""
    scores, differences = result.get("scores", {}), result.get("differences", {})
    found = [name for name in FORETOLD if name in scores and scores[name]["log_loss"] is not None]
    return [
        {
            "name": FORETOLD[name],
            "log_loss": f"{scores[name]['log_loss']:.4f}",
            "behind": _behind(differences.get(name)),
            "rmse": f"{scores[name]['rmse']:.4f}",
            "auc": "none" if scores[name]["auc"] is None else f"{scores[name]['auc']:.3f}",
        }
        for name in sorted(found, key=lambda name: scores[name]["log_loss"])
    ]


def _behind(found: Mapping[str, float | None] | None) -> str:
    """How far the loss is above that of the fitted numbers: "0.0180 (0.0040 to 0.0320)"."""
    if not found or found["mean"] is None:
        return "none"
    mean, low, high = (found[name] or 0.0 for name in ("mean", "low", "high"))
    return f"{_signed(-mean)} ({_signed(-high)} to {_signed(-low)})"


def moving(found: DueDifference) -> str:
    """How many cards rescheduling would move, and to when."""
    cards = words.counted(found.cards, "card")
    if not found.cards:
        return "No card is past its steps, so there is none to reschedule."
    if not found.moved:
        return f"None of {cards} in days would move: each is due when it should be."
    moves = f"{words.grouped(found.moved)} of {cards} in days would move"
    told = f"{moves}: {words.grouped(found.sooner)} sooner, {words.grouped(found.later)} later."
    most = max(day.then for day in found.days)
    overdue = f" {words.grouped(found.overdue_then)} would be late at once" if found.overdue_then else ""
    return f"{told}{overdue or ' None would be late at once'}; at most {words.grouped(most)} fall on one day."


def versions(found: list[Parameters], current: int, *, time_zone: str, now: datetime) -> list[dict[str, Any]]:
    """A row for each version, newest first, the built-in one last."""
    made = [
        {
            "version": one.version,
            "origin": ORIGINS[Parameters.Origin(one.origin)],
            "based_on": one.based_on,
            "day": words.day(one.created_at, time_zone=time_zone, now=now),
            "in_force": one.version == current,
        }
        for one in found
    ]
    built_in = {"version": 0, "origin": "Built in", "based_on": None, "day": "", "in_force": not current}
    return [*made, built_in]
