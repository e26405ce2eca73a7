"""The layer attention_pattern looks at: whose, how wide, and what it hides and turns by itself. No text."""

import re
from collections.abc import Mapping
from typing import Any

from attention_engine import configs
from attention_engine.kinds import layer
from attention_engine.kinds.head_split import latent
from attention_engine.kinds.trained import NAMES, TrainedModel, trained
from attention_engine.parameters import InvalidSpec

RANDOM = {"d_model": 64, "num_heads": 4, "d_head": 0, "num_kv_heads": 0, "d_head_v": 0}
WINDOW, PADDING = 4, 2
WIDTHS = tuple(RANDOM)
MOST_PINNED = 2**23
"""Weights that are made for pinned heads unless more are asked for: about 50 ms of random numbers."""


def layers(model: str) -> int:
    """How many layers can be asked for."""
    if model == "random":
        return 1
    return trained(model).layers if model in NAMES else configs.model(model).layers


def of_trained(parameters: Mapping[str, Any]) -> TrainedModel | None:
    """The trained model that is looked at; None for a random layer."""
    return trained(parameters["model"]) if parameters["model"] in NAMES else None


def published(parameters: Mapping[str, Any]) -> configs.ModelConfig | None:
    """The published model whose widths these are; None for a random layer of other widths, or a local one."""
    named = parameters["model"]
    slug = trained(named).slug if named in NAMES else named
    return layer.own(dict(parameters) | {"model": slug}) if slug not in {"", "random"} else None


def mla(parameters: Mapping[str, Any]) -> configs.ModelConfig | None:
    """The model whose K and V are made from a latent; None where they have heads of their own."""
    return latent(parameters)


def widths(given: Mapping[str, Any], model: str) -> dict[str, int]:
    """The layer's own, else those given. Raises InvalidSpec where a trained model has others."""
    asked = {name: given[name] for name in WIDTHS if name in given}
    if model in NAMES:
        return _widths_of_trained(asked, trained(model))
    filled = layer.complete_shared(RANDOM | asked if model == "random" else asked | {"model": model})
    return {name: filled[name] for name in WIDTHS}


def _widths_of_trained(asked: Mapping[str, int], model: TrainedModel) -> dict[str, int]:
    own = {
        "d_model": model.d_model,
        "num_heads": model.num_heads,
        "d_head": model.d_head,
        "num_kv_heads": model.num_kv_heads,
        "d_head_v": model.d_head,
    }
    for name, number in own.items():
        if asked.get(name, number) not in {number, 0}:
            message = f'{name} of {model.short} is {number}, not {asked[name]}; model "random" takes any'
            raise InvalidSpec(message, field=name)
    return own


def masking(given: Mapping[str, Any], own_one: tuple[str, int]) -> dict[str, Any]:
    """mask decides where it is given, else causal, else the model; what it does not use becomes 0."""
    own, own_window = own_one
    by_causal = "causal" if given.get("causal") else "none"
    mask = given.get("mask", by_causal if "causal" in given else own)
    padded = given.get("causal", int(own != "none"))
    return {
        "mask": mask,
        "causal": {"none": 0, "causal": 1, "sliding_window": 1}.get(mask, padded),
        "window": (given.get("window") or own_window or WINDOW) if mask == "sliding_window" else 0,
        "padding": (given.get("padding") or PADDING) if mask == "padding" else 0,
    }


def own_masking(filled: Mapping[str, Any]) -> tuple[str, int]:
    """Mask and window that the layer has by itself."""
    if model := of_trained(filled):
        return ("causal" if model.causal else "none"), 0
    return own_mask(published(filled))


def own_mask(config: configs.ModelConfig | None) -> tuple[str, int]:
    """Mask and window of a model by its row: decoders hide later tokens, encoders nothing. Where layers take
    turns (local and global ones) this is the global one."""
    if config is None or re.search(r"\bencoder|\benc-dec", config.attention):
        return "none", 0
    window = re.search(r"\+ sliding window (\d+)", config.attention)
    return ("sliding_window", int(window[1])) if window else ("causal", 0)


def turning(given: Mapping[str, Any], filled: Mapping[str, Any]) -> dict[str, str]:
    """Latent attention has a turned part always, a trained decoder is turned; elsewhere it is asked for."""
    model = of_trained(filled)
    if model and model.causal:
        return {"rotary": _own_turning(given, model)}
    if mla(filled):
        rotary = given.get("rotary", "interleaved")
        if rotary == "none":
            message = "latent attention knows positions by its turned key alone: rotary half or interleaved"
            raise InvalidSpec(message, field="rotary")
        return {"rotary": rotary}
    width = filled["d_head"]
    if filled["rotary"] != "none" and width % 2:
        message = (
            f"rotary turns features in pairs, and d_head {width} is odd: take {width - 1} or {width + 1}"
        )
        raise InvalidSpec(message, field="rotary")
    return {}


def _own_turning(given: Mapping[str, Any], model: TrainedModel) -> str:
    """A trained decoder turns in half pairs, and was trained so. Raises InvalidSpec for another pairing."""
    asked = given.get("rotary", "half")
    if asked == "half":
        return "half"
    message = (
        f"{model.short} was trained with q and k turned in half pairs (base {model.rope_base:,.0f}), not "
        f'{asked}; model "random" takes any'
    )
    raise InvalidSpec(message, field="rotary")


def weights(filled: Mapping[str, Any]) -> str:
    """law or pinned; a trained model has weights of its own, and what stands in for it is pinned."""
    if filled["model"] in NAMES:
        return "pinned"
    if filled["weights"] != "auto":
        return str(filled["weights"])
    shared, d_head = filled["num_kv_heads"], filled["d_head"]
    columns = filled["num_heads"] * d_head + shared * (d_head + filled["d_head_v"])
    return "law" if mla(filled) or filled["d_model"] * columns > MOST_PINNED else "pinned"
