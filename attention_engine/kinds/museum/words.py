"""Why a head is as wide as it is, in a sentence with the model's numbers. Knows no tensor."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from attention_engine.kinds.museum.points import Point, nearest
from attention_engine.scales import rule_of


def written(number: Fraction | float) -> str:
    """ "192", "53.33"."""
    return f"{int(number):,}" if Fraction(number).denominator == 1 else f"{float(number):,.2f}"


def division(d_model: int, num_heads: int) -> str:
    """ "3,072 / 16 = 192", "5,120 / 96 = 53.33"."""
    return f"{d_model:,} / {num_heads:,} = {written(Fraction(d_model, num_heads))}"


def named(points: Sequence[Point]) -> str:
    """ "A, B and C"."""
    names = [point.config.name for point in points]
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def why(point: Point) -> str:
    """ "Why not d_model / num_heads?" for one model, from the numbers of its row."""
    config = point.config
    asked = f"{config.name}: d_model / num_heads is {division(config.d_model, config.num_heads)}"
    if point.holds:
        told = f"{asked}, and d_head is just that: the convention holds. {_product(point)}"
    else:
        told = f"{asked}, but its d_head is {config.d_head:,}. {_product(point)}"
    return " ".join(part for part in (told, _parts(point), _scale(point)) if part)


def _product(point: Point) -> str:
    config = point.config
    made = f"num_heads × d_head = {config.num_heads:,} × {config.d_head:,} = {point.inner:,}"
    if point.inner == config.d_model:
        return f"{made}, as wide as d_model."
    wider = "wider" if point.inner > config.d_model else "narrower"
    return (
        f"{made}, {wider} than d_model {config.d_model:,}: W_Q maps {config.d_model:,} to {point.inner:,}, "
        f"and W_O reads {point.read:,} and gives back {config.d_model:,}."
    )


def _parts(point: Point) -> str:
    """What a query or key of MLA is made of."""
    config = point.config
    if not config.d_head_rope:
        return ""
    bare = config.d_head - config.d_head_rope
    return (
        f"A query or key has {bare:,} numbers without a position and {config.d_head_rope:,} that rotary "
        f"turns; a value has {config.d_head_v:,}."
    )


def _scale(point: Point) -> str:
    if not point.scaled_otherwise:
        return ""
    rule = rule_of(point.config)
    if rule.name == "none":
        return "Its scores are not divided at all."
    return f"Its scores are scaled by {rule}, not by 1/sqrt({point.config.d_head})."


def provenance(point: Point) -> str:
    """Source, status and date of the row, and its note."""
    config = point.config
    note = f" Note: {config.note}." if config.note else ""
    return f"Source: {config.source}; {config.status}, {config.as_of}.{note}"


def own(numbers: Mapping[str, Any]) -> str:
    """Where a config of one's own lies, and beside whom."""
    d_model, heads, d_head = (numbers[name] for name in ("d_model", "num_heads", "d_head"))
    inner = heads * d_head
    rule = "on the diagonal" if inner == d_model else "off the diagonal"
    beside = named(nearest(d_model=d_model, num_heads=heads, d_head=d_head))
    return (
        f"Yours: {division(d_model, heads)} and d_head {d_head:,}, {rule}. W_O reads {heads:,} × {d_head:,} "
        f"= {inner:,}, d_model is {d_model:,}. Nearest in the table: {beside}."
    )


def answered(answer: int, point: Point) -> tuple[str, str]:
    """(named mistake or "", sentence) for a width of a head that was answered."""
    config = point.config
    right = f"{config.name}'s d_head is {config.d_head:,}"
    made = f"{config.num_heads:,} heads of {answer:,} make {config.num_heads * answer:,}"
    if answer == config.d_head:
        return "", f"{answer:,} is the d_head of {config.name}: {made}; d_model is {config.d_model:,}."
    if answer == int(point.quotient):
        says = f"It is {division(config.d_model, config.num_heads)}, a convention that {config.name} breaks."
        return "d_model / num_heads in place of d_head", f"{says} {right}."
    if config.d_head_rope and answer == config.d_head - config.d_head_rope:
        says = f"It leaves out the {config.d_head_rope:,} numbers that rotary turns."
        return "rotary part forgotten", f"{says} {right}."
    if answer == config.d_head_v:
        return "width of a value head", f"It is the width of a value; a query or key is wider. {right}."
    return "", f"{made}, where W_Q makes {point.inner:,}. {right}."
