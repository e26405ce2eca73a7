"""The table of models as points: what d_model / num_heads would be, and what d_head is. Knows no reader."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from attention_engine import arithmetic, configs
from attention_engine.kv_cache import scheme_of
from attention_engine.scales import rule_of

DISPUTED = re.compile(r"CONFLICT|default differs|lists|wrongly|code bases|said to use|misprint|assumed")
"""Words of a note where a second source says otherwise, or where a number was taken over from a relative."""
COMMON = (64, 128)
"""The widths of a head that are often taught as the only ones."""
ALIGNED = 8
"""Kernels want rows of a multiple of 8 numbers of 16 bits, 128 bits (NVIDIA/cutlass issue 75)."""


@dataclass(frozen=True)
class Point:
    """One model of the table."""

    config: configs.ModelConfig
    scheme: str
    """MHA, GQA, MQA or MLA."""
    quotient: Fraction
    """d_model / num_heads, whole or not."""

    @property
    def inner(self) -> int:
        """num_heads * d_head: what W_Q makes of a token."""
        return self.config.num_heads * self.config.d_head

    @property
    def read(self) -> int:
        """num_heads * d_head_v: what W_O reads of a token."""
        return self.config.num_heads * self.config.d_head_v

    @property
    def holds(self) -> bool:
        """Whether d_head is d_model / num_heads."""
        return self.quotient == self.config.d_head

    @property
    def disputed(self) -> bool:
        """Whether the note tells of sources that do not agree."""
        return bool(DISPUTED.search(self.config.note))

    @property
    def scaled_otherwise(self) -> bool:
        """Whether its scores are divided by another number than sqrt(d_head)."""
        return rule_of(self.config).name != "sqrt"


@lru_cache(maxsize=1)
def points() -> tuple[Point, ...]:
    """Every model, in the order of the table."""
    return tuple(
        Point(
            config,
            scheme_of(config),
            arithmetic.head_width(d_model=config.d_model, num_heads=config.num_heads),
        )
        for config in configs.all_models()
    )


def schemes() -> tuple[str, ...]:
    """In the order of what they share."""
    return ("MHA", "GQA", "MQA", "MLA")


def statuses() -> tuple[str, ...]:
    """How well a row is known, in the table's words, the most frequent first."""
    found = [point.config.status for point in points()]
    return tuple(sorted(set(found), key=lambda status: -found.count(status)))


def matches(point: Point, wanted: Mapping[str, Any]) -> bool:
    """Whether a model is among those asked for, by the parameters of config_museum."""
    multiple, find = wanted["multiple"], wanted["find"].casefold()
    return all(
        (
            wanted["attention"] in {"any", point.scheme},
            wanted["status"] in {"any", point.config.status},
            wanted["rule"] in {"any", "holds" if point.holds else "breaks"},
            multiple == "any" or point.config.d_head % int(multiple) == 0,
            find in point.config.name.casefold() or find in point.config.slug,
        )
    )


def distance(quotient: Fraction, d_head: int, point: Point) -> float:
    """How far a model lies from a place of the picture, in doublings of one axis."""
    across = math.log2(float(point.quotient)) - math.log2(float(quotient))
    return math.hypot(across, math.log2(point.config.d_head) - math.log2(d_head))


def nearest(
    *, d_model: int, num_heads: int, d_head: int, count: int = 3, without: str = ""
) -> tuple[Point, ...]:
    """The models that lie closest; among those on one place the nearest in width first."""
    quotient = Fraction(d_model, num_heads)

    def away(point: Point) -> tuple[float, float]:
        width = abs(math.log2(point.config.d_model / d_model))
        return round(distance(quotient, d_head, point), 9), width

    return tuple(sorted((one for one in points() if one.config.slug != without), key=away)[:count])


@dataclass(frozen=True)
class Statement:
    """A sentence about the whole table, with how many rows it is true of and which."""

    says: str
    models: tuple[Point, ...]
    of: int


def statements() -> tuple[Statement, ...]:
    """What the table says as a whole, counted anew from its rows."""
    low, high = COMMON
    every, sure = points(), [point for point in points() if point.config.status != "unverified"]
    told = (
        ("d_head is not d_model / num_heads", [p for p in every if not p.holds], every),
        ("the same, without unverified class defaults", [p for p in sure if not p.holds], sure),
        ("d_model / num_heads is no whole number", [p for p in every if p.quotient.denominator > 1], every),
        ("num_heads × d_head is above d_model", [p for p in every if p.inner > p.config.d_model], every),
        ("num_heads × d_head is below d_model", [p for p in every if p.inner < p.config.d_model], every),
        (
            f"the rule holds and d_head is outside {low} to {high}",
            [p for p in every if p.holds and not low <= p.config.d_head <= high],
            every,
        ),
        (f"d_head is {low} or {high}", [p for p in every if p.config.d_head in COMMON], every),
        (f"d_head is no multiple of {ALIGNED}", [p for p in every if p.config.d_head % ALIGNED], every),
        ("K and V heads differ in width", [p for p in every if p.config.d_head != p.config.d_head_v], every),
        ("scores are not divided by sqrt(d_head)", [p for p in every if p.scaled_otherwise], every),
        ("a note tells of sources that do not agree", [p for p in every if p.disputed], every),
    )
    return tuple(Statement(says, tuple(models), len(among)) for says, models, among in told)
