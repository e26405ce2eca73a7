"""FSRS-7 in pure functions on floats: 34 numbers, a long and a short stability, real time. Knows no card.

Formulas, defaults and bounds: Expertium/srs-benchmark, `models/fsrs_v7.py` (its last form, neither the one
of 21 nor that of 35 numbers), and open-spaced-repetition/fsrs-rs, `src/model_v7.rs` (BSD-3-Clause).
Rating 1..4 (Again, Hard, Good, Easy); stabilities in days; difficulty 1..10.
No stability of its own is the interval at 90 %: `shown_stability` works that out.
"""

from functools import lru_cache
from itertools import accumulate
from math import exp, expm1, log, log1p
from typing import NamedTuple

from studyhub.study.scheduling.trace import Elapsed, Parameters, Trace

DEFAULT_PARAMETERS: Parameters = (
    # 0-3: long stability after a first Again, Hard, Good, Easy
    *(0.1104, 2.2395, 3.9221, 11.7841),
    # 4-6: difficulty: after a first Again, its fall with the rating, its step
    *(6.1686, 0.6457, 3.6807),
    # 7-14, long: growth, its damping, gain from forgetting; a lapse's level, power, forgetting; Hard, Easy
    *(1.9795, 0.0, 1.3826, 0.7024, 0.5999, 0.8146, 0.6398, 1.0),
    # 15-22, short: the same
    *(1.3207, 0.6707, 3.8668, 0.4416, 0.0934, 1.8631, 0.6162, 1.0869),
    # 23-26: decays of the short and the long curve, and their bases
    *(0.1567, 0.0801, 0.2421, 0.9464),
    # 27-30: weights of the two curves, and the powers of their stabilities in them
    *(0.1433, 0.7145, 0.0, 0.5667),
    # 31-33: difficulty in the weight and in the time scale of the long curve; short stability in its decay
    *(0.3734, 0.5333, 0.3048),
)
BOUNDS: tuple[tuple[float, float], ...] = (
    *((0.0001, 50.0), (0.0001, 100.0), (0.0001, 100.0), (0.0001, 100.0)),
    *((1.0, 10.0), (0.001, 4.0), (0.1, 4.0)),
    *((0.0, 4.0), (0.0, 1.2), (0.3, 3.0), (0.01, 1.5), (0.1, 1.0), (0.0, 3.5), (0.0, 1.0), (1.0, 7.0)),
    *((0.0, 4.0), (0.0, 2.0), (0.5, 6.0), (0.001, 1.5), (0.001, 1.0), (0.0, 5.0), (0.0, 1.0), (1.0, 7.0)),
    *((0.01, 0.25), (0.01, 0.95), (0.2, 0.85), (0.5, 0.99)),
    *((0.01, 1.0), (0.1, 1.0), (0.0, 0.9), (0.1, 1.1)),
    *((0.0, 1.0), (0.0, 0.6), (0.0, 0.6)),
)
STABILITY_BOUNDS = (0.0001, 36500.0)
DIFFICULTY_BOUNDS = (1.0, 10.0)
DAY = 86_400.0
SHORTEST, LONGEST = 1 / DAY, 36500.0  # days an interval can have

_LONG, _SHORT = 7, 15  # where the eight numbers of a stability begin
_LEAST, _SPAN = 0.00001, 0.99998  # recall stays off 0 and 1, so that no loss is infinite
_BEGUN = 0.8  # short stability beside the long one after a first answer, and at most after an Again
_PULL = 0.01  # of difficulty towards that of a first Easy
_STEPS, _NEAR = 100, 1e-12  # of the solver: steps at most (about 5 are taken), and where it ends, in ln(days)
_EARLIEST, _LATEST = log(SHORTEST), log(LONGEST)


