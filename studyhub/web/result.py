"""What is shown below an answered question: the verdict in words, right beside wrong, pictures to ask for.

Works on a grade as JSON (10.9), so an attempt read from the database and a preview look the same.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from cards.markdown import render_inline
from cards.placing import has_place, picture_facts, rows_of
from studyhub.web.drawings import axis_class, bands
from studyhub.web.pictures import picture_view

WORDS = {"correct": "Right", "partial": "Partly", "incorrect": "Not yet", "undecided": "Not graded"}
PENDING = {
    "worker": "Not graded yet: your lines are still to be run",
    "ticks": "Not graded yet: tick what your answer says",
}
HEADINGS = {"yours": "What you ran", "right": "What works"}
PROGRAM_HEADINGS = {"yours": "What you ran", "right": "The right line"}
ALONE = "What was run"
TRY = "try"
BESIDE_REFERENCE = ("reference", "accepts", "mistaken")
"""What a program is compared with; none of them stands without the reference."""


def result_view(version: Any, *, grade: Mapping[str, Any], here: str = "", tried: int = 0) -> dict[str, Any]:
    """Everything `web/_result.html` needs. `version` has its values drawn (`cards.generators.concrete`).

    `here`: the page's own query; `tried`: another value to show."""
    outcome, pending = str(grade.get("outcome", "undecided")), str(grade.get("pending") or "")
    parts, others = _split(_roles(version, grade.get("pictures", ())))
    columns = [_column(one, outcome=outcome, alone=len(parts) == 1) for one in parts]
    reason = str(grade.get("facts", {}).get("not_run", ""))
    return {
        "outcome": outcome,
        "word": WORDS.get(outcome, "Not graded"),
        "title": grade.get("title", ""),
        "pending": pending,
        "pending_title": PENDING.get(pending, ""),
        "read_as": grade.get("read_as", ""),
        "read_as_mathml": grade.get("read_as_mathml", ""),
        "notes": [render_inline(str(note)) for note in grade.get("notes", ())],
        "feedback_html": grade.get("feedback_html", ""),
        "mistake": mistake_words(str(grade.get("mistake", ""))),
        "key_text": _key_text(version, grade, columns),
        "columns": columns,
        "not_run": reason,
        "nearest": _nearest(columns, here),
        "tried": _tried(parts, tried),
        "tried_value": tried,
        "may_try": any(column["facts"].get("asks") == "heads" for column in columns),
        "pictures": [picture_view(one) for one in [*_once(others, version), *_the_split(parts, others)]],
        "explanation_html": version.explanation_html,
        "rubric": _rubric(version),
    }


def _key_text(version: Any, grade: Mapping[str, Any], columns: Sequence[Any]) -> str:
    """The key, where neither the title, a side that works nor the list of points already shows it."""
    key = str(grade.get("key_text", ""))
    known = key in str(grade.get("title", "")) or any(one["shape"] for one in columns) or _rubric(version)
    rows = any(part["key_text"] for part in grade.get("parts") or ()) or version.answer_type == "rubric"
    told = grade.get("outcome") == "correct" or rows
    return "" if known or told or grade.get("pending") else key


def mistake_words(name: str) -> str:
    """The name of a mistake as a noun phrase: "heads that do not divide"."""
    return name.replace("_", " ")


