"""Options to choose from: read, put in an order that gives nothing away, and told apart once answered.

Knows no number of right ones and no credit; `choice` and `multi_choice` do.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from cards.grading import MOST_PARTS, Part, Question, fill
from cards.keys import KeyProblem
from cards.markdown import plain_text, render_inline

Option = Mapping[str, Any]
TITLES = {
    (True, True): "chosen, and right",
    (True, False): "chosen, and not right",
    (False, True): "right, and not chosen",
    (False, False): "not right, and left out",
}
"""What became of an option, by whether it was chosen and whether it is right."""


def read_options(question: Question, kind: str) -> list[Option]:
    """Two or more options, each with a text and an id of its own. Raises KeyProblem."""
    options = question.answer.get("options")
    if not isinstance(options, list | tuple) or not all(
        isinstance(o, Mapping) and "text" in o for o in options
    ):
        raise KeyProblem(f"a {kind} needs options: a list of {{id, text, correct: true | mistake: NAME}}")
    ids = [option.get("id") for option in options]
    if (
        len(options) < 2
        or len(set(map(str, ids))) < len(ids)
        or not all(isinstance(i, str) and i for i in ids)
    ):
        raise KeyProblem(f"a {kind} needs two or more options, each with an id (text) of its own; got {ids}")
    if len(options) > MOST_PARTS:
        raise KeyProblem(f"a {kind} has at most {MOST_PARTS} options, not {len(options)}")
    return list(options)


def is_right(option: Option) -> bool:
    """Whether an option belongs in the answer."""
    return option.get("correct") is True


def shown_order(rows: Sequence[Option], seed: int) -> list[Option]:
    """The rows in an order that follows from the seed and all ids, not from where the author put the key."""
    salt = ":".join([str(seed), *sorted(str(row["id"]) for row in rows)])
    return sorted(rows, key=lambda row: hashlib.sha256(f"{salt}|{row['id']}".encode()).digest())


def shown_rows(options: Sequence[Option], seed: int) -> list[dict[str, str]]:
    """{id, text} of each option as it is shown: neither which is right nor where the author put it."""
    return [{"id": option["id"], "text": option["text"]} for option in shown_order(options, seed)]


def letters_of(options: Sequence[Option], chosen: Collection[str], seed: int) -> list[str]:
    """The letters that the chosen options were shown under, in the order shown."""
    order = [option["id"] for option in shown_order(options, seed)]
    return [letter(place) for place, one in enumerate(order) if one in chosen]


def letter(place: int) -> str:
    """A to Z, then A2 to Z2: 0 -> "A", 26 -> "A2"."""
    turn, index = divmod(place, 26)
    return chr(ord("A") + index) + (str(turn + 1) if turn else "")


def words_of(option: Option) -> str:
    """An option's text in words, without its markup."""
    return plain_text(render_inline(str(option["text"])))


def stated(question: Question, name: object) -> Mapping[str, Any]:
    """The mistake of that name as the card states it; {} for no name."""
    listed = next((mistake for mistake in question.mistakes if mistake.get("name") == name), {})
    return {"name": name, **listed} if name else {}


def parts_of(
    question: Question, options: Sequence[Option], chosen: Collection[str], *, enough: bool = False
) -> tuple[Part, ...]:
    """One row an option, in the author's order: taken rightly or not, and why.

    `enough`: what was chosen is all that was asked for, so no other right option was missed.
    """
    return tuple(_part(question, option, option["id"] in chosen, enough=enough) for option in options)


def rationale(question: Question, option: Option, mistake: Mapping[str, Any]) -> str:
    """What an option itself says, else what its mistake says, with the option's text as {answer}."""
    rights = [str(one["text"]) for one in question.answer.get("options", ()) if is_right(one)]
    values = {"answer": option["text"], "key": ", ".join(rights) or "none of them"}
    return fill(str(option.get("says") or mistake.get("says", "")), values)


def _part(question: Question, option: Option, taken: bool, *, enough: bool) -> Part:
    right = is_right(option)
    spare = enough and right and not taken
    wrong = taken != right and not spare
    mistake = stated(question, option.get("missed" if right else "mistake")) if wrong else {}
    return Part(
        id=option["id"],
        outcome="incorrect" if wrong else "correct",
        score=0.0 if wrong else 1.0,
        title="right as well" if spare else TITLES[taken, right],
        mistake=str(mistake.get("name", "")),
        feedback=rationale(question, option, mistake),
    )


def odd_fields(option: Option, known: Collection[str]) -> list[str]:
    """Fields an option does not have."""
    there = ", ".join(known)
    return [
        f"option {option['id']}: no field {name}; there are: {there}" for name in option if name not in known
    ]
