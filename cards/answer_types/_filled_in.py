"""Cells graded together: each by its type, with credit for what follows from the learner's own values.

Knows no layout: a table and a cloze give it their cells. A cell that is wrong by the right values of the
others is tried once more with the learner's own; where these lead to what was written, it counts in full. Two
cells that hold each other's right values are swapped and earn nothing. A cell that cannot be decided counts
neither way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from cards.answer_types._cells import Cell, is_value, right_grade, right_values
from cards.expressions.text import is_blank
from cards.grading import Grade, Question, Response, Unreadable, quoted
from cards.keys import KeyProblem

MOST_CROSSED = 12
"""Wrong cells whose answers are tried in each other's place: it takes as many gradings as there are pairs."""
BY_VALUE = ("numeric", "shape")
"""The types whose answers are the same where their values are, so that nothing has to be tried."""
SHORT = 20  # characters of the learner's own value that a title can hold


@dataclass(frozen=True)
class Filled:
    """A cell with what was put in (nothing: ""), its own question, its right answer and its verdict.

    `key_text` is the right answer of the card, also where the verdict is by the learner's own values.
    """

    cell: Cell
    text: str
    asked: Question
    key_text: str
    grade: Grade
    note: str = ""
    """Why it counts although it is not the right value."""
    swapped_with: str = ""

    @property
    def right(self) -> bool:
        """Whether it counts in full."""
        return self.grade.outcome == "correct"

    @property
    def blank(self) -> bool:
        """Whether nothing was put in."""
        return not self.text


@dataclass(frozen=True)
class _Own:
    """The values of cells that others need, the learner's own where they differ, and how those were put."""

    values: Mapping[str, Any]
    texts: Mapping[str, str]


def fill_in(question: Question, cells: Sequence[Cell], response: Response) -> list[Filled]:
    """Every cell with its verdict, in the author's order. Raises Unreadable at the first cell that is."""
    texts = _texts(cells, response)
    right = right_values(cells, question)
    filled = [_by_right_values(cell, cell.asked(question, right), texts[cell.id]) for cell in cells]
    filled = _with_swaps(filled)
    changed = _changed(filled, right)
    own = _Own({**right, **changed}, {name: texts[name] for name in changed})
    return [_by_own_values(one, question, own) for one in filled]


def _changed(filled: Sequence[Filled], right: Mapping[str, Any]) -> dict[str, Any]:
    """The learner's own value of each cell that others need, where it is not the right one."""
    own = {one.cell.id: one.grade.value for one in filled if not one.blank and one.cell.id in right}
    return {name: value for name, value in own.items() if is_value(value) and value != right[name]}


def _texts(cells: Sequence[Cell], response: Response) -> dict[str, str]:
    """What was put into each cell, "" for nothing. Raises Unreadable if all are, or for a foreign cell."""
    ids = [cell.id for cell in cells]
    if not set(response.cells) <= set(ids):
        raise Unreadable("A cell is not of this question; load the question again.", field="cells")
    texts = {name: response.cells.get(name, "") for name in ids}
    texts = {name: "" if is_blank(text) else text for name, text in texts.items()}
    if not any(texts.values()):
        raise Unreadable("Fill in at least one field.", field="cells")
    return texts


def _by_right_values(cell: Cell, asked: Question, text: str) -> Filled:
    """A cell graded as if every other one were right. Raises Unreadable at the cell."""
    if not text:
        empty = Grade("incorrect", 0.0, title="left empty")
        return Filled(cell, text, asked, right_grade(cell, asked).key_text, empty)
    try:
        verdict = cell.grade(asked, text)
    except Unreadable as problem:
        raise Unreadable(problem.message, problem.offset, f"cells.{cell.id}") from problem
    return Filled(cell, text, asked, verdict.key_text, verdict)


def _by_own_values(one: Filled, question: Question, own: _Own) -> Filled:
    """A wrong cell graded once more with the learner's own values in the others; as it was if that is worse.

    A mistake that was made with the learner's own values is named where none fits the right ones.
    """
    moved = [name for name in one.cell.needs if name in own.texts]
    if one.grade.outcome == "correct" or one.blank or one.swapped_with or not moved:
        return one
    try:
        again = one.cell.grade(one.cell.asked(question, own.values), one.text)
    except (KeyProblem, Unreadable):
        return one
    if again.outcome == "correct":
        return replace(one, grade=again, note=f"follows from your {_short(own.texts[moved[0]])}")
    named = again.mistake and not one.grade.mistake
    return replace(one, grade=replace(again, value=one.grade.value, key=one.grade.key)) if named else one


def _with_swaps(filled: Sequence[Filled]) -> list[Filled]:
    """The cells, those that hold each other's right values marked. Each belongs to one pair at most."""
    wrong = [one for one in filled if not one.blank and one.grade.outcome != "correct"]
    other: dict[str, str] = {}
    for one, two in combinations(wrong, 2):
        free = one.cell.id not in other and two.cell.id not in other
        if free and one.cell.type == two.cell.type and _exchanged(one, two, cross=len(wrong) <= MOST_CROSSED):
            other |= {one.cell.id: two.cell.id, two.cell.id: one.cell.id}
    return [replace(one, swapped_with=other.get(one.cell.id, "")) for one in filled]


def _exchanged(one: Filled, two: Filled, *, cross: bool) -> bool:
    """Whether each holds the right value of the other."""
    if one.cell.type in BY_VALUE:
        return bool(one.grade.value == two.grade.key and two.grade.value == one.grade.key)
    return cross and _is_right_in(one.text, two) and _is_right_in(two.text, one)


def _is_right_in(text: str, other: Filled) -> bool:
    try:
        return other.cell.grade(other.asked, text).outcome == "correct"
    except Unreadable:
        return False


def _short(text: str) -> str:
    """The learner's own value, harmless in a title."""
    bare = quoted(text).strip("`")
    return bare if len(bare) <= SHORT else f"{bare[:SHORT]}..."
