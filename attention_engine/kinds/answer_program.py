"""answer_executed with a program: read and white-listed, what it is given, what it takes. Runs nothing."""

import math
from collections.abc import Mapping
from typing import Any

from attention_engine import program as language
from attention_engine.kinds import layer
from attention_engine.kinds.work import BESIDE_TENSORS, FLOAT32, Work
from attention_engine.parameters import InvalidSpec, Parameter
from attention_engine.program import inputs
from attention_engine.program.plan import input_shapes, plan
from attention_engine.program.text import LONGEST
from attention_engine.program.written import instead

FLOAT64 = 8
HELD_BYTES = 2 * 95_000 * FLOAT64
"""What two programs hold in a trial beside their inputs, at most."""

PARAMETERS = (
    Parameter(
        "program",
        "text",
        "",
        "lines of tensor operations; the last one is the answer",
        minimum=0,
        maximum=LONGEST,
    ),
    Parameter("reference", "text", "", "lines that are right, to compare with", minimum=0, maximum=LONGEST),
    Parameter(
        "num_kv_heads",
        "int",
        0,
        "heads of K and V in a program; 0 takes the model's, else num_heads",
        minimum=0,
    ),
    Parameter(
        "inputs",
        "choice",
        "auto",
        "q, k, v as rows (B, T, H*D) or in heads (B, H, T, D); auto looks at how they are used",
        choices=("auto", inputs.ROWS, inputs.HEADS),
    ),
)


class UnreadableProgramSpec(InvalidSpec):
    """A program that is not in the language: `offset` counts characters of the text from 0."""

    def __init__(self, message: str, *, field: str, offset: int) -> None:
        super().__init__(message, field=field)
        self.offset = offset


def complete(filled: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters with d_head, num_kv_heads and the layout of q, k, v written out. Raises InvalidSpec."""
    whole = {**filled, "d_head": layer.complete_whole(given)["d_head"]}
    heads = whole["num_heads"]
    whole["num_kv_heads"] = filled["num_kv_heads"] or _own_kv_heads(whole)
    if heads % whole["num_kv_heads"]:
        raise InvalidSpec(
            f"num_heads {heads} is not a multiple of num_kv_heads {whole['num_kv_heads']}: "
            "every head of K and V serves as many query heads",
            field="num_kv_heads",
        )
    programs = tuple(read(filled[name], field=name) for name in ("program", "reference") if filled[name])
    if whole["inputs"] == "auto":
        whole["inputs"] = inputs.layout_of(tuple(reversed(programs)))
    whole["q_width"] = filled["q_width"] or heads * whole["d_head"]
    return whole


def _own_kv_heads(filled: Mapping[str, Any]) -> int:
    config = layer.published(filled["model"]) if filled["model"] else None
    own = config is not None and config.num_heads == filled["num_heads"]
    return int(config.num_kv_heads) if own and config and config.num_kv_heads else int(filled["num_heads"])


def read(text: str, *, field: str) -> language.Program:
    """The program of a text, its names known. Raises UnreadableProgramSpec with words and the offset."""
    try:
        program = language.read(text)
        inputs.check(program)
    except language.ProgramFault as fault:
        said = f"{field} cannot be run: {fault.message} (character {fault.offset + 1})"
        raise UnreadableProgramSpec(said, field=field, offset=fault.offset) from fault
    return program


def sizes(parameters: Mapping[str, Any]) -> inputs.Sizes:
    """The layer's sizes by the letters programs use."""
    return inputs.Sizes(
        B=parameters["batch"],
        T=parameters["tokens"],
        K=parameters["key_tokens"],
        H=parameters["num_heads"],
        H_kv=parameters["num_kv_heads"],
        D=parameters["d_head"],
        C=parameters["d_model"],
    )


def programs(parameters: Mapping[str, Any]) -> tuple[language.Program, ...]:
    """The program, and the reference where there is one."""
    return tuple(read(parameters[name], field=name) for name in ("program", "reference") if parameters[name])


def facts(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What is true before anything runs: the code, and what the names in it stand for."""
    told = programs(parameters)
    names = dict.fromkeys(name for program in told for name in program.reads)
    numbers, layer_sizes = sizes(parameters), sizes(parameters).products
    shapes = inputs.shapes(names, numbers, parameters["inputs"])
    lines = len(told[0].statements)
    return {
        "asks": "program",
        "code": parameters["program"],
        "reference": parameters["reference"],
        "names": {
            name: list(shapes[name]) if name in shapes else layer_sizes[inputs.ALIASES[name]]
            for name in names
        },
        "sentence": f"{lines} line{'' if lines == 1 else 's'} to run{_on(shapes)}",
        "runs": None,
        "works": None,
        "expected_shape": [],
        "axes": [],
        "answer_shape": [],
    }


def _on(shapes: Mapping[str, tuple[int, ...]]) -> str:
    told = [f"{name} {shape}" for name, shape in shapes.items()]
    return f" on {', '.join(told)}" if told else ""


def work(parameters: Mapping[str, Any]) -> Work:
    """Shapes at the layer's own sizes, numbers at small ones: the inputs, and what the lines may hold."""
    told, numbers, layout = programs(parameters), sizes(parameters), parameters["inputs"]
    trials = (*plan(told, numbers, layout).sizes, *instead(told, numbers, layout).sizes)
    own = [math.prod(shape) for shape in input_shapes(told, numbers, layout)]
    scores, rows = numbers.B * numbers.H * numbers.T * numbers.K, math.prod(numbers.of("B T H*D"))
    return Work(
        values="never",
        largest=max([*own, scores, rows]),
        peak_bytes=max((_bytes(told, trial, layout) for trial in trials), default=0)
        + HELD_BYTES
        + BESIDE_TENSORS,
    )


def _bytes(told: tuple[language.Program, ...], trial: inputs.Sizes, layout: str) -> int:
    """What the inputs of a trial take, while the largest is drawn in float32 and widened."""
    counts = [math.prod(shape) for shape in input_shapes(told, trial, layout)]
    return FLOAT64 * sum(counts) + FLOAT32 * max(counts, default=0)
