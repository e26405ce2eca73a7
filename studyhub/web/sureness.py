"""How sure a learner may say to be of an answer, before it is graded. Knows no score."""

from typing import Any

WORDS = {40: "Guess", 70: "Likely", 95: "Sure"}
WITHOUT = ("reveal",)
"""Types whose answer is not written down: there is nothing to be sure of."""


def sureness(answer_type: str, chosen: int = 0) -> list[dict[str, Any]]:
    """The three to choose from, none where nothing is graded."""
    if answer_type in WITHOUT:
        return []
    return [{"value": value, "word": word, "chosen": value == chosen} for value, word in WORDS.items()]
