"""A few lines of tensor operations, judged by running them beside lines that are right. Runs nothing itself.

    answer:   {type: program, reference: LINES, model: bert-base, accepts: [LINES]}
    mistakes: [{name, program: LINES, says}]
The layer is named as for the picture `answer_executed` (model, or num_heads, d_head ...; batch, tokens,
inputs: rows or heads). `given` names the tensors a learner may use, where that are others than the right
programs read. A learner's lines are read here, at once; a worker of the engine runs them, and its verdict is
read out of the picture that shows them (`judged`). `says` and `title` may use {answer} {key} {line}
{statement} {words}, torch's own words.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from attention_engine.program import Program
from cards.answer_types._programs import (
    LAYER,
    Wrong,
    accepts_of,
    answer_of,
    asked,
    given,
    mistakes_of,
    parsed,
    place_of,
    reference_of,
    tidy,
    wrong_ones,
)
from cards.grading import (
    Example,
    Grade,
    Question,
    Reading,
    Response,
    Unreadable,
    fill,
    mistake_title,
    quoted,
)
from cards.keys import KeyProblem

OFFLINE = False
FIELDS = ("type", "reference", "accepts", "inputs", "given", *LAYER)
LINES = 5
EQUAL, SHAPE, VALUES, ERROR, UNDECIDED = "equal", "wrong-shape", "wrong-values", "error", "undecided"
TITLES = {
    SHAPE: "the result has another shape",
    VALUES: "the shape is right, the contents are not",
    ERROR: "the program stops",
}
LONGEST_QUOTE = 60


def grade(question: Question, response: Response) -> Grade:
    """Undecided until a worker has run it: `asks` is the picture in which the verdict will stand."""
    program = answer_of(question, response.text)
    text, reference = tidy(response.text), reference_of(question)
    asks, _ = asked(question, text)
    return Grade(
        outcome="undecided",
        score=0.0,
        title="the program is being run",
        read_as=_parses(program),
        key_text=reference,
        value=text,
        key=reference,
        pending="worker",
        asks=asks,
    )


def judged(question: Question, response: Response, verdict: Mapping[str, Any]) -> Grade:
    """The grade by a worker's verdict: {"outcome", "reason", "words", "line", "statement", "mistaken"}, and
    "sentence", what the picture says of it. What the worker could not settle stays undecided."""
    waiting = grade(question, response)
    outcome = verdict.get("outcome")
    if outcome == EQUAL:
        return replace(waiting, outcome="correct", score=1.0, title="it gives what was asked", pending="")
    if outcome not in TITLES:
        reason = str(verdict.get("reason") or "the worker gave no verdict")
        return replace(
            waiting, title="this program could not be settled", feedback=f"{_sentence(reason)}", pending=""
        )
    return _wrong(question, response, verdict, waiting)


def read(question: Question, text: str) -> Reading:
    """ "Parses: 4 lines". Raises Unreadable with the place of what is not in the language."""
    return Reading(_parses(answer_of(question, text)))


def question_input(question: Question) -> dict[str, Any]:
    """Room for a few lines, and the names that may be used with their shapes."""
    hint = "Lines of torch, `F` or einops; the last one is the result"
    return {"lines": LINES, "hint": hint, "given": given(question)}


def examples(question: Question) -> list[Example]:
    """The reference, every other right program, and the program of each named mistake."""
    right = [Example({"text": text}) for text in (reference_of(question), *accepts_of(question))]
    wrong = [
        Example({"text": tidy(one["program"])}, str(one.get("name", ""))) for one in mistakes_of(question)
    ]
    return right + wrong


def problems(question: Question) -> list[str]:
    """Programs that cannot be read, mistakes that are no programs or are right ones."""
    found: list[str] = []
    reference = reference_of(question)
    listed = [("reference", reference), *(("accepts", one) for one in accepts_of(question))]
    right = {text for _, text in listed}
    for mistake in question.mistakes:
        name, program = mistake.get("name"), mistake.get("program")
        if not isinstance(program, str) or not program.strip():
            found.append(f"mistake {name}: it needs `program: LINES`")
        else:
            listed.append((f"mistake {name}", tidy(program)))
            found += [f"mistake {name}: its program is a right one"] if tidy(program) in right else []
    unread = [f"{name}: {message}" for name, text in listed if (message := _unread(question, text))]
    return found + unread + ([] if unread else _refused(question, reference))


def _unread(question: Question, text: str) -> str:
    """Why a program of the card cannot be read as an answer to it; "" where it can."""
    try:
        parsed(text)
        answer_of(question, text)
    except Unreadable as error:
        return error.message
    except KeyProblem:
        return ""  # another program of the card is told of by its own name
    return ""


def _refused(question: Question, reference: str) -> list[str]:
    """Why the engine does not take the question as a whole."""
    try:
        asked(question, reference)
    except (KeyProblem, Unreadable) as error:
        return [str(error)]
    return []


def _wrong(question: Question, response: Response, verdict: Mapping[str, Any], waiting: Grade) -> Grade:
    """Incorrect: by the mistake it equals, else by what the run shows; with the line it rests on."""
    line, statement = int(verdict.get("line") or 0), str(verdict.get("statement") or "")
    words = str(verdict.get("words") or "")
    values = {"answer": waiting.value, "key": waiting.key, "statement": statement, "words": words}
    quotes = {name: quoted(str(value)) for name, value in values.items()}
    quotes |= {"line": str(line), "words": _inline(words)}
    mistake, outcome = _named(question, verdict), str(verdict["outcome"])
    shown = str((mistake and mistake.says) or verdict.get("sentence") or words)
    return replace(
        waiting,
        outcome="incorrect",
        title=_mistaken_title(mistake, values | {"line": str(line)})
        if mistake
        else _title(outcome, line, statement),
        mistake=mistake.name if mistake else "",
        feedback=_with_words(
            fill(shown, quotes) if mistake else _escaped(shown),
            "" if words in shown or "{words}" in shown else words,
        ),
        place=place_of(response.text, line, statement) if line else None,
        facts={"verdict": outcome, "words": words, "line": line, "statement": statement},
        pending="",
    )


def _named(question: Question, verdict: Mapping[str, Any]) -> Wrong | None:
    """The mistake whose program it equals, the card's own or one of the bank."""
    known, place = wrong_ones(question), verdict.get("mistaken", -1)
    return known[place] if isinstance(place, int) and 0 <= place < len(known) else None


