"""Cards as grading sees them, without a database."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from cards.grading import Unreadable

ANSWERS: dict[str, dict[str, Any]] = {
    "numeric": {"key": {"compute": "d_head", "model": "bert-base"}},
    "shape": {
        "key": {
            "compute": "shape_after", "step": "transpose",
            "batch": 2, "tokens": 4, "num_heads": 12, "d_head": 64,
        }
    },
    "choice": {
        "options": [
            {"id": "silent", "text": "it runs and is wrong", "correct": True},
            {"id": "raises", "text": "it raises an error", "mistake": "view_refuses"},
            {"id": "same", "text": "it gives the same", "mistake": "shape_is_enough"},
        ]
    },
    "ordering": {"items": [{"id": one, "text": one} for one in ("project", "view", "transpose",
    "attend", "merge")]},
    "reveal": {"rubric": ["kernels tile well", "fewer heads", "a convention"]},
}  # fmt: skip
MISTAKES: dict[str, list[dict[str, Any]]] = {
    "choice": [
        {"name": "view_refuses", "says": "The count fits, so view agrees."},
        {"name": "shape_is_enough", "title": "it runs, and it is wrong", "says": "You chose: {answer}."},
    ]
}


def _card(
    answer_type: str = "numeric", answer: dict[str, Any] | None = None, **fields: Any
) -> SimpleNamespace:
    return SimpleNamespace(
        answer_type=answer_type,
        answer=ANSWERS[answer_type] if answer is None else answer,
        mistakes=fields.get("mistakes", MISTAKES.get(answer_type, [])),
        parameters=fields.get("parameters", {}),
        picture=fields.get("picture", []),
        prompt=fields.get("prompt", "How wide is one head?"),
        explanation=fields.get("explanation", "Divide."),
        hints=fields.get("hints", []),
        sources=fields.get("sources", ["bert-readme"]),
    )


@pytest.fixture
def card() -> Callable[..., SimpleNamespace]:
    """Builds a version-like card: `card("shape")`, `card(answer={...}, mistakes=[...])`."""
    return _card


@pytest.fixture
def refusal() -> Callable[..., Unreadable]:
    """Calls something that must be Unreadable and gives the refusal."""

    def refused(call: Callable[..., Any], *arguments: Any, **named: Any) -> Unreadable:
        with pytest.raises(Unreadable) as caught:
            call(*arguments, **named)
        return caught.value

    return refused
