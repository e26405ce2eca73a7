"""silent_mistake without tensors: a line that runs and is wrong, and how much of it. Has no values."""

from collections.abc import Mapping
from typing import Any

from attention_engine import configs, shapes
from attention_engine.kinds import layer, misplaced
from attention_engine.kinds.attention_pattern import SENTENCE, words
from attention_engine.kinds.misplaced import MERGE, MISTAKES, SOFTMAX, VIEW, WIDTH
from attention_engine.kinds.operations import many
from attention_engine.kinds.reading import MINILM, plain, reading
from attention_engine.kinds.work import BESIDE_TENSORS, FLOAT32, Work
from attention_engine.parameters import LARGEST_AXIS, LONGEST_SENTENCE, InvalidSpec, Parameter

MOST_READ = 64
"""Tokens of the sentence that are read: two maps of so many leave room in the 20 kB of the picture."""
MOST_MOVED = 2**18
"""Up to this many numbers (1 MiB) are really moved; more are counted by arithmetic."""
INT32, MOVED_COPIES = 4, 8
"""What is given, what each line gives, what is compared, and the shown cells sorted with their places."""

TITLE = "A line that runs without an error and is wrong"
PARAMETERS = (
    Parameter("mistake", "choice", VIEW, f"what is written: {', '.join(MISTAKES)}", choices=MISTAKES),
    *layer.LAYER,
    Parameter("sentence", "text", SENTENCE, "the text that loses its meaning", maximum=LONGEST_SENTENCE),
    Parameter("layer", "int", 3, "layer of MiniLM, counted from 0", minimum=0, maximum=LARGEST_AXIS),
    Parameter("head", "int", 1, "head of that layer, counted from 0", minimum=0, maximum=LARGEST_AXIS),
)
SPLIT = "same memory: the last axis is read as heads, then heads go before tokens"
NOTES = {
    VIEW: (SPLIT, "same memory: cut every {tokens:,} pieces, whatever their token"),
    WIDTH: (SPLIT, "same memory: one number in {num_heads:,} of a token, whatever its head"),
    MERGE: ("copied: the heads of one token lie side by side again", "same memory: no number moves"),
    SOFTMAX: ("new numbers: each row sums to 1", "new numbers: each column sums to 1"),
}
RUNS = "It runs with the right shape, and it is wrong"
MEANING = "new numbers: one head reads the sentence, with either line"


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers of the layer with d_head written out, and a layer and a head that MiniLM has.

    What is merged are values: where a model's are narrower than its keys (MLA), theirs is the width."""
    filled = {parameter.name: parameter.default for parameter in PARAMETERS} | layer.complete_whole(given)
    if filled["mistake"] == MERGE and not given.get("d_head"):
        filled["d_head"] = config.d_head_v if (config := layer.own(filled)) else filled["d_head"]
    if not words(filled["sentence"]):
        raise InvalidSpec("sentence must hold at least one word or mark", field="sentence")
    minilm = configs.model(MINILM)
    for name, count in (("layer", minilm.layers), ("head", minilm.num_heads)):
        if filled[name] >= count:
            message = f"{name} {filled[name]} does not exist: MiniLM has {name}s 0 to {count - 1}"
            raise InvalidSpec(message, field=name)
    return filled | {"model": "", "sentence": plain(filled["sentence"])}


def by_chance(parameters: Mapping[str, Any]) -> bool:
    """Whether scores are drawn; what stands in for MiniLM where it is missing has one seed."""
    return bool(parameters["mistake"] == SOFTMAX)


def sentence(parameters: Mapping[str, Any]) -> str:
    """What the wrong line does, with its numbers."""
    wrong, of = misplaced.wrong_cells(parameters), misplaced.cells(parameters)
    told = f"{wrong:,} of {of:,} numbers ({misplaced.share(wrong, of)})"
    if not wrong:
        numbers = f"the same {many(of, 'number')} (0 % wrong)"
        return f"It runs and is harmless here: with {_single(parameters)} both lines give {numbers}."
    if parameters["mistake"] == SOFTMAX:
        return f"{RUNS}: a query's weights no longer sum to 1, {told} change."
    return f"{RUNS}: {told} stand in another place."


def _single(parameters: Mapping[str, Any]) -> str:
    """The axis of length 1 that leaves nothing to misplace."""
    if parameters["mistake"] == SOFTMAX or (parameters["mistake"] != WIDTH and parameters["tokens"] == 1):
        return "1 token"
    return "1 head" if parameters["num_heads"] == 1 else "1 number a head"


def _step(
    name: str, parameters: Mapping[str, Any], *, strides: shapes.Shape, note: str, copies: bool
) -> dict[str, Any]:
    shape = misplaced.shape(parameters)
    return {
        "step": name,
        "axes": list(misplaced.axes(parameters)),
        "shape": list(shape),
        "strides": list(strides),
        "contiguous": shapes.is_contiguous(shape, strides),
        "copies": copies,
        "note": note,
    }


def _steps(parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The frames to come, with the shapes and strides that are known of them; a sentence has none yet."""
    right, wrong = (note.format_map(parameters) for note in NOTES[parameters["mistake"]])
    if parameters["mistake"] == MERGE and not misplaced.wrong_cells(parameters):
        right = shapes.MERGE_WITHOUT_COPY
    plain = shapes.contiguous_strides(misplaced.shape(parameters))
    named = zip(("right", "wrong"), misplaced.strides(parameters), (right, wrong), strict=True)
    listed = (*named, ("count", plain, "compared: number by number"))
    steps = [
        _step(name, parameters, strides=strides, note=note, copies=not note.startswith("same memory"))
        for name, strides, note in listed
    ]
    empty = {"axes": [], "shape": [], "strides": [], "contiguous": True}
    return [*steps, {"step": "meaning", **empty, "copies": True, "note": MEANING}]


def facts(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Both lines, their strides, and how many numbers the wrong one misplaces."""
    (code_right, code_wrong), (right, wrong) = misplaced.codes(parameters), misplaced.strides(parameters)
    elsewhere, of = misplaced.wrong_cells(parameters), misplaced.cells(parameters)
    return {
        "mistake": parameters["mistake"],
        "code_right": code_right,
        "code_wrong": code_wrong,
        "sentence": sentence(parameters),
        **{name: parameters[name] for name in ("batch", "tokens", "num_heads", "d_head")},
        "shape": list(misplaced.shape(parameters)),
        "strides_right": list(right),
        "strides_wrong": list(wrong),
        "cells": of,
        "wrong_cells": elsewhere,
        "share": misplaced.share(elsewhere, of),
        "steps": _steps(parameters),
    }


def runs(parameters: Mapping[str, Any]) -> bool:
    """Whether every number is really moved; more of them are counted by arithmetic."""
    batch, tokens, heads, width = misplaced.sizes(parameters)
    return parameters["mistake"] != SOFTMAX and batch * tokens * heads * width <= MOST_MOVED


def work(parameters: Mapping[str, Any]) -> Work:
    """MiniLM is held; beside it the numbers of both lines, or the sentence with q, k, v of each layer."""
    read = reading(parameters["sentence"], MOST_READ)
    moved = misplaced.cells(parameters) if runs(parameters) else 0
    beside = max(FLOAT32 * (read.heads + read.passing), MOVED_COPIES * INT32 * moved)
    return Work(
        values="required",
        largest=max(misplaced.cells(parameters), read.weights),
        flops=read.flops,
        peak_bytes=FLOAT32 * read.weights + beside + BESIDE_TENSORS,
        wire_bytes=INT32 * misplaced.MOST_CELLS,
    )
