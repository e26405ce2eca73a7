"""Numbers, spans of time and technical names in the words of the interface. Knows no learner and no card."""

import re
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cards.markdown import render_inline

MINUTE, HOUR, DAY = 60, 3600, 86400
_NAMES = re.compile(r"(?<![\w$\\`{])(d_model|d_head|d_k|num_heads)(?![\w`])")
_LETTERS = {
    "d_model": r"$d_\text{model}$",
    "d_head": r"$d_\text{head}$",
    "d_k": "$d_k$",
    "num_heads": "`num_heads`",
}


def grouped(number: int) -> str:
    """2621440 -> "2,621,440"."""
    return f"{number:,}"


def counted(number: int, noun: str) -> str:
    """(1, "card") -> "1 card"; (18, "card") -> "18 cards"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(words: Sequence[str]) -> str:
    """["B"] -> "B"; ["A", "B", "D"] -> "A, B and D"."""
    *before, last = words or [""]
    return f"{', '.join(before)} and {last}" if before else last


def span(seconds: float) -> str:
    """A span of time in its one fitting unit: 600 -> "10 min", 4233600 -> "49 days"."""
    for limit, unit, noun in ((MINUTE, 1, "s"), (HOUR, MINUTE, "min"), (DAY, HOUR, "h")):
        if round(seconds / unit) * unit < limit:
            return f"{max(round(seconds / unit), 1)} {noun}"
    days = round(seconds / DAY)
    return counted(days, "day") if days < 730 else f"{days / 365.25:.1f} years"


def minutes(seconds: float) -> str:
    """A rough length of work: 400 -> "about 7 minutes"; under a minute it says so."""
    whole = round(seconds / MINUTE)
    return f"about {counted(whole, 'minute')}" if whole else "under a minute"


def zone(name: str) -> ZoneInfo:
    """The time zone of this name, UTC where nobody knows it."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def day(moment: datetime, *, time_zone: str, now: datetime) -> str:
    """A date in the learner's zone, its year only where it is another: "18 January"."""
    local, today = moment.astimezone(zone(time_zone)), now.astimezone(zone(time_zone))
    year = "" if local.year == today.year or (local - today).days < 300 else f" {local.year}"
    return f"{local.day} {local:%B}{year}"


def comes_back(due: datetime, *, seconds: float, time_zone: str, now: datetime) -> str:
    """When a card returns: "Back in 10 min" or "Back in 49 days, on 18 January"."""
    if seconds < DAY:
        return f"Back in {span(seconds)}"
    return f"Back in {span(seconds)}, on {day(due, time_zone=time_zone, now=now)}"


def title_html(title: str) -> str:
    """A title with `d_head` and its kin set as formulas, unless the author already did."""
    return render_inline(_NAMES.sub(lambda match: _LETTERS[match[1]], title))


def plain(title: str) -> str:
    """A title for the window and for labels: maths reduced to its letters."""
    return re.sub(r"\\(?:text|sqrt|mathrm)\s*\{([^{}]*)\}", r"\1", title.replace("$", "")).replace("\\", "")
