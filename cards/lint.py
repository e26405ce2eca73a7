"""What must hold before a card is published: each key and mistake is graded here. Knows no database.

A rule that a card breaks on purpose is waived in its front matter, with the reason:  waivers: {RULE: "why"};
a mistake that changes no grade is waived beside it:  waiver: "why".
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from cards.answer_types import odd_settings
from cards.answering import answer_type, question_of
from cards.faults import faults
from cards.files import DeckText
from cards.generators import Concrete, DrawProblem
from cards.grading import Example, Grade, Unreadable, placeholders, read_response
from cards.keys import KeyProblem
from cards.picture_rules import picture_problems
from cards.text_rules import given_away, option_lengths, same_texts, source_problems, text_problems
from cards.variants import FEW, Found, drawing_problems, over_variants, variants_of


@dataclass(frozen=True)
class Problem:
    """One thing to mend: where, which rule, what is wrong. A warning does not stop a card."""

    place: str
    rule: str
    message: str
    warning: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {'warning, ' if self.warning else ''}{self.rule}: {self.message}"


@dataclass
class LintReport:
    """The problems of a folder and its mutation score: mistakes, those that change a grade, those waived."""

    problems: list[Problem] = field(default_factory=list)
    cards: int = 0
    mistakes: int = 0
    killed: int = 0
    waived: int = 0

    @property
    def errors(self) -> list[Problem]:
        """The problems that stop a card."""
        return [problem for problem in self.problems if not problem.warning]


def lint_decks(decks: Iterable[DeckText]) -> LintReport:
    """Every card of some decks."""
    report = LintReport()
    for deck in decks:
        sources = {source.key for source in deck.sources}
        for card in (card for topic in deck.topics for card in topic.cards):
            report.problems += lint_card(
                card, sources=sources, place=f"{card.path.parent.name}/{card.path.name}"
            )
            names = _names(card)
            report.cards += 1
            report.mistakes += len(names)
            report.killed += len(names & killed_mistakes(card))
            report.waived += sum(1 for m in card.mistakes if isinstance(m, Mapping) and m.get("waiver"))
    return report


def lint_card(version: Any, *, sources: set[str] | None = None, place: str = "") -> list[Problem]:
    """The problems of one version (or anything like one). `sources` None: not checked."""
    if broken := faults(version):
        return [Problem(place, rule, message) for rule, message in broken]
    found = [*over_variants(version, text_problems, FEW), *source_problems(version, sources)]
    try:
        found += [*drawing_problems(version), *over_variants(version, _graded_problems)]
    except DrawProblem as problem:
        found.append(("variants", str(problem), False))
    waived = dict(version.parameters or {}).get("waivers") or {}
    return [Problem(place, rule, text, warning) for rule, text, warning in found if not waived.get(rule)]


def self_test(version: Any) -> list[tuple[str, str]]:
    """What a version foresees and the grader says otherwise: (the field at fault, why), in any variant.

    Every key and alternative has to be graded correct, every mistake wrong or partial by its own name.
    """
    try:
        return [(field, why) for field, why, _ in over_variants(version, _self_test)]
    except DrawProblem as problem:
        return [("variants", str(problem))]


def _self_test(version: Any) -> list[Found]:
    """The same of one question."""
    examples = answer_type(version.answer_type).examples(question_of(version))
    graded = [(example, _refused(version, example)) for example in examples]
    found = [("mistakes" if example.mistake else "answer", why, False) for example, why in graded if why]
    tried = {example.mistake for example in examples}
    lost = sorted(_names(version) - tried - _waived(version)) if isinstance(version, Concrete) else []
    return found + [("mistakes", f"{name} changes no grade", False) for name in lost]


def killed_mistakes(version: Any) -> set[str]:
    """The named mistakes whose example is graded wrong or partial by that name, in every variant tried."""
    return set.intersection(*map(_killed, variants_of(version, FEW)))


def _killed(version: Any) -> set[str]:
    """The same of one question."""
    try:
        examples = answer_type(version.answer_type).examples(question_of(version))
        return {e.mistake for e in examples if e.mistake and not _refused(version, e)}
    except (KeyProblem, ValueError):
        return set()


def _names(version: Any) -> set[str]:
    """The names of a card's mistakes."""
    return {str(m.get("name", "")) for m in version.mistakes if isinstance(m, Mapping)}


