"""A formula in declared symbols, right in whatever way it is written. Knows no card file and no learner.

    answer:   {type: formula, key: "2 L H_kv d_k T b", symbols: {L: [layers], ...}, domain: positive,
               functions: [f], floats: exact or {close: 0.001}, accepts: [...], computes: {...},
               at: {d_k: 64}}
    mistakes: [{name, key: "L H_kv d_k T b", says}]    a mistake of the bank's name needs no key
`says` may use {answer} {key} and, with `at`, {answer_at} {key_at}.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import cycle, islice
from typing import Any

from cards.answer_types._formula_cards import BANK_BY_NAME, FormulaCard, card_of
from cards.answer_types._formula_checks import computing_problems, number_at, values_at
from cards.answer_types._formula_places import differing
from cards.expressions.echo import format_number
from cards.expressions.maths import Node, in_words, to_latex, to_mathml, to_plain
from cards.expressions.maths.comparing import has_unknown, ratio, symbols_of
from cards.expressions.maths.nodes import Number, Operation, Relation, postorder
from cards.grading import (
    Example,
    Grade,
    Place,
    Question,
    Reading,
    Response,
    fill,
    mistake_title,
    quoted,
)
from cards.keys import KeyProblem

OFFLINE = True
FIELDS = ("type", "key", "symbols", "functions", "domain", "floats", "accepts", "computes", "at")
_TRIED_AT = (12, 64, 8, 5, 3, 2, 7, 11, 13, 17)
"""Values of symbols, in alphabetical order, at which two formulas are shown to differ."""


def grade(question: Question, response: Response) -> Grade:
    """Correct where the formula is the key at every point, undecided where that cannot be settled."""
    card = card_of(question)
    mine = card.read(response.text)
    right = card.right(mine)
    if right:
        return _shown(question, card, mine, outcome="correct", score=1.0, title=key_text(card))
    mistake = card.mistake_of(mine, settled=right is False)
    if right is None and not mistake:
        return _shown(
            question, card, mine, outcome="undecided", title="this cannot be settled", feedback=UNDECIDED
        )
    values = _facts(question, card, mine, response.text)
    return _shown(
        question,
        card,
        mine,
        outcome="incorrect",
        mistake=str(mistake.get("name", "")),
        title=mistake_title(mistake, values, default="" if mistake else "this is another formula"),
        feedback=fill(str(mistake.get("says") or _sentence(card, mine)), values),
        place=_place(card, mine),
    )


UNDECIDED = (
    "Too few points of the symbols give both formulas a value, or this needs cases: nothing is counted. "
    "Compare with the key and rate yourself."
)


def _shown(question: Question, card: FormulaCard, mine: Node, **found: Any) -> Grade:
    """A grade with how the answer was read, the key, and the numbers for pictures."""
    at = _at(question)
    return Grade(
        **{"score": 0.0, **found},
        read_as=_reading(mine).read_as,
        read_as_mathml=to_mathml(mine),
        key_text=key_text(card),
        value=_plain(number_at(mine, at)) if at else None,
        key=_plain(number_at(card.keys[0], at)) if at else None,
        notes=_notes(mine),
    )


def read(question: Question, text: str) -> Reading:
    """How a text is read, before it is graded. Raises Unreadable."""
    return _reading(card_of(question).read(text))


def question_input(question: Question) -> dict[str, Any]:
    """The symbols that may be used; never the key."""
    try:
        symbols = card_of(question).vocabulary.symbols
    except KeyProblem:
        symbols = {}
    names = [name for name, aliases in symbols.items() for name in (name, *aliases)]
    there = ", ".join(symbols) or "numbers"
    return {
        "hint": f"A formula in {there}; plain text or LaTeX, such as a^2/(3b) or \\frac{{a}}{{b}}",
        "names": names,
    }


def examples(question: Question) -> list[Example]:
    """The key as it stands, spelled out and in LaTeX, what else is accepted, one answer for each mistake."""
    card = card_of(question)
    key = card.keys[0]
    texts = [card.key_text, to_plain(key), to_latex(key), *map(str, question.answer.get("accepts") or ())]
    right = [Example({"text": text}) for text in dict.fromkeys(texts)]
    wrong = [(str(one.get("name", "")), _example(card, one)) for one in card.mistakes]
    return right + [Example({"text": text}, name) for name, text in wrong if text]


def problems(question: Question) -> list[str]:
    """A key that cannot be compared or is no closed form, symbols without value, mistakes that are right."""
    card = card_of(question)
    found = computing_problems(card, question.answer.get("computes"))
    if card.right(card.keys[0]) is not True:
        found.append("the key cannot be compared with itself: too few points give it a value")
    at = _at(question)
    if at and set(symbols_of(card.rules, *card.keys)) - set(at):
        found.append(
            f"at: every symbol of the key needs a value ({', '.join(symbols_of(card.rules, *card.keys))})"
        )
    for one in card.mistakes:
        if "key" not in one and one.get("name") not in BANK_BY_NAME:
            found.append(f"mistake {one.get('name')}: it needs a key, the bank has no such name")
        elif not _example(card, one):
            found.append(f"mistake {one.get('name')}: no wrong formula leads to it")
    return found


def key_text(card: FormulaCard) -> str:
    """The right formula as its author wrote it, LaTeX in plain signs; alternatives are not listed."""
    return to_plain(card.keys[0]) if "\\" in card.key_text or "$" in card.key_text else card.key_text


def _example(card: FormulaCard, mistake: Mapping[str, Any]) -> str:
    """A wrong answer that this mistake leads to; "" where there is none."""
    if "key" in mistake:
        node = card.own(mistake["key"], f"mistake {mistake.get('name')}")
        return str(mistake["key"]) if card.right(node) is False else ""
    made = (one.node for one in card.listed if one.mistake is mistake and card.right(one.node) is False)
    return next((to_plain(node) for node in made), "")


def _reading(node: Node) -> Reading:
    return Reading(f"Read as {in_words(node)}", to_mathml(node))


def _notes(node: Node) -> tuple[str, ...]:
    """What may have been meant otherwise: a quotient with a factor written right behind it."""
    for one in postorder(node):
        if not isinstance(one, Operation) or not one.implicit:
            continue
        left = one.left
        if isinstance(left, Operation) and left.sign == "/" and left.left.span[0] == one.span[0]:
            return (f"{to_plain(one)} is read from left to right; brackets put more below the line.",)
    return ()


def _place(card: FormulaCard, mine: Node) -> Place | None:
    """Where the learner's formula first differs from the key."""
    span = differing(mine, card.keys[0], card.rules)
    return Place("text", *span) if span else None


