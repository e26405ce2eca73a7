"""Learning steps: the short waits before a card is scheduled in days. Knows no memory model.

Rules as in Anki 26.08 (`rslib/src/scheduler/states/steps.rs`, facts only). Steps and delays in whole seconds.
"""

Steps = tuple[int, ...]
Waits = tuple[tuple[int, int, int, int], ...]

LEARNING_STEPS: Steps = (60, 600)
RELEARNING_STEPS: Steps = (600,)
DAY = 86_400
LONGEST_WAIT = 36_500 * DAY


def again_delay(steps: Steps) -> int | None:
    """Back to the first step; None where there are no steps."""
    return steps[0] if steps else None


def hard_delay(steps: Steps, index: int) -> int | None:
    """The current step again; at the first one a wait between it and the next."""
    if not steps:
        return None
    if index > 0:
        return steps[min(index, len(steps) - 1)]
    if len(steps) > 1:
        return _whole_days((steps[0] + steps[1]) // 2)
    return _whole_days(min(steps[0] * 3 // 2, steps[0] + DAY))


def good_delay(steps: Steps, index: int) -> int | None:
    """The next step; None after the last: the card graduates."""
    return steps[index + 1] if index + 1 < len(steps) else None


def waits_of(steps: Steps, longest: int = LONGEST_WAIT) -> Waits:
    """Seconds that Again, Hard, Good and Easy wait at each step; 0 = no step is left for that button.

    Never falling: where steps do not grow, a better answer waits as long as the one below it. None waits
    longer than `longest` seconds: an Easy that leaves the steps may not either, and must not come sooner.
    """
    return tuple(_waits_at(steps, index, longest) for index in range(max(1, len(steps))))


def _waits_at(steps: Steps, index: int, longest: int) -> tuple[int, int, int, int]:
    again = min(again_delay(steps) or 0, longest)
    hard = min(max(hard_delay(steps, index) or 0, again), longest)
    good = min(good_delay(steps, index) or 0, longest)
    return again, hard, max(good, hard) if good else 0, 0


def days_of(wait: int) -> int:
    """Days that surely hold a wait of days; 0 for one below a day, which ends before the next day's cards."""
    return 0 if wait < DAY else -(-wait // DAY)


def days_until(delay: int, *, seconds_to_rollover: int) -> int:
    """How many study days ahead a delay ends: 0 = before the next rollover."""
    if delay < seconds_to_rollover:
        return 0
    return (delay - seconds_to_rollover) // DAY + 1


def _whole_days(delay: int) -> int:
    """A wait beyond a day is a number of days: half a day and more counts as one."""
    return (delay + DAY // 2) // DAY * DAY if delay > DAY else delay