class Curve(NamedTuple):
    """How one trace is forgotten: two power curves, mixed. Scales per day; `share` of the short one."""

    share: float
    short_scale: float
    short_decay: float
    long_scale: float
    long_decay: float

    def short_loss(self, days: float) -> float:
        """What the short curve alone has lost, exact for the least of times: 1 - its recall."""
        return -expm1(-self.short_decay * log1p(self.short_scale * days))

    def loss(self, days: float) -> float:
        """1 - recall."""
        long_loss = -expm1(-self.long_decay * log1p(self.long_scale * days))
        mixed = self.share * self.short_loss(days) + (1 - self.share) * long_loss
        return _LEAST + _SPAN * mixed

    def loss_and_slope(self, days: float) -> tuple[float, float]:
        """1 - recall, and by how much it grows per unit of ln(days)."""
        short, long = self.short_scale * days, self.long_scale * days
        short_loss = -expm1(-self.short_decay * log1p(short))
        long_loss = -expm1(-self.long_decay * log1p(long))
        short_slope = self.short_decay * short / (1 + short) * (1 - short_loss)
        long_slope = self.long_decay * long / (1 + long) * (1 - long_loss)
        share, rest = _SPAN * self.share, _SPAN * (1 - self.share)
        return _LEAST + share * short_loss + rest * long_loss, share * short_slope + rest * long_slope


class Fsrs7:
    """The model with its 34 numbers filled in. Only the seconds of what has elapsed count.

    Everything on the right-hand sides is the trace from before the answer. A trace without a short stability
    (FSRS-6 leaves such) is taken as one just begun.
    """

    waits_in_seconds = True

    def __init__(self, numbers: Parameters) -> None:
        self.numbers = numbers
        self._easiest = self._first_difficulty(4)
        self._long_decay = _clip(numbers[24], (0.01, 0.95))
        self._long_base = expm1(-log(numbers[26]) / self._long_decay)

    def first(self, rating: int) -> Trace:
        """The trace a first answer leaves."""
        stability = self.numbers[rating - 1]
        return _trace(stability, self._first_difficulty(rating), _BEGUN * stability)

    def after(self, trace: Trace, rating: int, elapsed: Elapsed) -> Trace:
        """The trace after one more answer."""
        curve, days = self.curve(trace), _days(elapsed)
        return self._after(trace, rating, curve.loss(days), curve.short_loss(days))

    def passed(
        self, trace: Trace, rating: int, elapsed: Elapsed, retention: float
    ) -> tuple[Trace, tuple[float, ...]]:
        """The trace after a pass, and the intervals (days) of every pass up to it: Hard ... `rating`.

        Never falling. Of traces that answers can leave, none has them fall with the default numbers; with
        others, and with traces nobody could have, a better answer may ask for less, by itself.
        """
        curve, days = self.curve(trace), _days(elapsed)
        loss, short_loss = curve.loss(days), curve.short_loss(days)
        left = [self._after(trace, button, loss, short_loss) for button in range(2, rating + 1)]
        return left[-1], tuple(accumulate((self.interval(one, retention) for one in left), max))

    def recall(self, trace: Trace, elapsed: Elapsed) -> float:
        """The chance of recall: 0.99999 at once, falling ever after."""
        return 1 - self.curve(trace).loss(_days(elapsed))

    def interval(self, trace: Trace, retention: float) -> float:
        """Days until recall falls to `retention`, from a second to 36,500 days; not rounded.

        Raises ValueError unless 0 < retention < 1.
        """
        if not 0 < retention < 1:
            raise ValueError(f"desired retention {retention} is not between 0 and 1; use 0.70 to 0.99")
        return _reached(self.curve(trace), 1 - retention)

    def shown_stability(self, trace: Trace) -> float:
        """Days until recall falls to 90 %."""
        return self.interval(trace, 0.9)

    def curve(self, trace: Trace) -> Curve:
        """How this trace is forgotten."""
        w = self.numbers
        long, difficulty, short = trace.stability, trace.difficulty, _short(trace)
        decay = _clip(w[23] * short ** (w[33] - 0.3), (0.01, 0.95))
        short_weight = w[27] * short ** -w[29]
        long_weight = w[28] * long ** w[30] * exp((difficulty - 5) * (w[31] - 0.5))
        slowed = exp((difficulty - 5) * (w[32] - 0.3))
        return Curve(
            share=short_weight / (short_weight + long_weight),
            short_scale=expm1(min(-log(w[25]) / decay, 60.0)) / short,
            short_decay=decay,
            long_scale=self._long_base * slowed / long,
            long_decay=self._long_decay,
        )

    def _after(self, trace: Trace, rating: int, loss: float, short_loss: float) -> Trace:
        long = self._stability(_LONG, trace.stability, trace.difficulty, rating, loss)
        short = self._stability(_SHORT, _short(trace), trace.difficulty, rating, short_loss)
        if rating == 1:
            short = min(short, _BEGUN * long)
        return _trace(long, self._difficulty(trace.difficulty, rating, 1 - loss), short)

    def _stability(self, at: int, stability: float, difficulty: float, rating: int, loss: float) -> float:
        """One of the two stabilities after an answer; its eight numbers begin at `at`."""
        growth, damping, gain, level, power, forgetting, hard, easy = self.numbers[at : at + 8]
        lapsed = min(stability, level * expm1(power * log1p(stability)) * exp(forgetting * loss))
        if rating == 1:
            return lapsed
        button = {2: hard, 4: easy}.get(rating, 1.0)
        grown = (
            exp(growth - 1.5) * (11 - difficulty) * float(stability**-damping) * expm1(gain * loss) * button
        )
        return max(lapsed, stability * (1 + grown))

    def _first_difficulty(self, rating: int) -> float:
        """Not clipped: the pull of every later difficulty goes towards this value of Easy."""
        return self.numbers[4] - exp(self.numbers[5] * (rating - 1)) + 1

    def _difficulty(self, difficulty: float, rating: int, recall: float) -> float:
        """After a later answer, not yet within its bounds; an Again that was expected says little."""
        step = -self.numbers[6] * (rating - 3) * (recall + 0.1 if rating == 1 else 1.0)
        return _PULL * self._easiest + (1 - _PULL) * (difficulty + step * (10 - difficulty) / 9)


