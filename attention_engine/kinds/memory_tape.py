"""memory_tape without tensors: a chain of operations, each by shape, strides and offset. Has no values."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from attention_engine import op_chain, overlaps, strides
from attention_engine.axis_names import start, unnamed
from attention_engine.kinds import layer, tape_words
from attention_engine.kinds.work import BESIDE_TENSORS, Work
from attention_engine.op_chain import Op
from attention_engine.op_rules import NeedsCopy, Refused, after
from attention_engine.parameters import LARGEST_AXIS, InvalidSpec, Parameter
from attention_engine.strides import CACHE_LINE, Layout

BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}
INT32, INT64 = 4, 8
MOST_AXES = 4
COUNTED_NUMBERS = 2**20
"""Up to this many numbers the worker runs a learner's strides on numbers that say where they lie."""
LONGEST_TEXT = 2000
"""Characters: more than the longest chain takes with every name replaced by a number."""
MOST_ADDRESSES = 2**45
"""Bytes over which strides may be tried: more than any process can address."""

TITLE = "What an operation does in memory"
PARAMETERS = (
    *layer.LAYER,
    Parameter("shape", "ints", [], "shape of x, at most 4 axes; empty: (batch, tokens, num_heads * d_head)"),
    Parameter(
        "ops",
        "text",
        "",
        "operations on x, as view(B, T, H, D).transpose(1, 2); empty: these and contiguous()",
        minimum=0,
        maximum=LONGEST_TEXT,
    ),
    Parameter("dtype", "choice", "float32", "what a number is kept as", choices=tuple(BYTES)),
    Parameter(
        "answer_strides",
        "ints",
        [],
        "the learner's strides for the last tensor; empty: none",
        minimum=-LARGEST_AXIS,
    ),
    Parameter("answer_shape", "ints", [], "the shape they are read in; empty: the last tensor's", minimum=0),
)


@dataclass(frozen=True)
class Done:
    """One step: the tensor before and after it, or why there is none."""

    name: str
    op: Op | None
    code: str
    before: Layout
    after: Layout | None
    reason: str = ""
    copying_helps: bool = False


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers of the layer, the shape of x and the operations written out. Raises InvalidSpec."""
    filled = {p.name: p.default for p in PARAMETERS} | _layer(given)
    names = _names(filled)
    filled["shape"] = list(given.get("shape") or (names["B"], names["T"], names["H"] * names["D"]))
    if len(filled["shape"]) > MOST_AXES:
        raise InvalidSpec(
            f"shape has {len(filled['shape'])} axes; x has at most {MOST_AXES}: unflatten can make more",
            field="shape",
        )
    filled["ops"] = op_chain.written(_parsed(filled["ops"], names), base="").removeprefix(".")
    filled["model"] = ""  # its numbers are written out, and its name is told nowhere
    if not filled["answer_strides"]:
        return filled | {"answer_shape": []}
    last = _last(chain(filled))
    filled["answer_shape"] = list(given.get("answer_shape") or last.shape)
    if last.storage * BYTES[filled["dtype"]] > MOST_ADDRESSES:
        raise InvalidSpec(
            f"answer_strides would be tried on {last.storage:,} numbers, more than a process can address: "
            "take fewer tokens",
            field="answer_strides",
        )
    return filled


def _layer(given: Mapping[str, Any]) -> dict[str, Any]:
    """The layer; where the shape of x is given, num_heads need not divide d_model."""
    if not given.get("shape"):
        return layer.complete_whole(given)
    filled = layer.complete(given)
    return filled | {"d_head": filled["d_head"] or max(filled["d_model"] // filled["num_heads"], 1)}


def _names(parameters: Mapping[str, Any]) -> dict[str, int]:
    """Numbers that the operations may use by name."""
    sizes = {name: int(parameters[name]) for name in ("batch", "tokens", "num_heads", "d_head", "d_model")}
    short = {"B": "batch", "T": "tokens", "H": "num_heads", "D": "d_head"}
    return {letter: sizes[name] for letter, name in short.items()} | sizes


def _parsed(text: str, names: Mapping[str, int]) -> tuple[Op, ...]:
    try:
        return op_chain.parse(text or "view(B, T, H, D).transpose(1, 2).contiguous()", names)
    except op_chain.BadChain as bad:
        raise InvalidSpec(f"ops {bad}", field="ops") from bad


def chain(parameters: Mapping[str, Any]) -> tuple[Done, ...]:
    """start, then every operation until one is refused."""
    names = _names(parameters)
    return _chain(parameters["ops"], tuple(parameters["shape"]), tuple(names.items()))


@lru_cache(maxsize=64)
def _chain(text: str, shape: tuple[int, ...], sizes: tuple[tuple[str, int], ...]) -> tuple[Done, ...]:
    layout = strides.fresh(shape, start(shape, dict(sizes)))
    done, ops, seen = [Done("start", None, "x", layout, layout)], op_chain.parse(text, {}), dict[str, int]()
    for count, op in enumerate(ops, 1):
        seen[op.name] = seen.get(op.name, 0) + 1
        name = op.name if seen[op.name] == 1 else f"{op.name}-{seen[op.name]}"
        code = op_chain.written(ops[:count])
        try:
            changed = after(op, layout)
        except Refused as refused:
            return (*done, Done(name, op, code, layout, None, str(refused), isinstance(refused, NeedsCopy)))
        done.append(Done(name, op, code, layout, changed))
        layout = changed
    return tuple(done)


def _last(steps: tuple[Done, ...]) -> Layout:
    """The last tensor there is."""
    return next(step.after for step in reversed(steps) if step.after is not None)


def last(parameters: Mapping[str, Any]) -> Layout:
    """The tensor that a learner's strides are tried on."""
    return _last(chain(parameters))


