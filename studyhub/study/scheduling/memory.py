"""What one answer does to one memory: values in, values out. No ORM, no clock, no network."""

from studyhub.study.scheduling.buttons import RATINGS, Buttons
from studyhub.study.scheduling.state import (
    MemoryState,
    Moment,
    Rules,
    elapsed_at,
    interval_seconds,
    moment_of,
    recall_chance,
    trace_of,
)

__all__ = [
    "MemoryState",
    "Moment",
    "Rules",
    "elapsed_at",
    "interval_seconds",
    "moment_of",
    "next_memory",
    "preview",
    "recall_chance",
    "trace_of",
]


def next_memory(
    memory: MemoryState,
    rating: int,
    *,
    moment: Moment,
    rules: Rules,
    card: str,
    draw: float | None = None,
) -> MemoryState:
    """The memory after an answer rated `rating` (1..4). `card` is the uuid that seeds the fuzz.

    `draw` (0 <= draw < 1) picks the day within the fuzz instead; the three passes share it.
    Works out no more than this button needs: a replay calls it for every line.

    Raises ValueError on another rating or draw, and where the numbers belong to no model.
    """
    if rating not in RATINGS:
        raise ValueError(f"rating {rating!r} is none of 1 (again), 2 (hard), 3 (good), 4 (easy)")
    return Buttons(memory, moment, rules, card, draw).pressed(rating)


def preview(
    memory: MemoryState, *, moment: Moment, rules: Rules, card: str, draw: float | None = None
) -> dict[int, MemoryState]:
    """What each button would give: rating -> memory, equal to `next_memory` of each.

    Again <= Hard <= Good <= Easy; of a card in review, in days, Hard < Good < Easy up to the maximum interval.
    Raises ValueError on a draw outside [0, 1), and where the numbers belong to no model.
    """
    buttons = Buttons(memory, moment, rules, card, draw)
    return {rating: buttons.pressed(rating) for rating in RATINGS}
