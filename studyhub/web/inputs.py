"""The fields of an answer as templates show them, with what was put in so far. Knows no key and no grade."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cards.answering import answer_type, question_input, question_of
from cards.grading import Unreadable
from cards.markdown import plain_text, render_inline
from studyhub.web.forms import OUT, whole

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NONE = "none"
"""The id of the option that says that no other is right."""
CELL = "cells."
NARROWEST, WIDEST = 5, 24  # characters that a gap has room for, whatever its answer


@dataclass(frozen=True)
class Given:
    """What the learner has put in so far; kept when an answer could not be read or a hint was taken."""

    text: str = ""
    choices: Sequence[str] = ()
    places: Mapping[str, str] = field(default_factory=dict)
    order: Sequence[str] = ()
    cells: Mapping[str, str] = field(default_factory=dict)
    hints: int = 0
    error: Unreadable | None = None

    def unread(self, name: str) -> str:
        """What is wrong with the field of this name, as HTML; "" where it was read."""
        return render_inline(self.error.message) if self.error and self.error.field == name else ""


def fields_of(version: Any, variant_seed: int, given: Given) -> dict[str, Any]:
    """{"unit", "hint", "placeholder", "lines", "given", "options", "items", "table", "cloze", ...}."""
    asked = answer_type(version.answer_type).question_input(question_of(version, variant_seed))
    rows = question_input(version, variant_seed)
    return {
        "unit": rows["unit"],
        "hint": sentence(rows["hint"]),
        "placeholder": rows["placeholder"],
        "lines": int(asked.get("lines") or 0),
        "names": [str(name) for name in asked.get("names", ())],
        "given": [_operand(one) for one in asked.get("given", ())],
        "many": bool(asked.get("many")),
        "options": _options(rows["options"], given),
        "distractors": bool(asked.get("distractors")),
        "items": _items(rows["items"], given),
        "places": range(1, len(rows["items"]) + 1),
        "table": _table(asked["table"], given) if asked.get("table") else None,
        "cloze": _cloze(asked["cloze"], given) if asked.get("cloze") else None,
    }


def sentence(hint: str) -> str:
    """A hint as HTML, with its full stop."""
    return render_inline(hint if hint.endswith((".", "?")) else f"{hint}.") if hint else ""


def focused(fields: Mapping[str, Any]) -> str:
    """The cell that is to be filled in next: the one that could not be read, else the first; "" for none."""
    cells = list(_cells(fields))
    wrong = (cell for cell in cells if cell["error"])
    return next(wrong, cells[0])["id"] if cells else ""


def cell_labels(fields: Mapping[str, Any]) -> dict[str, str]:
    """What each cell or gap is called: {"heads": "BERT-base, num_heads"}."""
    return {cell["id"]: cell["label"] for cell in _cells(fields)}


def _cells(fields: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Every cell and gap that is filled in."""
    table, cloze = fields["table"], fields["cloze"]
    yield from (cell for row in (table["rows"] if table else ()) for cell in row["cells"] if "id" in cell)
    yield from (piece for piece in (cloze or ()) if "id" in piece)


def _operand(one: Mapping[str, Any]) -> dict[str, str]:
    """A name that a program is given, with its shape in brackets, or the number it stands for."""
    shape = one.get("shape", "")
    said = f"= {shape}" if isinstance(shape, str) else f"({', '.join(map(str, shape))})"
    return {"name": str(one.get("name", "")), "shape": said}


def _options(rows: Sequence[Mapping[str, Any]], given: Given) -> list[dict[str, Any]]:
    """Options with their letters, those chosen marked."""
    return [
        {**option, "letter": LETTERS[index % 26], "chosen": option["id"] in given.choices}
        for index, option in enumerate(rows)
    ]


def _items(rows: Sequence[Mapping[str, Any]], given: Given) -> list[dict[str, Any]]:
    """Rows of an ordering with the place each was given, in the order the learner left them."""
    placed = [{**item, "place": _place(item["id"], given)} for item in rows]
    position = {row: index for index, row in enumerate(given.order)}
    return sorted(placed, key=lambda row: position.get(row["id"], len(placed)))


def _place(row: str, given: Given) -> int | str:
    """1 for the first; 0 where none was chosen; "out" for what is not part of it."""
    if row in given.order:
        return list(given.order).index(row) + 1
    chosen = given.places.get(row, "")
    return OUT if chosen == OUT else whole(chosen)


def _table(table: Mapping[str, Any], given: Given) -> dict[str, Any]:
    """Headings, and rows whose cells are given or asked for; each asked for has a label of its own."""
    titles = [str(title) for title in table["columns"]]
    return {
        "columns": [render_inline(title) for title in titles],
        "rows": [_row(row, titles, given) for row in table["rows"]],
    }


def _row(row: Mapping[str, Any], titles: Sequence[str], given: Given) -> dict[str, Any]:
    """One row: its title and as many cells as there are columns."""
    title = str(row.get("title", ""))
    cells = [
        _field(cell, given, f"{_plain(title)}, {_plain(titles[index])}")
        if "id" in cell
        else {"html": render_inline(str(cell.get("given", "")))}
        for index, cell in enumerate(row["cells"])
    ]
    return {"title": render_inline(title), "cells": cells}


def _cloze(cloze: Mapping[str, Any], given: Given) -> list[dict[str, Any]]:
    """The sentence in pieces: text as HTML, gaps as fields."""
    gaps = 0
    pieces: list[dict[str, Any]] = []
    for piece in cloze["pieces"]:
        if "id" not in piece:
            pieces.append({"html": inline(str(piece.get("text", "")))})
            continue
        gaps += 1
        pieces.append(_field(piece, given, str(piece.get("hint") or f"Gap {gaps}")))
    return pieces


def inline(text: str) -> str:
    """Part of a sentence: the blanks at its ends are kept, which markdown drops."""
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() else ""
    return f"{before}{render_inline(text)}{after}"


def _field(cell: Mapping[str, Any], given: Given, label: str) -> dict[str, Any]:
    """One cell or gap: how it is asked, what stands in it, why it could not be read."""
    name = str(cell["id"])
    options = [_option(one) for one in cell.get("options", ())]
    width = min(max(int(cell.get("width") or NARROWEST), NARROWEST), WIDEST)
    return {
        "id": name,
        "type": str(cell.get("type", "numeric")),
        "label": _label(cell, label),
        "unit": str(cell.get("unit", "")),
        "hint": str(cell.get("hint", "")),
        "width": width,
        "options": options,
        "text": given.cells.get(name, ""),
        "error": given.unread(f"{CELL}{name}"),
    }


def _label(cell: Mapping[str, Any], label: str) -> str:
    """What a field is called, and in a sentence what its gap asks for."""
    called = _plain(str(cell.get("label") or label))
    hint = str(cell.get("hint", ""))
    return f"{called}: {hint}" if hint and hint != called else called


def _option(one: Any) -> dict[str, str]:
    """An option of a cell: its id and its text without markup, as a select can show it."""
    row = one if isinstance(one, Mapping) else {"id": one, "text": one}
    return {"id": str(row["id"]), "text": _plain(str(row["text"]))}


def _plain(text: str) -> str:
    return plain_text(render_inline(text)).strip()
