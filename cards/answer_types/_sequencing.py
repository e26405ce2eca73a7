"""What an ordering asks for, read from the card: items, distractors, groups and what comes before what.

Knows no learner and no credit.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from cards.answer_types._orders import Pair, PartialOrder, partial_order
from cards.grading import MOST_PARTS, Question
from cards.keys import KeyProblem

ITEM_FIELDS = ("id", "text", "group", "missed")
DISTRACTOR_FIELDS = ("id", "text", "mistake", "says")
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Sequencing:
    """The order asked for, texts of items, distractors, and the mistakes of leaving items out, by id."""

    order: PartialOrder
    texts: Mapping[str, str]
    distractors: Mapping[str, Row]
    missed: Mapping[str, str]
    partial: bool
    problems: tuple[str, ...]

    @property
    def all_texts(self) -> dict[str, str]:
        """Items and distractors by id."""
        return {**self.texts, **{one: str(row["text"]) for one, row in self.distractors.items()}}

    def joined(self, ids: Sequence[str]) -> str:
        """The texts of some rows with an arrow between them."""
        texts = self.all_texts
        return " → ".join(texts[one] for one in ids)


def sequencing(question: Question) -> Sequencing:
    """What the card asks for. Raises KeyProblem where no order could be right, or any could."""
    items = _rows(question, "items")
    distractors = _rows(question, "distractors")
    ids = [row["id"] for row in (*items, *distractors)]
    if not items or len(ids) < 2 or len(set(ids)) < len(ids):
        raise KeyProblem("an ordering needs two or more items, all different")
    if len(ids) > MOST_PARTS:
        raise KeyProblem(f"an ordering has at most {MOST_PARTS} items, not {len(ids)}")
    texts = {row["id"]: row["text"] for row in items}
    groups = {row["id"]: str(row["group"]) for row in items if row.get("group")}
    pairs = _pairs(question, list(texts))
    free = ["before has no pair: every order is right"] if pairs == [] and not distractors else []
    return Sequencing(
        order=partial_order(list(texts), pairs, groups),
        texts=texts,
        distractors={row["id"]: row for row in distractors},
        missed={row["id"]: str(row["missed"]) for row in items if row.get("missed")},
        partial=pairs is not None or bool(groups),
        problems=(*_odd_fields(items, ITEM_FIELDS), *_odd_fields(distractors, DISTRACTOR_FIELDS), *free),
    )


def pair_of(mistake: Row, ids: Sequence[str]) -> Pair:
    """The two items of a mistake. Raises KeyProblem."""
    pair: Any = mistake.get("before")
    if not _is_chain(pair, ids) or len(pair) != 2:
        raise KeyProblem(
            f"mistake {mistake.get('name')}: before needs two of the ids {', '.join(ids)}, not {pair!r}"
        )
    return pair[0], pair[1]


def _pairs(question: Question, ids: Sequence[str]) -> list[Pair] | None:
    """What comes before what, chains taken apart; None where the items stand in the only order."""
    chains = question.answer.get("before")
    if chains is None:
        return None
    if not isinstance(chains, list | tuple) or not all(_is_chain(one, ids) for one in chains):
        raise KeyProblem(f"before is a list of pairs of the ids {', '.join(ids)}; got {chains!r}")
    return [(first, second) for chain in chains for first, second in pairwise(chain)]


def _is_chain(value: Any, ids: Sequence[str]) -> bool:
    """Two or more different ids of items."""
    return (
        isinstance(value, list | tuple)
        and len(value) >= 2
        and all(isinstance(one, str) and one in ids for one in value)
        and len(set(value)) == len(value)
    )


def _rows(question: Question, field: str) -> list[dict[str, Any]]:
    """The items or the distractors, each with an id and a text. Raises KeyProblem."""
    rows = question.answer.get(field, ())
    if not isinstance(rows, list | tuple):
        raise KeyProblem(f"{field} of an ordering is a list of {{id, text}}, not {rows!r}")
    return [_row(row) for row in rows]


def _row(row: Any) -> dict[str, Any]:
    if isinstance(row, str) and row:
        return {"id": f"i-{hashlib.sha256(row.encode()).hexdigest()[:8]}", "text": row}
    if isinstance(row, Mapping) and isinstance(row.get("text"), str) and _is_id(row.get("id")):
        return dict(row)
    raise KeyProblem(f"an item is text or {{id, text}}, not {row!r}")


def _is_id(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _odd_fields(rows: Sequence[Row], known: Sequence[str]) -> list[str]:
    """Fields a row does not have."""
    there = ", ".join(known)
    return [
        f"item {row['id']}: no field {name}; there are: {there}"
        for row in rows
        for name in row
        if name not in known
    ]
