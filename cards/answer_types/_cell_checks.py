"""What cells are asked with, and the answers to them whose verdict is known. Grades nothing."""

from collections.abc import Iterator, Sequence
from typing import Any

from cards.answer_types import odd_settings
from cards.answer_types._cells import Cell, cell_mistakes, right_text, right_values
from cards.grading import Example, Question, Reading, Unreadable

SHOWN = ("unit", "options", "names")
"""What the field of a type needs that the field of a cell needs too."""


def fields_of(cells: Sequence[Cell], question: Question) -> dict[str, dict[str, Any]]:
    """What the field of each cell needs, by its id; never a key."""
    values = right_values(cells, question)
    return {cell.id: _field(cell, cell.asked(question, values)) for cell in cells}


def _field(cell: Cell, asked: Question) -> dict[str, Any]:
    given = cell.module.question_input(asked)
    shown = {name: given[name] for name in SHOWN if name in given}
    hint = {"hint": cell.hint} if cell.hint else {}
    return {"id": cell.id, "type": cell.type, "label": cell.label, **hint, **shown}


def examples_of(cells: Sequence[Cell], question: Question) -> list[Example]:
    """All right, then each other accepted answer and each named mistake with the rest right."""
    values = right_values(cells, question)
    asked = {cell.id: cell.asked(question, values) for cell in cells}
    right = {cell.id: right_text(cell, asked[cell.id]) for cell in cells}
    known = [(cell.id, text, name) for cell in cells for text, name in cell.examples(asked[cell.id])]
    others = [
        Example({"cells": {**right, cell: text}}, name) for cell, text, name in known if text != right[cell]
    ]
    return [Example({"cells": right}), *others, *_swap_examples(question, right)]


def problems_of(cells: Sequence[Cell], question: Question) -> Iterator[str]:
    """What is wrong with each cell, and mistakes of the card that belong to none."""
    values = right_values(cells, question)
    for cell in cells:
        asked = cell.asked(question, values)
        found = (*odd_settings(cell.module, asked.answer), *cell.module.problems(asked))
        yield from (f"cell {cell.id}: {problem}" for problem in found)
    ids = {cell.id for cell in cells}
    for mistake, named in cell_mistakes(question):
        swapped = mistake.get("swapped")
        belongs = {*named} if swapped is None else {*map(str, swapped)}
        if not belongs or not belongs <= ids or (swapped is not None and len(belongs) != 2):
            there = ", ".join(sorted(ids))
            yield f"mistake {mistake.get('name')}: give it cell: ID or swapped: [ID, ID]; there are: {there}"


def read_cell(cells: Sequence[Cell], question: Question, name: str, text: str) -> Reading:
    """How a text is read in a cell. Raises Unreadable, also for a cell that is not read from text."""
    cell = next((cell for cell in cells if cell.id == name), None)
    read: Any = getattr(cell.module, "read", None) if cell else None
    if cell is None or read is None:
        raise Unreadable("Nothing is read as it is typed here.", field=f"cells.{name}")
    try:
        reading: Reading = read(cell.asked(question, right_values(cells, question)), text)
    except Unreadable as problem:
        raise Unreadable(problem.message, problem.offset, f"cells.{name}") from problem
    return reading


def _swap_examples(question: Question, right: dict[str, str]) -> Iterator[Example]:
    """The right answer with the two cells of a mistake exchanged."""
    for mistake in question.mistakes:
        pair = mistake.get("swapped")
        if isinstance(pair, list | tuple) and len(pair) == 2 and set(pair) <= set(right):
            one, two = pair
            yield Example(
                {"cells": {**right, one: right[two], two: right[one]}}, str(mistake.get("name", ""))
            )
