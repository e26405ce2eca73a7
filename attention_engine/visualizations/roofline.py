"""Attention timed on the worker's own device at one d_model and many head widths, beside its floors.

Knows no learner. Every number of time was taken in this run; what was not measured is absent and says why."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from attention_engine.boundaries import boundary
from attention_engine.device import chosen_device, device_name, processor_name
from attention_engine.frames import Cell, Frame, Table
from attention_engine.kinds import roofline as kind
from attention_engine.kinds.operations import many
from attention_engine.memory import make_room
from attention_engine.spec import VisualizationSpec
from attention_engine.visualizations.roof import floors, runs
from attention_engine.visualizations.roof import words as told
from attention_engine.visualizations.roof.clock import Clock, clock_for, clock_name
from attention_engine.visualizations.roof.runs import Measured
from attention_engine.visualizations.roof.words import Machine

Numbers = Mapping[str, Any]
SLOW = 8
"""How many times slower than float32 a dtype may be before its sweep is not begun."""


class NotMeasurable(ValueError):
    """Nothing of this sweep can be measured here; the message says why and what can."""


def frames(spec: VisualizationSpec) -> Iterator[Frame]:
    """machine, a frame for each width as soon as it is measured, sweep, roofline.

    Raises NotMeasurable where this worker has not the device, or its CPU not the dtype, that is asked for."""
    device = device_asked(spec.parameters["device"], chosen_device())
    yield from measuring(spec.parameters, device, clock=clock_for(device))


def device_asked(asked: str, here: torch.device) -> torch.device:
    """The worker's own device, or its CPU. Raises NotMeasurable for a GPU where there is none."""
    if asked == "cuda" and here.type != "cuda":
        raise NotMeasurable(
            "The worker that took this computes on a CPU; ask for device any or cpu, "
            "or start a worker with a GPU"
        )
    return torch.device("cpu") if asked == "cpu" else here


def measuring(numbers: Numbers, device: torch.device, *, clock: Clock) -> Iterator[Frame]:
    """The frames of one sweep by this clock, each before the next point is measured."""
    stamp = stamped(device)
    if device.type == "cuda":
        make_room(floors.bytes_on_gpu(floors.DTYPES[numbers["dtype"]]), device)
    _refuse_slow_halves(numbers, device, clock)
    dtype, repeats = floors.DTYPES[numbers["dtype"]], numbers["repeats"]
    found = Machine(
        name=f"{device_name(device)} ({stamp['processor']}, {_threads()})" if device.type == "cpu"
        else device_name(device),
        dtype=numbers["dtype"],
        first=floors.peak(dtype, device, clock=clock, repeats=repeats),
        copied=floors.copy(device, clock=clock, repeats=repeats),
    )  # fmt: skip
    yield replace(_machine(found), stamp=stamp)
    all_: list[Measured] = []
    for point in kind.points(numbers):
        boundary()
        all_ += runs.attention(point, numbers, device, clock=clock)
        yield replace(_point(all_, numbers, device), stamp=stamp)
    last = floors.peak(dtype, device, clock=clock, repeats=1, only=found.first.by)
    found = replace(found, last=last)
    yield replace(_sweep(all_, found, numbers, device), stamp=stamp)
    yield replace(_roofline(all_, found), stamp=stamp)


