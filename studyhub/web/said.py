"""The learner's own answer as it stands beside the answered question. Grades nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

from cards.answering import question_input
from studyhub.web.inputs import LETTERS
from studyhub.web.marked import is_long, marked
from studyhub.web.words import listed

View = dict[str, Any]


def said(
    version: Any,
    response: Mapping[str, Any],
    *,
    variant_seed: int = 0,
    grade: Mapping[str, Any] | None = None,
) -> View:
    """`text` in mono (as `pieces`, the place that decided marked), or `words` where there was no text.

    `long`: it takes lines of its own; `prose`: it is no code. `chosen`: letter and text of each option taken,
    to be read again."""
    if text := str(response.get("text") or ""):
        place = (grade or {}).get("place") or {}
        at = (int(place["start"]), int(place["end"])) if place.get("field") == "text" else (0, 0)
        prose = version.answer_type == "rubric"
        return {
            "text": text,
            "words": "",
            "pieces": marked(text, *at),
            "long": prose or is_long(text),
            "prose": prose,
        }
    if response.get("choices"):
        return _chosen(version, response["choices"], seed=variant_seed)
    if response.get("order"):
        return {"text": "", "words": f"{len(response['order'])} rows in order"}
    if filled := sum(bool(str(text).strip()) for text in (response.get("cells") or {}).values()):
        return {"text": "", "words": f"{filled} of {len(response['cells'])} filled in"}
    return {"text": "", "words": "Shown" if response.get("revealed") else "None"}


def _chosen(version: Any, choices: Sequence[str], *, seed: int) -> View:
    """The letters of what was chosen, and each option again."""
    taken = _taken(version, choices, seed=seed)
    letters = listed([one["letter"] for one in taken]) or ", ".join(choices)
    return {"text": letters, "words": "", "pieces": marked(letters), "long": False, "chosen": taken}


def _taken(version: Any, chosen: Sequence[str], *, seed: int) -> list[dict[str, str]]:
    options = question_input(version, seed)["options"]
    return [
        {"letter": LETTERS[index % 26], "html": option["html"]}
        for index, option in enumerate(options)
        if option["id"] in chosen
    ]
