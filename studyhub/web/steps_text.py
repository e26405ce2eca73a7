"""Waits between steps as a learner writes them: "1m 10m 1d" for 60, 600, 86,400 s. Knows no schedule."""

import re
from collections.abc import Sequence

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
LONGEST = 30 * UNITS["d"]
MOST = 10
_STEP = re.compile(r"(\d{1,7})(min|[smhd])", re.ASCII)


def read_steps(text: str) -> list[int]:
    """Seconds of each step; [] for no text. Raises ValueError: which step cannot be, what would do."""
    words = text.replace(",", " ").lower().split()
    if len(words) > MOST:
        raise ValueError(f"{len(words)} steps are more than {MOST}. Leave some out.")
    return [_seconds(word) for word in words]


def steps_text(seconds: Sequence[int]) -> str:
    """[60, 600, 86400] -> "1m 10m 1d": each in the largest unit that leaves a whole number."""
    return " ".join(_written(one) for one in seconds)


def _seconds(word: str) -> int:
    found = _STEP.fullmatch(word)
    if not found:
        raise ValueError(f"{word[:20]} is no step. Write a number with s, m, h or d, such as 1m 10m 1d.")
    seconds = int(found[1]) * UNITS[found[2][0]]
    if not 1 <= seconds <= LONGEST:
        raise ValueError(f"{word} is not between 1s and 30d.")
    return seconds


def _written(seconds: int) -> str:
    unit = next(unit for unit in ("d", "h", "m", "s") if seconds % UNITS[unit] == 0)
    return f"{seconds // UNITS[unit]}{unit}"
