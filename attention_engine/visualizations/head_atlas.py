"""Every head of every layer on one sentence: small maps, sorted by measures or a pair. Knows no learner."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from attention_engine import configs
from attention_engine.admission import why_no_values
from attention_engine.boundaries import boundary
from attention_engine.device import chosen_device
from attention_engine.encoding import encode
from attention_engine.frames import Frame, Table, TensorRef
from attention_engine.kinds import head_atlas as kind
from attention_engine.shapes import contiguous_strides
from attention_engine.spec import VisualizationSpec
from attention_engine.visualizations.atlas import measures as measuring
from attention_engine.visualizations.atlas import tables
from attention_engine.visualizations.atlas import words as told
from attention_engine.visualizations.atlas.heads import AllHeads, all_heads
from attention_engine.visualizations.atlas.pair import pair_of

LARGEST_SIDE = 40
Sent = tuple[TensorRef, bytes]
GRID = ("L", "H")


@dataclass(frozen=True)
class Atlas:
    """What one pass over the layers leaves of their maps."""

    heads: AllHeads
    small: torch.Tensor
    """(L, H, T', T')."""
    measures: torch.Tensor
    """(M, L, H), in the order of the kind's MEASURES."""
    of_even: torch.Tensor
    """(M,): the measures of a head that weighs alike whatever it sees."""
    patterns: torch.Tensor
    """(L, H), places in PATTERNS."""
    most: torch.Tensor
    """(T, T): the largest weight that any head gives a pair."""


def frames(spec: VisualizationSpec) -> Iterator[Frame]:
    """maps, a step for each measure, pair; of a model without weights here heads and groups."""
    if not kind.is_trained(spec.parameters["model"]):
        yield from _without_maps(spec)
        return
    if refused := kind.too_many_heads(spec.parameters) or why_no_values(spec):
        yield from _too_large(spec, refused)
        return
    atlas = _pass(all_heads(spec, chosen_device()))
    yield from _maps(atlas)
    for name in kind.steps(spec.parameters)[1:-1]:
        yield from _sorted(name, atlas)
    yield from _pair(spec, atlas)


def _pass(heads: AllHeads) -> Atlas:
    """One layer's maps at a time: measured, made small, and given up."""
    count, measures = len(heads.tokens), []
    side = min(count, _side(heads.layers * heads.num_heads, tril=heads.causal))
    small = torch.empty(heads.layers, heads.num_heads, side, side)  # at once: see attention_pattern
    most = by = None
    for layer in range(heads.layers):
        boundary()  # between two layers the picture is given up that nobody waits for any more
        weights = heads.weights(layer)
        by = measuring.kernels(heads.tokens, weights.device) if by is None else by
        measures.append(measuring.measured(weights, by))
        small[layer] = measuring.pooled(weights, side)
        largest = weights.amax(dim=0)
        most = largest if most is None else torch.maximum(most, largest, out=most)
    assert by is not None
    assert most is not None
    even = measuring.even(count, causal=heads.causal, device=by.device)
    of_even, found = measuring.measured(even[None], by)[0], torch.stack(measures)
    return Atlas(
        heads=heads,
        small=small,
        measures=found.permute(2, 0, 1),
        of_even=of_even,
        patterns=measuring.named(found, of_even),
        most=most,
    )


def _side(heads: int, *, tril: bool) -> int:
    """Rows of a small map, at most 40, so that those of all heads keep to SMALL_BYTES."""
    fits = (n for n in range(1, LARGEST_SIDE + 1) if heads * _cells(n, tril=tril) <= kind.SMALL_BYTES)
    return max(fits, default=1)


def _cells(side: int, *, tril: bool) -> int:
    return side * (side + 1) // 2 if tril else side * side


def _frame(
    step: str,
    atlas: Atlas,
    page: Table,
    *,
    sentence: str,
    sent: Sequence[Sent],
    shape: tuple[int, ...],
    **more: Any,
) -> Frame:
    """One step; its numbers are told by strides as they are sent, side by side."""
    return Frame(
        step=step,
        layout="grid",
        title=told.TITLES.get(step.partition(" ")[0], step),
        sentence=f"{sentence} {atlas.heads.note}".strip(),
        axes=(*GRID, "T", "T")[: len(shape)],
        shape=shape,
        strides=contiguous_strides(shape),
        dtype="float32",
        table=page,
        tensors=tuple(reference for reference, _ in sent),
        blobs=tuple(body for _, body in sent),
        stamp=dict(atlas.heads.stamp),
        **more,
    )


