"""Whether a formula card's key agrees with a closed form, and what it is worth where its symbols have values.

    computes: {compute: score_bytes, num_heads: H, tokens: T, bytes_per_value: b}
    computes: {compute: kv_bytes_per_token, model: llama-3-70b, num_kv_heads: H_kv,
               where: {L: {compute: layers, model: llama-3-70b}, ...}}
An argument that is a declared symbol takes its value; `where` fixes symbols that the closed form lacks.
"""

import math
import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from cards.answer_types._formula_cards import FormulaCard
from cards.expressions.maths import Node
from cards.expressions.maths.comparing import value_at
from cards.expressions.maths.exact import constant
from cards.expressions.maths.nodes import Name, Number, Relation, fold, with_children
from cards.keys import KeyProblem, compute, is_key

TRIED, AGREEING = 200, 5
_SIZES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 48, 96)


def computing_problems(card: FormulaCard, stated: object) -> list[str]:
    """Where the key and the closed form it must be differ, in words; nothing where they agree."""
    rows = stated if isinstance(stated, list) else [stated]
    return [problem for row in rows if row for problem in _problems(card, row)]


def _problems(card: FormulaCard, row: object) -> list[str]:
    if not isinstance(row, Mapping) or "compute" not in row:
        return ["computes: {compute: NAME, argument: symbol, ...}"]
    fixed = {str(name): compute(v) if is_key(v) else v for name, v in dict(row.get("where") or {}).items()}
    unknown = [name for name in fixed if name not in card.vocabulary.symbols]
    if unknown:
        return [f"computes: where: {', '.join(unknown)} is not declared"]
    chance, agreeing, refusal = random.Random(0), 0, ""  # noqa: S311
    for _ in range(TRIED):
        values = {name: chance.choice(_SIZES) for name in card.vocabulary.symbols} | fixed
        try:
            wanted = compute(_filled({k: v for k, v in row.items() if k != "where"}, values))
        except KeyProblem as problem:
            refusal = str(problem)
            continue
        got = number_at(card.keys[0], values)
        if got is None or not math.isclose(float(got), float(wanted), rel_tol=1e-9):
            shown = ", ".join(f"{name} = {value}" for name, value in values.items())
            return [f"computes: at {shown} the key gives {got}, {row['compute']} gives {wanted}"]
        agreeing += 1
        if agreeing == AGREEING:
            return []
    return [f"computes: {row['compute']} cannot be tried: {refusal}"]


def _filled(value: Any, values: Mapping[str, Any]) -> Any:
    """A key with the values of symbols in place of their names."""
    if isinstance(value, Mapping):
        return {k: v if k == "compute" else _filled(v, values) for k, v in value.items()}
    return values.get(value, value) if isinstance(value, str) else value


def values_at(stated: object) -> dict[str, Any]:
    """The numbers of `at`, computed where they have to be. Raises KeyProblem."""
    if not isinstance(stated, Mapping):
        raise KeyProblem("at is {symbol: number}")
    values = {str(name): compute(v) if is_key(v) else v for name, v in stated.items()}
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
            raise KeyProblem(f"at: {name} is a number, not {value!r}")
    return values


def number_at(node: Node, values: Mapping[str, Any]) -> Fraction | float | None:
    """A formula's value where its symbols have exact values, exact if it can be; None where it has none."""
    if isinstance(node, Relation):
        return None
    exact = {name: Fraction(str(value)) for name, value in values.items()}
    number = constant(_put(node, exact))
    return number if number is not None else value_at(node, {name: float(v) for name, v in exact.items()})


def _put(node: Node, values: Mapping[str, Fraction]) -> Node:
    """The tree with numbers in place of symbols."""

    def put(one: Node, parts: tuple[Node, ...]) -> Node:
        if isinstance(one, Name) and one.name in values:
            return Number(values[one.name], one.span)
        return with_children(one, parts)

    return fold(node, put)
