"""A learner's heads, width, shape or program, run by torch, its words passed on unchanged. Knows no grade."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from attention_engine.device import META
from attention_engine.frames import Cell, Frame, Table
from attention_engine.kinds import answer_executed as kind
from attention_engine.kinds.answers import asked as answer_asked
from attention_engine.outcomes import Outcome, attempt, device_of, numbered, outcome_frame, rounded
from attention_engine.shapes import axes_of
from attention_engine.spec import VisualizationSpec
from attention_engine.visualizations.answers import answered_shape, other_lines, program

Numbers = Mapping[str, Any]


def frames(spec: VisualizationSpec) -> Iterator[Frame]:
    """run, then what belongs to the question: output (W_O), elsewhere (other lines), nearest, or the axes.

    A program: run, tiny, compare."""
    numbers = spec.parameters
    asked = answer_asked.asks(numbers)
    if asked == "program":
        yield from program.frames(spec)
        return
    if asked == "shape":
        yield from answered_shape.frames(numbers)
        return
    yield from _numbers_frames(numbers)


def _numbers_frames(numbers: Numbers) -> Iterator[Frame]:
    """Heads, a width or a module, run; then the same in other lines."""
    asked = answer_asked.asks(numbers)
    run, outcome = _run(numbers)
    yield run
    if numbers["line"] == "floor" and not outcome.words:
        yield _output(numbers)
    yield other_lines.frame(numbers)
    if asked == "heads":
        yield _nearest(numbers)


def _run(numbers: Numbers) -> tuple[Frame, Outcome]:
    """The line itself, on what the projection gives."""
    facts = kind.facts(numbers)
    run, source = _module(numbers) if facts["asks"] == "module" else _view(numbers)
    outcome = attempt(facts["code"], run, result="the layer is built" if facts["asks"] == "module" else "")
    rows: tuple[tuple[Cell, ...], ...] = (
        source,
        (outcome.code, outcome.said()),
        ("arithmetic", facts["sentence"]),
    )
    sentence = _sentence(numbers, facts, refused=bool(outcome.words))
    table = Table(("line", "outcome"), rows)
    axes = axes_of("view") if facts["works"] and facts["asks"] != "module" else ()
    return outcome_frame(outcome, step="run", axes=axes, sentence=sentence, table=table), outcome


def _view(numbers: Numbers) -> tuple[Callable[[], torch.Tensor], tuple[Cell, ...]]:
    q = numbered(answer_asked.shape_of(numbers, "project"))
    wanted = numbers["answer_shape"] or answer_asked.shape_of(numbers, "view")
    return lambda: q.view(wanted), ("q", f"shape {rounded(q.shape)}, {q.numel():,} numbers")


def _module(numbers: Numbers) -> tuple[Callable[[], torch.Tensor], tuple[Cell, ...]]:
    """The layer is built, no input is given: what is refused is refused here."""
    d_model, heads = numbers["d_model"], numbers["num_heads"]

    def build() -> torch.Tensor:
        torch.nn.MultiheadAttention(d_model, heads, device=META)
        return torch.zeros(())

    return build, ("layer", f"{heads} heads for d_model {d_model}")


def _sentence(numbers: Numbers, facts: Mapping[str, Any], *, refused: bool) -> str:
    told, asked = facts["sentence"], facts["asks"]
    d_model, heads = numbers["d_model"], facts["num_heads"]
    if asked == "module":
        built = f"the layer is built, {heads:,} heads of {d_model // heads:,}"
        return f"{told}: {'the constructor refuses, before any input' if refused else built}."
    if asked == "width":
        inner = heads * facts["d_head"]
        fits = "" if inner == d_model else f" W_Q is {d_model:,} × {inner:,}."
        return f"{told}: torch refuses the view." if refused else f"{told}.{fits}"
    if refused:
        return f"{told}: {_features(facts['remainder'])} would belong to no head, and torch refuses the view."
    if facts["remainder"]:
        return f"{told}: the shape runs, but {_features(facts['remainder'])} would belong to no head."
    return f"{told}: {heads:,} heads of {facts['d_head']:,}, nothing left over."


def _features(many: int) -> str:
    return f"{many:,} feature{'' if many == 1 else 's'}"


def _output(numbers: Numbers) -> Frame:
    """The line after: a W_O as wide as d_model, which a floored width does not reach."""
    d_model, inner = numbers["d_model"], numbers["num_heads"] * answer_asked.width(numbers)
    narrow = other_lines.narrow_output(numbers["batch"] * numbers["tokens"], inner, d_model)
    outcome = replace(narrow, code=f"W_O = Linear({d_model}, {d_model}); W_O(merged)")
    told = f"W_O has {d_model:,} rows and gets {inner:,} numbers a token"
    return outcome_frame(
        outcome,
        step="output",
        axes=(),
        sentence=f"{told}: torch refuses here." if outcome.words else f"{told}: it runs.",
        table=Table(("line", "outcome"), ((outcome.code, outcome.said()),)),
    )


def _nearest(numbers: Numbers) -> Frame:
    """The nearest numbers of heads below and above, each run."""
    q = numbered(answer_asked.shape_of(numbers, "project"))
    rows: list[tuple[Cell, ...]] = []
    for near in kind.nearest(numbers):
        heads, width = near["num_heads"], near["d_head"]
        shape = (numbers["batch"], numbers["tokens"], heads, width)
        outcome = attempt(f"q.view{rounded(shape)}", partial(q.view, shape))
        rows.append((heads, width, outcome.code, outcome.said()))
    named = " and ".join(f"{row[0]:,} (heads of {row[1]:,})" for row in rows)
    features, asked = numbers["q_width"], numbers["num_heads"]
    return Frame(
        step="nearest",
        layout="text",
        title="Nearest that divide",
        sentence=f"Nearest to {asked:,} that divide {features:,}: {named or 'none other'}.",
        table=Table(("num_heads", "d_head", "line", "outcome"), tuple(rows)),
        stamp={"device": device_of(q)},
    )
