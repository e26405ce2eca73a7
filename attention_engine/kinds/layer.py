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
