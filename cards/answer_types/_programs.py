"""Programs of a question as the engine is asked to run them, and places in a program's text. Runs nothing."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from attention_engine.admission import TooLarge, admit
from attention_engine.kinds.answers import program as answer_program
from attention_engine.program import Program, ProgramFault, inputs
from attention_engine.program import read as read_program
from attention_engine.spec import InvalidSpec, VisualizationSpec, make_spec
from cards.grading import Place, Question, Unreadable
from cards.keys import KeyProblem
from cards.mistakes.programs import BANK

KIND = "answer_executed"
LAYER = ("model", "batch", "tokens", "key_tokens", "d_model", "num_heads", "d_head", "num_kv_heads")
SIZES = ("B", "T", "H", "D")
EMPTY = "Nothing is written here. Write the line that gives the result, such as `q.transpose(1, 2)`."


def answer_of(question: Question, text: str) -> Program:
    """The program a learner wrote, of what the card gives. Raises Unreadable with the place in the text."""
    return _of_given(question, parsed(text))


def _of_given(question: Question, program: Program) -> Program:
    """The program, if it reads what the card gives and nothing else. Raises Unreadable."""
    try:
        inputs.check_given(program, tensors_of(question))
    except ProgramFault as fault:
        raise _unreadable(fault) from fault
    return program


def parsed(text: str) -> Program:
    """Any program of the language, its names known. Raises Unreadable with the place in the text."""
    if not text.strip():
        raise Unreadable(EMPTY)
    hidden = next((at for at, letter in enumerate(text) if _is_control(letter)), None)
    if hidden is not None:
        raise Unreadable("A control character stands here, which no program has.", hidden)
    try:
        program = read_program(text)
        inputs.check(program)
    except ProgramFault as fault:
        raise _unreadable(fault) from fault
    return program


def _unreadable(fault: ProgramFault) -> Unreadable:
    return Unreadable(f"{fault.message[:1].upper()}{fault.message[1:]}.", fault.offset)


def _is_control(letter: str) -> bool:
    return unicodedata.category(letter) in {"Cc", "Cs"} and letter not in "\t\n\r"


def tidy(text: str) -> str:
    """The text as it is run and compared: plain line ends, nothing behind the last line."""
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip()


def reference_of(question: Question) -> str:
    """The program that is right. Raises KeyProblem."""
    reference = question.answer.get("reference")
    if not isinstance(reference, str) or not reference.strip():
        raise KeyProblem("a program needs `reference: LINES`, the lines that are right")
    return tidy(reference)


def accepts_of(question: Question) -> list[str]:
    """Other programs that are right. Raises KeyProblem."""
    given = question.answer.get("accepts", [])
    if not isinstance(given, list | tuple) or not all(isinstance(one, str) for one in given):
        raise KeyProblem("accepts is a list of programs")
    return [tidy(one) for one in given]


def mistakes_of(question: Question) -> list[Mapping[str, Any]]:
    """The mistakes that are programs, in their order."""
    return [one for one in question.mistakes if isinstance(one.get("program"), str)]


@dataclass(frozen=True)
class Wrong:
    """A program that is wrong by a name; `listed` is the card's own mistake, {} of the bank's."""

    program: str
    listed: Mapping[str, Any]
    name: str
    title: str
    says: str


def wrong_ones(question: Question) -> list[Wrong]:
    """Programs a wrong answer is compared with, in order: the card's own mistakes, then those of the bank
    that differ from them, as many as an engine takes."""
    own = [
        Wrong(tidy(one["program"]), one, str(one.get("name", "")), "", str(one.get("says", "")))
        for one in mistakes_of(question)
    ]
    found, seen = list(own), {reference_of(question), *accepts_of(question), *(one.program for one in own)}
    for slip in BANK:
        for program in slip.of(reference_of(question)):
            room = len(answer_program.written([*(one.program for one in found), program]))
            fits = len(found) < answer_program.MOST_LISTED and room <= answer_program.LONGEST_LIST
            if fits and program not in seen and _is_answer(question, program):
                found.append(Wrong(program, {}, slip.name, slip.title, slip.says))
                seen.add(program)
    return found


def _is_answer(question: Question, program: str) -> bool:
    """Whether a learner could have written it."""
    try:
        _of_given(question, _own(program))
    except (KeyProblem, Unreadable):
        return False
    return True


def asked(question: Question, program: str) -> tuple[dict[str, Any], VisualizationSpec]:
    """What a worker is asked about a program: {"kind", "parameters", "seed"}, and the spec this makes.

    Raises Unreadable for a program the engine does not take, KeyProblem for everything that is the card's."""
    reference, accepts = reference_of(question), accepts_of(question)
    parameters = {name: question.answer[name] for name in LAYER if name in question.answer}
    parameters |= {
        "program": program,
        "reference": reference,
        "inputs": _layout(question, reference, accepts),
    }
    lists = {"accepts": accepts, "mistaken": [one.program for one in wrong_ones(question)]}
    parameters |= {name: answer_program.written(programs) for name, programs in lists.items() if programs}
    try:
        spec = make_spec(KIND, parameters)
        admit(spec)
    except InvalidSpec as error:
        if error.field == "program":
            raise Unreadable(f"{error}.", max(error.offset, 0)) from error
        raise KeyProblem(str(error)) from error
    except (TooLarge, ValueError) as error:
        raise KeyProblem(str(error)) from error
    return {"kind": KIND, "parameters": parameters, "seed": 0}, spec


