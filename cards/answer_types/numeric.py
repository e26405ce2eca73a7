"""One number, exact unless the card says otherwise, or the ends of a range. Knows no card and no learner.

answer:   {type: numeric, key: KEY, tolerance: exact | {relative: 0.01} | {absolute: 1/2}, unit: dims,
           unit_required: true, key_unit: bytes, names: [d_head], locale: en | de | any,
           form: any | simplified, accepts: [{key: KEY, tolerance: ...}]}
`names` and the key's own may stand before the number: d_head = 64. {range: [KEY, KEY]} asks for two ends.
mistakes: [{name, key: KEY or number or list of numbers, says}, {name, when: PREDICATE, ..., says}]
`says` and an optional `title` may use {answer} {key} {difference} {ratio}, numbers of the mistake's own key,
and the facts of its predicate (cards/predicates.py). The first mistake that fits is the one named; after the
card's own comes its unit, then the bank (cards/mistakes/numbers.py).
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

from attention_engine.configs import ModelConfig
from cards.answer_types import _ranges
from cards.answer_types._number_faults import Fault, fault_of, missing_unit
from cards.answer_types._targets import (
    is_range,
    mistaken,
    raw_values,
    setting,
    targets_of,
    unit_of,
)
from cards.expressions.echo import format_number
from cards.expressions.numbers import Number, read_number
from cards.grading import Example, Grade, Question, Reading, Response, fill
from cards.keys import KeyProblem
from cards.predicates import example_of

OFFLINE = True
FIELDS = (
    "type",
    "key",
    "tolerance",
    "unit",
    "unit_required",
    "key_unit",
    "names",
    "locale",
    "form",
    "accepts",
)
QUANTITIES = frozenset(field.name for field in fields(ModelConfig))
WORKED = ("89 × 97", "83 × 101")
"""Examples of arithmetic; the first is hardly ever a key, so that which one is shown tells nothing."""


def grade(question: Question, response: Response) -> Grade:
    """Correct within the tolerance, partial without its unit, else incorrect with what leads to it."""
    if is_range(question):
        return _ranges.grade(question, response.text, _names(question))
    number, targets = _read(question, response.text), targets_of(question)
    key = min((target.value for target in targets), key=lambda one: (abs(one - number.value), one))
    right = not number.other_kind and any(target.met_by(number.value) for target in targets)
    unitless = right and bool(question.answer.get("unit_required")) and not number.unit
    fault = Fault(title=_key_text([key], question)) if right else fault_of(question, number, targets)
    fault = missing_unit(question, response.text) if unitless else fault
    return Grade(
        outcome="partial" if unitless else "correct" if right else "incorrect",
        score=0.5 if unitless else 1.0 if right else 0.0,
        **_said(fault, number, key, question),
        read_as=number.read_as,
        read_as_mathml=number.mathml,
        key_text=_key_text([target.value for target in targets], question),
        notes=_notes(question, number) if right else (),
        value=_plain(number.value),
        key=_plain(key),
    )


def read(question: Question, text: str) -> Reading:
    """How a text is read, before it is graded. Raises Unreadable."""
    if is_range(question):
        return _ranges.read(question, text, _names(question))
    number = _read(question, text)
    return Reading(number.read_as, number.mathml)


def question_input(question: Question) -> dict[str, Any]:
    """The unit, and a worked example in which the key is neither the result nor a factor."""
    asked = {"unit": unit_of(question), "names": _names(question)}
    if is_range(question):
        return {**asked, "hint": _ranges.hint(question)}
    try:
        keys = keys_of(question)
    except KeyProblem:
        keys = ()
    worked = next((text for text in WORKED if not _named_in(text).intersection(keys)), WORKED[-1])
    behind = ", with its unit" if question.answer.get("unit_required") else ""
    return {**asked, "hint": f"A number or arithmetic, such as {worked}{behind}"}


def examples(question: Question) -> list[Example]:
    """Every key, and one wrong answer for each named mistake."""
    if is_range(question):
        return _ranges.examples(question)
    keys = keys_of(question)
    right = [Example({"text": _exact_text(key, question)}) for key in keys]
    wrong = [(str(m.get("name", "")), _example(question, m, keys)) for m in question.mistakes]
    return right + [
        Example({"text": _exact_text(value, question)}, name) for name, value in wrong if value is not None
    ]


def problems(question: Question) -> list[str]:
    """Tolerance, unit and mistakes that cannot work."""
    found = (
        ["unit_required needs a unit"]
        if question.answer.get("unit_required") and not unit_of(question)
        else []
    )
    for name in ("locale", "form"):
        setting(question, name)
    if is_range(question):
        return found + _ranges.problems(question)
    inexact = any(isinstance(value, float) for value in raw_values(question.answer.get("key")))
    if inexact and not targets_of(question)[0].slack:
        found.append("an inexact key needs a tolerance")
    missing = [m.get("name") for m in question.mistakes if _example(question, m, keys_of(question)) is None]
    return found + [f"mistake {name}: no wrong answer leads to it" for name in missing]


def keys_of(question: Question) -> tuple[Fraction, ...]:
    """The right numbers, in the card's unit. Raises KeyProblem if there are none."""
    return tuple(target.value for target in targets_of(question))


