"""By what published models divide their scores, read from the table's own words. Knows no tensor."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from attention_engine.configs import ModelConfig
from attention_engine.configs import model as find_model

YARN_FACTOR = 40
MSCALES = {
    "deepseek-v2-lite-16b": 0.707,
    "deepseek-v2-236b": 0.707,
    "deepseek-v3-r1-671b": 1.0,
    "deepseek-v3.2-exp": 1.0,
}
"""mscale_all_dim in config.json (V3.2: mscale of inference/model.py); the YaRN factor of each is 40."""


@dataclass(frozen=True)
class ScaleRule:
    """What one model's scores are divided by: sqrt(root_of) / mscale^2, or 1 where root_of is 1."""

    name: Literal["sqrt", "none", "query_pre_attn_scalar", "mla"]
    root_of: int
    """The number under the root: d_head, query_pre_attn_scalar, or 1."""
    mscale: float = 1.0

    @property
    def divisor(self) -> float:
        """The number itself; its reciprocal is what libraries call scale or softmax_scale."""
        return math.sqrt(self.root_of) / self.mscale**2

    def __str__(self) -> str:
        if self.name == "none":
            return "no division"
        return f"1/sqrt({self.root_of})" + (f" times {self.mscale:.4f}^2" if self.name == "mla" else "")


def yarn_mscale(*, factor: int, mscale: float) -> float:
    """0.1 * mscale * ln(factor) + 1: how YaRN sharpens scores of a lengthened context (Peng et al. 2023)."""
    return 0.1 * mscale * math.log(factor) + 1.0


def rule_of(config: ModelConfig) -> ScaleRule:
    """The model's own rule. Raises ValueError where the table's words are not understood.

    Sources: transformers 5.24.0 modelling code (T5, Gemma-2, Gemma-3), DeepSeek-V3 inference/model.py."""
    words = config.score_scale
    if words == "1/sqrt(d_head)":
        return ScaleRule("sqrt", config.d_head)
    if words.startswith("1.0"):
        return ScaleRule("none", 1)
    found = re.fullmatch(r"1/sqrt\((?:\S+=)?(\d+)\)( x yarn mscale\^2)?", words)
    if not found:
        raise ValueError(f"{config.name} scales its scores by {words!r}: no rule reads that")
    if not found[2]:
        return ScaleRule("query_pre_attn_scalar", int(found[1]))
    if config.slug not in MSCALES:
        raise ValueError(f"{config.name} has no mscale here; known: {', '.join(MSCALES)}")
    return ScaleRule("mla", int(found[1]), yarn_mscale(factor=YARN_FACTOR, mscale=MSCALES[config.slug]))


def own_divisor(*, model: str) -> int | float:
    """What a published model divides its scores by, 1 where it does not; an int where whole."""
    divisor = rule_of(find_model(model)).divisor
    return int(divisor) if divisor.is_integer() else divisor


def divisor_breakers(*, models: Sequence[str]) -> list[str]:
    """Those of the named models that do not divide by the root of their d_head, in the order given."""
    return [slug for slug in models if rule_of(find_model(slug)).name != "sqrt"]


def exceptions(configs: Iterable[ModelConfig]) -> tuple[str, ...]:
    """One sentence for each rule that is not 1/sqrt(d_head), with the models that follow it."""
    followers: dict[str, list[str]] = {}
    for config in configs:
        rule = rule_of(config)
        if rule.name != "sqrt":
            followers.setdefault(_exception(rule, config.d_head), []).append(config.name)
    return tuple(f"{', '.join(names)}: {sentence}" for sentence, names in followers.items())


def _exception(rule: ScaleRule, d_head: int) -> str:
    if rule.name == "none":
        return "nothing is divided; W_Q starts smaller by the factor sqrt(d_head) instead."
    if rule.name == "mla":
        return (
            f"sqrt({rule.root_of}) / {rule.mscale:.4f}^2 = {rule.divisor:.2f}, "
            "the squared mscale of YaRN beside the root."
        )
    return f"sqrt({rule.root_of}) = {rule.divisor:.2f}, a number of its own, while d_head is {d_head}."
