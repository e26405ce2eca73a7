"""What a divisor does to scores: their spread, the softmax over them, its gradient; then a trained model.

Knows no learner. q and k are independent and standard normal, as the footnote of Vaswani et al. 2017 (section
3.2.1) assumes: true where weights begin, not after training, which the last frame shows."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import torch

from attention_engine.attention import entropy
from attention_engine.device import Chance, chosen_device
from attention_engine.frames import Frame, Table
from attention_engine.kinds import saturation as kind
from attention_engine.spec import VisualizationSpec
from attention_engine.trained import minilm
from attention_engine.trained.encoder import LayerHeads
from attention_engine.visualizations import _saturation_words as told
from attention_engine.visualizations._saturation_words import Measured, Numbers, Point

BINS = 81
"""Odd, so that one bin lies around 0."""


def frames(spec: VisualizationSpec) -> Iterator[Frame]:
    """histogram, sweep, model; each is given away before the next is computed."""
    numbers, device = spec.parameters, chosen_device()
    points = []
    drawn = grown(kind.widths(numbers["d_head"]), numbers["keys"], chance=Chance(spec.seed, device))
    for d_head, scores in drawn:
        points.append(_point(d_head, scores, numbers))
        if d_head == numbers["d_head"]:
            yield _histogram(scores, points[-1], numbers)
    yield _sweep(points, numbers)
    yield _model(numbers, device)


def grown(widths: Sequence[int], keys: int, *, chance: Chance) -> Iterator[tuple[int, torch.Tensor]]:
    """(256, keys) scores q.k of heads ever wider: the same vectors with features added, a stretch at a time.

    Drawn up to each width of the sweep in turn, so that a width between two changes no other number."""
    scores, begin = torch.zeros(()), 0
    for end in kind.WIDTHS:
        q, k = chance.normal((kind.QUERIES, end - begin)), chance.normal((keys, end - begin))
        cuts = [0, *(width - begin for width in widths if begin < width <= end)]
        for done, upto in pairwise(cuts):
            more = q[:, done:upto] @ k[:, done:upto].T
            scores = more.add_(scores.to(more.device))
            yield begin + upto, scores
        begin = end


def measured(scores: torch.Tensor, divisor: float) -> Measured:
    """Means over queries of softmax(scores / divisor): its largest weight, its entropy, its Jacobian's trace.

    The Jacobian of softmax is diag(p) - p p^T: its trace is the sum of p (1 - p)."""
    weights = (scores / divisor).softmax(dim=-1)
    return Measured(
        max_p=float(weights.amax(dim=-1).mean()),
        entropy=float(entropy(weights).mean()),
        trace=float((weights * (1 - weights)).sum(dim=-1).mean()),
    )


def _point(d_head: int, scores: torch.Tensor, numbers: Numbers) -> Point:
    """One width of the sweep, for every divisor that is drawn."""
    lines = {
        name: measured(scores, kind.divisor_at(divisor, d_head) * told.temperature(numbers))
        for name, divisor in told.lines(numbers).items()
    }
    return Point(x=d_head, std=float(scores.std()), lines=lines)


def _series(
    step: str, title: str, *, columns: Sequence[str], rows: Sequence[Sequence[float]], **more: Any
) -> Frame:
    """A frame whose values are its table without the first column: (x, series), as a tensor lays them out."""
    values = torch.tensor([row[1:] for row in rows])
    return Frame(
        step=step,
        layout="series",
        title=title,
        axes=("x", "series"),
        shape=tuple(values.shape),
        strides=tuple(values.stride()),
        contiguous=values.is_contiguous(),
        dtype=str(values.dtype).removeprefix("torch."),
        values=tuple(number for row in rows for number in row[1:]),
        table=Table(tuple(columns), tuple(tuple(row) for row in rows)),
        **more,
    )


def _histogram(scores: torch.Tensor, point: Point, numbers: Numbers) -> Frame:
    """How many of the 256 x keys pairs have which q.k, before and after each divisor."""
    divisors = {name: kind.divisor_at(divisor, point.x) for name, divisor in told.lines(numbers).items()}
    edge = float(scores.abs().max()) / min(divisors.values()) * (1 + 1e-5)
    counts = [
        torch.histc(scores / divisor, BINS, min=-edge, max=edge).int().tolist()
        for divisor in divisors.values()
    ]
    width = 2 * edge / BINS
    centres = [told.rounded((number - BINS // 2) * width) for number in range(BINS)]
    return _series(
        "histogram",
        f"q·k of {scores.numel():,} pairs",
        columns=("q·k", *(f"pairs, {name}" for name in divisors)),
        rows=list(zip(centres, *counts, strict=True)),
        sentence=told.histogram(point, numbers),
    )


def _panels(panels: Sequence[str], numbers: Numbers) -> tuple[str, ...]:
    """Column heads "panel, series"."""
    return tuple(f"{panel}, {name}" for panel in panels for name in told.lines(numbers))


def _sweep(points: Sequence[Point], numbers: Numbers) -> Frame:
    """The three measures of each divisor, and the spread beside its law, at every width."""
    law = ("std of q·k, measured", "std of q·k, sqrt(d_head)")
    rows = [
        (point.x, *point.measures(told.PANELS), told.rounded(point.std), told.rounded(math.sqrt(point.x)))
        for point in points
    ]
    return _series(
        "sweep",
        f"d_head {points[0].x} to {points[-1].x}",
        columns=("d_head", *_panels(told.PANELS, numbers), *law),
        rows=rows,
        sentence=told.sweep(next(point for point in points if point.x == numbers["d_head"]), numbers),
    )


def _model(numbers: Numbers, device: torch.device) -> Frame:
    """Each layer of MiniLM on the sentence: with its own scale, without, and with the divisor asked for."""
    columns = ("layer", *_panels(told.PANELS[:2], numbers), "std of q·k / sqrt(d_head), measured")
    if missing := minilm.why_missing():
        stamp = {"weights": f"none: {missing}"}
        return Frame("model", "series", minilm.NAME, told.MISSING, table=Table(columns), stamp=stamp)
    reading = minilm.read(numbers["sentence"], device)
    points = [_layer(number, heads, numbers) for number, heads in enumerate(reading.layers)]
    d_head = reading.layers[0].q.shape[-1]
    rows = [
        (point.x, *point.measures(told.PANELS[:2]), told.rounded(point.std / math.sqrt(d_head)))
        for point in points
    ]
    return _series(
        "model",
        f"{minilm.NAME}, {len(reading.tokens)} tokens",
        columns=columns,
        rows=rows,
        sentence=told.model(points, numbers, d_head=d_head, tokens=len(reading.tokens)),
        stamp=dict(reading.stamp),
    )


def _layer(number: int, heads: LayerHeads, numbers: Numbers) -> Point:
    """Means over the heads of a layer, the scores of one head in memory at a time."""
    d_head = heads.q.shape[-1]
    points = [_point(d_head, q @ k.T, numbers) for q, k in zip(heads.q, heads.k, strict=True)]
    return told.mean_of(number, points)
