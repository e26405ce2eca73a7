"""A text with gaps to fill in, each of a type of its own. Knows no card file and no learner.

answer:   {type: cloze, text: "Scores are divided by {{root::\\sqrt{d_k}::a root}}, {{width}} for BERT-base.",
           gaps: {root: {type: formula, symbols: [d_k]}, width: {type: numeric, key: KEY}}}
A gap is {{id}}, {{id::answer}} or {{id::answer::hint}}; without an entry in `gaps` it takes words. The answer
in the text is the key of words and formulas; a number's key is computed in `gaps`, and an answer beside it in
the text has to agree. Mistakes and `{cell: ID}` are those of a table.
"""

from collections.abc import Mapping
from typing import Any

from cards.answer_types._cell_checks import examples_of, fields_of, problems_of
from cards.answer_types._cell_checks import read_cell as read_one
from cards.answer_types._cell_verdicts import graded_together, keys_in_words
from cards.answer_types._cells import Cell, cells_of, right_values
from cards.answer_types._filled_in import fill_in
from cards.answer_types._gaps import Gap, pieces_of, splits_formula
from cards.grading import Example, Grade, Question, Reading, Response, Unreadable
from cards.keys import KeyProblem

FIELDS = ("type", "text", "gaps")
KEYED = ("words", "formula", "matrix_formula", "einsum")
"""The types whose key may stand in the text."""
WIDTHS = {"numeric": 8, "words": 14, "formula": 18, "matrix_formula": 24, "einsum": 24}
WIDTH = 14
"""Characters that a gap has room for: by its type, never by its answer."""
OFFLINE = True


def grade(question: Question, response: Response) -> Grade:
    """Correct where every gap is, partial with the weighted share of those that are."""
    filled = fill_in(question, cells(question), response)
    return graded_together(question, filled, keys_in_words(filled))


def question_input(question: Question) -> dict[str, Any]:
    """The pieces of the text, and what the fields between them need."""
    asked = {cell.id: cell for cell in cells(question)}
    fields = fields_of(list(asked.values()), question)
    pieces = [
        {"text": piece} if isinstance(piece, str) else {**fields[piece.id], "width": _width(asked[piece.id])}
        for piece in _pieces(question)
    ]
    return {"cloze": {"pieces": pieces}, "hint": "Fill in every gap."}


def examples(question: Question) -> list[Example]:
    """All right, each other accepted answer, and each named mistake."""
    return examples_of(cells(question), question)


def problems(question: Question) -> list[str]:
    """What is wrong with a gap, and answers in the text that are not right."""
    found: list[str] = []
    if splits_formula(_pieces(question)):
        found.append("a gap stands inside a formula: end the formula before it")
    return [*found, *problems_of(cells(question), question), *_disagreements(question)]


def read_cell(question: Question, name: str, text: str) -> Reading:
    """How a text is read in a gap. Raises Unreadable."""
    return read_one(cells(question), question, name=name, text=text)


def cells(question: Question) -> tuple[Cell, ...]:
    """The gaps as cells, in the order they stand. Raises KeyProblem."""
    gaps, entries = _gaps(question), question.answer.get("gaps") or {}
    if not isinstance(entries, Mapping) or not all(isinstance(one, Mapping) for one in entries.values()):
        raise KeyProblem("gaps is {id: {type: ..., ...}, ...}")
    ids = [gap.id for gap in gaps]
    for name in entries:
        if name not in ids:
            raise KeyProblem(f"gap {name} has no place {{{{{name}}}}} in the text")
    rows = [_row(gap, entries.get(gap.id, {})) for gap in gaps]
    return cells_of([(row, f"gap {number}") for number, row in enumerate(rows, 1)], question)


def _row(gap: Gap, entry: Mapping[str, Any]) -> dict[str, Any]:
    """A gap as a cell: its entry, with the answer in the text as its key where that may be one."""
    row = {"type": "words", **({"hint": gap.hint} if gap.hint else {}), **entry, "id": gap.id}
    keyless = "key" not in row and row["type"] in KEYED
    if keyless and not gap.answer:
        raise KeyProblem(f"gap {gap.id} has neither an answer in the text nor a key under gaps")
    return {**row, "key": gap.answer} if keyless else row


def _disagreements(question: Question) -> list[str]:
    """Answers in the text that their own gap does not accept."""
    values = right_values(cells(question), question)
    answers = {gap.id: gap.answer for gap in _gaps(question) if gap.answer}
    found = []
    for cell in cells(question):
        try:
            if (
                cell.id in answers
                and cell.grade(cell.asked(question, values), answers[cell.id]).outcome != "correct"
            ):
                found.append(f"gap {cell.id}: {answers[cell.id]!r} in the text is not its key")
        except Unreadable as problem:
            found.append(f"gap {cell.id}: {answers[cell.id]!r} in the text cannot be read: {problem.message}")
    return found


def _pieces(question: Question) -> list[str | Gap]:
    text = question.answer.get("text")
    if not isinstance(text, str):
        raise KeyProblem(f"a cloze needs a text with gaps such as {{{{id::answer}}}}; got {text!r}")
    return pieces_of(text)


def _gaps(question: Question) -> list[Gap]:
    return [piece for piece in _pieces(question) if isinstance(piece, Gap)]


def _width(cell: Cell) -> int:
    return cell.width or WIDTHS.get(cell.type, WIDTH)