def stamped(device: torch.device) -> dict[str, str | float]:
    """Which device and when: a timing without them says nothing."""
    return {
        "device": device_name(device),
        "processor": processor_name(),
        "threads": torch.get_num_threads(),
        "timed": clock_name(device),
        "measured": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def _threads() -> str:
    many = torch.get_num_threads()
    return f"{many} thread{'s' if many > 1 else ''}"


def _refuse_slow_halves(numbers: Numbers, device: torch.device, clock: Clock) -> None:
    """float16 is no sweep where its products crawl, as on many CPUs: measured first. Raises NotMeasurable."""
    if numbers["dtype"] != "float16" or device.type == "cuda":
        return
    half, single = floors.halves_against_singles(clock=clock, repeats=numbers["repeats"])
    side = floors.HALF_SIDE
    if single > SLOW * half:
        raise NotMeasurable(
            f"A product of {side} x {side} matrices runs here at {told.figure(half)} GFLOP/s in float16 and "
            f"at {told.figure(single)} in float32, {single / half:,.0f} times as fast: a sweep in float16 "
            "would take too long; take bfloat16 or float32, or a worker with a GPU"
        )


def _machine(found: Machine) -> Frame:
    rows: tuple[tuple[Cell, ...], ...] = (
        (f"matmul peak, by {found.first.by}", told.rounded(found.first.rate / 1e9), "GFLOP/s"),
        (f"copy of {found.copied.size // kind.MIB} MiB", told.rounded(found.copied.rate / 1e9), "GB/s"),
        ("ridge", told.rounded(found.ridge), "FLOPs a byte"),
    )
    return Frame(
        step="machine",
        layout="text",
        title="What this machine does at best",
        sentence=told.machine(found),
        values=tuple(float(row[1]) for row in rows),
        table=Table(("floor", "measured", "unit"), rows),
    )


def _rows(all_: Sequence[Measured], device: torch.device) -> tuple[tuple[Cell, ...], ...]:
    """A row for each width, both ways in it."""
    pairs = zip(all_[::2], all_[1::2], strict=True)
    return tuple(told.row(both, padded=_padded(both, device)) for both in pairs)


def _padded(both: Sequence[Measured], device: torch.device) -> Cell:
    """The compiled width on CUDA's flash kernel; of others no padding is known."""
    kernel = next(one.kernel for one in both if one.way == "SDPA")
    width = kind.padded(both[0].point.d_head)
    return width if device.type == "cuda" and kernel == "flash" and width else "none known"


def _series(step: str, rows: tuple[tuple[Cell, ...], ...], **more: Any) -> Frame:
    """A frame whose values are the measured numbers of its table, row by row, absent ones left out."""
    values = tuple(float(cell) for row in rows for cell in row[2:-2] if not isinstance(cell, str))
    return Frame(step=step, layout="series", values=values, table=Table(told.COLUMNS, rows), **more)


def _point(all_: Sequence[Measured], numbers: Numbers, device: torch.device) -> Frame:
    """All widths so far, the sentence of the last: the chart fills while it is measured."""
    both = all_[-2:]
    d_head = both[0].point.d_head
    return _series(
        f"d_head {d_head}",
        _rows(all_, device),
        title=f"{len(all_) // 2} of {len(numbers['d_heads'])} widths",
        sentence=told.point(both, numbers),
        error=next((one.error for one in both if one.error), ""),
    )


def _sweep(all_: Sequence[Measured], found: Machine, numbers: Numbers, device: torch.device) -> Frame:
    kernel = next((one.kernel for one in all_ if one.kernel), "")
    cuda = device.type == "cuda"
    padding = told.padding([one.point for one in all_[::2]], kernel, cuda=cuda) if kernel else ""
    return _series(
        "sweep",
        _rows(all_, device),
        title=f"d_model {numbers['d_model']:,}, {many(numbers['tokens'], 'token')}, {numbers['dtype']}",
        sentence=" ".join(one for one in (told.sweep(all_, found, numbers), padding) if one),
        error=next((one.error for one in all_ if one.error), ""),
    )


def _roofline(all_: Sequence[Measured], found: Machine) -> Frame:
    rows = told.roof_rows(all_, found)
    return Frame(
        step="roofline",
        layout="series",
        title=f"Roof of {told.figure(found.peak / 1e9)} GFLOP/s",
        sentence=told.roofline(all_, found),
        values=tuple(float(row[3]) for row in rows),
        table=Table(told.ROOF_COLUMNS, rows),
    )
