"""One head of a trained layer reads a sentence with the right and with the wrong line. Knows no words."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch.nn.functional import cosine_similarity, linear

from attention_engine import configs
from attention_engine.attention import attention_weights
from attention_engine.device import Chance, chosen_device
from attention_engine.heads import merge_heads
from attention_engine.kinds import misplaced
from attention_engine.kinds.attention_pattern import words
from attention_engine.kinds.misplaced import MERGE, SOFTMAX, Held
from attention_engine.kinds.reading import MINILM
from attention_engine.kinds.silent_mistake import MOST_READ
from attention_engine.spec import VisualizationSpec
from attention_engine.trained import minilm, seeded
from attention_engine.trained.encoder import LayerHeads
from attention_engine.visualizations.silent.runs import Pair


@dataclass(frozen=True)
class Read:
    """A sentence read by one layer: its tokens, q, k, v of its heads, W_O with bias, and whose they are."""

    tokens: tuple[str, ...]
    heads: LayerHeads
    w_o: tuple[torch.Tensor, torch.Tensor]
    name: str
    stamp: Mapping[str, str]
    """Whose weights these are, and what computed them."""
    note: str


@dataclass(frozen=True)
class Meaning:
    """Maps (T, T) of one head after either line, and one number a token that says how far they part."""

    right: torch.Tensor
    wrong: torch.Tensor
    apart: torch.Tensor
    """Split: total variation of the two rows. Merge: cosine of the layer's two outputs. Softmax: sum of the
    wrong row."""


def read(spec: VisualizationSpec) -> Read:
    """MiniLM, at most 64 tokens; where it is not installed a random layer of its size, which says so."""
    device, layer, missing = chosen_device(), spec.parameters["layer"], minilm.why_missing()
    if missing:
        return _random(spec, device, missing)
    reading = minilm.read(spec.parameters["sentence"], device, most=MOST_READ)
    return Read(
        reading.tokens,
        reading.layers[layer],
        w_o=minilm.output_weights(layer, device),
        name=f"MiniLM, layer {layer}",
        stamp=reading.stamp,
        note=f"The sentence is cut to {MOST_READ} tokens." if reading.cut else "",
    )


def _random(spec: VisualizationSpec, device: torch.device, missing: str) -> Read:
    config, layer = configs.model(MINILM), spec.parameters["layer"]
    tokens = tuple(words(spec.parameters["sentence"])[:MOST_READ])
    chance = Chance(spec.seed, device)
    d_model, num_heads, d_head = config.d_model, config.num_heads, config.d_head
    heads = seeded.read(tokens, chance, layer=layer, d_model=d_model, num_heads=num_heads, d_head=d_head)
    w_o = chance.normal((d_model, num_heads * d_head), deviation=(num_heads * d_head) ** -0.5)
    label = f"random layer, seed {spec.seed}: {missing}"
    bias = torch.zeros(d_model, device=device)
    note = f"R{label[1:]}."
    return Read(tokens, heads, w_o=(w_o, bias), name="a random layer", stamp={"weights": label}, note=note)


def meaning(spec: VisualizationSpec, source: Read, pair: Pair) -> Meaning:
    """The head's weights with either line, which are applied to the layer's own q, k, or to what they mix."""
    mistake, head = spec.parameters["mistake"], spec.parameters["head"]
    if mistake == SOFTMAX:
        return _softmax(source.heads, head, pair)
    return _merge(source, head, pair) if mistake == MERGE else _split(source.heads, head, pair)


def _split(heads: LayerHeads, head: int, pair: Pair) -> Meaning:
    """q and k as they were projected, (1, T, H*D), split by either line."""
    q, k = (merge_heads(part[None]) for part in (heads.q, heads.k))
    num_heads = heads.q.shape[0]
    right, wrong = (
        attention_weights(line(q, num_heads)[0, head], line(k, num_heads)[0, head])
        for line in (pair.right, pair.wrong)
    )
    return Meaning(right, wrong, apart=(right - wrong).abs().sum(dim=-1) / 2)


def _merge(source: Read, head: int, pair: Pair) -> Meaning:
    """Merged as heads are, the maps say whose values stand where this head of a token should."""
    heads, num_heads = source.heads, source.heads.q.shape[0]
    weights = attention_weights(heads.q, heads.k)
    maps, outputs = [], []
    for line in (pair.right, pair.wrong):
        rows = line(weights[None], num_heads)[0]
        maps.append(rows.view(len(rows), num_heads, -1)[:, head])
        outputs.append(linear(line((weights @ heads.v)[None], num_heads)[0], *source.w_o))
    return Meaning(maps[0], maps[1], apart=cosine_similarity(outputs[0], outputs[1], dim=-1))


def _softmax(heads: LayerHeads, head: int, pair: Pair) -> Meaning:
    q, k = heads.q[head], heads.k[head]
    scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
    right, wrong = (line(scores, 1) for line in (pair.right, pair.wrong))
    return Meaning(right, wrong, apart=wrong.sum(dim=-1))


def row_held(spec: VisualizationSpec, source: Read) -> list[Held]:
    """What the row of each token really holds after the wrong line, in this head of this layer."""
    num_heads, tokens, width = source.heads.q.shape
    own = {"mistake": spec.parameters["mistake"], "batch": 1, "tokens": tokens, "num_heads": num_heads}
    numbers = own | {"d_head": width}
    return [misplaced.held(numbers, spec.parameters["head"], token) for token in range(tokens)]
