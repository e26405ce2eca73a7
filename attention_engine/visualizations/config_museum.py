"""The table of published models, each with its source, then counted. Has no tensor."""

from collections.abc import Iterator, Mapping
from typing import Any

from attention_engine.frames import Cell, Frame, Table
from attention_engine.kinds import config_museum as kind
from attention_engine.kinds.museum.points import Point, nearest, points, schemes, statements
from attention_engine.kinds.museum.words import named, why, written
from attention_engine.scales import rule_of
from attention_engine.spec import VisualizationSpec

MOST_NAMED = 12
COLUMNS = (
    *("model", "d_model", "heads", "d_model / heads", "d_head", "heads × d_head", "rule", "own score scale"),
    *("status", "as of", "source", "note"),
)
Numbers = Mapping[str, Any]


def frames(spec: VisualizationSpec) -> Iterator[Frame]:
    """answer and own where asked, why, then the models of each scheme, and what the table says as a whole."""
    numbers, point = spec.parameters, kind.picked(spec.parameters)
    if answer := kind.answer_of(numbers):
        yield _answer(answer, point)
    if own := kind.own_of(numbers):
        yield _own(numbers, str(own["sentence"]))
    yield _of(
        "why", [point], title=f"Why d_head of {point.config.name} is {point.config.d_head:,}", says=why(point)
    )
    for scheme in schemes():
        listed = [one for one in points() if one.scheme == scheme]
        yield _of(
            scheme.lower(), listed, title=f"{len(listed)} models with {scheme}", says=_scheme(scheme, listed)
        )
    yield _statements()


def _answer(answer: Numbers, point: Point) -> Frame:
    config = point.config
    columns = ("width of a head", "heads × width", "d_model")
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (f"{whose}, {width:,}", config.num_heads * width, config.d_model)
        for whose, width in (("answered", answer["d_head"]), (config.name, config.d_head))
    )
    title = f"{answer['d_head']:,} beside the d_head of {config.name}"
    return Frame("answer", "text", title, str(answer["sentence"]), table=Table(columns, rows))


def _own(numbers: Numbers, says: str) -> Frame:
    """One's own config over its neighbours, as the columns of the table have it."""
    near = nearest(d_model=numbers["d_model"], num_heads=numbers["num_heads"], d_head=numbers["d_head"])
    return _of("own", near, title="Nearest to your config", says=says)


def _scheme(scheme: str, listed: list[Point]) -> str:
    broken = [point for point in listed if not point.holds]
    told = f"{scheme}: in {len(broken)} of {len(listed)} models d_head is not d_model / num_heads"
    return f"{told}: {_listed(broken)}." if broken else f"{told}."


def _listed(models: list[Point]) -> str:
    if len(models) <= MOST_NAMED:
        return named(models)
    first = ", ".join(point.config.name for point in models[:MOST_NAMED])
    return f"{first} and {len(models) - MOST_NAMED} more"


def _of(step: str, listed: list[Point] | tuple[Point, ...], *, title: str, says: str) -> Frame:
    """Some models, each with its numbers, its source and how well it is known."""
    return Frame(
        step=step,
        layout="text",
        title=title,
        sentence=says,
        axes=("model",),
        shape=(len(listed),),
        dtype="int64",
        values=tuple(point.config.d_head for point in listed),
        table=Table(COLUMNS, tuple(_row(point) for point in listed)),
    )


def _row(point: Point) -> tuple[Cell, ...]:
    config = point.config
    return (
        *(config.name, config.d_model, config.num_heads, written(point.quotient), config.d_head, point.inner),
        *("holds" if point.holds else "breaks", str(rule_of(config)) if point.scaled_otherwise else ""),
        *(config.status, config.as_of, config.source, config.note),
    )


def _statements() -> Frame:
    """What is true of how many rows, counted from the rows themselves."""
    told = statements()
    broken, sure = told[0], told[1]
    return Frame(
        step="statements",
        layout="text",
        title=f"What {broken.of} models say together",
        sentence=(
            f"d_head is not d_model / num_heads in {len(broken.models)} of {broken.of} models, in "
            f"{len(sure.models)} of the {sure.of} whose numbers are not unverified class defaults."
        ),
        axes=("statement",),
        shape=(len(told),),
        dtype="int64",
        values=tuple(len(one.models) for one in told),
        table=Table(
            ("statement", "models", "of", "which"),
            tuple((one.says, len(one.models), one.of, _listed(list(one.models))) for one in told),
        ),
    )