def _waived(version: Any) -> set[str]:
    """The names of mistakes that are said to change no grade, with a reason."""
    return {str(m.get("name", "")) for m in version.mistakes if m.get("waiver")}


def _graded_problems(version: Any) -> list[Found]:
    """What is wrong with one question's answer, mistakes and pictures."""
    try:
        return [*_answer_problems(version), *picture_problems(version, _answered(version))]
    except KeyProblem as problem:
        return [("key", str(problem), False)]


def _answer_problems(version: Any) -> Iterator[Found]:
    """The key and each alternative grade correct; each mistake changes a grade; the type has no complaint."""
    kind, question = answer_type(version.answer_type), question_of(version)
    yield from _mistake_form(version)
    for text in (*odd_settings(kind, question.answer), *kind.problems(question)):
        yield "answer", text, False
    examples = kind.examples(question)
    for example in examples:
        if refusal := _refused(version, example):
            yield ("mistake" if example.mistake else "key"), refusal, False
    tried = {example.mistake for example in examples}
    for mistake in version.mistakes:
        if mistake.get("name") not in tried and not mistake.get("waiver"):
            yield "mistake", f"{mistake.get('name')} changes no grade: mend it or give a waiver", False
    yield from given_away(version, examples)
    yield from same_texts(question)
    yield from option_lengths(question)


def _mistake_form(version: Any) -> Iterator[Found]:
    """Names that are words of their own, and something said about each."""
    names = [str(m.get("name", "")) for m in version.mistakes]
    for name in names:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or names.count(name) > 1:
            yield "mistake", f"{name!r} is not a name of its own (lower case, words joined by _)", False
    for mistake in version.mistakes:
        if not mistake.get("says"):
            yield "mistake", f"{mistake.get('name')} says nothing", False


def _refused(version: Any, example: Example) -> str:
    """What is wrong with the grade of an example; "" if it is as it must be."""
    grade = _graded(version, example)
    if isinstance(grade, str):
        return grade
    if grade.pending == "worker":
        return ""  # read and admitted; what it does is known where it is run
    if not example.mistake:
        return (
            "" if grade.outcome == "correct" else f"{_shown(example)} is graded {grade.outcome}, not correct"
        )
    if grade.outcome not in ("incorrect", "partial"):
        return f"{_shown(example)} ({example.mistake}) is graded {grade.outcome}"
    if grade.mistake != example.mistake:
        return f"{_shown(example)} is named {grade.mistake or 'nothing'}, not {example.mistake}"
    open_names = placeholders(grade.feedback) | placeholders(grade.title)
    return f"{example.mistake}: nothing fills {', '.join(sorted(open_names))}" if open_names else ""


def _graded(version: Any, example: Example) -> Grade | str:
    """The grade, or why the example cannot be read."""
    try:
        response = read_response(example.response)
        return answer_type(version.answer_type).grade(question_of(version), response)
    except Unreadable as problem:
        return f"{_shown(example)} cannot be read: {problem.message}"


def _answered(version: Any) -> list[tuple[Example, Grade]]:
    """Each answer the card foresees and can be read, with its grade."""
    examples = answer_type(version.answer_type).examples(question_of(version))
    grades = [(example, _graded(version, example)) for example in examples]
    return [(example, grade) for example, grade in grades if isinstance(grade, Grade)]


def _shown(example: Example) -> str:
    return ", ".join(str(value) for value in example.response.values())