def _at(question: Question) -> dict[str, Any]:
    """The values at which a formula becomes the number that pictures take; none where the card gives none."""
    return values_at(question.answer.get("at") or {})


def _facts(question: Question, card: FormulaCard, mine: Node, text: str) -> dict[str, str]:
    """What a `says` may use."""
    at = _at(question)
    numbers = {"answer_at": number_at(mine, at), "key_at": number_at(card.keys[0], at)} if at else {}
    return {
        "answer": quoted(text),
        "key": key_text(card),
        **{name: _number(value) for name, value in numbers.items() if value is not None},
    }


def _sentence(card: FormulaCard, mine: Node) -> str:
    """What can be said about a wrong formula that no mistake explains."""
    key = card.keys[0]
    if isinstance(mine, Relation) != isinstance(key, Relation):
        wanted = "an equation or inequality" if isinstance(key, Relation) else "an expression without = or <"
        return f"Asked is {wanted}."
    if isinstance(key, Relation):
        return "Yours holds for other values than {key}."
    factor = ratio(mine, key, card.rules)
    if factor == -1:
        return "The sign differs: yours is the negative of {key}."
    if factor is not None:
        return f"Equal up to a factor: yours is {format_number(factor)} times {{key}}."
    return _apart(card, mine, key)


def _apart(card: FormulaCard, mine: Node, key: Node) -> str:
    """A constant difference, else both values at a point of whole numbers."""
    offset = ratio(Operation("-", mine, key), Number(Fraction(1)), card.rules)
    if offset is not None:
        more = "more" if offset > 0 else "less"
        return f"Off by a constant: yours is {format_number(abs(offset))} {more} than {{key}}."
    return "" if has_unknown(mine, key, card.rules) else _at_a_point(card, mine, key)


def _at_a_point(card: FormulaCard, mine: Node, key: Node) -> str:
    """Both values at the first of a few points where they differ as they are shown."""
    names = symbols_of(card.rules, mine, key)
    for point in _shown_points(card, names):
        own, right = (_number(number_at(node, point)) for node in (mine, key))
        if own and right and own != right:
            where = ", ".join(f"{name} = {format_number(value)}" for name, value in point.items())
            return f"{f'At {where} yours' if where else 'Yours'} gives {own} and {{key}} gives {right}."
    return "Yours is close to {key}, and not the same."


def _shown_points(card: FormulaCard, names: tuple[str, ...]) -> Iterator[dict[str, Fraction]]:
    """Whole numbers first, then negative ones and halves where the domain has them."""
    values = [Fraction(value) for value in islice(cycle(_TRIED_AT), len(names))]
    domains = card.rules.of(names)
    yield dict(zip(names, values, strict=True))
    yield {
        name: -value if domain == "real" else value
        for name, value, domain in zip(names, values, domains, strict=True)
    }
    yield {
        name: Fraction(number + 1) if domain == "integer" else Fraction(2 * number + 1, 2)
        for number, (name, domain) in enumerate(zip(names, domains, strict=True))
    }


def _number(value: Fraction | float | None) -> str:
    """A value for people: exact where it is, else to four digits; "" where there is none."""
    if isinstance(value, Fraction):
        return format_number(value)
    return "" if value is None else f"about {value:.4g}"


def _plain(value: Fraction | float | None) -> int | Fraction | None:
    """What pictures are given: an int where it is whole."""
    if value is None:
        return None
    exact = Fraction(value).limit_denominator(10**12)
    return int(exact) if exact.denominator == 1 else exact