def _mistaken_title(mistake: Wrong, values: Mapping[str, Any]) -> str:
    return mistake.title or mistake_title(mistake.listed, values)


def _title(outcome: str, line: int, statement: str) -> str:
    """What is wrong in a few words: "torch refuses line 2"."""
    if outcome == ERROR and line:
        short = len(statement) <= LONGEST_QUOTE
        return f"line {line} stops: {statement}" if short else f"line {line} stops"
    return TITLES[outcome]


def _with_words(feedback: str, words: str) -> str:
    """The sentence, and torch's words below it."""
    return f"{feedback}\n\n{_code(words)}" if words else feedback


def _inline(words: str) -> str:
    """torch's words within a sentence, whole, letter by letter; "an error" where torch had none."""
    plain = " ".join("".join(c if c.isprintable() and c != "`" else " " for c in words).split())
    return f"`{plain}`" if plain else "an error"


def _code(words: str) -> str:
    """Words as they came, in a block of their own."""
    return "\n".join(f"    {line}" for line in words.splitlines())


def _escaped(sentence: str) -> str:
    """A sentence that quotes code, as Markdown that shows it letter by letter."""
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>#$|~&" else letter for letter in sentence)


def _sentence(reason: str) -> str:
    """A reason as a sentence of its own."""
    escaped = _escaped(reason.rstrip("."))
    return f"{escaped[:1].upper()}{escaped[1:]}. Nothing is counted: rate yourself."


def _parses(program: Program) -> str:
    lines = len(program.statements)
    return f"Parses: {lines} line{'' if lines == 1 else 's'}"
