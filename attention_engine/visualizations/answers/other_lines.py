"""The same heads in other common lines: some refuse, some run and are wrong. Knows no grade."""

from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch.nn.functional import linear

from attention_engine.device import META
from attention_engine.frames import Frame, Table
from attention_engine.kinds.answers import asked as answer_asked
from attention_engine.outcomes import Outcome, attempt

MOST_CHUNKS = 512
Numbers = Mapping[str, Any]


def frame(numbers: Numbers) -> Frame:
    """One row a line, with torch's words or what it gives."""
    d_model, heads = numbers["d_model"], numbers["num_heads"]
    outcomes = list(_width_lines(numbers) if answer_asked.asks(numbers) == "width" else _heads_lines(numbers))
    if numbers["line"] == "floor":
        outcomes = list(_heads_lines(numbers))[:2] + list(_chunked(numbers))
    table = Table(("line", "outcome"), tuple((outcome.code, outcome.said()) for outcome in outcomes))
    return Frame(
        step="elsewhere",
        layout="text",
        title=f"{heads:,} heads for d_model {d_model:,} in other lines",
        sentence=_verdict(numbers, outcomes),
        table=table,
        stamp={"device": "meta"},
    )


def _verdict(numbers: Numbers, outcomes: list[Outcome]) -> str:
    d_model, heads = numbers["d_model"], numbers["num_heads"]
    silent = sum(1 for outcome in outcomes if not outcome.words)
    told = f"Of {len(outcomes)} lines {silent} run{'s' if silent == 1 else ''}"
    if answer_asked.asks(numbers) == "width" and numbers["line"] == "view":
        return f"{told} for {heads:,} heads and {numbers['q_width']:,} features."
    if d_model % heads:
        return f"{told} without a word: only a check refuses {heads:,} heads."
    return f"All {silent} lines run: {heads:,} divides {d_model:,}."


def _width_lines(numbers: Numbers) -> Iterator[Outcome]:
    """Lines in which torch checks a stated width, or derives it from the number of heads."""
    batch, tokens, heads = (numbers[name] for name in ("batch", "tokens", "num_heads"))
    q = torch.empty(answer_asked.shape_of(numbers, "project"), device=META)
    width = answer_asked.width(numbers)
    yield attempt(f"q.unflatten(-1, ({heads}, {width}))", lambda: torch.unflatten(q, -1, (heads, width)))
    derived = (batch, tokens, heads, -1)
    yield attempt(f"q.view{derived}", lambda: q.view(derived))


def _heads_lines(numbers: Numbers) -> Iterator[Outcome]:
    d_model, heads = numbers["d_model"], numbers["num_heads"]
    q, width = torch.empty((2, 4, d_model), device=META), d_model // heads
    if numbers["line"] == "module":
        view = (numbers["batch"], numbers["tokens"], heads, width)
        yield attempt(f"q.view{view}", lambda: torch.empty((*view[:2], d_model), device=META).view(view))
    yield attempt(f"q.unflatten(-1, ({heads}, {width}))", lambda: torch.unflatten(q, -1, (heads, width)))
    if numbers["line"] != "module":
        yield attempt(
            f"nn.MultiheadAttention({d_model}, {heads})",
            lambda: torch.nn.MultiheadAttention(d_model, heads, device=META).out_proj.weight,
            result=f"head_dim {width}",
        )
    yield from _silent_lines(numbers)


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
        yield narrow_output(batch * tokens, inner, d_model)
    yield from _chunked(numbers)


def narrow_output(rows: int, inner: int, d_model: int) -> Outcome:
    """Real operands, but each is one number repeated: torch compares widths before it reads or allocates."""
    one = torch.zeros(1)
    y, w_o = one.expand(rows, inner), one.expand(d_model, d_model)
    if inner == d_model:
        y, w_o = (torch.empty(shape, device=META) for shape in ((rows, inner), (d_model, d_model)))
    return attempt(f"Linear({d_model}, {d_model}) on those {inner} numbers", lambda: linear(y, w_o))


def _chunked(numbers: Numbers) -> Iterator[Outcome]:
    """chunk never refuses: the last piece is narrower, or pieces are missing."""
    heads = numbers["num_heads"]
    if heads > MOST_CHUNKS:
        return
    x = torch.empty((numbers["batch"], numbers["tokens"], numbers["d_model"]), device=META)
    widths = [piece.shape[-1] for piece in x.chunk(heads, dim=-1)]
    last = f" and last {widths[-1]}" if widths[-1] != widths[0] else ""
    told = f"{len(widths)} pieces, widths {widths[0]}{last}"
    yield Outcome(f"x.chunk({heads}, -1)", tensor=x, result=told)
