"""The verdict on cells that were filled in, together and cell by cell, in words. Grades no cell itself."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from cards.answer_types._filled_in import Filled
from cards.grading import Grade, Part, Place, Question, fill, mistake_title
from cards.markdown import plain_text, render_inline

ANY_SWAP = {"name": "cells_swapped"}
Labels = Mapping[str, str]
Mistake = Mapping[str, Any]


def graded_together(question: Question, filled: Sequence[Filled], key_text: str) -> Grade:
    """All right: correct; some: partial with the weighted share; none: incorrect.

    Where a cell could not be decided, the others decide, unless they are all right: then nothing does.
    """
    labels = {one.cell.id: words(one.cell.label) for one in filled}
    decided = [one for one in filled if one.grade.outcome != "undecided"]
    outcome, score = _outcome(decided, len(filled) - len(decided))
    first = _first_fault(filled)
    name, title, feedback = _named(question, first, filled, labels)
    right = sum(one.right for one in filled)
    count = f"{right} of {len(filled)} right"
    return Grade(
        outcome=outcome,
        score=score,
        mistake=name,
        title=_undecided(filled)
        if outcome == "undecided"
        else title or ("" if outcome == "correct" else count),
        feedback="" if outcome == "correct" else " ".join(filter(None, (feedback, f"{count}."))),
        read_as=f"{sum(not one.blank for one in filled)} of {len(filled)} filled in",
        key_text=key_text,
        place=_place(first),
        notes=tuple(_notes(filled, labels)),
        parts=tuple(_part(question, one, filled, labels) for one in filled),
    )


@lru_cache(maxsize=1024)
def words(label: str) -> str:
    """A label without its markup, for a sentence."""
    return plain_text(render_inline(label)).strip()


def keys_in_words(filled: Sequence[Filled]) -> str:
    """ "d_model: 768; num_heads: 12"."""
    return "; ".join(f"{words(one.cell.label)}: {one.key_text}" for one in filled)


def _outcome(decided: Sequence[Filled], undecided: int) -> tuple[str, float]:
    """The outcome and the score of the cells that could be decided."""
    total = sum((one.cell.weight for one in decided), Fraction(0))
    earned = sum((one.cell.weight * Fraction(str(one.grade.score)) for one in decided), Fraction(0))
    if all(one.right for one in decided):
        return ("undecided", 0.0) if undecided else ("correct", 1.0)
    return ("partial" if earned else "incorrect"), round(float(earned / total), 4)


def _first_fault(filled: Sequence[Filled]) -> Filled | None:
    """The cell whose fault is told: swapped, else with a named mistake, else filled in, else empty."""
    wrong = [one for one in filled if one.grade.outcome in ("incorrect", "partial")]
    ranks: tuple[Callable[[Filled], object], ...] = (
        lambda one: one.swapped_with,
        lambda one: one.grade.mistake,
        lambda one: one.text,
        lambda one: one,
    )
    return next((one for rank in ranks for one in wrong if rank(one)), None)


def _named(
    question: Question, first: Filled | None, filled: Sequence[Filled], labels: Labels
) -> tuple[str, str, str]:
    """Name, title and sentences of the fault that is told; the name and title only where it has a name."""
    if first is None:
        return "", "", ""
    if first.swapped_with:
        return _swap_said(question, first, filled, labels)
    label = labels[first.cell.id]
    if first.blank:
        return "", "", f"{label} is left empty."
    named = first.grade.mistake
    said = f"{label}: {first.grade.feedback or first.grade.title}"
    return named, first.grade.title if named else "", said


def _swap_said(
    question: Question, one: Filled, filled: Sequence[Filled], labels: Labels
) -> tuple[str, str, str]:
    """Two values in each other's cells: the card's own mistake for them, else what they are."""
    two = next(other for other in filled if other.cell.id == one.swapped_with)
    mistake = swap_mistake(question, one, two)
    values = {"answer": f"{one.text}, {two.text}", "key": f"{one.key_text}, {two.key_text}"}
    is_ = [f"{labels[cell.cell.id]} is {cell.key_text}" for cell in (one, two)]
    says = (
        fill(str(mistake.get("says", "")), values)
        or f"{is_[0]} and {is_[1]}; they stand in each other's fields."
    )
    title = mistake_title(mistake, values, default="" if "swapped" in mistake else "two values are swapped")
    return str(mistake["name"]), title, says


def swap_mistake(question: Question, one: Filled, two: Filled) -> Mistake:
    """The card's mistake for two cells swapped, else the one for any two."""
    pair = {one.cell.id, two.cell.id}
    listed = ((m, m.get("swapped")) for m in question.mistakes)
    return next(
        (m for m, ids in listed if isinstance(ids, list | tuple) and {*map(str, ids)} == pair), ANY_SWAP
    )


def _undecided(filled: Sequence[Filled]) -> str:
    open_ = sum(one.grade.outcome == "undecided" for one in filled)
    return f"{open_} of {len(filled)} could not be decided"


def _place(first: Filled | None) -> Place | None:
    """Where the fault that is told stands: what its type says, else all that is in the cell."""
    if first is None or first.blank:
        return None
    field, inside = f"cells.{first.cell.id}", first.grade.place
    start, end = (inside.start, inside.end) if inside and not first.swapped_with else (0, len(first.text))
    return Place(field, start, end)


def _notes(filled: Sequence[Filled], labels: Labels) -> Iterator[str]:
    for one in filled:
        if one.note:
            yield f"{labels[one.cell.id]} {one.note}"
        yield from (f"{labels[one.cell.id]}: {note}" for note in one.grade.notes)


def _part(question: Question, one: Filled, filled: Sequence[Filled], labels: Labels) -> Part:
    """One cell: its own verdict, with the right value of the card beside it."""
    name, title, feedback = one.grade.mistake, one.note or one.grade.title, one.grade.feedback
    if one.swapped_with:
        name, _, feedback = _swap_said(question, one, filled, labels)
        title = f"the value of {labels[one.swapped_with]}"
    if one.note:
        feedback = f"Counted in full; the right value is {one.key_text}."
    return Part(
        id=one.cell.id,
        outcome=one.grade.outcome,
        score=one.grade.score,
        title=title,
        mistake=name,
        feedback=feedback,
        read_as=one.grade.read_as,
        key_text=one.key_text,
    )
