"""Five stages of one head on a sentence: scores, scaled, masked, weights, output. Knows no learner."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from attention_engine import masks
from attention_engine.attention import Stages, attend, attention_weights, entropy
from attention_engine.device import Chance, chosen_device
from attention_engine.encoding import encode, thumbnail
from attention_engine.frames import Frame, TensorRef
from attention_engine.kinds.attention_pattern import words
from attention_engine.spec import VisualizationSpec
from attention_engine.trained import minilm, seeded
from attention_engine.trained.minilm import LayerHeads
from attention_engine.visualizations import _pattern_words as told

MAP_AXES = ("T", "T")
Sent = tuple[TensorRef, bytes]


@dataclass(frozen=True)
class Read:
    """A sentence read by some layer: its tokens, that layer's heads, and which weights they come from."""

    tokens: tuple[str, ...]
    layers: tuple[LayerHeads, ...]
    shown: LayerHeads
    weights: str
    note: str


def frames(spec: VisualizationSpec) -> Iterator[Frame]:
    """scores, scaled, masked, weights (with thumbnails of all heads), output."""
    numbers = spec.parameters
    read = _read(spec, chosen_device())
    head, causal = numbers["head"], bool(numbers["causal"])
    shown, mask = read.shown, _mask(read.shown, causal=causal)
    stages = attend(shown.q[head], shown.k[head], shown.v[head], mask=mask)
    yield _map("scores", stages.scores, read=read, sentence=told.scores(stages, numbers))
    yield _map("scaled", stages.scaled, read=read, sentence=told.scaled(stages, numbers))
    yield _map("masked", stages.masked, read=read, sentence=told.masked(numbers), tril=causal)
    yield _weights(stages, read, numbers)
    yield _output(stages, read)


def _mask(heads: LayerHeads, *, causal: bool) -> torch.Tensor | None:
    """(T, T), or None where every token sees every other."""
    tokens = heads.q.shape[-2]
    return masks.causal(tokens, tokens, device=heads.q.device) if causal else None


def _read(spec: VisualizationSpec, device: torch.device) -> Read:
    """MiniLM where it is asked for and installed, else a random layer that says so."""
    numbers = spec.parameters
    missing = minilm.why_missing() if numbers["model"] == "minilm" else ""
    if numbers["model"] == "minilm" and not missing:
        reading = minilm.read(numbers["sentence"], device)
        note = "The sentence is cut to 512 tokens." if reading.cut else ""
        shown = reading.layers[numbers["layer"]]
        return Read(reading.tokens, reading.layers, shown=shown, weights=minilm.NAME, note=note)
    tokens = tuple(words(numbers["sentence"]))
    widths = {name: numbers[name] for name in ("d_model", "num_heads", "d_head")}
    shown = seeded.read(tokens, Chance(spec.seed + numbers["layer"], device), **widths)
    label = f"random layer, seed {spec.seed}" + (f": {missing}" if missing else "")
    return Read(tokens, (), shown=shown, weights=label, note=f"{label[0].upper()}{label[1:]}.")


def _frame(step: str, *, title: str, read: Read, sentence: str, sent: list[Sent], **more: Any) -> Frame:
    first = sent[0][0]
    return Frame(
        step=step,
        layout="grid",
        title=title,
        sentence=f"{sentence} {read.note}".strip(),
        axes=first.axes,
        shape=first.shape,
        dtype="float32",
        tensors=tuple(reference for reference, _ in sent),
        blobs=tuple(body for _, body in sent),
        stamp={"weights": read.weights},
        **more,
    )


def _strides(tensor: torch.Tensor) -> dict[str, Any]:
    return {"strides": tuple(tensor.stride()), "contiguous": tensor.is_contiguous()}


TITLES = {"scores": "Q K^T", "scaled": "divided by sqrt(d_head)", "masked": "mask"}


def _map(step: str, values: torch.Tensor, *, read: Read, sentence: str, tril: bool = False) -> Frame:
    """A map of scores; tril sends only what a causal mask leaves."""
    sent = encode(values.cpu().numpy(), role="scores", axes=MAP_AXES, encoding="f16", tril=tril)
    table = told.map_table(read.tokens, values)
    return _frame(
        step, title=TITLES[step], read=read, sentence=sentence, sent=[sent], table=table, **_strides(values)
    )


def _weights(stages: Stages, read: Read, numbers: Mapping[str, Any]) -> Frame:
    """The weights of the head; beside them, small, those of every head of the layer with their entropies."""
    weights, causal = stages.weights, bool(numbers["causal"])
    own = encode(weights.cpu().numpy(), role="weights", axes=MAP_AXES, encoding="u8sqrt", tril=causal)
    small, entropies = _all_heads(read.shown, causal=causal)
    return _frame(
        "weights",
        title="softmax",
        read=read,
        sentence=told.weights(weights, read.tokens, numbers=numbers, rank=_rank(read, numbers)),
        sent=[own, small],
        values=entropies,
        table=told.map_table(read.tokens, weights),
        **_strides(weights),
    )


def _all_heads(heads: LayerHeads, *, causal: bool) -> tuple[Sent, tuple[float, ...]]:
    """Thumbnails (H, T', T') and the mean entropy of each head in nats, one head in memory at a time."""
    small, entropies, mask = [], [], _mask(heads, causal=causal)
    for q, k in zip(heads.q, heads.k, strict=True):
        weights = attention_weights(q, k, mask=mask)
        entropies.append(round(float(entropy(weights).mean()), 4))
        small.append(torch.from_numpy(thumbnail(weights.cpu().numpy())))
    stacked, axes = torch.stack(small).numpy(), ("H", *MAP_AXES)
    return encode(stacked, role="thumbnails", axes=axes, encoding="u8sqrt", tril=causal), tuple(entropies)


def _rank(read: Read, numbers: Mapping[str, Any]) -> told.Rank | None:
    """Among all heads of a trained model, how many give a pair more weight; unknown for one random layer."""
    if not read.layers or numbers["causal"]:
        return None

    def larger(query: int, key: int, weight: float) -> tuple[int, int]:
        rows = [_row(heads, query)[:, key] for heads in read.layers]
        everywhere = torch.cat(rows)
        return int((everywhere > weight * (1 + 1e-6)).sum()), len(everywhere)

    return larger


def _row(heads: LayerHeads, query: int) -> torch.Tensor:
    """(H, T): what one token sends in every head of a layer."""
    return attention_weights(heads.q[:, query : query + 1], heads.k)[:, 0]


def _output(stages: Stages, read: Read) -> Frame:
    output = stages.output
    sent = encode(output.cpu().numpy(), role="output", axes=("T", "D"), encoding="f16")
    return _frame(
        "output",
        title="times V",
        read=read,
        sentence=told.output(stages),
        sent=[sent],
        table=told.output_table(read.tokens, stages, math.sqrt(output.shape[-1])),
        **_strides(output),
    )
