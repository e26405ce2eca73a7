"""A table with cells to fill in, each of a type of its own. Knows no card file and no learner.

answer:   {type: table, columns: [TEXT, ...], rows: [{title: TEXT, cells: [CELL, ...]}, ...]}
CELL      {given: TEXT}, or {id, type, ..., weight: 1, mistakes: [...], label: TEXT}
mistakes: [{name, cell: ID or [ID, ...], ..., says}] as the type of that cell has them; or
          [{name, swapped: [ID, ID], says}] for the right values of two cells in each other's place
`{cell: ID}` in a key is the value of another cell. How cells are graded: `_cells.py`, `_filled_in.py`.
"""

from collections.abc import Mapping
from typing import Any

from cards.answer_types._cell_checks import examples_of, fields_of, problems_of
from cards.answer_types._cell_checks import read_cell as read_one
from cards.answer_types._cell_verdicts import graded_together, keys_in_words
from cards.answer_types._cells import Cell, cells_of
from cards.answer_types._filled_in import fill_in
from cards.grading import MOST_PARTS, Example, Grade, Question, Reading, Response
from cards.keys import KeyProblem

FIELDS = ("type", "columns", "rows")
ROW_FIELDS = ("title", "cells")
OFFLINE = True
Row = Mapping[str, Any]


def grade(question: Question, response: Response) -> Grade:
    """Correct where every cell is, partial with the weighted share of those that are."""
    filled = fill_in(question, cells(question), response)
    return graded_together(question, filled, keys_in_words(filled))


def question_input(question: Question) -> dict[str, Any]:
    """The table as it is shown: titles, given cells, and what the fields need."""
    fields = fields_of(cells(question), question)
    rows = [
        {"title": str(row.get("title", "")), "cells": [_shown(cell, fields) for cell in row["cells"]]}
        for row in _rows(question)
    ]
    return {"table": {"columns": _columns(question), "rows": rows}, "hint": "Fill in every field."}


def examples(question: Question) -> list[Example]:
    """All right, each other accepted answer, and each named mistake."""
    return examples_of(cells(question), question)


def problems(question: Question) -> list[str]:
    """What is wrong with a cell or a row."""
    found: list[str] = []
    for number, row in enumerate(_rows(question), 1):
        found += [
            f"row {number}: no field {name}; there are: title, cells"
            for name in row
            if name not in ROW_FIELDS
        ]
    return [*found, *problems_of(cells(question), question)]


def read_cell(question: Question, name: str, text: str) -> Reading:
    """How a text is read in a cell. Raises Unreadable."""
    return read_one(cells(question), question, name=name, text=text)


def cells(question: Question) -> tuple[Cell, ...]:
    """The cells to fill in, row by row. Raises KeyProblem."""
    columns = _columns(question)
    return cells_of(
        [
            (cell, _label(str(row.get("title", "")), column))
            for row in _rows(question)
            for column, cell in zip(columns, row["cells"], strict=True)
            if "given" not in cell
        ],
        question,
    )


def _label(title: str, column: str) -> str:
    """ "d_head of BERT-base"."""
    return f"{column} of {title}" if title and column else column or title


def _columns(question: Question) -> list[str]:
    columns = question.answer.get("columns")
    if (
        not isinstance(columns, list | tuple)
        or not columns
        or not all(isinstance(one, str) for one in columns)
    ):
        raise KeyProblem(f"a table needs columns: a list of texts; got {columns!r}")
    return list(columns)


def _rows(question: Question) -> list[Row]:
    """The rows, each with as many cells as there are columns. Raises KeyProblem."""
    rows, width = question.answer.get("rows"), len(_columns(question))
    if not isinstance(rows, list | tuple) or not rows or len(rows) > MOST_PARTS or width > MOST_PARTS:
        raise KeyProblem(
            f"a table needs rows: 1 to {MOST_PARTS} of {{title, cells}}, and as many columns at most"
        )
    for number, row in enumerate(rows, 1):
        given = row.get("cells") if isinstance(row, Mapping) else None
        if not isinstance(given, list | tuple) or not all(isinstance(cell, Mapping) for cell in given):
            raise KeyProblem(f"row {number} needs cells: a list of {{given: TEXT}} or {{id, type, ...}}")
        if len(given) != width:
            raise KeyProblem(f"row {number} has {len(given)} cells for {width} columns")
    return list(rows)


def _shown(cell: Row, fields: Mapping[str, Row]) -> Row:
    return {"given": str(cell["given"])} if "given" in cell else fields[cell["id"]]
