"""Four frames of a line that runs and is wrong: right, wrong, count, meaning. Knows no learner."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

from attention_engine.admission import admit
from attention_engine.device import Chance
from attention_engine.encoding import encode
from attention_engine.frames import Frame, TensorRef
from attention_engine.kinds import misplaced
from attention_engine.kinds.misplaced import MAP_TOKENS, SOFTMAX
from attention_engine.outcomes import device_of
from attention_engine.spec import VisualizationSpec
from attention_engine.visualizations.silent import words as told
from attention_engine.visualizations.silent.meaning import meaning, read, row_held
from attention_engine.visualizations.silent.runs import PAIRS, Pair, Result, run

CELL_AXES, MAP_AXES = ("H", "T"), ("T", "T")
EXACT_IN_F16 = 2048
Numbers = Mapping[str, Any]
Sent = tuple[TensorRef, bytes]


def frames(spec: VisualizationSpec) -> Iterator[Frame]:
    """right and wrong: what each cell holds; count: numbers misplaced; meaning: one head on the sentence."""
    admit(spec)
    pair = PAIRS[spec.parameters["mistake"]]
    yield from (_softened if spec.parameters["mistake"] == SOFTMAX else _moved)(spec, pair)
    yield _meaning(spec, pair)


def _moved(spec: VisualizationSpec, pair: Pair) -> Iterator[Frame]:
    """The frames of a line that moves numbers, or fails to."""
    numbers = spec.parameters
    right, wrong = run(numbers, pair)
    titles = misplaced.codes(numbers)
    yield _cells("right", right, title=titles[0], sentence=told.right(numbers))
    yield _cells("wrong", wrong, title=titles[1], sentence=told.wrong(numbers, wrong.held))
    differ = (right.tensor != wrong.tensor).contiguous()
    yield _count(numbers, differ, counted=None if differ.is_meta else int(differ.sum()))


def _softened(spec: VisualizationSpec, pair: Pair) -> Iterator[Frame]:
    """The frames of a softmax over the wrong axis, on drawn scores of the first tokens."""
    numbers = spec.parameters
    shown = min(numbers["tokens"], MAP_TOKENS)
    scores = Chance(spec.seed, torch.device("cpu")).normal((shown, shown))
    titles = misplaced.codes(numbers)
    for step, title, line in zip(("right", "wrong"), titles, (pair.right, pair.wrong), strict=True):
        weights = line(scores, numbers["num_heads"])
        yield _map(
            step,
            [encode(weights.numpy(), role="weights", axes=MAP_AXES, encoding="u8sqrt")],
            weights,
            title=title,
            sentence=told.softened(numbers, weights, right=step == "right"),
            table=told.weights_table(weights),
        )
    yield _count(
        numbers, torch.empty(misplaced.shape(numbers), dtype=torch.bool, device="meta"), counted=None
    )


def _cells(step: str, result: Result, *, title: str, sentence: str) -> Frame:
    """The first number of every cell of the first sequence, (H, T); of the shown ones what they hold."""
    plane = result.cells[0, :, :, 0]
    sent = _held(result)
    return Frame(
        step=step,
        layout="grid",
        title=title,
        sentence=sentence,
        axes=CELL_AXES,
        shape=tuple(plane.shape),
        strides=tuple(plane.stride()),
        contiguous=plane.is_contiguous(),
        dtype=_dtype(plane),
        table=told.cells_table(result.held),
        tensors=tuple(reference for reference, _ in sent),
        blobs=tuple(body for _, body in sent),
        stamp={"device": device_of(plane)},
    )


def _held(result: Result) -> list[Sent]:
    """token, head and parts of the shown cells, (H', T'), exact in f16 up to 2,048, in f32 up to 2^24; the
    table tells a larger one exactly."""
    sent = []
    for role in ("token", "head", "parts"):
        values = np.array([[getattr(held, role) for held in row] for row in result.held])
        encoding = "f16" if values.max() <= EXACT_IN_F16 else "f32"
        sent.append(encode(values, role=role, axes=CELL_AXES, encoding=encoding))
    return sent


def _count(numbers: Numbers, differ: torch.Tensor, *, counted: int | None) -> Frame:
    """Which numbers differ, and how many: counted where they were moved, else by arithmetic."""
    of = misplaced.cells(numbers)
    found = misplaced.wrong_cells(numbers) if counted is None else counted
    return Frame(
        step="count",
        layout="blocks",
        title=f"{misplaced.share(found, of)} wrong",
        sentence=told.count(numbers, counted=counted),
        axes=misplaced.axes(numbers),
        shape=tuple(differ.shape),
        strides=tuple(differ.stride()),
        contiguous=differ.is_contiguous(),
        dtype=_dtype(differ),
        values=(float(found), float(of)),
        table=told.count_table(numbers, counted=counted),
        stamp={"device": device_of(differ)},
    )


def _meaning(spec: VisualizationSpec, pair: Pair) -> Frame:
    """The same head of the same layer with either line, on the sentence."""
    source = read(spec)
    maps, held = meaning(spec, source, pair), row_held(spec, source)
    sent = [
        encode(weights.cpu().numpy(), role=role, axes=MAP_AXES, encoding="u8sqrt")
        for role, weights in (("right", maps.right), ("wrong", maps.wrong))
    ]
    return _map(
        "meaning",
        sent,
        maps.wrong,
        title=f"{source.name}, head {spec.parameters['head']}, on the sentence",
        sentence=told.meaning(spec.parameters, source, maps, held),
        table=told.meaning_table(spec.parameters, source, maps, held),
        values=tuple(round(float(value), 4) for value in maps.apart),
        stamp=dict(source.stamp),
    )


def _map(step: str, sent: list[Sent], weights: torch.Tensor, **more: Any) -> Frame:
    return Frame(
        step=step,
        layout="grid",
        axes=MAP_AXES,
        shape=tuple(weights.shape),
        strides=tuple(weights.stride()),
        contiguous=weights.is_contiguous(),
        dtype=_dtype(weights),
        tensors=tuple(reference for reference, _ in sent),
        blobs=tuple(body for _, body in sent),
        **more,
    )


def _dtype(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")
