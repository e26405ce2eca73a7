"""An order put beside the right one: rows as HTML, the first wrong place marked. Grades nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

from cards.answering import question_input

Row = dict[str, Any]


def orders_view(
    version: Any, *, response: Mapping[str, Any], grade: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The learner's order and the right one of an ordering that is not right; None for anything else."""
    right = grade.get("facts", {}).get("key_order")
    if not right or grade.get("outcome") == "correct":
        return None
    given = list(response.get("order") or [])
    return {
        "outcome": grade.get("outcome", ""),
        "yours": order_rows(version, given, right=right) if given else [],
        "right": order_rows(version, right),
    }


def order_rows(version: Any, order: Sequence[str], *, right: Sequence[str] = ()) -> list[Row]:
    """Rows in this order; `first_wrong` marks the first that does not stand where the right order has it."""
    texts = {item["id"]: item["html"] for item in question_input(version)["items"]}
    pairs = zip(order, right, strict=False)
    wrong = next((place for place, (mine, theirs) in enumerate(pairs) if mine != theirs), -1)
    return [
        {"html": texts.get(one, ""), "first_wrong": place == wrong and bool(right)}
        for place, one in enumerate(order)
    ]
