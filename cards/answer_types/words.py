"""A word or a few, compared as text with the liberties the card allows. Knows no card file and no learner.

answer:   {type: words, key: "batch", accepts: ["the batch axis", {key: "B", case: keep, typos: 0}],
           case: ignore | keep, typos: 0 | 1 | 2}
mistakes: [{name, key: "tokens" or ["tokens", "sequence"], says}]      `says` may use {answer} and {key}
How words are compared stands in `cards.expressions.words`. A wrong word that the card lists wins over a slip
of typing: it is never taken for the key, however near.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cards.expressions.words import (
    LONGEST,
    MAX_TYPOS,
    distance,
    first_difference,
    markup_in,
    read_words,
    slips,
    typed,
)
from cards.grading import Example, Grade, Place, Question, Reading, Response, fill, mistake_title, quoted
from cards.keys import KeyProblem

FIELDS = ("type", "key", "accepts", "case", "typos")
ACCEPTED_FIELDS = ("key", "case", "typos")
CASES = ("ignore", "keep")
OFFLINE = True
NOT_IT = "“{answer}” is not it"


@dataclass(frozen=True)
class Key:
    """One right answer, with the liberties that are taken with it."""

    text: str
    keep_case: bool
    typos: int

    def slips(self, text: str) -> int | None:
        """Slips between an answer and this key, where they are forgiven; None where it is not the key."""
        return slips(self.compared(text), self.compared(self.text), most=self.typos)

    def distance(self, text: str) -> int:
        """Letters between an answer and this key, forgiven or not; MAX_TYPOS + 1 for more."""
        return distance(self.compared(text), self.compared(self.text), MAX_TYPOS)

    def compared(self, text: str) -> str:
        """A text as it is compared with this key."""
        return typed(text, keep_case=self.keep_case).text


def grade(question: Question, response: Response) -> Grade:
    """Correct for the key or another accepted answer, slips within the card's limit forgiven and noted."""
    echo = _read_as(response.text)
    keys = keys_of(question)
    near = min(keys, key=lambda key: _rank(key, response.text))
    mistake = _listed(question, keys, response.text)
    forgiven = near.slips(response.text)
    right = forgiven is not None and not mistake
    values = {"answer": quoted(response.text), "key": near.text}
    shown = {**values, "answer": _bare(response.text)}
    return Grade(
        outcome="correct" if right else "incorrect",
        score=1.0 if right else 0.0,
        mistake=str(mistake.get("name", "")),
        title=keys[0].text if right else mistake_title(mistake, shown, default="" if mistake else NOT_IT),
        feedback="" if right else fill(str(mistake.get("says") or _sentence(near, response.text)), values),
        read_as=echo,
        key_text=" or ".join(dict.fromkeys(key.text for key in keys)),
        value=near.text if right else " ".join(response.text.split()),
        key=near.text if right else keys[0].text,
        place=None if right else _place(near, response.text),
        notes=(_note(near, response.text, forgiven),) if right and forgiven else (),
    )


def read(_question: Question, text: str) -> Reading:
    """The words as they are compared. Raises Unreadable where there are none."""
    return Reading(_read_as(text))


def question_input(_question: Question) -> dict[str, Any]:
    """Only what kind of answer is wanted: its length would be a hint."""
    return {"hint": "A word or a few"}


def examples(question: Question) -> list[Example]:
    """Every accepted answer, and the words of every mistake."""
    right = [Example({"text": key.text}) for key in keys_of(question)]
    wrong = [Example({"text": text}, str(m.get("name", ""))) for m in question.mistakes for text in _words(m)]
    return right + wrong


def problems(question: Question) -> list[str]:
    """Markup in a key, answers given twice, and mistakes that are right or have no words."""
    keys = keys_of(question)
    texts = [*(key.text for key in keys), *(text for m in question.mistakes for text in _words(m))]
    found = [f"{text!r} holds markup: {mark}" for text in texts if (mark := markup_in(text))]
    for index, key in enumerate(keys):
        if any(other.slips(key.text) == 0 for other in keys[:index]):
            found.append(f"accepts: {key.text!r} is accepted already")
    for mistake in question.mistakes:
        name = mistake.get("name")
        found += [
            f"mistake {name}: {text!r} is right"
            for text in _words(mistake)
            if any(k.slips(text) == 0 for k in keys)
        ]
        found += [] if _words(mistake) else [f"mistake {name}: give its words as key"]
    return found


