"""answer_executed with a program: read and white-listed, what it is given, what it takes. Runs nothing."""

import math
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
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
LONGEST_LIST = 2_400
"""Characters of a list of programs."""
MOST_LISTED = 8
LISTS = ("accepts", "mistaken")
_PARTING = re.compile(r"^[ \t]*---[ \t]*$", re.MULTILINE)
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
        "accepts",
        "text",
        "",
        "other programs that are right too, parted by lines of ---",
        minimum=0,
        maximum=LONGEST_LIST,
    ),
    Parameter(
        "mistaken",
        "text",
        "",
        "programs of known mistakes, parted by lines of ---: a wrong one is told which it equals",
        minimum=0,
        maximum=LONGEST_LIST,
    ),
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
    for name in LISTS:
        whole[name] = _listed(filled[name], name, compared=bool(filled["reference"]))
    if whole["inputs"] == "auto":
        whole["inputs"] = inputs.layout_of(tuple(reversed(programs)))
    whole["q_width"] = filled["q_width"] or heads * whole["d_head"]
    return whole


def _own_kv_heads(filled: Mapping[str, Any]) -> int:
    config = layer.published(filled["model"]) if filled["model"] else None
    own = config is not None and config.num_heads == filled["num_heads"]
    return int(config.num_kv_heads) if own and config and config.num_kv_heads else int(filled["num_heads"])


@lru_cache(maxsize=512)
def read(text: str, *, field: str) -> language.Program:
    """The program of a text, its names known; a card's own are read again and again, and nobody changes one.

    Raises UnreadableProgramSpec with words and the offset."""
    try:
        program = language.read(text)
        inputs.check(program)
    except language.ProgramFault as fault:
        said = f"{field} cannot be run: {fault.message} (character {fault.offset + 1})"
        raise UnreadableProgramSpec(said, field=field, offset=fault.offset) from fault
    return program


def written(programs: Iterable[str]) -> str:
    """Programs as one parameter takes them."""
    return "\n---\n".join(one.strip("\r\n") for one in programs)


def parted(text: str) -> tuple[str, ...]:
    """The programs of such a parameter."""
    return tuple(one.strip("\r\n") for one in _PARTING.split(text)) if text else ()


def _listed(text: str, field: str, *, compared: bool) -> str:
    """A list of programs, each of them readable, in its one form. Raises InvalidSpec."""
    listed = parted(text)
    if listed and not compared:
        raise InvalidSpec(f"{field} stands beside a reference: give that too", field=field)
    if len(listed) > MOST_LISTED:
        raise InvalidSpec(
            f"{field} has {len(listed)} programs; at most {MOST_LISTED} are compared", field=field
        )
    for one in listed:
        read(one, field=field)
    return written(listed)


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


def listed(parameters: Mapping[str, Any], name: str) -> tuple[language.Program, ...]:
    """The programs of `accepts` or `mistaken`."""
    return tuple(read(text, field=name) for text in parted(parameters[name]))


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
    others = [text for name in LISTS for text in parted(parameters[name])]
    everything = (*told, *(read(text, field="program") for text in others))
    own = [math.prod(shape) for shape in input_shapes(everything, numbers, layout)]
    scores, rows = numbers.B * numbers.H * numbers.T * numbers.K, math.prod(numbers.of("B T H*D"))
    compared = (parameters["reference"], *others) if parameters["reference"] else ("",)
    return Work(
        values="never",
        largest=max([*own, scores, rows]),
        peak_bytes=max(_most_bytes((parameters["program"], text), numbers, layout) for text in compared)
        + HELD_BYTES
        + BESIDE_TENSORS,
    )


@lru_cache(maxsize=512)
def _most_bytes(texts: tuple[str, ...], numbers: inputs.Sizes, layout: str) -> int:
    """What the inputs of the largest trial of two programs take: asked by web and worker for each answer."""
    told = tuple(read(text, field="program") for text in texts if text)
    trials = (*plan(told, numbers, layout).sizes, *instead(told, numbers, layout).sizes)
    return max((_bytes(told, trial, layout) for trial in trials), default=0)


def _bytes(told: tuple[language.Program, ...], trial: inputs.Sizes, layout: str) -> int:
    """What the inputs of a trial take, while the largest is drawn in float32 and widened."""
    counts = [math.prod(shape) for shape in input_shapes(told, trial, layout)]
    return FLOAT64 * sum(counts) + FLOAT32 * max(counts, default=0)
