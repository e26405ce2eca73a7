"""A card's pictures with an answer in place of `$answer`. Knows no answer type and no grade.

    {kind: saturation, parameters: {d_head: 64, divisor: $answer}}
    {kind: memory_tape, parameters: {ops: "transpose(1, 2)", answer_strides: [160, $answer, 32, 1]}}
    {kind: answer_executed, parameters: {program: "k[:, $answer]", reference: "k[:, 2]"}}
An answer is a whole number, a fraction, a list of whole numbers (a shape), or a text (what an option runs).
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from attention_engine.configs import UnknownModel
from attention_engine.parameters import LARGEST_AXIS, Parameter
from attention_engine.spec import KINDS, InvalidSpec, facts, make_spec
from cards.expressions.echo import format_number

PLACE = "$answer"
PICTURE_FIELDS = ("kind", "parameters", "seed")
DIGITS = 12
"""Digits of a number that has no end in decimals: 1/3 is put as 0.333333333333."""
WRITTEN_OUT = range(-9, 16)
"""Powers of ten whose numbers are written without an exponent."""
WHOLE = {"int", "ints"}

Row = Mapping[str, Any]


def rows_of(picture: object) -> list[Row]:
    """A card's pictures: a list, or one of them alone."""
    rows = [picture] if isinstance(picture, Mapping) and picture else picture
    return list(rows) if isinstance(rows, list | tuple) else []


def has_place(row: Row) -> bool:
    """Whether a picture depends on the answer."""
    return any(map(_holds, _parameters(row).values()))


def picture_of(role: str, row: Row, value: Any) -> dict[str, Any]:
    """A picture to ask for, with a value in place of $answer; None where there is no place for one."""
    kind = row.get("kind", "")
    given = {name: _put(value, into, _takes(kind, name)) for name, into in _parameters(row).items()}
    return {"role": role, "kind": kind, "parameters": given, "seed": int(row.get("seed", 0))}


def picture_facts(picture: Row) -> dict[str, Any] | None:
    """The torch-free facts of {kind, parameters, seed}, or None where no such picture can be made."""
    try:
        return facts(make_spec(picture["kind"], picture["parameters"], picture.get("seed", 0)))
    except (InvalidSpec, UnknownModel):
        return None


def why_not(row: Row, value: Any) -> str:
    """Why a picture cannot be made of a value, in one sentence; "" where it can."""
    for name, into in _parameters(row).items():
        parameter = _parameter(row.get("kind", ""), name)
        if parameter is not None and parameter.takes in WHOLE and _holds(into):
            reason = _no_number(row, parameter, value) if into == PLACE else _no_entry(row, parameter, value)
            if reason:
                return reason
        elif _holds_inside(into) and not (isinstance(value, int) and not isinstance(value, bool)):
            return f"The line that is run takes a whole number; {_written(value)} is none."
    try:
        one = picture_of("yours", row, value)
        make_spec(one["kind"], one["parameters"], one["seed"])
    except (InvalidSpec, UnknownModel) as refused:
        return f"Nothing was run: {str(refused).rstrip('.')}."
    return ""


def _parameters(row: Row) -> dict[str, Any]:
    return dict(row.get("parameters") or {})


def _holds(into: Any) -> bool:
    """Whether a parameter is $answer, a list with it, or a text in which it stands."""
    return isinstance(into, str | list | tuple) and PLACE in into


def _holds_inside(into: Any) -> bool:
    """Whether $answer stands among other words of a text."""
    return isinstance(into, str) and into != PLACE and PLACE in into


def _parameter(kind: Any, name: str) -> Parameter | None:
    known = KINDS.get(kind) if isinstance(kind, str) else None
    return next((one for one in known.parameters if one.name == name), None) if known else None


def _takes(kind: Any, name: str) -> str:
    parameter = _parameter(kind, name)
    return parameter.takes if parameter else ""


def _put(value: Any, into: Any, takes: str) -> Any:
    """One parameter with the value in its place: text where text is taken, else whole numbers."""
    if not _holds(into):
        return into
    if _holds_inside(into):
        return into.replace(PLACE, str(_text(value)))
    if takes not in WHOLE:
        return _text(value)
    whole = list(value) if isinstance(value, tuple) else value
    return whole if into == PLACE else [whole if one == PLACE else one for one in into]


def _text(value: Any) -> Any:
    """A number as a picture's text: 8, 11.31, 0.125; a text and a list as they are."""
    if not isinstance(value, int | Fraction) or isinstance(value, bool):
        return list(value) if isinstance(value, tuple) else value
    exact = Fraction(value)
    with localcontext(prec=DIGITS):
        number = (Decimal(exact.numerator) / Decimal(exact.denominator)).normalize()
    return f"{number:f}" if number.adjusted() in WRITTEN_OUT else str(number)


def _no_entry(row: Row, parameter: Parameter, value: Any) -> str:
    """Why a value is no entry of a list."""
    if isinstance(value, list | tuple):
        return f"Nothing was run: {parameter.name} has room for one number, and {len(value)} are given."
    return _no_number(row, parameter, value)


def _no_number(row: Row, parameter: Parameter, value: Any) -> str:
    """Why a value is no whole number, or no list of them, that the parameter takes."""
    sizes: Sequence[Any] = value if isinstance(value, list | tuple) and value else (value,)
    odd = next((size for size in sizes if not _is_size(size)), None)
    if odd is not None:
        return f"{_needs(row, parameter)} whole numbers of 1 or more; {_written(odd)} is none."
    largest, most = max(sizes), parameter.maximum
    if largest <= most:
        return ""
    holder = "An axis holds at most" if most == LARGEST_AXIS else f"{parameter.name} goes up to"
    holder = "A stride goes up to" if parameter.name == "answer_strides" else holder
    return f"{holder} {most:,}; {_written(largest)} is more, so nothing was run."


def _is_size(size: Any) -> bool:
    """A whole number of 1 or more: 0 and -1 have meanings of their own in the engine."""
    return isinstance(size, int) and not isinstance(size, bool) and size > 0


def _needs(row: Row, parameter: Parameter) -> str:
    if parameter.name == "answer_strides":
        return "Strides are tried as"
    return "A view needs" if row.get("kind") in {"answer_executed", "head_split"} else "This picture takes"


def _written(value: Any) -> str:
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        return format_number(Fraction(value))
    return ascii(value)[:40]


def first_refusal(rows: Iterable[Row], value: Any) -> str:
    """Why the first picture that waits for an answer cannot be made of this one; "" where it can."""
    waiting = next((row for row in rows if has_place(row)), None)
    return why_not(waiting, value) if waiting is not None else ""