def keys_of(question: Question) -> list[Key]:
    """The key, then what else is accepted. Raises KeyProblem."""
    accepts = question.answer.get("accepts", ())
    if not isinstance(accepts, list | tuple):
        raise KeyProblem(f"accepts is a list of words, not {accepts!r}")
    return [_key(question, question.answer.get("key")), *(_key(question, one) for one in accepts)]


def _key(question: Question, row: Any) -> Key:
    """One right answer: words, or {key, case, typos} where it takes other liberties than the card."""
    stated = dict(row) if isinstance(row, Mapping) else {"key": row}
    given = {"case": "ignore", "typos": 0, **question.answer, **stated}
    if set(stated) - set(ACCEPTED_FIELDS) or not _is_words(given["key"]):
        raise KeyProblem(f"an answer in words is text of 1 to {LONGEST} characters, in quotes; not {row!r}")
    if given["case"] not in CASES:
        raise KeyProblem(f"case is {' or '.join(CASES)}, not {given['case']!r}")
    if type(given["typos"]) is not int or not 0 <= given["typos"] <= MAX_TYPOS:
        raise KeyProblem(f"typos is 0, 1 or {MAX_TYPOS}, not {given['typos']!r}")
    return Key(given["key"], given["case"] == "keep", given["typos"])


def _is_words(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST and bool(typed(value, keep_case=True).text)


def _words(mistake: Mapping[str, Any]) -> list[str]:
    """The words a mistake is known by. Raises KeyProblem for what are none."""
    stated = mistake.get("key", [])
    words = stated if isinstance(stated, list | tuple) else [stated]
    if not all(_is_words(one) for one in words):
        raise KeyProblem(
            f"mistake {mistake.get('name')}: its key is words, or a list of them; not {stated!r}"
        )
    return list(words)


def _listed(question: Question, keys: Sequence[Key], text: str) -> Mapping[str, Any]:
    """The listed mistake whose words these are, or are as near to as to any key; {} for none."""
    forgiven = [found for key in keys if (found := key.slips(text)) is not None]
    if 0 in forgiven:
        return {}
    listed = [(m, _key(question, words)) for m in question.mistakes for words in _words(m)]
    exact = next((m for m, words in listed if words.slips(text) == 0), None)
    if exact is not None:
        return exact
    if forgiven:
        return next((m for m, words in listed if words.distance(text) <= min(forgiven)), {})
    return next((m for m, words in listed if words.slips(text) is not None), {})


def _rank(key: Key, text: str) -> tuple[int, int]:
    """Keys that forgive come first, then those nearest."""
    forgiven = key.slips(text)
    return (MAX_TYPOS + 1 if forgiven is None else forgiven, key.distance(text))


def _note(key: Key, text: str, forgiven: int) -> str:
    slips_in_words = "one letter" if forgiven == 1 else f"{forgiven} letters"
    return f"“{_bare(text)}” is taken for “{key.text}”: {slips_in_words} off."


def _sentence(key: Key, text: str) -> str:
    """What can be said about wrong words that no mistake lists."""
    off = key.distance(text)
    if off <= MAX_TYPOS < len(key.compared(key.text)):
        letters = "1 letter" if off == 1 else f"{off} letters"
        return f"{{answer}} is {letters} off `{{key}}`; here it has to be the same."
    return "You wrote {answer}; the answer is `{key}`."


def _place(key: Key, text: str) -> Place | None:
    """The first letter that differs, where the rest is nearly the key; all of it otherwise."""
    words = typed(text, keep_case=key.keep_case)
    if key.distance(text) > MAX_TYPOS:
        return Place("text", words.offset(0), words.offset(len(words.text)))
    start = words.offset(first_difference(words.text, key.compared(key.text)))
    return Place("text", start, min(start + 1, len(text)))


def _read_as(text: str) -> str:
    return f"Read as “{_bare(read_words(text).text)}”"


def _bare(text: str) -> str:
    """The learner's words, short and harmless, where no markup is read."""
    return quoted(text).strip("`")
