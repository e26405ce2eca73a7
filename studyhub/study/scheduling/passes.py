"""Where Hard, Good and Easy land for each draw, worked out once for many draws. Knows no memory and no model.

The order of the buttons is Anki's (`rslib/src/scheduler/states/review.rs` of 26.08, facts only): of a card in
review each pass is at least a day after the one below; one that leaves its steps orders Good and Easy alone.
"""

from collections.abc import Sequence
from math import floor

from studyhub.study.scheduling.fuzz import fuzz_bounds

Days = tuple[int, int, int]


class Passes:
    """The days of Hard, Good and Easy as functions of one draw in [0, 1).

    `ideals` and `minimums`: days by button; `in_days` says which buttons leave the steps (the others give 0);
    `hard_below` = Good comes at least a day after Hard.
    """

    __slots__ = ("_bounds", "hard_below", "ideals", "in_days", "maximum", "minimums")

    def __init__(
        self,
        ideals: Sequence[float],
        minimums: Sequence[int],
        *,
        maximum: int,
        in_days: Sequence[bool] = (True, True, True),
        hard_below: bool = True,
    ) -> None:
        self.ideals, self.minimums, self.in_days = ideals, minimums, in_days
        self.maximum, self.hard_below = maximum, hard_below
        self._bounds: tuple[dict[int, tuple[int, int]], ...] = ({}, {}, {})

    def days(self, draw: float) -> Days:
        """The days Hard, Good and Easy give for `draw`; 0 where a button waits in steps."""
        least_hard, least_good, least_easy = self.minimums
        hard = self._landing(0, least_hard, draw)
        if self.hard_below and hard >= least_good:
            least_good = hard + 1
        good = self._landing(1, least_good, draw)
        easy = self._landing(2, good + 1 if good >= least_easy else least_easy, draw)
        steps = self.in_days
        return (hard if steps[0] else 0, good if steps[1] else 0, easy if steps[2] else 0)

    def _landing(self, button: int, minimum: int, draw: float) -> int:
        """As `fuzz.fuzzed`, with bounds remembered: they are the same for nearly every draw."""
        known = self._bounds[button].get(minimum)
        if known is None:
            lower, upper = fuzz_bounds(self.ideals[button], minimum=minimum, maximum=self.maximum)
            known = self._bounds[button][minimum] = (lower, 1 + upper - lower)
        return floor(known[0] + draw * known[1])
