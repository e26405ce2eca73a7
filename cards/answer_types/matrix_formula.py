"""A formula of matrices, tried on small random ones whose sizes all differ. Knows no card file, no learner.

answer:   {type: matrix_formula, key: "softmax(Q K^T / sqrt(d_k)) V", matrices: {Q: [n, d_k], K: ..., V: ...},
           names: {d_k: [d_head]}, accepts: [...], scalars: {n_heads: null, d_model: "n_heads d_k"},
           result: [out], at: {d_k: 64}}
mistakes: [{name, key: "softmax(Q K^T / d_k) V", says}]
`says` may use {answer}, {key} and the axes by name. What the card does not name is looked for in the bank
(cards/mistakes/matrices.py); then the sizes that do not fit are said, or the shape of the result.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cards.answer_types._matrix_cards import (
    Formula,
    author_formula,
    bank,
    declared_of,
    formula,
    gives_the_same,
    is_same,
    key_formula,
    read_formula,
    sizes_at,
    texts_of,
)
from cards.expressions.echo import format_number
from cards.expressions.maths import in_words, to_latex, to_mathml
from cards.expressions.maths.nodes import Node, Relation, children, label, same
from cards.expressions.matrices import Misfit, by, shape
from cards.expressions.matrix_equality import alike, factor, plain_products
from cards.expressions.matrix_program import program
from cards.expressions.matrix_trials import Declared, trials
from cards.grading import Example, Grade, Place, Question, Reading, Response, fill, mistake_title, quoted
from cards.keys import KeyProblem
from cards.mistakes.matrices import MatrixMistake

OFFLINE = True
FIELDS = ("type", "key", "matrices", "names", "scalars", "result", "accepts", "at")
UNSETTLED = (
    "Your formula has no value at the numbers it is tried on: a division by zero, a root of a negative "
    "number, or too large a result. Nothing is counted; compare it with the key and rate yourself."
)


@dataclass(frozen=True)
class _Wrong:
    """What is wrong: the mistake by name, a title, sentences, and where."""

    name: str
    title: str
    says: str
    place: Place | None = None


@dataclass(frozen=True)
class _Case:
    """One answer to one question."""

    question: Question
    declared: Declared
    text: str
    given: Formula
    keys: tuple[Formula, ...]


def grade(question: Question, response: Response) -> Grade:
    """Correct where the formula gives what a key gives, undecided where it has no value, else incorrect."""
    declared = declared_of(question)
    keys = tuple(key_formula(text, declared) for text in texts_of(question))
    tree = read_formula(response.text, declared)
    case = _Case(question, declared, response.text, formula(tree, declared), keys)
    equalities = [gives_the_same(case.given, key) for key in keys]
    right = any(equalities)
    settled = right or None not in equalities
    wrong = None if right or not settled else _wrong(case)
    key_program = program(keys[0].tree, declared.matrices, sizes_at(question))
    return Grade(
        outcome="correct" if right else "incorrect" if settled else "undecided",
        score=1.0 if right else 0.0,
        mistake=wrong.name if wrong else "",
        title=wrong.title if wrong else texts_of(question)[0] if right else "this cannot be settled",
        feedback=wrong.says if wrong else "" if right else UNSETTLED,
        read_as=f"Read as {in_words(tree)}",
        read_as_mathml=to_mathml(tree),
        key_text=texts_of(question)[0],
        value=key_program if right else program(tree, declared.matrices, sizes_at(question)),
        key=key_program,
        place=wrong.place if wrong else None,
    )


def read(question: Question, text: str) -> Reading:
    """How a formula is read. Raises Unreadable."""
    tree = read_formula(text, declared_of(question))
    return Reading(f"Read as {in_words(tree)}", to_mathml(tree))


def question_input(question: Question) -> dict[str, Any]:
    """The names there are, and how a transpose is written; never the key."""
    declared = declared_of(question)
    scalars = [name for name, _ in declared.scalars]
    names = dict.fromkeys([*declared.matrices, *declared.sizes, *scalars])
    given = [{"name": name, "shape": " × ".join(axes)} for name, axes in declared.axes]
    return {"hint": "A formula, such as A^T B / sqrt(n)", "names": list(names), "given": given}


def examples(question: Question) -> list[Example]:
    """Every key, the first also as LaTeX, and each named mistake's formula."""
    texts = texts_of(question)
    latex = to_latex(read_formula(texts[0], declared_of(question)))
    right = [Example({"text": text}) for text in (*texts, latex)]
    wrong = [Example({"text": _mistaken(m)}, str(m.get("name", ""))) for m in question.mistakes]
    return [*right, *wrong]


def problems(question: Question) -> list[str]:
    """Mistakes that are right, and matrices that no key uses."""
    declared = declared_of(question)
    keys = [key_formula(text, declared) for text in texts_of(question)]
    return [
        f"mistake {m.get('name')}: its formula is the key"
        for m in question.mistakes
        if any(is_same(author_formula(_mistaken(m), declared), key) for key in keys)
    ]


