"""Cells to fill in, each a question of its own type, some computed from others. Knows no layout, no credit.

A cell is what a row of a table or a gap of a text says of it: {id, type, ..., weight, mistakes}. `{cell: ID}`
anywhere in a cell's answer or mistakes is the value of another cell: the right one when it is asked, the
learner's own when it is seen whether an answer follows from it. The card's own mistakes belong to the cells
they name: {name, cell: ID or [ID, ...], ...}.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from cards.answer_types import AnswerType, UnknownAnswerType, answer_type
from cards.grading import LONGEST_ID, MOST_PARTS, Example, Grade, Question, Response
from cards.keys import KeyProblem, Known

CELL_TYPES = ("numeric", "formula", "matrix_formula", "shape", "einsum", "words", "choice")
LAYOUT = frozenset({"id", "weight", "mistakes", "label", "hint", "width"})
"""What a cell says that is not part of its answer."""
LARGEST_WEIGHT = 1000
LARGEST = 2**31
"""From here on a learner's own number is not put into another key: nothing asked for is so large."""
_ID = re.compile(rf"[A-Za-z][A-Za-z0-9_-]{{0,{LONGEST_ID - 1}}}")
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Cell:
    """One cell. `needs` are the cells whose values its answer or mistakes are computed from."""

    id: str
    type: str
    label: str
    answer: Row
    mistakes: tuple[Row, ...]
    weight: Fraction
    needs: tuple[str, ...]
    hint: str = ""
    width: int = 0

    @property
    def module(self) -> AnswerType:
        """What grades this cell."""
        return answer_type(self.type)

    def asked(self, question: Question, values: Mapping[str, Any]) -> Question:
        """The cell's own question, other cells having these values."""
        answer = {name: _filled(value, values, top=True) for name, value in self.answer.items()}
        mistakes = tuple(_filled(dict(one), values) for one in self.mistakes)
        return Question(answer, mistakes, question.parameters, question.seed)

    def response(self, text: str) -> Response:
        """What was put into the cell, as its type reads it."""
        return Response(choices=(text,)) if self.type == "choice" else Response(text=text)

    def grade(self, asked: Question, text: str) -> Grade:
        """The verdict on a text. Raises Unreadable, KeyProblem."""
        return self.module.grade(asked, self.response(text))

    def examples(self, asked: Question) -> list[tuple[str, str]]:
        """Texts whose verdict is known, each with the mistake it makes ("": it is right)."""
        return [(_text_of(example), example.mistake) for example in self.module.examples(asked)]


def cells_of(rows: Sequence[tuple[Row, str]], question: Question) -> tuple[Cell, ...]:
    """The cells of some rows and their labels. Raises KeyProblem for one that could not be asked."""
    cells = tuple(_cell(row, label, _of_card(question, row.get("id"))) for row, label in rows)
    ids = [cell.id for cell in cells]
    if not cells or len(cells) > MOST_PARTS:
        raise KeyProblem(f"there are 1 to {MOST_PARTS} cells to fill in, not {len(cells)}")
    if len(set(ids)) < len(ids):
        raise KeyProblem(f"each cell has an id of its own; got {', '.join(ids)}")
    for cell in cells:
        for other in cell.needs:
            if other not in ids:
                raise KeyProblem(f"cell {cell.id}: no cell {other}; there are: {', '.join(ids)}")
    in_order(cells)
    return cells


def in_order(cells: Sequence[Cell]) -> list[Cell]:
    """The cells, each after those it needs. Raises KeyProblem where they need each other."""
    found: list[Cell] = []
    left = list(cells)
    while left:
        placed = {cell.id for cell in found}
        ready = [cell for cell in left if placed.issuperset(cell.needs)]
        if not ready:
            raise KeyProblem(f"cells need each other: {', '.join(cell.id for cell in left)}")
        found += ready
        left = [cell for cell in left if cell not in ready]
    return found


def right_values(cells: Sequence[Cell], question: Question) -> dict[str, Any]:
    """The right value of each cell that another one needs. Raises KeyProblem for one that has none."""
    needed = {other for cell in cells for other in cell.needs}
    values: dict[str, Any] = {}
    for cell in in_order(cells):
        if cell.id in needed:
            value = right_grade(cell, cell.asked(question, values)).key
            if not is_value(value):
                raise KeyProblem(
                    f"cell {cell.id} has no single value that another key could be computed from"
                )
            values[cell.id] = value
    return values


def right_grade(cell: Cell, asked: Question) -> Grade:
    """The verdict on a cell's own key. Raises KeyProblem where it has none."""
    return cell.grade(asked, right_text(cell, asked))


