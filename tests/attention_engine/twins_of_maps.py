"""Rules of table_twins for maps and cells that were sent as tensors: decoded they are what is told."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_engine.encoding import Floats, thumbnail
from attention_engine.frames import Cell, Frame, TensorRef
from attention_engine.spec import VisualizationSpec
from tests.attention_engine.decoding import decode

STEPS_OF_256 = 128
"""Beyond this many tokens a map of scores has 256 steps, whatever carries them."""


@dataclass(frozen=True)
class Drawn:
    """A frame among those of its picture, and what its picture's facts say."""

    spec: VisualizationSpec
    facts: Mapping[str, Any]
    frames: Mapping[str, Frame]
    frame: Frame

    @property
    def columns(self) -> tuple[str, ...]:
        """Heads of the table."""
        return self.frame.table.columns

    @property
    def rows(self) -> tuple[tuple[Cell, ...], ...]:
        """Rows of the table."""
        return self.frame.table.rows

    def tensor(self, role: str) -> tuple[TensorRef, Floats]:
        """A tensor that was sent, as a client decodes it."""
        at = [tensor.role for tensor in self.frame.tensors].index(role)
        return self.frame.tensors[at], decode(self.frame.tensors[at], self.frame.blobs[at])


def error_of(reference: TensorRef, values: Floats) -> Floats:
    """How far decoded numbers may be from those that were encoded."""
    size, span = np.nan_to_num(np.abs(values), posinf=0.0), reference.maximum - reference.minimum
    if reference.encoding == "u8sqrt":  # steps are even in the root; long whole maps take every second one
        return np.asarray(4 * np.sqrt(size) / 255 + 4 / 255**2, dtype=np.float32)
    coarse = reference.encoding == "u8" or (reference.role == "scores" and values.shape[-1] > STEPS_OF_256)
    steps = span / 255 if coarse else 0.0
    return np.asarray(size * 2.0**-10 + 1e-6 + steps, dtype=np.float32)


def check_map(drawn: Drawn) -> None:
    """Every cell of a map, and where a row has a sum, that too."""
    reference, sent = drawn.tensor(drawn.frame.tensors[0].role)
    sums = drawn.columns[-1] == "sum"
    assert drawn.frame.shape == sent.shape == (len(drawn.rows), len(drawn.columns) - 1 - sums)
    slack = error_of(reference, sent)
    for told, row, room in zip(drawn.rows, sent, slack, strict=True):
        cells = told[1 : 1 + len(row)]
        for cell, value, give in zip(cells, row, room, strict=True):
            if cell == "hidden":
                assert not np.isfinite(value), told
            else:
                assert isinstance(cell, float)
                assert abs(cell - value) <= give + 5.1e-4, (told, value)
        if sums:
            assert isinstance(told[-1], float)
            assert abs(told[-1] - row.sum()) <= room.sum() + 5.1e-3, told
    check_thumbnail(drawn, sent)


def check_strongest(drawn: Drawn) -> None:
    """Of each row the largest value, and a key that has it."""
    reference, sent = drawn.tensor(drawn.frame.tensors[0].role)
    assert drawn.frame.shape == sent.shape == (len(drawn.rows), len(drawn.rows))
    for told, row, room in zip(drawn.rows, sent, error_of(reference, sent), strict=True):
        _, key, value = told
        shown = np.where(np.isfinite(row), row, -np.inf)
        if value == "hidden":
            assert not np.isfinite(row).any(), told
            continue
        assert isinstance(key, int)
        assert isinstance(value, float)
        assert abs(row[key] - value) <= room[key] + 5.1e-3, (told, row[key])
        assert row[key] >= shown.max() - 2 * room.max(), told
    check_thumbnail(drawn, sent)


def check_thumbnail(drawn: Drawn, sent: Floats) -> None:
    """The small map of the head that is shown is its own map pooled; every head has its entropy."""
    if "thumbnails" not in [tensor.role for tensor in drawn.frame.tensors]:
        return
    reference, small = drawn.tensor("thumbnails")
    own = small[drawn.spec.parameters["head"]]
    rough = error_of(reference, own) + float(error_of(drawn.frame.tensors[0], sent).max())
    assert (np.abs(own - thumbnail(sent, own.shape[-1])) <= rough).all()
    assert len(drawn.frame.values) == len(small)
    entropy = float(-(sent * np.log(np.maximum(sent, 1e-12))).sum(axis=-1).mean())
    assert abs(drawn.frame.values[drawn.spec.parameters["head"]] - entropy) <= 0.15


def check_output(drawn: Drawn) -> None:
    """Root mean squares are those of the output, and the parts of every row those that were sent."""
    _, output = drawn.tensor("output")
    _, brought = drawn.tensor("contributions")
    sizes = np.sqrt(np.square(output).mean(axis=-1))
    assert len(drawn.rows) == len(output)
    assert all(abs(row[3] - size) <= 5.1e-3 + size / 500 for row, size in zip(drawn.rows, sizes, strict=True))
    told = drawn.rows if brought.ndim == 2 else [drawn.rows[int(drawn.frame.values[0])]]
    for row, parts in zip(told, np.atleast_2d(brought), strict=True):
        best = 100 * float(parts.max())
        assert row[1] == "none" or abs(100 * float(parts[int(row[1])]) - best) <= 0.1, row
        assert abs(row[2] - best) <= 0.6, row


def check_cells(drawn: Drawn) -> None:
    """What each shown cell holds, and a cross exactly where that is not what belongs there."""
    token, head, parts = (drawn.tensor(role)[1] for role in ("token", "head", "parts"))
    assert token.shape == (len(drawn.rows), len(drawn.columns) - 1)
    for (h, t), held in np.ndenumerate(token):
        mixed, own = int(parts[h, t]), int(head[h, t])
        says = f"t {int(held):,}, " + (f"h {own:,}" if mixed == 1 else f"{mixed:,} heads")
        right = (int(held), own, mixed) == (t, h, 1)
        assert drawn.rows[h][1 + t] == (says if right else f"{says} ✗")


def check_pair(drawn: Drawn) -> None:
    """Of each token the strongest key of both maps and its weight; the last number is the frame's own."""
    names = [str(row[0]) for row in drawn.rows]
    placed = [f"{name} {n}" if names.count(name) > 1 else name for n, name in enumerate(names)]
    for role, column in (("right", 1), ("wrong", 3)):
        reference, sent = drawn.tensor(role)
        assert sent.shape == (len(names), len(names))
        for told, row, room in zip(drawn.rows, sent, error_of(reference, sent), strict=True):
            key, weight = placed.index(str(told[column])), told[column + 1]
            assert isinstance(weight, float)
            assert abs(row[key] - weight) <= room[key] + 5.1e-3, (told, row[key])
            assert row[key] >= row.max() - 2 * room.max(), told
    apart = zip((row[5] for row in drawn.rows), drawn.frame.values, strict=True)
    assert all(isinstance(cell, float) and abs(cell - value) <= 5.1e-3 for cell, value in apart)


Rule = tuple[Callable[[tuple[str, ...]], bool], Callable[[Any], None]]
MAPS: tuple[Rule, ...] = (
    (lambda columns: columns[1:] == ("strongest key, by position", "value"), check_strongest),
    (lambda columns: "largest part from key, by position" in columns, check_output),
    (lambda columns: "wrong: strongest key" in columns, check_pair),
    (lambda columns: columns[0] == "query", check_map),
    (lambda columns: columns[:2] == ("cell", "token 0"), check_cells),
)
"""What a rule knows by its columns, the special before the general."""
