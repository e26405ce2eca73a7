"""A computed number's key taken apart: its counts, and what it gives with one changed. Knows no mistake."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from attention_engine.configs import ModelConfig, UnknownModel, model
from cards.expressions.echo import format_number
from cards.keys import KeyProblem, compute, is_key

WIDTHS = frozenset({"d_head", "quotient", "head_width"})
"""Computations that give the width of one head."""
BYTES = frozenset({"kv_bytes", "kv_bytes_per_token", "score_bytes", "bytes_in"})
ELEMENTS = frozenset({"numbers_in", "attention_parameters", "twelve_l_d_squared"})
_COUNTS = ("layers", "d_model", "num_heads", "num_kv_heads", "d_head")


@dataclass(frozen=True)
class Case:
    """A key as it was written and what it computes to; `unit` is the card's, `scale` the key's unit in it."""

    key: Mapping[str, Any]
    value: Fraction
    unit: str = ""
    scale: Fraction = Fraction(1)
    per_cent: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)
    """What is known of the model (layers, d_model, num_heads ...) and the key's whole arguments."""

    @property
    def name(self) -> str:
        """The computation."""
        return str(self.key.get("compute", ""))

    def changed(self, **arguments: Any) -> Iterator[Fraction]:
        """The key with other arguments, if it computes to one number; an argument of None is left out."""
        key = {k: v for k, v in {**self.key, **arguments}.items() if v is not None}
        try:
            value = compute(key)
        except KeyProblem:
            return
        if isinstance(value, int | float | Fraction) and not isinstance(value, bool):
            yield number(value)

    def replaced(self, old: str, new: str) -> Iterator[Fraction]:
        """The key with one count taken for another: as what is asked, or as an argument."""
        if new not in self.counts or self.counts.get(old) == self.counts[new]:
            return
        if self.name == old or (old == "d_head" and self.name in WIDTHS):
            yield Fraction(self.counts[new])
        elif old in self.key and self.name not in WIDTHS:
            yield from self.changed(**{old: self.counts[new]})


def case_of(
    key: object, *, unit: str = "", scale: Fraction = Fraction(1), per_cent: bool = False
) -> Case | None:
    """The case of a key, or None where it is no single computed number."""
    if not isinstance(key, Mapping) or "compute" not in key:
        return None
    value = compute(key)
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        return None
    return Case(key, number(value), unit, scale, per_cent, counts_of(key))


def number(value: float | Fraction) -> Fraction:
    """A computed value as an exact number; a float is taken as it is written."""
    return Fraction(str(value))


def counts_of(key: Mapping[str, Any]) -> dict[str, int]:
    """The counts a key names itself, and those of the model it names, at any depth."""
    found: dict[str, int] = {}
    for inner in key.values():
        if isinstance(inner, Mapping):
            found |= counts_of(inner)
    if config := _config(key.get("model")):
        found |= {name: getattr(config, name) for name in _COUNTS if getattr(config, name)}
    stated = {k: compute(v) if is_key(v) else v for k, v in key.items() if k != "compute"}
    return found | {
        k: v for k, v in stated.items() if isinstance(v, int) and not isinstance(v, bool) and v > 0
    }


def shown(counts: Mapping[str, int]) -> dict[str, str]:
    """Counts as text."""
    return {name: format_number(count) for name, count in counts.items()}


def _config(slug: object) -> ModelConfig | None:
    try:
        return model(slug) if isinstance(slug, str) else None
    except UnknownModel:
        return None
