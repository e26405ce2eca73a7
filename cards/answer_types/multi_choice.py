"""Any number of options out of several, also none, with credit that guessing cannot earn. Knows no learner.

answer:   {type: multi_choice, credit: net | each | coverage | all,
           options: [{id, text, correct: true, missed: NAME} | {id, text, mistake: NAME}, ...]}
mistakes: [{name, title, says}]     `says` may use {answer} and {key}, the texts of options
`says` of an option is its own reason. Where nothing is right the answer is `none`, so no option has that id.

Credit, for r right and w wrong picks out of R right and W wrong options; never below 0:

    net        (r - w) / R               a wrong pick takes a right one away
    each       (r + W - w - max(R, W)) / min(R, W)    each option judged, less what all or nothing would get
    coverage   r / max(r + w, R)         right picks among the picks, or among the right ones
    all        1 for the very set, else 0

Whoever picks every wrong option earns nothing: so neither choosing all nor choosing none is worth anything
(unless it is the answer), and one more right pick never costs. Where nothing is right, no pick earns
anything.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from cards.answer_types._options import (
    Option,
    is_right,
    letters_of,
    odd_fields,
    parts_of,
    rationale,
    read_options,
    shown_rows,
    stated,
    words_of,
)
from cards.grading import Example, Grade, Question, Response, Unreadable, mistake_title
from cards.keys import KeyProblem

NONE = "none"
NONE_TEXT = "none of these"
OPTION_FIELDS = ("id", "text", "correct", "mistake", "missed", "says")
OFFLINE = True
FIELDS = ("type", "options", "credit")
Counts = tuple[int, int, int, int]
"""Right and wrong picks, right and wrong options."""


def grade(question: Question, response: Response) -> Grade:
    """Correct for the very set; partial by the card's credit; the first wrong pick gives the mistake."""
    options = options_of(question)
    chosen = _chosen(options, response)
    counts = _counts(options, chosen)
    score = score_of(counts, _credit(question))
    cause = None if score == 1 else _cause(options, chosen)
    mistake = _mistake_of(question, cause)
    values = {"answer": str(cause["text"]) if cause else "", "key": _right_texts(options)}
    return Grade(
        outcome=_outcome(score),
        score=round(float(score), 4),
        mistake=str(mistake.get("name", "")),
        title=mistake_title(mistake, values, default="" if mistake else _count_title(counts, score)),
        feedback=" ".join(filter(None, (_reason(question, cause, mistake), _sentence(counts, score)))),
        read_as=f"Chosen: {', '.join(letters_of(options, chosen, question.seed)) or NONE_TEXT}",
        key_text=", ".join(words_of(one) for one in options if is_right(one)) or NONE_TEXT,
        parts=parts_of(question, options, chosen),
    )


def question_input(question: Question) -> dict[str, Any]:
    """The options in the order drawn for this seed, and last the one that says that none is right."""
    shown = shown_rows(options_of(question), question.seed)
    hint = f"Choose all that are right, or {NONE_TEXT}."
    return {"options": [*shown, {"id": NONE, "text": NONE_TEXT}], "many": True, "hint": hint}


def examples(question: Question) -> list[Example]:
    """The right set; then it with each wrong option added, and without each right one that has a name."""
    options = options_of(question)
    right = [option["id"] for option in options if is_right(option)]
    added = [
        Example({"choices": [*right, option["id"]]}, str(option.get("mistake", "")))
        for option in options
        if not is_right(option)
    ]
    left_out = [
        Example({"choices": [one for one in right if one != option["id"]] or [NONE]}, str(option["missed"]))
        for option in options
        if is_right(option) and option.get("missed")
    ]
    return [Example({"choices": right or [NONE]}), *added, *left_out]


def problems(question: Question) -> list[str]:
    """A wrong option without a reason, mistakes nothing leads to, fields that are none."""
    options = options_of(question)
    _credit(question)
    named = {str(mistake.get("name")) for mistake in question.mistakes}
    led = [(option, "missed" if is_right(option) else "mistake") for option in options]
    found = [
        f"option {option['id']}: its {field} {option.get(field)!r} is not among the mistakes"
        for option, field in led
        if option.get(field) not in named and (field == "mistake" or "missed" in option)
    ]
    found += [problem for option in options for problem in odd_fields(option, OPTION_FIELDS)]
    used = {str(option.get(field)) for option, field in led}
    return found + [f"mistake {name}: no wrong answer leads to it" for name in sorted(named - used)]


