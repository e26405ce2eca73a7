"""Five stages of one head on a sentence: scores, scaled, masked, weights, output. Knows no learner."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch

from attention_engine.attention import Stages, attention_weights, entropy
from attention_engine.boundaries import boundary
from attention_engine.device import chosen_device
from attention_engine.encoding import encode, every_second_step, thumbnail
from attention_engine.frames import Frame, TensorRef
from attention_engine.kinds import attention_pattern as kind
from attention_engine.spec import VisualizationSpec
from attention_engine.trained.encoder import LayerHeads
from attention_engine.visualizations.pattern import words as told
from attention_engine.visualizations.pattern.heads import thumbnails
from attention_engine.visualizations.pattern.layer import Layer, Numbers, layer_of
from attention_engine.visualizations.pattern.pairs import told_row
from attention_engine.visualizations.pattern.tables import map_table, output_table, parts_of

MAP_AXES = ("T", "T")
FINE_TOKENS = 128
"""Up to this many tokens maps of scores are sent as f16, beyond it in 256 steps from least to largest."""
WHOLE_PARTS = 64
"""Up to this many tokens what every key brings is sent of all rows, beyond it of the told one."""
WHOLE_STEPS = 448
"""Up to this many tokens a whole map of weights keeps all 256 steps within 140 kB, compressed."""
SMALL_BYTES = 120_000
"""What the small maps of all heads take together, at most."""
Sent = tuple[TensorRef, bytes]


def frames(spec: VisualizationSpec) -> Iterator[Frame]:
    """scores, scaled, masked, weights (with thumbnails of all heads), output."""
    numbers, layer = spec.parameters, layer_of(spec, chosen_device())
    if kind.of_trained(numbers) and not layer.every:
        numbers = {**numbers, "model": "random"}  # what is said is said of the layer that stands in
    stages = layer.stages(numbers["head"])
    scores = _encoded(stages.scores)
    scaled = _rescaled(scores, layer.scale) if scores[0].encoding == "u8" else _encoded(stages.scaled)
    yield _map("scores", stages.scores, layer=layer, sentence=told.scores(stages, numbers), sent=scores)
    yield _map(
        "scaled",
        stages.scaled,
        layer=layer,
        sentence=told.scaled(stages, numbers),
        sent=scaled,
        title=told.title(numbers),
    )
    sentence = told.masked(layer.mask, numbers)
    yield _map("masked", stages.masked, layer=layer, sentence=sentence, sent=_masked(stages, numbers, scaled))
    yield _weights(stages, layer, numbers)
    yield _output(stages, layer, numbers)


def _encoded(values: torch.Tensor, *, tril: bool = False, infinite: bool = False) -> Sent:
    """A map of scores; f16 where minus infinity is among what is sent, in as few steps as u8 would have."""
    coarse = len(values) > FINE_TOKENS
    encoding = "u8" if coarse and not infinite else "f16"
    numbers = (_stepped(values) if coarse and infinite else values).cpu().numpy()
    return encode(numbers, role="scores", axes=MAP_AXES, encoding=encoding, tril=tril)


def _stepped(values: torch.Tensor) -> torch.Tensor:
    """The nearest of 256 even steps, which f16 then sends in few bytes; minus infinity stays."""
    finite = values[torch.isfinite(values)]
    low, high = (finite.min(), finite.max()) if len(finite) else (values.new_zeros(()),) * 2
    step = (high - low).clamp(min=1e-30) / 255
    return (values - low).div_(step).round_().mul_(step).add_(low)


def _rescaled(sent: Sent, scale: float) -> Sent:
    """The same bytes between other ends: scaling moves no step, so a client need not fetch them again."""
    reference, body = sent
    return replace(reference, minimum=reference.minimum * scale, maximum=reference.maximum * scale), body


def _masked(stages: Stages, numbers: Numbers, scaled: Sent) -> Sent:
    """What is left after the mask: of a causal one the lower triangle alone."""
    if numbers["mask"] == "none":
        return scaled
    return _encoded(stages.masked, tril=bool(numbers["causal"]), infinite=numbers["mask"] != "causal")


def _frame(step: str, *, title: str, layer: Layer, sentence: str, sent: list[Sent], **more: Any) -> Frame:
    first = sent[0][0]
    return Frame(
        step=step,
        layout="grid",
        title=title,
        sentence=f"{sentence} {layer.note}".strip(),
        axes=first.axes,
        shape=first.shape,
        dtype="float32",
        tensors=tuple(reference for reference, _ in sent),
        blobs=tuple(body for _, body in sent),
        stamp=dict(layer.stamp),
        **more,
    )


def _strides(tensor: torch.Tensor) -> dict[str, Any]:
    return {"strides": tuple(tensor.stride()), "contiguous": tensor.is_contiguous()}


TITLES = {"scores": "Q K^T", "masked": "mask"}


def _map(
    step: str, values: torch.Tensor, *, layer: Layer, sentence: str, sent: Sent, title: str = ""
) -> Frame:
    return _frame(
        step,
        title=title or TITLES[step],
        layer=layer,
        sentence=sentence,
        sent=[sent],
        table=map_table(layer.tokens, values),
        **_strides(values),
    )


def _weights(stages: Stages, layer: Layer, numbers: Numbers) -> Frame:
    """The weights of the head; beside them, small, those of every head of the layer with their entropies."""
    weights, tril = stages.weights, bool(numbers["causal"])
    sent = weights.cpu().numpy()
    if not tril and len(weights) > WHOLE_STEPS:
        sent = every_second_step(sent)
    own = encode(sent, role="weights", axes=MAP_AXES, encoding="u8sqrt", tril=tril)
    small, entropies = _all_heads(layer, tril=tril)
    return _frame(
        "weights",
        title="softmax",
        layer=layer,
        sentence=_weights_sentence(weights, layer, numbers),
        sent=[own, small],
        values=entropies,
        table=map_table(layer.tokens, weights),
        **_strides(weights),
    )


def _weights_sentence(weights: torch.Tensor, layer: Layer, numbers: Numbers) -> str:
    said = [told.weights(weights, layer.tokens, numbers=numbers, rank=_rank(layer), mask=layer.mask)]
    if layer.scale != layer.own_scale:
        own = layer.weights_of(numbers["head"], scale=layer.own_scale)
        said.append(told.with_own_scale(weights, own, numbers))
    return " ".join(part for part in (*said, thumbnails(numbers)) if part)


def _all_heads(layer: Layer, *, tril: bool) -> tuple[Sent, tuple[float, ...]]:
    """Thumbnails (H, T', T') and the mean entropy of each head in nats, one head in memory at a time."""
    heads, entropies = len(layer.heads.q), []
    side = min(len(layer.tokens), _side(heads, tril=tril))
    small = torch.empty(heads, side, side)  # at once: what is kept between large maps would scatter the heap
    for head in range(heads):
        boundary()  # between two heads the picture is given up that nobody waits for any more
        weights = layer.weights_of(head)
        entropies.append(round(float(entropy(weights).mean()), 4))
        small[head] = torch.from_numpy(thumbnail(weights.cpu().numpy(), side))
    axes = ("H", *MAP_AXES)
    return encode(small.numpy(), role="thumbnails", axes=axes, encoding="u8sqrt", tril=tril), tuple(entropies)


def _side(heads: int, *, tril: bool) -> int:
    """Rows of a small map, at most 32, so that those of all heads keep to SMALL_BYTES."""
    sides = range(1, 33)
    return max(n for n in sides if heads * (n * (n + 1) // 2 if tril else n * n) <= SMALL_BYTES)


def _rank(layer: Layer) -> told.Rank | None:
    """Among all heads of a trained model, how many give a pair more weight; unknown for one random layer."""
    if not layer.as_trained:
        return None

    def larger(query: int, key: int, weight: float) -> tuple[int, int]:
        rows = [_row(heads, query, causal=layer.causal)[:, key] for heads in layer.every]
        everywhere = torch.cat(rows)
        return int((everywhere > weight * (1 + 1e-6)).sum()), len(everywhere)

    return larger


def _row(heads: LayerHeads, query: int, *, causal: bool) -> torch.Tensor:
    """(H, T): what one token sends in every head of a layer, (H, query + 1) where it sees no later one."""
    keys = heads.k[:, : query + 1] if causal else heads.k
    return attention_weights(heads.q[:, query : query + 1], keys)[:, 0]


def _output(stages: Stages, layer: Layer, numbers: Numbers) -> Frame:
    """What each token receives, and what every key brings to it: (T, T), of a long sentence only the told
    row, whose number is then the frame's one value."""
    output, parts = stages.output, parts_of(stages, layer.values(numbers["head"]))
    row, long = told_row(stages.weights, layer.tokens, numbers), len(parts) > WHOLE_PARTS
    width = "D" if numbers["d_head_v"] == numbers["d_head"] else "D_v"
    whole = encode(output.cpu().numpy(), role="output", axes=("T", width), encoding="f16")
    sent = (parts[row] if long else parts).cpu().numpy()
    brought = encode(sent, role="contributions", axes=MAP_AXES[: sent.ndim], encoding="f16")
    return _frame(
        "output",
        title="times V",
        layer=layer,
        sentence=told.output(stages, parts, layer.tokens, row=row),
        sent=[whole, brought],
        values=(float(row),) if long else (),
        table=output_table(layer.tokens, stages, parts),
        **_strides(output),
    )
