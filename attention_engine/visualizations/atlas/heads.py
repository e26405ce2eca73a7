"""Whose maps an atlas shows: all layers of a trained model, or one random layer. Draws nothing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from attention_engine import masks
from attention_engine.attention import attention_weights
from attention_engine.kinds import head_atlas as kind
from attention_engine.kinds.trained import trained
from attention_engine.spec import VisualizationSpec, make_spec
from attention_engine.trained import models
from attention_engine.visualizations.pattern.layer import Layer, layer_of


@dataclass(frozen=True)
class AllHeads:
    """Tokens, and the weights of any layer when they are asked for: none of them is kept."""

    tokens: tuple[str, ...]
    title: str
    layers: int
    num_heads: int
    causal: bool
    note: str
    stamp: Mapping[str, str]
    weights: Callable[[int], torch.Tensor]
    """layer -> (H, T, T)."""
    row: Callable[[int, int], torch.Tensor]
    """layer, query -> (H, T): what one token sends in every head."""


def all_heads(spec: VisualizationSpec, device: torch.device) -> AllHeads:
    """The trained model where it can be read, else one layer of seeded random weights that says so."""
    name = spec.parameters["model"]
    if name == "random" or models.why_missing(name):
        return _stand_in(spec, device)
    return _trained(spec, device)


def _trained(spec: VisualizationSpec, device: torch.device) -> AllHeads:
    name, model = spec.parameters["model"], trained(spec.parameters["model"])
    most = kind.most_tokens(spec.parameters)
    reading = models.read(name, spec.parameters["sentence"], device, most=most)
    count = len(reading.tokens)
    mask = masks.causal(count, count, device=device) if model.causal else None

    def weights(layer: int) -> torch.Tensor:
        heads = reading.layers[layer]
        return attention_weights(heads.q, heads.k, mask=mask)

    def row(layer: int, query: int) -> torch.Tensor:
        heads = reading.layers[layer]
        seen = mask[query : query + 1] if mask is not None else None
        return attention_weights(heads.q[:, query : query + 1], heads.k, mask=seen)[:, 0]

    return AllHeads(
        tokens=tuple(reading.tokens),
        title=model.title,
        layers=len(reading.layers),
        num_heads=model.num_heads,
        causal=model.causal,
        note=f"The sentence is cut to {count} tokens." if reading.cut else "",
        stamp=reading.stamp,
        weights=weights,
        row=row,
    )


def _stand_in(spec: VisualizationSpec, device: torch.device) -> AllHeads:
    """The layer that attention_pattern draws of this model and seed: a head opened there is the same."""
    asked = {name: spec.parameters[name] for name in ("sentence", "model")}
    pattern = make_spec("attention_pattern", asked, spec.seed)
    layer = layer_of(pattern, device)
    return AllHeads(
        tokens=layer.tokens,
        title=_random_title(spec.parameters),
        layers=1,
        num_heads=len(layer.heads.q),
        causal=pattern.parameters["mask"] == "causal",
        note=layer.note,
        stamp=layer.stamp,
        weights=lambda _layer: _stacked(layer),
        row=lambda _layer, query: _stacked(layer)[:, query],
    )


def _random_title(parameters: Mapping[str, Any]) -> str:
    title = kind.title_of(parameters)
    return title if parameters["model"] == "random" else f"A random layer in the widths of {title}"


def _stacked(layer: Layer) -> torch.Tensor:
    return torch.stack([layer.weights_of(head) for head in range(len(layer.heads.q))])
