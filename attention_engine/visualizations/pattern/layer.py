"""The layer that attention_pattern looks at, trained or random, with its mask, scale and turning.

Knows no frame."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch

from attention_engine import masks
from attention_engine.attention import Stages, attend, attention_weights, scale_of
from attention_engine.device import Chance
from attention_engine.heads import group_size
from attention_engine.kinds import attention_pattern as kind
from attention_engine.kinds.pattern_layer import own_masking
from attention_engine.kinds.trained import NAMES, TrainedModel
from attention_engine.latent import Turning
from attention_engine.rotary import BASE, rotate
from attention_engine.spec import VisualizationSpec
from attention_engine.trained import latent_layer, models, seeded
from attention_engine.trained.encoder import LayerHeads

Numbers = Mapping[str, Any]


@dataclass(frozen=True)
class Layer:
    """One layer's heads on a sentence: q (H, T, D), k and v of H_kv heads, and how they attend."""

    tokens: tuple[str, ...]
    heads: LayerHeads
    every: tuple[LayerHeads, ...]
    """Heads of all layers of a trained model; none of a random one."""
    stamp: Mapping[str, str]
    """Whose weights these are, and what computed them."""
    note: str
    mask: torch.Tensor | None
    scale: float
    own_scale: float
    turning: Turning | None
    """How q and k have still to be turned, one head at a time."""
    causal: bool = False
    """True where the trained layer hides later tokens by itself."""
    own_mask: bool = True
    """True where the mask is the layer's own."""

    def values(self, head: int) -> torch.Tensor:
        """(T, D_v): v of the head that a query head reads."""
        return self.heads.v[head // group_size(len(self.heads.q), len(self.heads.v))]

    def stages(self, head: int) -> Stages:
        """All stages of one head."""
        return attend(*self._pair(head), self.values(head), mask=self.mask, scale=self.scale)

    def weights_of(self, head: int, *, scale: float | None = None) -> torch.Tensor:
        """(T, T) of one head, by the layer's scale or another."""
        by = self.scale if scale is None else scale
        return attention_weights(*self._pair(head), mask=self.mask, scale=by)

    @property
    def as_trained(self) -> bool:
        """True where a trained layer runs with the mask, scale and positions it was trained with."""
        changed = self.turning is not None or self.scale != self.own_scale
        return bool(self.every) and self.own_mask and not changed

    def _pair(self, head: int) -> tuple[torch.Tensor, torch.Tensor]:
        shared = head // group_size(len(self.heads.q), len(self.heads.k))
        return self._turned(self.heads.q[head]), self._turned(self.heads.k[shared])

    def _turned(self, x: torch.Tensor) -> torch.Tensor:
        how = self.turning
        return rotate(x, base=how.base, pairing=how.pairing) if how else x


def layer_of(spec: VisualizationSpec, device: torch.device) -> Layer:
    """A trained model's where it is asked for and can be read here, else a random layer that says so."""
    numbers, model = spec.parameters, kind.of_trained(spec.parameters)
    missing = models.why_missing(model.name) if model else ""
    if model and not missing:
        return _trained(numbers, models.read(model.name, numbers["sentence"], device), model)
    tokens, label = tuple(kind.words(numbers["sentence"])), f"random layer, seed {spec.seed}"
    label += f": {missing}" if missing else ""
    heads = _random(spec, seeded.embedded(tokens, Chance(spec.seed, device), numbers["d_model"]))
    note = f"{label[0].upper()}{label[1:]}{_shape_of(numbers)}."
    return _layer(numbers, tokens, heads, every=(), stamp={"weights": label}, note=note)


def _trained(numbers: Numbers, reading: models.Reading, model: TrainedModel) -> Layer:
    """As it was trained, but for the mask and the scale that are asked for."""
    note = f"The sentence is cut to {len(reading.tokens)} tokens." if reading.cut else ""
    own_mask, _ = own_masking(numbers)
    layer = _layer(
        numbers,
        reading.tokens,
        reading.layers[numbers["layer"]],
        every=reading.layers,
        stamp=reading.stamp,
        note=note,
        causal=model.causal,
        own_mask=numbers["mask"] == own_mask,
    )
    return replace(layer, turning=None) if model.causal else layer


def _shape_of(numbers: Numbers) -> str:
    """Whose shape the layer has, with the table's own words, which may tell of more than is computed here."""
    config = kind.published(numbers)
    if config is None or numbers["model"] in NAMES:
        return ""
    return f", in the widths, K/V heads and scale of {config.name} ({config.attention})"


def _random(spec: VisualizationSpec, x: torch.Tensor) -> LayerHeads:
    """(T, d_model) -> its heads, by law or pinned; of every layer other ones."""
    drawn = _plain(spec, x) if kind.mla(spec.parameters) is None else _latent(spec, x)
    if kind.own_rule(spec.parameters).name == "none":
        # T5 starts W_Q smaller by sqrt(d_head), for it does not divide scores (Raffel et al. 2020).
        drawn.q.mul_(spec.parameters["d_head"] ** -0.5)
    return drawn


def _plain(spec: VisualizationSpec, x: torch.Tensor) -> LayerHeads:
    widths = seeded.Widths(**{name: spec.parameters[name] for name in kind.WIDTHS})
    if spec.parameters["weights"] == "law":
        return seeded.by_law(x, _chance(spec, x), widths)
    return seeded.pinned(x, spec.seed, widths, layer=spec.parameters["layer"])


def _latent(spec: VisualizationSpec, x: torch.Tensor) -> LayerHeads:
    numbers, config = spec.parameters, kind.mla(spec.parameters)
    assert config is not None
    own = {name: numbers[name] for name in ("num_heads", "d_head", "d_head_v")}
    widths = latent_layer.LatentWidths(rope=config.d_head_rope, kv_rank=config.kv_rank, **own)
    turning = Turning(pairing=numbers["rotary"])
    if numbers["weights"] == "law":
        return latent_layer.by_law(x, _chance(spec, x), widths, turning=turning)
    return latent_layer.pinned(x, spec.seed, widths, layer=numbers["layer"], turning=turning)


def _chance(spec: VisualizationSpec, x: torch.Tensor) -> Chance:
    """Of each layer another one, beside that of the tokens."""
    return Chance(seeded.head_seed(spec.seed, f"{spec.parameters['layer']}/law", 0), x.device)


def _layer(numbers: Numbers, tokens: tuple[str, ...], heads: LayerHeads, **more: Any) -> Layer:
    turned = numbers["rotary"] == "none" or kind.mla(numbers) is not None
    return Layer(
        tokens=tokens,
        heads=heads,
        mask=_mask(numbers, len(tokens), heads.q.device),
        scale=_scale(numbers),
        own_scale=_own_scale(numbers),
        turning=None if turned else _turning_of(numbers),
        **more,
    )


def _turning_of(numbers: Numbers) -> Turning:
    """With the base of the trained model that a random layer stands in for, else the usual one."""
    model = kind.of_trained(numbers)
    return Turning(pairing=numbers["rotary"], base=model.rope_base if model and model.causal else BASE)


def _own_scale(numbers: Numbers) -> float:
    rule = kind.own_rule(numbers)
    return scale_of(
        rule.name, d_head=numbers["d_head"], query_pre_attn_scalar=rule.root_of, mscale=rule.mscale
    )


def _scale(numbers: Numbers) -> float:
    if numbers["scale"] == "own":
        return _own_scale(numbers)
    return scale_of(numbers["scale"], d_head=numbers["d_head"])


def _mask(numbers: Numbers, tokens: int, device: torch.device) -> torch.Tensor | None:
    """(T, T), or None where every token sees every other."""
    name = numbers["mask"]
    if name == "none":
        return None
    if name == "sliding_window":
        return masks.sliding_window(tokens, tokens, window=numbers["window"], device=device)
    earlier = masks.causal(tokens, tokens, device=device)
    if name == "causal":
        return earlier
    text = masks.padding([max(0, tokens - numbers["padding"])], tokens, device=device)[0, 0]
    return masks.combine(text, earlier) if numbers["causal"] else text.expand(tokens, tokens)
