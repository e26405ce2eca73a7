"""What might make a card stick, told by how it is answered and how it is written. Knows no table.

Rules of thumb, each with the numbers it rests on: an author decides.
"""

import re
from collections.abc import Sequence
from html import unescape
from typing import Any

from studyhub.study.statistics.sticking import Answers

FEW = 3
"""Fewer answers than this say nothing."""
OFTEN = 0.3
"""Share of the wrong answers from which on one of them stands out."""
LONG_PROMPT = 300  # characters beside code and tables
MOST_CELLS = 4
MOST_QUESTIONS = 1
_ASIDE = re.compile(r"<(pre|table|math)\b.*?</\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")


def suggestions(version: Any, answers: Answers) -> list[str]:
    """Sentences for the author, the most telling first; at least one."""
    found = [
        *_unnamed(answers),
        *_named(answers),
        *_guessed(answers),
        *_asks(version, answers),
        *_written(version),
    ]
    return found or ["Nothing stands out. Ask the same fact from another side, or split it off as a card."]


def _unnamed(answers: Answers) -> list[str]:
    """A wrong answer that many give and no mistake explains."""
    answer, times = next(iter(answers.unnamed), ("", 0))
    if times < FEW or times < OFTEN * answers.wrong:
        return []
    return [
        f"{times} of {answers.wrong} wrong answers are {answer}, which no mistake of the card names. "
        "Name the idea behind it."
    ]


def _named(answers: Answers) -> list[str]:
    """A named mistake that is most of what goes wrong."""
    name, times = next(iter(answers.mistakes), ("", 0))
    if times < FEW or times < OFTEN * answers.wrong:
        return []
    idea = name.replace("_", " ")
    return [
        f"{times} of {answers.wrong} wrong answers make one mistake ({idea}). Say in the question or the "
        "first hint what tells the two apart, or give the difference a card of its own."
    ]


def _guessed(answers: Answers) -> list[str]:
    """Right answers that were said to be guesses."""
    if answers.guessed < FEW or answers.guessed < OFTEN * answers.told:
        return []
    return [
        f"{answers.guessed} of {answers.told} right answers with a word on sureness were guesses. Ask for "
        "the value instead of a choice, or offer more options that are nearly right."
    ]


def _asks(version: Any, answers: Answers) -> list[str]:
    """More than one fact in one question."""
    questions, cells = _plain(version.prompt_html).count("?"), answers.cells
    found = []
    if questions > MOST_QUESTIONS:
        found.append(f"It asks {questions} questions at once. Make it {questions} cards.")
    if cells > MOST_CELLS:
        found.append(f"It asks for {cells} values at once. Split it, {MOST_CELLS} at most a card.")
    return found


def _written(version: Any) -> list[str]:
    """How it is written: its length, its hints, its mistakes, its explanation."""
    length = len(_plain(version.prompt_html))
    told: Sequence[tuple[bool, str]] = (
        (length > LONG_PROMPT, f"The question has {length} characters. Cut it to what decides the answer."),
        (not version.hints, "It has no hint. Add one that says where to begin."),
        (not version.mistakes, "It names no mistake. Name the one you would make yourself."),
        (not version.explanation, "It has no explanation. Say in a sentence why the answer is right."),
    )
    return [sentence for holds, sentence in told if holds]


def _plain(html: str) -> str:
    """The text of a question, without code, tables and formulas."""
    return " ".join(unescape(_TAG.sub(" ", _ASIDE.sub(" ", html))).split())
