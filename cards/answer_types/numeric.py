"""One number, exact unless the card says otherwise. Knows no card file and no learner.

answer:   {type: numeric, key: KEY, tolerance: exact | {relative: 0.01} | {absolute: 1/2}, unit: dims,
           names: [d_head]}     `names` and the key's own may stand before the number: d_head = 64
mistakes: [{name, key: KEY or number or list of numbers, says}, {name, when: PREDICATE, ..., says}]
`says` and an optional `title` may use {answer} {key} {difference} {ratio}, numbers of the mistake's own key,
and the facts of its predicate (cards/predicates.py). The first mistake that fits is the one named.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

from attention_engine.configs import ModelConfig
from cards.expressions.echo import format_number
from cards.expressions.numbers import read_number
from cards.grading import Example, Grade, Question, Response, fill, mistake_title
from cards.keys import AnyOf, KeyProblem, compute, is_key
from cards.predicates import Facts, example_of, found

QUANTITIES = frozenset(field.name for field in fields(ModelConfig))
WORKED = ("4 × 16", "3 × 5", "7 × 11", "89 × 97")
OFFLINE = True


def grade(question: Question, response: Response) -> Grade:
    """Correct within the tolerance, else incorrect with the mistake that leads to this number."""
    number = read_number(response.text, _unit(question), names=_names(question))
    keys = keys_of(question)
    key = min(keys, key=lambda one: (abs(one - number.value), one))
    shown = {"answer": format_number(number.value), "key": format_number(key), **_compared(number.value, key)}
    right = any(_within(number.value, one, question) for one in keys)
    mistake, facts = ({}, {}) if right else _mistake(question, number.value, keys)
    values = {**shown, **facts}
    return Grade(
        outcome="correct" if right else "incorrect",
        score=1.0 if right else 0.0,
        mistake=str(mistake.get("name", "")),
        title=_key_text([key], _unit(question)) if right else _title(mistake, values),
        feedback="" if right else fill(str(mistake.get("says") or _sentence(number.value, key)), values),
        read_as=number.read_as,
        key_text=_key_text(keys, _unit(question)),
        value=_plain(number.value),
        key=_plain(key),
    )


def question_input(question: Question) -> dict[str, Any]:
    """The unit, and a worked example in which the key is neither the result nor a factor."""
    try:
        keys = keys_of(question)
    except KeyProblem:
        keys = ()
    worked = next((text for text in WORKED if not _named_in(text).intersection(keys)), WORKED[-1])
    hint = f"A number or arithmetic, such as {worked}"
    return {"unit": _unit(question), "hint": hint, "names": _names(question)}


def _named_in(worked: str) -> set[Fraction]:
    """The numbers a worked example shows, and the one it gives."""
    return {read_number(part).value for part in (worked, *worked.split(" × "))}


def examples(question: Question) -> list[Example]:
    """Every key, and one wrong answer for each named mistake."""
    keys = keys_of(question)
    right = [Example({"text": _exact_text(key)}) for key in keys]
    wrong = [(str(m.get("name", "")), _example(m, keys)) for m in question.mistakes]
    return right + [Example({"text": _exact_text(value)}, name) for name, value in wrong if value is not None]


def problems(question: Question) -> list[str]:
    """Tolerance and mistakes that cannot work."""
    inexact = any(isinstance(value, float) for value in _raw_keys(question))
    found_problems = (
        ["an inexact key needs a tolerance"] if inexact and not _slack(question, Fraction(1)) else []
    )
    missing = [m.get("name") for m in question.mistakes if _example(m, keys_of(question)) is None]
    return found_problems + [f"mistake {name}: no wrong answer leads to it" for name in missing]


def keys_of(question: Question) -> tuple[Fraction, ...]:
    """The right numbers. Raises KeyProblem if there are none."""
    return tuple(_fraction(value) for value in _raw_keys(question))


def _raw_keys(question: Question) -> tuple[Any, ...]:
    value = compute(question.answer.get("key"))
    return value.values if isinstance(value, AnyOf) else (value,)


def _fraction(value: Any) -> Fraction:
    """A computed value as an exact number; a float is taken as it is written."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction):
        raise KeyProblem(f"a numeric key must be one number (or any_of a list), not {value!r}")
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError) as error:
        raise KeyProblem(f"{value!r} is not a number") from error


def _unit(question: Question) -> str:
    return str(question.answer.get("unit", ""))


