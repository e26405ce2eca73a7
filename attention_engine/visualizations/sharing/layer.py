"""The layer whose sharing is compared: a trained one where it can be read, else a random one of its widths.

Knows no frame."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from attention_engine import masks
from attention_engine.attention import scale_of
from attention_engine.device import Chance
from attention_engine.kinds.attention_pattern import words
from attention_engine.kinds.sharing.source import Source, source_of
from attention_engine.kinds.sharing.work import MOST_TOKENS
from attention_engine.latent import TURNING
from attention_engine.spec import VisualizationSpec
from attention_engine.trained import latent_layer, models, seeded
from attention_engine.trained.encoder import LayerHeads
from attention_engine.visualizations.sharing.kv import Pairs, Queries


@dataclass(frozen=True)
class Layer:
    """One layer on a sentence, and whose weights made it."""

    tokens: tuple[str, ...]
    queries: Queries
    pairs: Pairs
    source: Source
    note: str
    stamp: Mapping[str, str]


def layer_of(spec: VisualizationSpec, device: torch.device) -> Layer:
    """The trained layer that is asked for, if its weights are here; else a random one that says so."""
    numbers, source = spec.parameters, source_of(spec.parameters)
    missing = models.why_missing(source.trained) if source.trained else ""
    if source.trained and not missing:
        return _read(numbers, source, device)
    tokens = tuple(words(numbers["sentence"])[:MOST_TOKENS])
    label = f"random layer, seed {spec.seed}" + (f": {missing}" if missing else "")
    note = _note_of_random(spec.seed, source, missing)
    return _layer(tokens, _random(spec, source, tokens, device), source, note=note, stamp={"weights": label})


def _read(numbers: Mapping[str, Any], source: Source, device: torch.device) -> Layer:
    reading = models.read(source.trained, numbers["sentence"], device, most=MOST_TOKENS)
    note = f"Layer {numbers['layer']} of {source.title}."
    note += f" The sentence is cut to {MOST_TOKENS} tokens." if reading.cut else ""
    return _layer(reading.tokens, reading.layers[numbers["layer"]], source, note=note, stamp=reading.stamp)


def _note_of_random(seed: int, source: Source, missing: str) -> str:
    shape = f", in the widths, K/V heads and scale of {source.title}" if source.title else ""
    why = f" ({missing})" if missing else ""
    return f"The layer is random, seed {seed}{shape}{why}: its heads have learned nothing in common."


def _random(
    spec: VisualizationSpec, source: Source, tokens: tuple[str, ...], device: torch.device
) -> LayerHeads:
    """By law, so that no weight is made; another layer is another draw."""
    x = seeded.embedded(tokens, Chance(spec.seed, device), source.d_model)
    chance = Chance(seeded.head_seed(spec.seed, f"{spec.parameters['layer']}/law", 0), device)
    drawn = _latent(x, chance, source) if source.kv_rank else _plain(x, chance, source)
    if source.rule.name == "none":
        # T5 starts W_Q smaller by sqrt(d_head), for it does not divide scores (Raffel et al. 2020).
        drawn.q.mul_(source.d_head**-0.5)
    return drawn


def _plain(x: torch.Tensor, chance: Chance, source: Source) -> LayerHeads:
    widths = seeded.Widths(
        d_model=source.d_model,
        num_heads=source.num_heads,
        d_head=source.d_head,
        num_kv_heads=source.num_kv_heads,
        d_head_v=source.d_head_v,
    )
    return seeded.by_law(x, chance, widths)


def _latent(x: torch.Tensor, chance: Chance, source: Source) -> LayerHeads:
    widths = latent_layer.LatentWidths(
        num_heads=source.num_heads,
        d_head=source.d_head,
        rope=source.d_head_rope,
        kv_rank=source.kv_rank,
        d_head_v=source.d_head_v,
    )
    return latent_layer.by_law(x, chance, widths, turning=TURNING)


def _layer(tokens: tuple[str, ...], heads: LayerHeads, source: Source, **told: Any) -> Layer:
    rule = source.rule
    scale = scale_of(rule.name, d_head=source.d_head, query_pre_attn_scalar=rule.root_of, mscale=rule.mscale)
    mask = masks.causal(len(tokens), len(tokens), device=heads.q.device) if source.causal else None
    return Layer(
        tokens=tuple(tokens),
        queries=Queries(heads.q, mask, scale),
        pairs=Pairs(heads.k, heads.v),
        source=source,
        **told,
    )
