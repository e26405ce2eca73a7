"""A learner's number of heads, or shape, run by torch and its words passed on unchanged. Knows no grade."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import torch
from torch.nn.functional import linear

from attention_engine.device import META
from attention_engine.frames import Cell, Frame, Table
from attention_engine.kinds import answer_executed as kind
from attention_engine.outcomes import Outcome, attempt, device_of, numbered, outcome_frame, rounded
from attention_engine.shapes import axes_of
from attention_engine.spec import VisualizationSpec
from attention_engine.visualizations import _answered_shape

MOST_CHUNKS = 512
Numbers = Mapping[str, Any]


def frames(spec: VisualizationSpec) -> Iterator[Frame]:
    """run, elsewhere, nearest for a number of heads; run, right, compare for a shape."""
    numbers = spec.parameters
    if numbers["answer_shape"] and kind.has_shape(numbers):
        yield from _answered_shape.frames(numbers)
        return
    yield _run(numbers)
    yield _elsewhere(numbers)
    yield _nearest(numbers)


def _run(numbers: Numbers) -> Frame:
    """The view itself, on what the projection gives."""
    q = numbered(kind.shape_of(numbers, "project" if numbers["d_head"] else "input"))
    facts = kind.facts(numbers)
    wanted = numbers["answer_shape"] or kind.shape_of(numbers, "view")
    outcome = attempt(facts["code"], lambda: q.view(wanted))
    rows: tuple[tuple[Cell, ...], ...] = (
        ("q", f"shape {rounded(q.shape)}, {q.numel()} numbers"),
        (outcome.code, outcome.said()),
        ("arithmetic", facts["sentence"]),
    )
    table = Table(("line", "outcome"), rows)
    sentence = _sentence(numbers, refused=bool(outcome.words))
    return outcome_frame(outcome, step="run", axes=axes_of("view"), sentence=sentence, table=table)


def _sentence(numbers: Numbers, *, refused: bool) -> str:
    facts = kind.facts(numbers)
    told, heads, d_model = facts["sentence"], facts["num_heads"], facts["d_model"]
    if refused:
        return f"{told}: {facts['remainder']} features would belong to no head, and torch refuses the view."
    if not kind.has_shape(numbers):
        return f"{told}: the shape runs, but {facts['remainder']} features would belong to no head."
    inner = heads * facts["d_head"]
    if numbers["d_head"] and inner != d_model:
        return f"{told}. It runs: W_Q is {d_model} x {inner} and W_O {inner} x {d_model}."
    return f"{told}: {heads} heads of {facts['d_head']}, nothing left over."


def _elsewhere(numbers: Numbers) -> Frame:
    """The same number of heads in other common lines: some refuse, some run and are wrong."""
    d_model, heads = numbers["d_model"], numbers["num_heads"]
    outcomes = [*_strict_lines(d_model, heads), *_silent_lines(numbers)]
    table = Table(("line", "outcome"), tuple((outcome.code, outcome.said()) for outcome in outcomes))
    return Frame(
        step="elsewhere",
        layout="text",
        title=f"{heads} heads for d_model {d_model} in other lines",
        sentence=_verdict(numbers, outcomes),
        table=table,
        stamp={"device": "meta"},
    )


def _verdict(numbers: Numbers, outcomes: list[Outcome]) -> str:
    d_model, heads, d_head = (numbers[name] for name in ("d_model", "num_heads", "d_head"))
    silent = sum(1 for outcome in outcomes if not outcome.words)
    if d_model % heads:
        return f"Of {len(outcomes)} lines {silent} run without a word: only a check refuses {heads} heads."
    if d_head and d_head != d_model // heads:
        return f"Lines that derive the width take {d_model // heads} here, not {d_head}."
    return f"All {silent} lines run: {heads} divides {d_model}."


def _strict_lines(d_model: int, heads: int) -> Iterator[Outcome]:
    q = torch.empty((2, 4, d_model), device=META)
    width = d_model // heads
    yield attempt(f"q.unflatten(-1, ({heads}, {width}))", lambda: torch.unflatten(q, -1, (heads, width)))
    yield attempt(
        f"nn.MultiheadAttention({d_model}, {heads})",
        lambda: torch.nn.MultiheadAttention(d_model, heads, device=META).out_proj.weight,
        result=f"head_dim {width}",
    )


def _silent_lines(numbers: Numbers) -> Iterator[Outcome]:
    """Code that floors d_head unchecked runs, narrower than d_model, until a W_O of d_model refuses it."""
    batch, tokens, d_model, heads = (numbers[name] for name in ("batch", "tokens", "d_model", "num_heads"))
    width = d_model // heads
    inner = heads * width
    x, w_q = torch.empty((batch, tokens, d_model), device=META), torch.empty((inner, d_model), device=META)
    yield attempt(
        f"Linear({d_model}, {heads}*{width})(x).view({batch}, {tokens}, {heads}, {width})",
        lambda: linear(x, w_q).view(batch, tokens, heads, width),
    )
    if inner != d_model:
        yield _narrow_output(batch * tokens, inner, d_model)
    if heads <= MOST_CHUNKS:
        yield _chunked(x, heads)


def _narrow_output(rows: int, inner: int, d_model: int) -> Outcome:
    """Real operands, but each is one number repeated: torch compares widths before it reads or allocates."""
    one = torch.zeros(1)
    y, w_o = one.expand(rows, inner), one.expand(d_model, d_model)
    return attempt(f"Linear({d_model}, {d_model}) on those {inner} numbers", lambda: linear(y, w_o))


def _chunked(x: torch.Tensor, heads: int) -> Outcome:
    """chunk never refuses: the last piece is narrower, or pieces are missing."""
    widths = [piece.shape[-1] for piece in x.chunk(heads, dim=-1)]
    last = f" and last {widths[-1]}" if widths[-1] != widths[0] else ""
    return Outcome(
        f"x.chunk({heads}, -1)", tensor=x, result=f"{len(widths)} pieces, widths {widths[0]}{last}"
    )


def _nearest(numbers: Numbers) -> Frame:
    """The nearest numbers of heads below and above, each run."""
    batch, tokens, d_model = numbers["batch"], numbers["tokens"], numbers["d_model"]
    q = numbered((batch, tokens, d_model))
    rows: list[tuple[Cell, ...]] = []
    for near in kind.nearest(numbers):
        heads, width = near["num_heads"], near["d_head"]
        shape = (batch, tokens, heads, width)
        outcome = attempt(f"q.view{rounded(shape)}", partial(q.view, shape))
        rows.append((heads, width, outcome.code, outcome.said()))
    named = " and ".join(f"{row[0]} (heads of {row[1]})" for row in rows)
    return Frame(
        step="nearest",
        layout="text",
        title="Nearest that divide",
        sentence=f"Nearest to {numbers['num_heads']} that divide {d_model}: {named or 'none other'}.",
        table=Table(("num_heads", "d_head", "line", "outcome"), tuple(rows)),
        stamp={"device": device_of(q)},
    )