def _mistaken(mistake: Mapping[str, Any]) -> str:
    key = mistake.get("key")
    if not isinstance(key, str) or not key:
        raise KeyProblem(f"mistake {mistake.get('name')}: key is a formula as text, not {key!r}")
    return key


def _wrong(case: _Case) -> _Wrong:
    """The card's own mistake, else one of the bank, else what shapes and values show."""
    tree = case.given.tree
    if isinstance(tree, Relation):
        return _Wrong("", "an equation where a formula is asked", "Write what the result is made of, alone.")
    misfit = _first_misfit(case.given)
    seen = _misfit(case, *misfit) if misfit else _other(case)
    shown = seen.says if misfit or seen.title.startswith("the result") else ""
    place = _smaller(_difference(tree, case.keys[0].tree), seen.place)
    values = {"answer": quoted(case.text), "key": texts_of(case.question)[0]}
    for mistake in case.question.mistakes:
        if is_same(case.given, author_formula(_mistaken(mistake), case.declared)):
            says = fill(str(mistake.get("says", "")), values)
            title = mistake_title(mistake, values)
            return _Wrong(str(mistake.get("name", "")), title, _joined(says, shown), place)
    for known in _of_the_bank(case):
        return _Wrong(known.name, known.title, _joined(known.says, shown), place)
    return seen


def _of_the_bank(case: _Case) -> Iterator[MatrixMistake]:
    """The mistakes that lead from a key to this formula."""
    first = case.given.square[0]
    for text in texts_of(case.question):
        for one in bank(text, case.declared):
            near = alike(first, one.first, (case.given.tree, one.tree)) or (
                first is None and one.first is None
            )
            if near and is_same(case.given, formula(one.tree, case.declared)):
                yield one.mistake


def _first_misfit(given: Formula) -> tuple[Misfit, int] | None:
    """Shapes that do not fit, and the trial; where a root has no value that shows in a later one."""
    if isinstance(given.first, Misfit):
        return given.first, 0
    found = enumerate(given.rectangular if given.first is None else ())
    return next(((one, trial) for trial, one in found if isinstance(one, Misfit)), None)


def _misfit(case: _Case, misfit: Misfit, trial: int) -> _Wrong:
    """Where shapes do not fit, with the sizes and what they stand for."""
    start, end = misfit.span
    part = quoted(case.text[start:end])
    where = f"{part}: " if start < end else ""
    sizes = _sizes(case, [size for one in misfit.shapes for size in one], trial=trial)
    says = f"{where}{misfit.message}{f' ({sizes})' if sizes else ''}."
    place = Place("text", start, end) if start < end else None
    return _Wrong("", f"{where.replace('`', '')}{misfit.message}", says, place)


def _other(case: _Case) -> _Wrong:
    """A result of another shape, or of the right one with other numbers."""
    place = _difference(case.given.tree, case.keys[0].tree)
    pairs = list(zip(case.given.rectangular, case.keys[0].rectangular, strict=True))
    mine, right = next((a, b) for a, b in pairs if a is not None and b is not None)
    assert not isinstance(mine, Misfit)
    assert not isinstance(right, Misfit)
    if shape(mine) != shape(right):
        given = by(shape(mine)) if isinstance(mine, tuple) else "a number"
        title = f"the result is {given}, expected {by(shape(right))}"
        sizes = _sizes(case, [*shape(mine), *shape(right)], trial=pairs.index((mine, right)))
        return _Wrong("", title, f"T{title[1:]}{f' ({sizes})' if sizes else ''}.", place)
    ratio = factor(case.given.rectangular, case.keys[0].rectangular)
    says = "The shape is the one that is asked; the numbers are others."
    if ratio is not None:
        says = f"Every entry is {format_number(ratio)} × what is asked."
    return _Wrong("", "same shape, different values", says, place)


def _difference(given: Node, key: Node) -> Place | None:
    """The smallest part of the answer that holds all that is written in another way than in the key."""
    whole = given = plain_products(given)
    key = plain_products(key)
    while label(given) == label(key):
        pairs = zip(children(given), children(key), strict=True)
        differ = [(a, b) for a, b in pairs if not same(a, b)]
        if len(differ) != 1:
            break
        given, key = differ[0]
    start, end = given.span
    return Place("text", start, end) if start < end and given is not whole else None


def _smaller(*places: Place | None) -> Place | None:
    """The shortest of the places that are known."""
    return min((one for one in places if one), key=lambda one: one.end - one.start, default=None)


def _sizes(case: _Case, numbers: list[int], *, trial: int = 0) -> str:
    """5 is n, 3 is d_k"""
    names = trials(case.declared)[trial].names
    told = {number: names[number] for number in numbers if names.get(number)}
    return ", ".join(f"{number} is {name}" for number, name in told.items())


def _joined(*sentences: str) -> str:
    return " ".join(one for one in sentences if one)