def _names(question: Question) -> list[str]:
    """What may be written before a `=`: names the card declares, and the quantity its key is.

    Only quantities of a model: the page shows these names, and `smallest_divisor_above` would be a hint.
    """
    key = question.answer.get("key")
    inner = key.get("any_of", key) if isinstance(key, Mapping) else {}
    computed = inner.get("compute", "") if isinstance(inner, Mapping) else ""
    quantity = [computed] if computed in QUANTITIES else []
    return [*map(str, question.answer.get("names", ())), *quantity]


def _slack(question: Question, key: Fraction) -> Fraction:
    """How far from the key is still right; the bound itself is."""
    tolerance = question.answer.get("tolerance", "exact")
    if tolerance == "exact":
        return Fraction(0)
    if not isinstance(tolerance, Mapping) or set(tolerance) - {"relative", "absolute"} or len(tolerance) != 1:
        raise KeyProblem(f"tolerance is exact, {{relative: r}} or {{absolute: a}}, not {tolerance!r}")
    ((kind, size),) = tolerance.items()
    return _fraction(size) * (abs(key) if kind == "relative" else 1)


def _within(value: Fraction, key: Fraction, question: Question) -> bool:
    return abs(value - key) <= _slack(question, key)


def _mistake(
    question: Question, value: Fraction, keys: tuple[Fraction, ...]
) -> tuple[Mapping[str, Any], Facts]:
    """The first named mistake that gives this number, with its facts."""
    for mistake in question.mistakes:
        if mistake.get("when"):
            hit = found(mistake, value, keys)
            if hit is not None:
                return {**mistake, "title": mistake.get("title") or hit[0].title}, hit[1]
        elif any(_within(value, one, question) for one in _mistaken(mistake)):
            return mistake, _key_facts(mistake)
    return {}, {}


def _mistaken(mistake: Mapping[str, Any]) -> tuple[Fraction, ...]:
    """The numbers a mistake leads to."""
    key = mistake.get("key")
    value = compute(key) if is_key(key) else key
    several = (
        value.values if isinstance(value, AnyOf) else value if isinstance(value, list | tuple) else (value,)
    )
    return tuple(_fraction(one) for one in several)


def _key_facts(mistake: Mapping[str, Any]) -> Facts:
    """The numbers a mistake's key is computed from, for its `says`."""
    key = mistake.get("key")
    pairs: Iterable[tuple[str, Any]] = key.items() if isinstance(key, Mapping) else ()
    return {
        k: format_number(v) if isinstance(v, int) else str(v) for k, v in pairs if isinstance(v, int | str)
    }


def _example(mistake: Mapping[str, Any], keys: tuple[Fraction, ...]) -> Fraction | None:
    """A wrong answer this mistake leads to."""
    if mistake.get("when"):
        return example_of(mistake, keys)
    return next((value for value in _mistaken(mistake) if value not in keys), None)


def _compared(value: Fraction, key: Fraction) -> Facts:
    """How the answer stands to the key."""
    ratio = value / key if key else Fraction(0)
    return {"difference": format_number(abs(value - key)), "ratio": format_number(ratio)}


def _sentence(value: Fraction, key: Fraction) -> str:
    """What can be said about a wrong number that no named mistake gives."""
    ratio = value / key if key > 0 and value > 0 else Fraction(1)
    if ratio.denominator == 1 and 1 < ratio <= 1024:
        return "{answer} is {ratio} × {key}."
    if ratio.numerator == 1 and ratio.denominator <= 1024 and ratio != 1:
        return f"{{answer}} is {{key}} / {ratio.denominator}."
    return "{answer} is {difference} " + ("more" if value > key else "less") + " than {key}."


def _title(mistake: Mapping[str, Any], values: Facts) -> str:
    """A few words: what is wrong with the number."""
    return mistake_title(mistake, values, default="" if mistake else "{answer} is not {key}")


def _key_text(keys: Iterable[Fraction], unit: str) -> str:
    """ "64 dims", "8, 12 or 16"."""
    texts = [format_number(key) for key in keys]
    listed = " or ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else texts[0]
    return f"{listed} {unit}".strip()


def _exact_text(value: Fraction) -> str:
    return str(value)


def _plain(value: Fraction) -> int | Fraction:
    """What pictures are given: an int where it is whole."""
    return int(value) if value.denominator == 1 else value
