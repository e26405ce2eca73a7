"""Whose layer a picture of sharing looks at: a row of the table, a trained model, or numbers of one's own."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attention_engine import configs
from attention_engine.kinds import layer
from attention_engine.kinds.attention_pattern import own_mask
from attention_engine.kinds.trained import NAMES, TrainedModel, trained
from attention_engine.kv_cache import scheme_name
from attention_engine.parameters import InvalidSpec
from attention_engine.scales import ScaleRule, rule_of

MADE_UP_LAYERS = 12
NOT_PLAIN = r"window|local|global|hybrid|sparse|chunked|compress|enc-dec|shared layers"
"""Words of the table for layers whose cache the closed form does not tell whole."""


@dataclass(frozen=True)
class Source:
    """One layer's own numbers, and what is known of its model."""

    title: str
    """The model's name; "" for numbers of one's own."""
    layers: int
    d_model: int
    num_heads: int
    num_kv_heads: int
    """0 where K and V are made from a latent."""
    d_head: int
    d_head_v: int
    kv_rank: int
    d_head_rope: int
    causal: bool
    attention: str
    """The table's own words; "" where no row has them."""
    caches: bool
    """False where the table knows no cache of this model: an encoder keeps none."""
    rule: ScaleRule
    trained: str = ""
    """The name by which its weights can be read; "" where only its widths are known."""

    @property
    def scheme(self) -> str:
        """Its own way of sharing: mha, gqa, mqa or mla."""
        return scheme_name(
            num_heads=self.num_heads, num_kv_heads=self.num_kv_heads, kv_rank=self.kv_rank
        ).lower()

    @property
    def left_out(self) -> str:
        """What the closed form does not take off, in the table's words; "" where it is the whole of it."""
        return self.attention if re.search(NOT_PLAIN, self.attention) else ""


def source_of(parameters: Mapping[str, Any]) -> Source:
    """The layer of completed parameters. Raises InvalidSpec for the field `model`."""
    if parameters["model"] in NAMES:
        return _of_trained(trained(parameters["model"]))
    config = layer.own(parameters)
    return _of_row(config) if config else _made_up(parameters)


def _of_row(config: configs.ModelConfig) -> Source:
    return Source(
        title=config.name,
        layers=config.layers,
        d_model=config.d_model,
        num_heads=config.num_heads,
        num_kv_heads=0 if config.kv_rank else config.num_kv_heads,
        d_head=config.d_head,
        d_head_v=config.d_head_v,
        kv_rank=config.kv_rank,
        d_head_rope=config.d_head_rope,
        causal=own_mask(config)[0] != "none",
        attention=config.attention,
        caches=config.kv_elements > 0,
        rule=rule_of(config),
    )


def _of_trained(model: TrainedModel) -> Source:
    config = configs.model(model.slug) if model.slug else None
    return Source(
        title=model.title,
        layers=model.layers,
        d_model=model.d_model,
        num_heads=model.num_heads,
        num_kv_heads=model.num_kv_heads,
        d_head=model.d_head,
        d_head_v=model.d_head,
        kv_rank=0,
        d_head_rope=0,
        causal=model.causal,
        attention=config.attention if config else "",
        caches=model.causal,
        rule=ScaleRule("sqrt", model.d_head),
        trained=model.name,
    )


def _made_up(parameters: Mapping[str, Any]) -> Source:
    """Numbers of one's own: a causal layer with one K/V pair for each query head."""
    widths = ("d_model", "num_heads", "d_head", "d_head_v")
    return Source(
        title="",
        layers=parameters["layers"],
        num_kv_heads=parameters["num_heads"],
        kv_rank=0,
        d_head_rope=0,
        causal=True,
        attention="",
        caches=True,
        rule=ScaleRule("sqrt", parameters["d_head"]),
        **{name: parameters[name] for name in widths},
    )


def widths_of(given: Mapping[str, Any], model: str) -> dict[str, int]:
    """d_model, num_heads, d_head, d_head_v and layers: given, else the model's, else the defaults.

    Raises InvalidSpec for an unknown model, for widths that leave features over, and for a width that the
    trained model of that name does not have."""
    if model in NAMES:
        return _fixed(given, _of_trained(trained(model)))
    asked = {name: number for name, number in given.items() if number or name != "d_head"}
    filled = layer.complete_whole(asked | {"model": model})
    config = layer.own(filled)
    row = layer.published(model) if model else None
    return {name: filled[name] for name in ("d_model", "num_heads", "d_head")} | {
        "d_head_v": given.get("d_head_v", 0) or (config.d_head_v if config else filled["d_head"]),
        "layers": given.get("layers", 0) or (row.layers if row else MADE_UP_LAYERS),
    }


def _fixed(given: Mapping[str, Any], source: Source) -> dict[str, int]:
    own = {
        "d_model": source.d_model,
        "num_heads": source.num_heads,
        "d_head": source.d_head,
        "d_head_v": source.d_head_v,
        "layers": source.layers,
    }
    for name, number in own.items():
        if given.get(name, 0) not in {number, 0}:
            message = f"{name} of {source.title} is {number}, not {given[name]}: leave model out to choose it"
            raise InvalidSpec(message, field=name)
    return own
