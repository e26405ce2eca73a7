"""What is wrong about a number that is not the key: a mistake, a unit, how far off. Knows no outcome."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from cards.answer_types._targets import Target, mistaken, scale_of, slack, unit_of
from cards.expressions import units
from cards.expressions.echo import format_number
from cards.expressions.numbers import Number
from cards.grading import Place, Question, mistake_title
from cards.mistakes import numbers as bank
from cards.mistakes.number_cases import case_of
from cards.predicates import Facts, found


@dataclass(frozen=True)
class Fault:
    """A mistake by name, a title and a sentence with {placeholders}, their facts, and where it stands."""

    name: str = ""
    title: str = ""
    says: str = ""
    facts: Facts = field(default_factory=dict)
    place: Place | None = None


def fault_of(question: Question, number: Number, targets: Sequence[Target]) -> Fault:
    """The first that fits: a mistake of the card, another unit, one of the bank, else how far off it is."""
    return (
        _listed(question, number, targets)
        or _unit_fault(question, number, targets)
        or _banked(question, number, targets)
        or _compared(number.value, min((t.value for t in targets), key=lambda one: abs(one - number.value)))
    )


def missing_unit(question: Question, text: str) -> Fault:
    """A right number without the unit it needs."""
    unit = unit_of(question)
    says = f"{{answer}} is right in {unit}. The unit belongs to the answer: {{answer}} {unit}."
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    return Fault("missing_unit", "the unit is missing", says, place=Place("text", start, end))


def key_facts(mistake: Mapping[str, Any]) -> Facts:
    """The numbers a mistake's key is computed from, for its `says`."""
    key = mistake.get("key")
    pairs: Iterable[tuple[str, Any]] = key.items() if isinstance(key, Mapping) else ()
    return {
        k: format_number(v) if isinstance(v, int) else str(v) for k, v in pairs if isinstance(v, int | str)
    }


def unit_place(number: Number) -> Place | None:
    """Where the learner's unit stands."""
    start, end = number.unit_place
    return Place("text", start, end) if end > start else None


def other_unit(question: Question, number: Number) -> Fault:
    """A unit that counts something else."""
    says = f"You gave a number of {number.unit}; the question asks for {unit_of(question)}."
    title = f"{number.unit} where {unit_of(question)} are asked"
    return Fault("wrong_unit", title, says, place=unit_place(number))


def _listed(question: Question, number: Number, targets: Sequence[Target]) -> Fault | None:
    """The first mistake of the card that gives this number."""
    keys = [target.value for target in targets]
    for mistake in question.mistakes:
        name, says = str(mistake.get("name", "")), str(mistake.get("says", ""))
        if mistake.get("when"):
            hit = None if number.other_kind else found(mistake, number.value, keys)
            if hit is not None:
                return Fault(name, str(mistake.get("title") or hit[0].title), says, hit[1])
        elif any(_leads_to(question, one, number.value) for one in mistaken(question, mistake)):
            return Fault(name, mistake_title(mistake, {}), says, key_facts(mistake))
    return None


def _leads_to(question: Question, wrong: Fraction, answer: Fraction) -> bool:
    """Whether a mistake's number is the answer, as nearly as the card asks of a right one."""
    return abs(answer - wrong) <= slack(question.answer.get("tolerance", "exact"), wrong)


def _unit_fault(question: Question, number: Number, targets: Sequence[Target]) -> Fault | None:
    """Another kind of unit; or the key's own number in another size of it (GB for GiB, bits for bytes)."""
    if number.other_kind:
        return other_unit(question, number)
    if number.written == number.value or not any(target.met_by(number.written) for target in targets):
        return None
    given, asked = units.unit_of(number.unit), units.unit_of(unit_of(question))
    name = "wrong_unit" if given is None or asked is None else _unit_name(given, asked)
    title = f"{number.unit} is not {unit_of(question)}"
    says = f"{{answer}} are {{converted}} {unit_of(question)}; the answer is {{key}}."
    return Fault(name, title, says, {"converted": format_number(number.value)}, unit_place(number))


def _unit_name(given: units.Unit, asked: units.Unit) -> str:
    """bits_for_bytes, gib_for_gb or thousand_for_1024 where that is the difference, else wrong_unit."""
    if given.family != asked.family:
        return "bits_for_bytes"
    ratio = max(given.size, asked.size) / min(given.size, asked.size)
    powers = {Fraction(1024**n, 1000**n): n for n in range(1, 5)}
    return {3: "gib_for_gb"}.get(powers[ratio], "thousand_for_1024") if ratio in powers else "wrong_unit"


def _banked(question: Question, number: Number, targets: Sequence[Target]) -> Fault | None:
    """A transform of the key that gives this number."""
    unit, scale = unit_of(question), scale_of(question)
    case = case_of(question.answer.get("key"), unit=unit, scale=scale, per_cent=number.per_cent)
    if case is None:
        return None
    hit = bank.find(
        case,
        number.value,
        lambda value: any(target.met_by(value) for target in targets),
        loosely=number.written != number.value,
    )
    return Fault(hit.name, hit.title, hit.says, dict(hit.facts)) if hit else None


def _compared(value: Fraction, key: Fraction) -> Fault:
    """What can be said about a wrong number that no mistake gives."""
    title, ratio = "{answer} is not {key}", value / key if key > 0 and value > 0 else Fraction(1)
    if ratio.denominator == 1 and 1 < ratio <= 1024:
        return Fault("", title, "{answer} is {ratio} × {key}.")
    if ratio.numerator == 1 and ratio.denominator <= 1024 and ratio != 1:
        return Fault("", title, f"{{answer}} is {{key}} / {ratio.denominator}.")
    return Fault(
        "", title, "{answer} is {difference} " + ("more" if value > key else "less") + " than {key}."
    )
