"""The verdict part by part: cells, options and points as rows with their names. Grades nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

from cards.markdown import render_inline
from studyhub.web.inputs import CELL, NONE, Given, cell_labels, fields_of
from studyhub.web.marked import marked

WORDS = {
    "correct": "Right",
    "partial": "Partly",
    "incorrect": "Not yet",
    "undecided": "Not graded",
    "hit": "Said",
    "missing": "Missing",
    "unsure": "Unsure",
}
ICONS = {"hit": "correct", "missing": "incorrect", "unsure": "undecided"}
HEADS = {"cells": "Field", "options": "Option", "points": "Point"}
FLAG = "Red flag"
View = dict[str, Any]


def parts_view(
    version: Any, *, response: Mapping[str, Any], grade: Mapping[str, Any], variant_seed: int = 0
) -> View | None:
    """{"head", "verdicts", "you", "keys", "width", "rows"}; None where there is nothing to tell apart.

    That is: no parts, parts that wait for ticks or are rows of an ordering, one option out of several.
    Of an answer that was only shown there is no verdict, but what is right."""
    parts = () if grade.get("pending") else grade.get("parts") or ()
    fields = fields_of(version, variant_seed, Given())
    shown_only = bool(response.get("revealed"))
    one_of_several = bool(fields["options"]) and (shown_only or not fields["many"])
    if not parts or fields["items"] or one_of_several:
        return None
    cells, options, points = cell_labels(fields), _options(fields), points_of(version)
    names = cells or options or {one["id"]: one["html"] for one in points}
    kind = "cells" if cells else "options" if options else "points"
    flags = [one["id"] for one in points if one["flag"]]
    order = list(names)
    parts = sorted(parts, key=lambda part: order.index(part["id"]) if part["id"] in names else len(order))
    rows = [_row(part, names, response=response, grade=grade, kind=kind, flags=flags) for part in parts]
    return _table([row for row in rows if row["shown"]], kind=kind, shown_only=shown_only)


def _table(rows: Sequence[View], *, kind: str, shown_only: bool) -> View:
    """The rows with the columns that they fill."""
    you, keys = kind == "cells" and not shown_only, any(row["key_text"] for row in rows)
    return {
        "head": HEADS[kind],
        "verdicts": not shown_only,
        "you": you,
        "keys": keys,
        "width": 1 + (not shown_only) + you + keys,
        "rows": [{**row, "says": row["says"] and not shown_only} for row in rows],
    }


def points_of(version: Any) -> list[View]:
    """The points and red flags of a rubric: [{"id", "html", "flag"}]."""
    answer = version.answer if isinstance(version.answer, Mapping) else {}
    listed = [("points", False), ("red_flags", True)]
    return [
        {"id": str(one["id"]), "html": render_inline(str(one["text"])), "flag": flag}
        for name, flag in listed
        for one in answer.get(name) or ()
        if isinstance(one, Mapping) and "id" in one and "text" in one
    ]


def ticks_view(version: Any, grade: Mapping[str, Any]) -> dict[str, list[View]]:
    """What is to be ticked: {"points", "flags"}; {} where an answer does not wait for ticks."""
    if grade.get("pending") != "ticks":
        return {}
    rows = points_of(version)
    return {
        "points": [one for one in rows if not one["flag"]],
        "flags": [one for one in rows if one["flag"]],
    }


def _options(fields: Mapping[str, Any]) -> dict[str, str]:
    """Options by id, each after its letter."""
    return {one["id"]: f"{one['letter']}: {one['html']}" for one in fields["options"]}


def _row(
    part: Mapping[str, Any],
    names: Mapping[str, str],
    *,
    response: Mapping[str, Any],
    grade: Mapping[str, Any],
    kind: str,
    flags: Sequence[str],
) -> View:
    """One part in words; a red flag that is not raised, and "none" that was not chosen, are not shown."""
    name, outcome = str(part.get("id", "")), str(part.get("outcome", ""))
    chosen, flag = name in (response.get("choices") or ()), name in flags
    said = _said(part, kind)
    return {
        "id": name,
        "label": names.get(name, name),
        "icon": "incorrect" if flag else ICONS.get(outcome, outcome),
        "word": FLAG if flag else WORDS.get(outcome, outcome),
        **said,
        "says": any(said.values()),
        "key_text": "" if outcome == "correct" else part.get("key_text", ""),
        "pieces": _yours(name, response=response, grade=grade) if kind == "cells" else [],
        "shown": not (flag and outcome != "hit") and not (name == NONE and not chosen),
    }


def _said(part: Mapping[str, Any], kind: str) -> dict[str, str]:
    """What is said of a part besides its verdict; a title that says the key, a mistake or a point once more
    is left out."""
    mistake = str(part.get("mistake", "")).replace("_", " ")
    title = str(part.get("title", ""))
    known = kind == "points" or title in (part.get("key_text"), mistake)
    return {
        "quote": str(part.get("quote", "")),
        "title": "" if known else title,
        "mistake": mistake,
        "feedback_html": str(part.get("feedback_html", "")),
    }


def _yours(name: str, *, response: Mapping[str, Any], grade: Mapping[str, Any]) -> list[View]:
    """What stood in a cell, the place that decided marked."""
    text = str((response.get("cells") or {}).get(name, ""))
    place = grade.get("place") or {}
    here = place.get("field") == f"{CELL}{name}"
    return marked(text, int(place["start"]), int(place["end"])) if here else marked(text)
