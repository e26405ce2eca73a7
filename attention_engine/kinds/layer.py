"""The numbers of one attention layer as pictures ask for them: given, published, or the default."""

from collections.abc import Mapping
from typing import Any

from attention_engine import arithmetic, configs
from attention_engine.parameters import InvalidSpec, Parameter

DEFAULT_D_MODEL = 768
DEFAULT_NUM_HEADS = 12

LAYER = (
    Parameter("model", "text", "", "a published model, by slug", minimum=0, maximum=80),
    Parameter("d_model", "int", DEFAULT_D_MODEL, "width of the residual stream"),
    Parameter("num_heads", "int", DEFAULT_NUM_HEADS, "query heads"),
    Parameter("d_head", "int", 0, "width of a head; 0 shares the width out among num_heads", minimum=0),
    Parameter("batch", "int", 2, "sequences at once"),
    Parameter("tokens", "int", 4, "tokens of a sequence"),
)
KEY_TOKENS = Parameter(
    "key_tokens", "int", 0, "tokens of the other text that K and V come from; 0 takes tokens", minimum=0
)
NUM_KV_HEADS = Parameter(
    "num_kv_heads",
    "int",
    0,
    "heads of K and V; 0 takes the model's where the query heads are its own, else num_heads",
    minimum=0,
)
D_HEAD_V = Parameter(
    "d_head_v", "int", 0, "width of a value head; 0 takes the model's, else d_head", minimum=0
)
WEIGHTS = Parameter(
    "weights",
    "choice",
    "auto",
    "law: as random weights would give, which are never made; pinned: every head's weights by its own seed",
    choices=("auto", "law", "pinned"),
)


def published(slug: str) -> configs.ModelConfig:
    """The model a spec names. Raises InvalidSpec for the field `model`."""
    try:
        return configs.model(slug)
    except configs.UnknownModel as unknown:
        raise InvalidSpec(str(unknown), field="model") from unknown


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """All numbers of the layer: an explicit one wins, then the model's, then the default.

    d_head stays 0 (derived) unless it was given or d_model and num_heads are the model's own."""
    filled = {parameter.name: parameter.default for parameter in LAYER} | dict(given)
    if not filled["model"]:
        return filled
    config = published(filled["model"])
    filled["d_model"] = given.get("d_model", config.d_model)
    filled["num_heads"] = given.get("num_heads", config.num_heads)
    own = (filled["d_model"], filled["num_heads"]) == (config.d_model, config.num_heads)
    filled["d_head"] = given.get("d_head", 0) or (config.d_head if own else 0)
    return filled


def complete_whole(given: Mapping[str, Any]) -> dict[str, Any]:
    """As `complete`, with a derived d_head written out. Raises InvalidSpec where it leaves a remainder."""
    filled = complete(given)
    if not filled["d_head"]:
        d_model, num_heads = filled["d_model"], filled["num_heads"]
        if d_model % num_heads:
            raise InvalidSpec(arithmetic.not_a_multiple(d_model, num_heads), field="num_heads")
        filled["d_head"] = d_model // num_heads
    return filled


def own(filled: Mapping[str, Any]) -> configs.ModelConfig | None:
    """The published model whose d_model, num_heads and d_head these are; None where any was changed."""
    config = published(filled["model"]) if filled["model"] else None
    names = ("d_model", "num_heads", "d_head")
    return config if config and all(filled[name] == getattr(config, name) for name in names) else None


def complete_shared(given: Mapping[str, Any]) -> dict[str, Any]:
    """As `complete_whole`, with num_kv_heads and d_head_v written out.

    num_kv_heads stays 0 where the model makes K and V from a latent (MLA); any other number asks what
    plain K/V heads would be. Raises InvalidSpec where num_kv_heads does not divide num_heads."""
    filled = complete_whole(given)
    config, asked = own(filled), given.get("num_kv_heads", 0)
    latent = config is not None and config.kv_rank > 0 and not asked
    filled["num_kv_heads"] = asked or (0 if latent else _kv_heads(filled))
    filled["d_head_v"] = given.get("d_head_v", 0) or (config.d_head_v if config else filled["d_head"])
    if asked and filled["num_heads"] % asked:
        raise InvalidSpec(unequal_groups(filled["num_heads"], asked), field="num_kv_heads")
    return filled


def _kv_heads(filled: Mapping[str, Any]) -> int:
    """The model's where its own number of query heads is asked for, else as many as query heads."""
    config = published(filled["model"]) if filled["model"] else None
    same = config is not None and config.num_heads == filled["num_heads"]
    return (config.num_kv_heads if config is not None and same else 0) or int(filled["num_heads"])


def unequal_groups(num_heads: int, num_kv_heads: int) -> str:
    """The sentence for K/V heads that leave query heads over, with the way out."""
    near = ", ".join(str(d) for d in arithmetic.nearest_divisors(n=num_heads, near=num_kv_heads))
    larger = num_kv_heads > num_heads
    why = "it is larger" if larger else arithmetic.division_sentence(num_heads, num_kv_heads)
    told = f"num_kv_heads {num_kv_heads:,} does not divide num_heads {num_heads:,} ({why})"
    return f"{told}; nearest that divide: {near}"
