"""Frames that hold timings, which differ from run to run: what of them is the same in every run."""

from dataclasses import replace

from attention_engine.frames import Cell, Frame, Table

TIMED = {"roofline"}
"""Kinds that measure the machine: golden and twin tests hold their structure, never their figures."""
SAME = ("floor", "unit", "what", "d_head", "heads", "FLOP a byte", "score maps MiB, written out")
"""Columns that follow from the spec alone."""
FIGURE = "a measured figure"


def untimed(frame: Frame) -> Frame:
    """The frame with every measured figure, and every sentence about them, put out; their number stays."""
    keeps = [column in SAME for column in frame.table.columns]
    rows = tuple(
        tuple(_kept(cell) if keep else FIGURE for keep, cell in zip(keeps, row, strict=True))
        for row in frame.table.rows
    )
    return replace(
        frame,
        title="",
        sentence="",
        values=(0.0,) * len(frame.values),
        table=Table(frame.table.columns, rows),
    )


def _kept(cell: Cell) -> Cell:
    """ "matmul peak, by oneDNN" is "matmul peak": which path won is measured too."""
    return cell.partition(", by ")[0] if isinstance(cell, str) else cell
