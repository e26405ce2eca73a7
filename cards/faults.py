"""What makes a card's content unusable: it could not be shown, graded or drawn. Knows no file or database.

Whether a sound card is also a good one is for `lint`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attention_engine.spec import make_spec
from cards.answering import ANSWER_TYPES, answer_type, question_input, question_of
from cards.grading import Question, Unreadable, read_response
from cards.markdown import render
from cards.placing import has_place, picture_of
from cards.variants import FEW, draw_faults, over_variants

Fault = tuple[str, str]
"""The field of the version, and what is wrong with it in words."""
MAX_SEED = 2**63 - 1
ERRORS = (ValueError, TypeError, ArithmeticError, LookupError, AttributeError, RecursionError)


def faults(version: Any) -> list[Fault]:
    """The faults of one version (or anything like one); none: it can be shown, graded and drawn."""
    if version.answer_type not in ANSWER_TYPES:
        there = ", ".join(ANSWER_TYPES)
        return [("answer", f"no answer type {version.answer_type!r}; there are: {there}")]
    return list(form_faults(version)) or list(draw_faults(version)) or _in_variants(version)


def _in_variants(version: Any) -> list[Fault]:
    """What fails in one of a few variants, each thing once."""
    found = over_variants(version, lambda asked: [(*fault, False) for fault in _use(asked)], FEW)
    return [(name, message) for name, message, _ in found]


def form_faults(version: Any) -> Iterator[Fault]:
    """Fields that have another form than they must."""
    for name in ("answer", "parameters"):
        if not isinstance(getattr(version, name), Mapping):
            yield name, f"{name} is a list of `name: value` lines"
    for name in ("hints", "sources"):
        if not _is_list(getattr(version, name), str):
            yield name, f"{name} is a list of texts"
    if isinstance(version.parameters, Mapping) and not _is_waivers(version.parameters.get("waivers", {})):
        yield "parameters", "waivers are `rule: reason` lines, each reason a text"
    if odd := _other_entry(version.mistakes):
        yield "mistakes", f"each mistake is {{name: ..., says: ...}}; {odd}"
    else:
        yield from _mistakes(version.mistakes)
    rows = [version.picture] if isinstance(version.picture, Mapping) else version.picture
    if odd := _other_entry(rows):
        yield "picture", f"each picture is {{kind: ..., parameters: {{...}}}}; {odd}"
    else:
        yield from _pictures(row for row in rows if row)


def _mistakes(rows: list[Mapping[str, Any]]) -> Iterator[Fault]:
    for number, row in enumerate(rows, 1):
        for name in ("name", "says", "title", "waiver"):
            if not isinstance(row.get(name, ""), str):
                yield "mistakes", f"mistake {number}: {name} is a text; put it in quotes"


def _pictures(rows: Iterator[Mapping[str, Any]]) -> Iterator[Fault]:
    for number, row in enumerate(rows, 1):
        seed = row.get("seed", 0)
        if not isinstance(row.get("kind"), str):
            yield "picture", f"picture {number} needs a kind"
        if not isinstance(row.get("parameters", {}), Mapping):
            yield "picture", f"picture {number}: parameters are {{name: value, ...}}"
        if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= MAX_SEED:
            yield "picture", f"picture {number}: seed is a whole number of 0 or more, not {seed!r}"


def _use(version: Any) -> Iterator[Fault]:
    """What fails when the card is used: rendered, asked, graded for each answer it foresees, drawn."""
    question = question_of(version)
    bare = Question(question.answer, (), question.parameters)
    tries: list[tuple[str, Callable[[], object]]] = [
        ("prompt", lambda: render(version.prompt)),
        ("explanation", lambda: render(version.explanation)),
        ("hints", lambda: [render(hint) for hint in version.hints]),
        ("answer", lambda: question_input(version)),
        ("answer", lambda: _graded(version.answer_type, bare)),
        ("mistakes", lambda: [render(str(mistake.get("says", ""))) for mistake in version.mistakes]),
        ("mistakes", lambda: _graded(version.answer_type, question)),
        ("picture", lambda: _drawn(version)),
    ]
    seen: set[str] = set()
    for name, attempt in tries:
        message = _refusal(attempt)
        if message and message not in seen:
            seen.add(message)
            yield name, message


def _refusal(attempt: Callable[[], object]) -> str:
    """Why it cannot be done; "" where it can."""
    try:
        attempt()
    except ERRORS as error:
        return str(error) or type(error).__name__
    return ""


def _graded(name: str, question: Question) -> None:
    """Grades each answer the card foresees; one that cannot be read is for lint to tell."""
    kind = answer_type(name)
    kind.problems(question)
    for example in kind.examples(question):
        try:
            kind.grade(question, read_response(example.response))
        except Unreadable:
            continue


def _drawn(version: Any) -> None:
    """Makes each picture that does not wait for an answer."""
    rows = [version.picture] if isinstance(version.picture, Mapping) else version.picture
    for row in rows:
        if row and not has_place(row):
            picture = picture_of("right", row, None)
            make_spec(picture["kind"], picture["parameters"], picture["seed"])


def _is_list(value: object, of: type) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(one, of) for one in value)


def _other_entry(rows: object) -> str:
    """Which entry is no mapping; "" where all are."""
    if not isinstance(rows, list | tuple):
        return f"this is {str(rows)[:40]!r}"
    odd = next(((n, row) for n, row in enumerate(rows, 1) if not isinstance(row, Mapping)), None)
    return f"entry {odd[0]} is {str(odd[1])[:40]!r}" if odd else ""


def _is_waivers(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(reason, str) for reason in value.values())
