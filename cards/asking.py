"""What an answer field needs, as the API sends it: Markdown as HTML and as text. Knows no type and no key.

Every member is always there: a type that needs no table has one without rows.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from cards.markdown import plain_text, render_inline

Values = Mapping[str, Any]


def input_json(given: Values) -> dict[str, Any]:
    """The input of a question from what its type says of it (`question_input`)."""
    table, cloze = given.get("table") or {}, given.get("cloze") or {}
    return {
        **{name: _rows(given.get(name, ())) for name in ("items", "options")},
        **{name: str(given.get(name, "")) for name in ("unit", "placeholder", "hint")},
        "lines": int(given.get("lines") or 1),
        "many": bool(given.get("many")),
        "distractors": bool(given.get("distractors")),
        "given": [
            {"name": str(one["name"]), "shape": _shape(one["shape"])} for one in given.get("given", ())
        ],
        "table": {
            "columns": [_words(column) for column in table.get("columns", ())],
            "rows": [_table_row(row) for row in table.get("rows", ())],
        },
        "cloze": {"pieces": [_piece(piece) for piece in cloze.get("pieces", ())]},
    }


def _rows(rows: Sequence[Values]) -> list[dict[str, str]]:
    """Options or items with their texts rendered."""
    return [{"id": str(row["id"]), **_words(row["text"])} for row in rows]


def _words(text: Any) -> dict[str, str]:
    """A text of one line, rendered and plain."""
    html = render_inline(str(text))
    return {"text": plain_text(html), "html": html}


def _operand(one: Values) -> dict[str, str]:
    """A name that a program may use, and the shape of what it stands for."""
    return {"name": str(one["name"]), "shape": _shape(one["shape"])}


def _shape(shape: Any) -> str:
    """ "(2, 4, 768)"."""
    return f"({', '.join(map(str, shape))})" if isinstance(shape, list | tuple) else str(shape)


def _table_row(row: Values) -> dict[str, Any]:
    """A row: its title, and its cells, given or to be filled in."""
    return {**_words(row.get("title", "")), "cells": [_cell(cell) for cell in row.get("cells", ())]}


def _cell(cell: Values) -> dict[str, Any]:
    """A cell of a table: one with an empty id is given and says its text."""
    return {**_words(cell.get("given", "")), **_field(cell)}


def _piece(piece: Values) -> dict[str, Any]:
    """A piece of a cloze: a text, the blanks at its ends kept, or a gap to fill in."""
    text = str(piece.get("text", ""))
    before, after = " " * text[:1].isspace(), " " * (text[-1:].isspace() and bool(text.strip()))
    words = {name: f"{before}{one}{after}" for name, one in _words(text).items()}
    return {**words, **_field(piece)}


def _field(cell: Values) -> dict[str, Any]:
    """What is asked in a cell or gap; nothing where there is no id."""
    return {
        **{name: str(cell.get(name, "")) for name in ("id", "type", "unit", "label", "hint")},
        "width": int(cell.get("width") or 0),
        "options": _rows([_option(one) for one in cell.get("options", ())]),
    }


def _option(one: Any) -> Values:
    """An option of a cell: an object, or a text that is its own id."""
    return one if isinstance(one, Mapping) else {"id": one, "text": one}
