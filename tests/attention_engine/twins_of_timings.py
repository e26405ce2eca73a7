"""Whether the tables of a sweep hold together: rates and latencies, shares and roofs. Knows no clock."""

import math
from collections.abc import Mapping

import pytest

from attention_engine.frames import Cell
from attention_engine.kinds import roofline
from attention_engine.kinds.roofline import WAYS, Point
from tests.attention_engine.twins_of_maps import Drawn, Rule

ABSENT = "not measured"


def _points(drawn: Drawn) -> dict[int, Point]:
    return {point.d_head: point for point in roofline.points(drawn.spec.parameters)}


def check_sweep(drawn: Drawn) -> None:
    """Heads and maps follow from the width; no throughput is below FLOPs over latency, which waits too."""
    points = _points(drawn)
    for cells in drawn.rows:
        row = dict(zip(drawn.columns, cells, strict=True))
        point = points[int(row["d_head"])]
        assert row["heads"] == point.num_heads
        for way in WAYS:
            _check_way(row, way, point)
    kept = [cell for cells in drawn.rows for cell in cells[2:-2] if not isinstance(cell, str)]
    assert kept == list(drawn.frame.values)
    widths = [cells[0] for cells in drawn.rows]
    assert widths == sorted(points)[: len(widths)]


def _check_way(row: Mapping[str, Cell], way: str, point: Point) -> None:
    figures = [row[f"{what}, {way}"] for what in ("GFLOP/s", "latency ms", "spread %")]
    if way == "written out":
        figures.append(row["score maps MiB, written out"])
    absent = [cell == ABSENT for cell in figures]
    assert all(absent) or not any(absent), row
    if not any(absent):
        assert float(figures[0]) * float(figures[1]) >= point.flops / 1e6 * 0.998
        assert float(figures[2]) >= 0
    if way == "written out" and not any(absent):
        assert float(figures[3]) == pytest.approx(point.map_bytes / 2**20, rel=1e-3)


def check_roof(drawn: Drawn) -> None:
    """The roof over each point follows from the floors; its share from its rate; rates are the sweep's."""
    peak, bandwidth = (float(cells[3]) for cells in drawn.rows[:2])
    points, sweep = _points(drawn), drawn.frames["sweep"].table
    rates = {
        (way, cells[0]): cells[sweep.columns.index(f"GFLOP/s, {way}")] for cells in sweep.rows for way in WAYS
    }
    for way, d_head, intensity, rate, roof, share in drawn.rows[2:]:
        assert rate == rates.pop((str(way), d_head))
        near = points[int(d_head)].intensity(way)  # type: ignore[arg-type]
        assert float(intensity) == pytest.approx(near, rel=1e-3)
        assert float(roof) == pytest.approx(min(peak, near * bandwidth), rel=2e-3)
        assert float(share) == pytest.approx(100 * float(rate) / float(roof), rel=2e-3)
    assert set(rates.values()) <= {ABSENT}
    assert [cells[3] for cells in drawn.rows] == list(drawn.frame.values)


def check_floors(drawn: Drawn) -> None:
    """Peak over bandwidth is the ridge."""
    peak, bandwidth, ridge = (float(cells[1]) for cells in drawn.rows)
    assert math.isclose(peak / bandwidth, ridge, rel_tol=2e-3)
    assert (peak, bandwidth, ridge) == drawn.frame.values


TIMINGS: tuple[Rule, ...] = (
    (lambda columns: "SDPA kernel" in columns, check_sweep),
    (lambda columns: columns[:2] == ("what", "d_head"), check_roof),
    (lambda columns: columns == ("floor", "measured", "unit"), check_floors),
)