@lru_cache(maxsize=256)
def bound(numbers: Parameters = DEFAULT_PARAMETERS) -> Fsrs7:
    """The model of these 34 numbers."""
    return Fsrs7(numbers)


def clipped(numbers: Parameters) -> Parameters:
    """The 34 numbers within their bounds, first stabilities never falling, the long base above the short."""
    pairs = zip(numbers, BOUNDS, strict=True)
    w = [_clip(number, bounds) for number, bounds in pairs]
    for rating in (1, 2, 3):
        w[rating] = max(w[rating], w[rating - 1])
    w[26] = max(w[26], w[25])
    return tuple(w)


def _reached(curve: Curve, loss: float) -> float:
    """Days until the loss is `loss`: Newton's steps in ln(days), halving where one leaves the bracket.

    The first guess is when the long curve alone gets there, which is most of it for most cards.
    """
    if curve.loss(SHORTEST) >= loss:
        return SHORTEST
    if curve.loss(LONGEST) <= loss:
        return LONGEST
    low, high = _EARLIEST, _LATEST
    at = log(expm1(min(-log1p(-loss) / curve.long_decay, 60.0)) / curve.long_scale)
    at = min(max(at, low), high)
    for _ in range(_STEPS):
        reached, slope = curve.loss_and_slope(exp(at))
        low, high = (low, at) if reached > loss else (at, high)
        step = (loss - reached) / slope if slope > 0 else high - low
        if abs(step) < _NEAR:
            return _clip(exp(at + step), (SHORTEST, LONGEST))
        at = at + step if low < at + step < high else (low + high) / 2
    return exp(at)


def _days(elapsed: Elapsed) -> float:
    return max(0.0, elapsed.seconds) / DAY


def _short(trace: Trace) -> float:
    return trace.short or _BEGUN * trace.stability


def _trace(long: float, difficulty: float, short: float) -> Trace:
    return Trace(
        _clip(long, STABILITY_BOUNDS), _clip(difficulty, DIFFICULTY_BOUNDS), _clip(short, STABILITY_BOUNDS)
    )


def _clip(value: float, bounds: tuple[float, float]) -> float:
    return min(max(value, bounds[0]), bounds[1])
