"""A share with its number and its 95 % interval. Knows no learner and no card."""

from dataclasses import dataclass
from math import sqrt

Z = 1.959963984540054  # 97.5th percentile of the normal distribution
FEW = 10
"""Fewer than this is too few to lean on; a page says so."""


@dataclass(frozen=True)
class Share:
    """How many of `number` passed. Raises ValueError unless 0 <= passed <= number."""

    passed: int = 0
    number: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.passed <= self.number:
            raise ValueError(f"{self.passed} of {self.number} is no share; need 0 <= passed <= number")

    def __add__(self, other: "Share") -> "Share":
        return Share(self.passed + other.passed, self.number + other.number)

    @property
    def value(self) -> float | None:
        """The share, 0..1; None of nothing."""
        return self.passed / self.number if self.number else None

    @property
    def low(self) -> float:
        """Lower end of Wilson's 95 % interval (Wilson 1927); 0 of nothing."""
        return self._interval()[0]

    @property
    def high(self) -> float:
        """Its upper end; 1 of nothing."""
        return self._interval()[1]

    @property
    def few(self) -> bool:
        """Whether it stands on fewer than ten."""
        return self.number < FEW

    def _interval(self) -> tuple[float, float]:
        if not self.number:
            return 0.0, 1.0
        n, share = self.number, self.passed / self.number
        middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
        half = Z / (1 + Z * Z / n) * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)