def options_of(question: Question) -> list[Option]:
    """Two or more options, none of them called `none`. Raises KeyProblem."""
    options = read_options(question, "multi_choice")
    if any(option["id"] == NONE for option in options):
        raise KeyProblem(f"no option may have the id {NONE}: it is the answer that none is right")
    return options


def score_of(counts: Counts, credit: str) -> Fraction:
    """The credit of a set of picks, from 0 to 1; 1 for the right set and no other."""
    right_picks, wrong_picks, right, wrong = counts
    if wrong_picks == 0 and right_picks == right:
        return Fraction(1)
    if credit == "all" or wrong_picks == wrong > 0:
        return Fraction(0)
    return max(Fraction(0), CREDITS[credit](right_picks, wrong_picks, right, wrong)) if right else Fraction(0)


def _net(right_picks: int, wrong_picks: int, right: int, _wrong: int) -> Fraction:
    return Fraction(right_picks - wrong_picks, right)


def _each(right_picks: int, wrong_picks: int, right: int, wrong: int) -> Fraction:
    blind, least = max(right, wrong), min(right, wrong)
    return (
        Fraction(right_picks + wrong - wrong_picks - blind, least) if least else Fraction(right_picks, right)
    )


def _coverage(right_picks: int, wrong_picks: int, right: int, _wrong: int) -> Fraction:
    return Fraction(right_picks, max(right_picks + wrong_picks, right))


CREDITS: dict[str, Callable[[int, int, int, int], Fraction]] = {
    "net": _net,
    "each": _each,
    "coverage": _coverage,
    "all": lambda *_counts: Fraction(0),
}


def _credit(question: Question) -> str:
    """The card's rule. Raises KeyProblem for one that is none."""
    credit = question.answer.get("credit", "net")
    if not isinstance(credit, str) or credit not in CREDITS:
        raise KeyProblem(f"credit is one of {', '.join(CREDITS)}, not {credit!r}")
    return credit


def _chosen(options: Sequence[Option], response: Response) -> list[str]:
    """The ids chosen; [] for "none of these". Raises Unreadable where it cannot be told what was meant."""
    given = list(response.choices)
    if not given:
        raise Unreadable(f"Choose what is right, or {NONE_TEXT}.", field="choices")
    if len(set(given)) < len(given):
        raise Unreadable("An option is chosen twice.", field="choices")
    if not set(given) <= {NONE, *(option["id"] for option in options)}:
        raise Unreadable("One of these is not an option; load the question again.", field="choices")
    if NONE in given and len(given) > 1:
        raise Unreadable(f"Choose either options or {NONE_TEXT}, not both.", field="choices")
    return [one for one in given if one != NONE]


def _counts(options: Sequence[Option], chosen: Sequence[str]) -> Counts:
    right = {option["id"] for option in options if is_right(option)}
    right_picks = len(right.intersection(chosen))
    return right_picks, len(chosen) - right_picks, len(right), len(options) - len(right)


def _cause(options: Sequence[Option], chosen: Sequence[str]) -> Option | None:
    """The first wrong pick in the author's order, else the first right one left out that has a name."""
    picked = (option for option in options if not is_right(option) and option["id"] in chosen)
    missing = (o for o in options if is_right(o) and o["id"] not in chosen and o.get("missed"))
    return next(picked, None) or next(missing, None)


def _mistake_of(question: Question, cause: Option | None) -> Mapping[str, Any]:
    return stated(question, cause.get("missed" if is_right(cause) else "mistake")) if cause else {}


def _reason(question: Question, cause: Option | None, mistake: Mapping[str, Any]) -> str:
    return rationale(question, cause, mistake) if cause else ""


def _outcome(score: Fraction) -> str:
    return "correct" if score == 1 else "partial" if score else "incorrect"


def _right_texts(options: Sequence[Option]) -> str:
    return ", ".join(str(option["text"]) for option in options if is_right(option)) or NONE_TEXT


def _count_title(counts: Counts, score: Fraction) -> str:
    """How many of the right ones were found, in few words."""
    right_picks, wrong_picks, right, _ = counts
    if score == 1:
        return ""
    if right == 0:
        return "none of these is right"
    return f"{right_picks} of {right} right ones, {wrong_picks} not right"


def _sentence(counts: Counts, score: Fraction) -> str:
    """The learner's own count against the right one."""
    right_picks, wrong_picks, right, _ = counts
    if score == 1:
        return ""
    picked = right_picks + wrong_picks
    if right == 0:
        return f"You chose {picked}; none of these is right."
    in_all = f"{right} {'are' if right > 1 else 'is'} right in all"
    return (
        f"You chose {picked}, of which {right_picks} {'are' if right_picks != 1 else 'is'} right; {in_all}."
    )