def _layout(question: Question, reference: str, accepts: Sequence[str]) -> str:
    """Whether q, k, v come as rows or in heads: the card decides, never what a learner does with them."""
    if "inputs" in question.answer:
        return str(question.answer["inputs"])
    return inputs.layout_of(tuple(_own(one) for one in (reference, *accepts)))


@lru_cache(maxsize=512)
def _own(text: str) -> Program:
    """A program of the card. Raises KeyProblem."""
    try:
        return parsed(text)
    except Unreadable as error:
        raise KeyProblem(f"{text!r} cannot be run: {error.message}") from error


def tensors_of(question: Question) -> tuple[str, ...]:
    """Names of the tensors a learner may use: `given`, else those that the card's right programs read."""
    named = question.answer.get("given")
    if named is not None:
        known = isinstance(named, list | tuple) and all(isinstance(one, str) for one in named)
        if not known or not all(inputs.symbols_of(one, inputs.ROWS) for one in named):
            raise KeyProblem(f"given is a list of names of tensors: {', '.join(inputs.NAMES)}")
        return tuple(named)
    texts = (reference_of(question), *accepts_of(question))
    names = dict.fromkeys(name for text in texts for name in _own(text).reads)
    return tuple(name for name in names if inputs.symbols_of(name, inputs.ROWS))


def given(question: Question) -> list[dict[str, Any]]:
    """The tensors a learner may use, and the sizes any program may."""
    _, spec = asked(question, reference_of(question))
    layer = answer_program.sizes(spec.parameters)
    tensors = inputs.shapes(tensors_of(question), layer, spec.parameters["inputs"])
    sizes = [*SIZES, *(["H_kv"] if layer.H_kv != layer.H else [])]
    rows: list[dict[str, Any]] = [{"name": name, "shape": list(shape)} for name, shape in tensors.items()]
    return rows + [{"name": name, "shape": str(layer.products[name])} for name in sizes]


def place_of(text: str, line: int, statement: str) -> Place | None:
    """Where a statement stands in the learner's own text; None where there is no such line."""
    program = parsed(text)
    on_line = [
        one
        for one in program.statements
        if one.line <= line <= (one.value.end_lineno or one.line) and (not statement or one.code == statement)
    ]
    if not on_line:
        return None
    value = on_line[0].value
    before = program.source.text.split("\n")[on_line[0].line - 1][: value.col_offset]
    behind = before.rpartition(";")[2]  # of a line that holds several statements
    column = len(before) - len(behind.lstrip(" ")) if on_line[0].line == value.lineno else 0
    start = program.source.offset(on_line[0].line, column)
    end = program.source.offset(value.end_lineno or 1, value.end_col_offset or 0)
    return Place("text", start, max(start, min(end, len(text))))