def _paged(name: str, columns: Sequence[str], rows: Sequence[tables.Row]) -> Iterator[tuple[str, Table]]:
    """Steps and their tables: "sink", and where not all heads fit one frame "sink 2" after it."""
    for number, page in enumerate(tables.pages(columns, rows), 1):
        yield (name if number == 1 else f"{name} {number}"), page


def _maps(atlas: Atlas) -> Iterator[Frame]:
    """The small maps of all heads; beside them every measure and the name of every head."""
    heads, side = atlas.heads, atlas.small.shape[-1]
    small = encode(
        atlas.small.cpu().numpy(),
        role="thumbnails",
        axes=(*GRID, "T", "T"),
        encoding="u8sqrt",
        tril=heads.causal,
    )
    count = len(heads.tokens)
    sentence = told.maps(heads, atlas.patterns, side)
    for step, page in _paged("maps", *tables.by_place(atlas.measures, atlas.patterns)):
        yield _frame(
            step,
            atlas,
            page,
            sentence=sentence,
            sent=[small, _measures(atlas), _patterns(atlas)],
            shape=(*atlas.patterns.shape, count, count),
        )


def _measures(atlas: Atlas) -> Sent:
    axes = ("measure", *GRID)
    return encode(atlas.measures.cpu().numpy(), role="measures", axes=axes, encoding="f32")


def _patterns(atlas: Atlas) -> Sent:
    return encode(atlas.patterns.cpu().numpy(), role="patterns", axes=GRID, encoding="f16")


def _sorted(name: str, atlas: Atlas) -> Iterator[Frame]:
    """All heads by one measure, the largest first."""
    at = measuring.ORDER.index(name)
    values, even = atlas.measures[at], float(atlas.of_even[at])
    sentence = told.measure(name, values, atlas.heads, even)
    for step, page in _paged(name, *tables.by_measure(name, values, atlas.patterns)):
        yield _frame(step, atlas, page, sentence=sentence, sent=[_measures(atlas)], shape=tuple(values.shape))


def _pair(spec: VisualizationSpec, atlas: Atlas) -> Iterator[Frame]:
    """All heads by the weight they give one pair; the positions of query and key are the frame's values."""
    heads, asked = atlas.heads, spec.parameters
    found = pair_of(asked["query"], asked["key"], heads.tokens, atlas.most, causal=heads.causal)
    rows = [heads.row(layer, found.query)[:, found.key] for layer in range(heads.layers)]
    weights = torch.stack(rows)
    sent = encode(weights.cpu().numpy(), role="pair", axes=GRID, encoding="f32")
    sentence = told.pair(heads, found.query, found.key, weights, found.note)
    for step, page in _paged("pair", *tables.by_measure("pair", weights, atlas.patterns)):
        places = (float(found.query), float(found.key))
        shape = tuple(weights.shape)
        yield _frame(step, atlas, page, sentence=sentence, sent=[sent], shape=shape, values=places)


def _without_maps(spec: VisualizationSpec) -> Iterator[Frame]:
    """Layers and heads of a published model, and who shares K and V: numbers of the table, no map."""
    config = configs.model(spec.parameters["model"])
    shape = (config.layers, config.num_heads)
    yield _counted("heads", shape, told.heads(config), tables.counts(config))
    yield _counted("groups", shape, told.groups(config), tables.groups(config))


def _too_large(spec: VisualizationSpec, refused: str) -> Iterator[Frame]:
    """Layers and heads of a model whose maps would be too much here, and why."""
    own = kind.sizes(spec.parameters)
    rows = tuple((name.replace("num_", "").replace("_", " "), size) for name, size in own.items())
    sentence = f"{kind.title_of(spec.parameters)} is not drawn: {refused}. Its heads are counted here."
    shape = (own["layers"], own["num_heads"])
    yield _counted("heads", shape, sentence, Table(("what", "number"), rows))


def _counted(step: str, shape: tuple[int, int], sentence: str, table: Table) -> Frame:
    title = told.TITLES[step]
    return Frame(step, "grid", title, sentence, axes=GRID, shape=shape, table=table)