def right_text(cell: Cell, asked: Question) -> str:
    """How the right answer of a cell is written. Raises KeyProblem where it has none."""
    right = next((text for text, mistake in cell.examples(asked) if not mistake), None)
    if right is None:
        raise KeyProblem(f"cell {cell.id} has no right answer")
    return right


def is_value(value: object) -> bool:
    """Whether another key can be computed from a value: a number of a size that occurs, a shape, a name."""
    if isinstance(value, list | tuple):
        return 0 < len(value) <= MOST_PARTS and all(type(one) is int and abs(one) < LARGEST for one in value)
    if isinstance(value, str):
        return len(value) <= LONGEST_ID
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        return False
    return max(abs(value.numerator), value.denominator) < LARGEST


def cell_mistakes(question: Question) -> Iterator[tuple[Row, tuple[str, ...]]]:
    """The card's own mistakes with the cells each belongs to."""
    for mistake in question.mistakes:
        named = mistake.get("cell", ())
        if not isinstance(named, str | list | tuple):
            raise KeyProblem(f"mistake {mistake.get('name')}: cell is an id or a list of them, not {named!r}")
        yield mistake, (named,) if isinstance(named, str) else tuple(map(str, named))


def _cell(row: Row, label: str, of_card: Iterable[Row]) -> Cell:
    """One cell, checked as far as it can be without the others."""
    name, own = row.get("id"), row.get("mistakes", ())
    if not isinstance(name, str) or not _ID.fullmatch(name):
        raise KeyProblem(
            f"a cell needs an id of letters, digits, _ and -, beginning with a letter; not {name!r}"
        )
    if not isinstance(own, list | tuple) or not all(isinstance(one, Mapping) for one in own):
        raise KeyProblem(f"cell {name}: mistakes are a list of {{name, ..., says}}")
    answer = {field: value for field, value in row.items() if field not in LAYOUT}
    mistakes = (*own, *of_card)
    return Cell(
        id=name,
        type=_type(name, row.get("type")),
        label=str(row.get("label") or label),
        answer=answer,
        mistakes=mistakes,
        weight=_weight(name, row.get("weight", 1)),
        needs=tuple(dict.fromkeys(_references([answer, list(mistakes)]))),
        hint=str(row.get("hint", "")),
        width=row["width"] if type(row.get("width")) is int else 0,
    )


def _of_card(question: Question, name: object) -> list[Row]:
    """The card's own mistakes that belong to a cell, as the cell's own."""
    return [
        {field: value for field, value in mistake.items() if field != "cell"}
        for mistake, cells in cell_mistakes(question)
        if name in cells
    ]


def _type(name: str, given: object) -> str:
    try:
        if isinstance(given, str) and given in CELL_TYPES and answer_type(given):
            return given
    except UnknownAnswerType as missing:
        raise KeyProblem(f"cell {name}: {missing}") from missing
    raise KeyProblem(f"cell {name}: its type is one of {', '.join(CELL_TYPES)}, not {given!r}")


def _weight(name: str, given: object) -> Fraction:
    """How much a cell counts beside the others."""
    number = isinstance(given, int | float) and not isinstance(given, bool)
    if not number or not 0 < float(str(given)) <= LARGEST_WEIGHT:
        raise KeyProblem(
            f"cell {name}: weight is a number above 0 and at most {LARGEST_WEIGHT}, not {given!r}"
        )
    return Fraction(str(given))


def _references(value: Any) -> Iterator[str]:
    """The ids in every {cell: ID} of a value."""
    if _is_reference(value):
        yield value["cell"]
    elif isinstance(value, Mapping):
        yield from _references(list(value.values()))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _references(one)


def _filled(value: Any, values: Mapping[str, Any], *, top: bool = False) -> Any:
    """A value with each {cell: ID} replaced; one that is a whole key becomes a key that is known."""
    if _is_reference(value):
        held = values[value["cell"]]
        return Known(held) if top else held
    if isinstance(value, Mapping):
        return {name: _filled(one, values) for name, one in value.items()}
    return [_filled(one, values) for one in value] if isinstance(value, list | tuple) else value


def _is_reference(value: Any) -> bool:
    return isinstance(value, Mapping) and set(value) == {"cell"} and isinstance(value["cell"], str)


def _text_of(example: Example) -> str:
    """What an example of a cell's type puts into the cell."""
    given = example.response
    return str(given["text"]) if "text" in given else str(given["choices"][0])
