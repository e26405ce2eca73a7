"""Both ends of a range: key {range: [KEY, KEY]}. Knows no single number's question."""

from collections.abc import Mapping, Sequence
from typing import Any

from cards.answer_types._number_faults import Fault, other_unit
from cards.answer_types._targets import Target, ends_of, setting, unit_of
from cards.expressions.echo import format_number
from cards.expressions.ranges import Range, read_range
from cards.grading import Example, Grade, Question, Reading, fill, mistake_title

WORKED = ("3 to 17", "5 to 23")


def grade(question: Question, text: str, names: Sequence[str]) -> Grade:
    """Correct where both ends are right; partial without their unit; else which end is not."""
    given, ends = _read(question, text, names), ends_of(question, question.answer["key"])
    right = _met(given, ends)
    unitless = right and bool(question.answer.get("unit_required")) and not given.high.unit
    key_text = _shown((ends[0], ends[1]), question)
    fault = (
        _unitless(question) if unitless else Fault(title=key_text) if right else _fault(question, given, ends)
    )
    values = {"answer": _said(given, question), "key": key_text, **fault.facts}
    return Grade(
        outcome="partial" if unitless else "correct" if right else "incorrect",
        score=0.5 if unitless else 1.0 if right else 0.0,
        mistake=fault.name,
        title=fill(fault.title, values),
        feedback=fill(fault.says, values),
        place=fault.place,
        read_as=given.read_as,
        read_as_mathml=given.mathml,
        key_text=key_text,
    )


def read(question: Question, text: str, names: Sequence[str]) -> Reading:
    """How a range is read. Raises Unreadable."""
    given = _read(question, text, names)
    return Reading(given.read_as, given.mathml)


def hint(question: Question) -> str:
    """How a range is written, with ends that are not the key's."""
    ends = {target.value for target in ends_of(question, question.answer["key"])}
    worked = next((text for text in WORKED if not ends & {*map(int, text.split(" to "))}), WORKED[-1])
    return f"Two numbers, such as {worked}"


def examples(question: Question) -> list[Example]:
    """The range in two spellings, and one for each named mistake."""
    low, high = ends_of(question, question.answer["key"])
    texts = (f"{low.value} to {high.value}", f"[{low.value}; {high.value}]")
    unit = f" {unit_of(question)}" if question.answer.get("unit_required") else ""
    right = [Example({"text": text + unit}) for text in texts]
    wrong = [(str(m.get("name", "")), _mistaken(question, m)) for m in question.mistakes]
    return right + [Example({"text": f"{a.value} to {b.value}{unit}"}, name) for name, (a, b) in wrong]


def problems(question: Question) -> list[str]:
    """Mistakes that are right."""
    ends = ends_of(question, question.answer["key"])
    return [
        f"mistake {mistake.get('name')}: its range is the key"
        for mistake in question.mistakes
        if _values(_mistaken(question, mistake)) == _values(ends)
    ]


def _read(question: Question, text: str, names: Sequence[str]) -> Range:
    return read_range(text, unit_of(question), names, locale=setting(question, "locale"))


def _met(given: Range, ends: tuple[Target, Target]) -> bool:
    """Whether both ends are right, and count what is asked."""
    kinds = not given.low.other_kind and not given.high.other_kind
    return kinds and ends[0].met_by(given.low.value) and ends[1].met_by(given.high.value)


def _mistaken(question: Question, mistake: Mapping[str, Any]) -> tuple[Target, Target]:
    """The range a mistake leads to."""
    key = mistake.get("key")
    return ends_of(question, key if isinstance(key, Mapping) else {})


def _fault(question: Question, given: Range, ends: tuple[Target, Target]) -> Fault:
    """A mistake of the card, another unit, or the end that is not right."""
    for mistake in question.mistakes:
        if _met(given, _mistaken(question, mistake)):
            return Fault(
                str(mistake.get("name", "")), mistake_title(mistake, {}), str(mistake.get("says", ""))
            )
    for end in (given.high, given.low):
        if end.other_kind:
            return other_unit(question, end)
    locale = setting(question, "locale")
    sides = zip(("lower", "upper"), ends, (given.low, given.high), strict=True)
    off = [
        f"The {side} end is {format_number(target.value, locale)}, not {format_number(end.value, locale)}."
        for side, target, end in sides
        if not target.met_by(end.value)
    ]
    return Fault("", "{answer} is not {key}", " ".join(off))


def _unitless(question: Question) -> Fault:
    """A right range without the unit it needs."""
    unit = unit_of(question)
    return Fault(
        "missing_unit", "the unit is missing", f"{{answer}} is right in {unit}; the unit belongs to it."
    )


def _values(ends: tuple[Target, Target]) -> tuple[Any, Any]:
    return ends[0].value, ends[1].value


def _said(given: Range, question: Question) -> str:
    locale = setting(question, "locale")
    return f"{format_number(given.low.value, locale)} to {format_number(given.high.value, locale)}"


def _shown(ends: tuple[Target, Target], question: Question) -> str:
    """ "64 to 128 dims"."""
    locale = setting(question, "locale")
    both = " to ".join(format_number(target.value, locale) for target in ends)
    return f"{both} {unit_of(question)}".strip()
