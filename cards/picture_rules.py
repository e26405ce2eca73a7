"""What must hold of a card's pictures before it is published. Knows how no answer is graded."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attention_engine.admission import TooLarge, admit
from attention_engine.spec import InvalidSpec, make_spec
from cards.grading import Example, Grade
from cards.placing import PICTURE_FIELDS, PLACE, has_place, picture_of, rows_of, why_not

Found = tuple[str, str, bool]
"""The rule, what is wrong, and whether it is only worth a look."""
Answered = Sequence[tuple[Example, Grade]]


def picture_problems(version: Any, answered: Answered) -> Iterator[Found]:
    """Each picture can be made for the key, for every option, and for the answer of each named mistake."""
    rows = rows_of(version.picture)
    for row in rows:
        for name in (name for name in row if name not in PICTURE_FIELDS):
            yield "picture", f"no field {name} in a picture; there are: {', '.join(PICTURE_FIELDS)}", False
        yield from _placed(row, answered) if has_place(row) else _fixed(row)
    options = version.answer.get("options") or []
    if any("runs" in option for option in options) and not any(map(has_place, rows)):
        yield "picture", f"options say what they run, and no picture has {PLACE}", True


def _fixed(row: Mapping[str, Any]) -> Iterator[Found]:
    """A picture that does not wait for an answer."""
    if reason := _refused(picture_of("right", row, None)):
        yield "picture", f"{row.get('kind')}: {reason}", False


def _refused(picture: Mapping[str, Any]) -> str:
    """Why a picture can be made of nothing, or not at this size; "" where it can."""
    try:
        admit(make_spec(picture["kind"], picture["parameters"], picture["seed"]))
    except (InvalidSpec, TooLarge) as problem:
        return str(problem)
    return ""


def _placed(row: Mapping[str, Any], answered: Answered) -> Iterator[Found]:
    """One that does: an option is the author's own and has to be drawn; a wrong number may be no picture."""
    kind = row.get("kind")
    if not answered:
        yield "picture", f"{kind} waits for {PLACE}, and this answer is nothing that could be run", False
    for example, verdict in answered:
        options = example.response.get("choices", ())
        label = f"option {options[0]}" if options else example.mistake or "the key"
        if verdict.value is None:
            yield "picture", f"{kind} waits for {PLACE}, and {label} has no `runs`", False
        elif reason := why_not(row, verdict.value) or _refused(picture_of("yours", row, verdict.value)):
            yield "picture", f"{kind} for {label}: {reason}", bool(example.mistake) and not options