def by_chance(_parameters: Mapping[str, Any]) -> bool:
    """Never: storage is numbered from 0."""
    return False


def facts(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Every step by arithmetic, and what the learner's strides would read."""
    steps, each = chain(parameters), BYTES[parameters["dtype"]]
    return {
        "code": op_chain.written(op_chain.parse(parameters["ops"], {})),
        "dtype": parameters["dtype"],
        "numbers": math.prod(parameters["shape"]),
        "bytes_per_number": each,
        "cache_line": CACHE_LINE,
        "shape": list(parameters["shape"]),
        "steps": [_told(step, each) for step in steps],
        "answer": _answer(parameters) if parameters["answer_strides"] else None,
    }


def _told(step: Done, each: int) -> dict[str, Any]:
    """A step as JSON; a refused one has no shape, and its note says why."""
    told: dict[str, Any] = {"step": step.name, "code": step.code, "error": "", "refused": step.after is None}
    layout = step.after
    if layout is None:
        nothing = {"axes": [], "shape": [], "strides": [], "offset": 0, "contiguous": False, "copies": False}
        return told | nothing | {"bytes_copied": 0, "run": 0, "lines": 0, "note": f"refused: {step.reason}"}
    copied = layout.memory != step.before.memory
    return told | {
        "axes": list(layout.names),
        "shape": list(layout.shape),
        "strides": list(layout.strides),
        "offset": layout.offset,
        "contiguous": layout.contiguous,
        "copies": copied,
        "bytes_copied": layout.numbers * each if copied else 0,
        "run": strides.run(layout),
        "lines": strides.lines(layout, each),
        "note": tape_words.note(step.op, step.before, layout, each),
    }


def tried(parameters: Mapping[str, Any]) -> Layout:
    """The last tensor's memory read by the learner's strides, whether torch would do it or not."""
    memory = last(parameters)
    shape, given = tuple(parameters["answer_shape"]), tuple(parameters["answer_strides"])
    axes = memory.axes if len(shape) == len(memory.shape) else unnamed(shape)
    return Layout(shape, given, axes, storage=memory.storage, offset=memory.offset, memory=memory.memory)


def why_not(answer: Layout) -> str:
    """Why torch refuses these strides, or ""."""
    if len(answer.strides) != len(answer.shape):
        return f"{len(answer.strides)} strides are given for {len(answer.shape)} axes"
    if min(answer.strides, default=0) < 0:
        return "a stride is negative, which torch does not have"
    reach = answer.offset + sum(
        (size - 1) * stride for size, stride in zip(answer.shape, answer.strides, strict=True)
    )
    if answer.numbers and reach >= answer.storage:
        return f"the last number would lie at offset {reach:,}, and the memory ends at {answer.storage - 1:,}"
    return ""


def _answer(parameters: Mapping[str, Any]) -> dict[str, Any]:
    right, answer = last(parameters), tried(parameters)
    why = why_not(answer)
    found = None if why else overlaps.reads(answer.shape, answer.strides)
    return {
        "strides": list(answer.strides),
        "shape": list(answer.shape),
        "right_strides": list(right.strides),
        "runs": not why,
        "note": f"refused: {why}" if why else "",
        "read_twice": found.twice if found else None,
        "never_read": answer.storage - found.cells if found else None,
        "works": not why and same(answer, right),
    }


def same(answer: Layout, right: Layout) -> bool:
    """Whether both read the same number at every index: an axis of size 1 has no stride that matters."""
    pairs = zip(answer.shape, answer.strides, right.strides, strict=True)
    return answer.shape == right.shape and (
        not answer.numbers or all(size == 1 or mine == its for size, mine, its in pairs)
    )


def work(parameters: Mapping[str, Any]) -> Work:
    """Nothing is allocated but for a learner's strides: numbers that say where they lie, if they are few.

    Beside them what was read of them, how often each was, and which are read more than once."""
    steps = [step.after for step in chain(parameters) if step.after is not None]
    largest = max(max(layout.numbers, layout.storage) for layout in steps)
    if not parameters["answer_strides"]:
        return Work(values="never", largest=largest, peak_bytes=BESIDE_TENSORS)
    answer = tried(parameters)
    read = 0 if why_not(answer) else answer.numbers
    counted = max(read, answer.storage) <= COUNTED_NUMBERS
    each = BYTES[parameters["dtype"]]
    held = (each + INT32 + INT64 + 1) * answer.storage + INT32 * read if counted else 0
    return Work(values="never", largest=max(largest, read), peak_bytes=held + BESIDE_TENSORS)
