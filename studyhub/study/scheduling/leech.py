"""Leeches: cards that lapse again and again, worth rewriting. Knows a count of lapses and nothing else.

Rule as in Anki 26.08 (`rslib/src/scheduler/states/review.rs`, facts only).
"""


def is_leech(lapses: int, after: int) -> bool:
    """Whether a card that lapsed `lapses` times is a leech; `after` lapses make one, 0 = never.

    Raises ValueError on a negative number.
    """
    if lapses < 0 or after < 0:
        raise ValueError(f"{lapses} lapses with a leech after {after}: neither may be negative; 0 = never")
    return after > 0 and lapses >= after


def is_leech_lapse(lapses: int, after: int) -> bool:
    """Whether this lapse, the `lapses`-th, calls for attention: the `after`-th, then every half of it.

    With 8: 8, 12, 16, ...; with 5: 5, 8, 11, ... Raises ValueError on a negative number.
    """
    return is_leech(lapses, after) and (lapses - after) % ((after + 1) // 2) == 0
