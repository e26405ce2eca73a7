"""Where Hard, Good and Easy land for each draw, worked out once for many draws. Knows no memory and no model.

The order of the buttons is Anki's (`rslib/src/scheduler/states/review.rs` of 26.08, facts only): of a card in
review each pass is at least a day after the one below; one that leaves its steps orders Good and Easy alone.
"""

from collections.abc import Sequence
from math import floor

from studyhub.study.scheduling.fuzz import LONGEST_INTERVAL, fuzz_bounds

Days = tuple[int, int, int]


class Passes:
    """The days of Hard, Good and Easy as functions of one draw in [0, 1).

    `ideals` and `minimums`: days by button; `in_days` says which buttons leave the steps (the others give 0);
    `hard_below` = Good comes at least a day after Hard, `good_below` = Easy at least a day after Good, unless
    that is beyond the `most` of its button.
    """

    __slots__ = ("_narrower", "_widest", "good_below", "hard_below", "ideals", "in_days", "maximum", "most")

    def __init__(
        self,
        ideals: Sequence[float],
        minimums: Sequence[int],
        *,
        maximum: int,
        in_days: Sequence[bool] = (True, True, True),
        hard_below: bool = True,
        good_below: bool = True,
        most: Sequence[int] = (LONGEST_INTERVAL,) * 3,
    ) -> None:
        self.ideals, self.maximum, self.most = ideals, maximum, most
        self.in_days, self.hard_below, self.good_below = in_days, hard_below, good_below
        self._widest = [self._days_from(button, minimum) for button, minimum in enumerate(minimums)]
        self._narrower: dict[tuple[int, int], tuple[int, int]] = {}

    def days(self, draw: float) -> Days:
        """The days Hard, Good and Easy give for `draw`; 0 where a button waits in steps."""
        hard = self._landing(0, 0, draw)
        good = self._landing(1, hard + 1 if self.hard_below else 0, draw)
        easy = self._landing(2, good + 1 if self.good_below else 0, draw)
        steps = self.in_days
        return (hard if steps[0] else 0, good if steps[1] else 0, easy if steps[2] else 0)

    def _landing(self, button: int, least: int, draw: float) -> int:
        """As `fuzz.fuzzed`. Bounds are remembered: most draws leave the widest ones."""
        first, number = self._widest[button]
        if least > first:
            known = self._narrower.get((button, least))
            if known is None:
                known = self._narrower[button, least] = self._days_from(button, least)
            first, number = known
        day, last = floor(first + draw * number), first + number - 1
        return day if day < last else last  # a draw next to 1 may round up

    def _days_from(self, button: int, minimum: int) -> tuple[int, int]:
        """The first day a button can take, and the number of days."""
        highest = min(self.maximum, max(self.most[button], minimum - 1))
        lower, upper = fuzz_bounds(self.ideals[button], minimum, highest)
        return lower, 1 + upper - lower
