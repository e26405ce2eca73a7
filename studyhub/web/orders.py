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
    given, parts = list(response.get("order") or []), grade.get("parts") or ()
    marks = {str(part["id"]): part for part in parts}
    wrong = int(grade["facts"].get("first_wrong", -1))
    return {
        "outcome": grade.get("outcome", ""),
        "yours": order_rows(version, given, first_wrong=wrong, marks=marks) if given else [],
        "left_out": _rest(version, given, marks) if given else [],
        "right": order_rows(version, right),
    }


def order_rows(
    version: Any, order: Sequence[str], *, first_wrong: int = -1, marks: Mapping[str, Any] | None = None
) -> list[Row]:
    """Rows in this order; `first_wrong` is the place of the first wrong one, `marks` what is said of each."""
    texts = _texts(version)
    return [
        {
            "html": texts.get(one, ""),
            "first_wrong": place == first_wrong,
            "says": (marks or {}).get(one, {}).get("feedback_html", "") if place >= first_wrong >= 0 else "",
        }
        for place, one in enumerate(order)
    ]


def _rest(version: Any, given: Sequence[str], marks: Mapping[str, Any]) -> list[Row]:
    """Rows that belong to the order and were left out of it."""
    texts = _texts(version)
    rows = (one for one in marks if one not in given)
    return [{"html": texts.get(one, ""), "says": marks[one].get("feedback_html", "")} for one in rows]


def _texts(version: Any) -> dict[str, str]:
    return {item["id"]: item["html"] for item in question_input(version)["items"]}