def _read(question: Question, text: str) -> Number:
    return read_number(text, unit_of(question), _names(question), locale=setting(question, "locale"))


def _said(fault: Fault, number: Number, key: Fraction, question: Question) -> dict[str, Any]:
    """Name, title, sentence and place, with the learner's own number and the key in them.

    A number in another unit than the card's is said with its unit, and so is the key then.
    """
    locale, own = setting(question, "locale"), number.value == number.written
    shown = {
        "answer": f"{format_number(number.written, locale)} {'' if own else number.unit}".strip(),
        "key": format_number(key, locale) if own else _key_text([key], question),
        "difference": format_number(abs(number.value - key), locale),
        "ratio": format_number(number.value / key if key else Fraction(0), locale),
    }
    values = {**shown, **fault.facts}
    return {
        "mistake": fault.name,
        "title": fill(fault.title, values),
        "feedback": fill(fault.says, values),
        "place": fault.place,
    }


def _notes(question: Question, number: Number) -> tuple[str, ...]:
    """What is to be said about a right number."""
    wanted = setting(question, "form") == "simplified"
    return ("not simplified",) if wanted and not number.simplified else ()


def _named_in(worked: str) -> set[Fraction]:
    """The numbers a worked example shows, and the one it gives."""
    return {read_number(part).value for part in (worked, *worked.split(" × "))}


def _names(question: Question) -> list[str]:
    """What may be written before a `=`: names the card declares, and the quantity its key is.

    Only quantities of a model: the page shows these names, and `smallest_divisor_above` would be a hint.
    """
    key = question.answer.get("key")
    inner = key.get("any_of", key) if isinstance(key, Mapping) else {}
    computed = inner.get("compute", "") if isinstance(inner, Mapping) else ""
    quantity = [computed] if computed in QUANTITIES else []
    return [*map(str, question.answer.get("names", ())), *quantity]


def _example(question: Question, mistake: Mapping[str, Any], keys: tuple[Fraction, ...]) -> Fraction | None:
    """A wrong answer this mistake leads to."""
    if mistake.get("when"):
        return example_of(mistake, keys)
    return next((value for value in mistaken(question, mistake) if value not in keys), None)


def _key_text(keys: Iterable[Fraction], question: Question) -> str:
    """ "64 dims", "8, 12 or 16"."""
    texts = [format_number(key, setting(question, "locale")) for key in keys]
    listed = " or ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else texts[0]
    return f"{listed} {unit_of(question)}".strip()


def _exact_text(value: Fraction, question: Question) -> str:
    """A number as it is typed, with its unit where that must not be missing."""
    return f"{value} {unit_of(question)}" if question.answer.get("unit_required") else str(value)


def _plain(value: Fraction) -> int | Fraction:
    """What pictures are given: an int where it is whole."""
    return int(value) if value.denominator == 1 else value