def _roles(version: Any, pictures: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """A program that is the question's own, whatever was answered, is nobody's and need not be right."""
    asked = [dict(row.get("parameters") or {}) for row in rows_of(version.picture) if not has_place(row)]
    return [
        {**one, "role": ""}
        if one["parameters"].get("program") and one["parameters"] in asked
        else _of_its_own(one)
        for one in pictures
    ]


def _of_its_own(picture: Mapping[str, Any]) -> Mapping[str, Any]:
    """Lines that are the reference itself are run, and not compared with themselves."""
    given = picture["parameters"]
    if not given.get("reference") or given["reference"] != given.get("program"):
        return picture
    own = {name: given[name] for name in given if name not in BESIDE_REFERENCE}
    return {**picture, "parameters": own}


def _split(pictures: Iterable[Mapping[str, Any]]) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
    """Executed answers stand beside each other; every other picture has a card of its own."""
    found = list(pictures)
    return (
        [one for one in found if one["kind"] == "answer_executed"],
        [one for one in found if one["kind"] != "answer_executed"],
    )


def _once(pictures: Sequence[Mapping[str, Any]], version: Any) -> list[Mapping[str, Any]]:
    """Strides that were tried stand beside the tensor's own in one picture: the right ones need none.

    A tape that the card shows whatever was answered is no such twin."""
    fixed = [dict(row.get("parameters") or {}) for row in rows_of(version.picture) if not has_place(row)]
    tried = [_tape(one) for one in pictures if (one["kind"], one["role"]) == ("memory_tape", "yours")]
    return [
        one
        for one in pictures
        if (one["kind"], one["role"]) != ("memory_tape", "right")
        or one["parameters"] in fixed
        or _tape(one) not in tried
    ]


def _tape(picture: Mapping[str, Any]) -> dict[str, Any]:
    """The tape whatever strides are tried on it."""
    return {name: value for name, value in picture["parameters"].items() if name != "answer_strides"}


def _column(picture: Mapping[str, Any], *, outcome: str, alone: bool) -> dict[str, Any]:
    """One side: code and arithmetic at once, torch's own words when the picture arrives."""
    facts, right = picture_facts(picture) or {}, picture["role"] == "right"
    works = picture["role"] != "yours" and bool(facts.get("works"))
    asks = facts.get("asks")
    alone = alone and outcome == "correct"
    headed = _program_heading(picture, alone=alone) if asks == "program" else ""
    return {
        "heading": headed or _heading(works=works, right=right, alone=alone),
        "outcome": "correct" if works else outcome if picture["role"] == "yours" else "",
        "facts": facts,
        "code": code_parts(str(facts.get("code", "")), strong=asks in {"heads", "width"}),
        "says": arithmetic_of(picture["parameters"], facts) if facts else "",
        "shape": shape_view(facts) if works else [],
        "bands": _bands(facts) if asks in {"heads", "width"} else None,
        "picture": picture_view(picture, heading=False),
    }


def _program_heading(picture: Mapping[str, Any], *, alone: bool) -> str:
    """Whether a program works is known once a worker has run it: no side of it is called so before."""
    return ALONE if alone else PROGRAM_HEADINGS.get(picture["role"], ALONE)


def code_parts(code: str, *, strong: bool) -> list[dict[str, Any]]:
    """A line of code in pieces; heads and their width, its last two numbers, are set strong."""
    pieces = [piece for piece in re.split(r"(\d+)", code) if piece]
    numbers = [index for index, piece in enumerate(pieces) if piece.isdigit()]
    marked = set(numbers[-2:]) if strong and len(numbers) > 3 else set()
    return [{"text": piece, "strong": index in marked} for index, piece in enumerate(pieces)]


def arithmetic_of(parameters: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    """What arithmetic says of a line before torch does: numbers asked for, numbers there."""
    if facts["asks"] != "heads" or facts["runs"]:
        return str(facts["sentence"])
    places = int(parameters.get("batch") or 2) * int(parameters.get("tokens") or 4)
    wanted, there = places * facts["num_heads"] * facts["d_head"], places * facts["q_width"]
    return f"asks for {wanted:,} numbers where there are {there:,}"


def _heading(*, works: bool, right: bool, alone: bool) -> str:
    """A side is called "What works" only if it does."""
    if right and not works:
        return "What torch makes of it"
    return ALONE if alone else HEADINGS["right" if right else "yours"]


def shape_view(facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The shape that results, each size with the axis it belongs to."""
    return [
        {"axis": axis_class(axis), "name": axis, "size": size}
        for axis, size in zip(facts["axes"], facts["expected_shape"], strict=True)
    ]


def _bands(facts: Mapping[str, Any]) -> Any:
    return bands(features=facts["q_width"], num_heads=facts["num_heads"], d_head=facts["d_head"])


def _nearest(columns: Sequence[Mapping[str, Any]], here: str) -> list[dict[str, Any]]:
    """Values that divide, from the side that does not; each a link to its own arithmetic."""
    for column in columns:
        if column["facts"].get("remainder"):
            rows = column["facts"].get("nearest", [])
            return [{**row, "href": f"?{here}&{urlencode({TRY: row['num_heads']})}#tried"} for row in rows]
    return []


def _tried(parts: Sequence[Mapping[str, Any]], value: int) -> dict[str, Any] | None:
    """The same picture with another number of heads; it never changes a grade."""
    if not parts or not 1 <= value <= 4096:
        return None
    picture = parts[-1]
    other = {**picture, "parameters": {**picture["parameters"], "num_heads": value, "d_head": 0}}
    if not picture_facts(other):
        return None
    tried = _column({**other, "role": "tried"}, outcome="", alone=False)
    return {
        **tried,
        "heading": f"{value:,} heads instead",
        "outcome": "correct" if tried["shape"] else "incorrect",
    }


def _the_split(
    parts: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """An executed number of heads also shows what the split does with the numbers that work."""
    if not parts or any(one["kind"] == "head_split" for one in others):
        return []
    facts = picture_facts(parts[-1]) or {}
    if parts[-1]["parameters"].get("line", "view") != "view" or facts.get("asks") not in {"heads", "width"}:
        return []
    if not facts["works"]:
        return []
    names = ("d_model", "num_heads", "d_head")
    parameters = {name: facts[name] for name in names if facts.get(name)}
    return [{"role": "right", "kind": "head_split", "parameters": parameters, "seed": 0}]


def _rubric(version: Any) -> list[str]:
    rubric = version.answer.get("rubric", []) if isinstance(version.answer, Mapping) else []
    texts = [row.get("text", "") if isinstance(row, Mapping) else row for row in rubric]
    return [render_inline(str(text)) for text in texts]
