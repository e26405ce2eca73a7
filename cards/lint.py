"""What must hold before a card is published: each key and mistake is graded here. Knows no database.

A rule that a card breaks on purpose is waived in its front matter, with the reason:  waivers: {RULE: "why"};
a mistake that changes no grade is waived beside it:  waiver: "why".
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cards.answer_types import odd_settings
from cards.answering import answer_type, question_of
from cards.faults import faults
from cards.files import DeckText
from cards.grading import Example, Grade, Question, Unreadable, placeholders, read_response
from cards.keys import KeyProblem
from cards.markdown import MATH_ERROR, MarkdownTooLong, plain_text, render
from cards.picture_rules import picture_problems

MAX_HINTS = 3
LONGER_OPTION = 1.6
_TODO = re.compile(r"\b(TODO|FIXME|TBD|XXX)\b")


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
    found = [*_text_problems(version), *_source_problems(version, sources)]
    try:
        found += [*_answer_problems(version), *picture_problems(version, _answered(version))]
    except KeyProblem as problem:
        found.append(("key", str(problem), False))
    waived = dict(version.parameters or {}).get("waivers") or {}
    return [Problem(place, rule, text, warning) for rule, text, warning in found if not waived.get(rule)]


def self_test(version: Any) -> list[tuple[str, str]]:
    """What a version foresees and the grader says otherwise: (the field at fault, why).

    Every key and alternative has to be graded correct, every mistake wrong or partial by its own name.
    """
    examples = answer_type(version.answer_type).examples(question_of(version))
    graded = ((example, _refused(version, example)) for example in examples)
    return [("mistakes" if example.mistake else "answer", why) for example, why in graded if why]


def killed_mistakes(version: Any) -> set[str]:
    """The named mistakes whose example is graded wrong or partial by that name."""
    try:
        examples = answer_type(version.answer_type).examples(question_of(version))
        return {e.mistake for e in examples if e.mistake and not _refused(version, e)}
    except (KeyProblem, ValueError):
        return set()


Found = tuple[str, str, bool]


def _names(version: Any) -> set[str]:
    """The names of a card's mistakes."""
    return {str(m.get("name", "")) for m in version.mistakes if isinstance(m, Mapping)}


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
    yield from _given_away(version, examples)
    yield from _option_lengths(question)


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


def _given_away(version: Any, examples: Sequence[Example]) -> Iterator[Found]:
    """A prompt that contains the key as a number or shape of its own."""
    prompt = plain_text(render(version.prompt))
    for text in {str(e.response["text"]) for e in examples if not e.mistake and "text" in e.response}:
        grouped = f"{int(text):,}" if text.isdecimal() else text
        if any(
            re.search(rf"(?<![\w.,^]){re.escape(one)}(?![\w^]|[.,]\d)", prompt) for one in {text, grouped}
        ):
            yield "prompt-contains-key", f"the prompt contains the key {grouped}", False


def _option_lengths(question: Question) -> Iterator[Found]:
    """The longest option should not be the right one by far."""
    options = question.answer.get("options") or []
    right = [len(str(o["text"])) for o in options if o.get("correct")]
    wrong = [len(str(o["text"])) for o in options if not o.get("correct")]
    if right and wrong and min(right) > LONGER_OPTION * max(wrong):
        yield (
            "option-length",
            f"the right option has {min(right)} characters, the others at most {max(wrong)}",
            True,
        )


def _text_problems(version: Any) -> Iterator[Found]:
    """Hints, unfinished words, maths that cannot be read, an explanation."""
    if len(version.hints) > MAX_HINTS:
        yield "hints", f"{len(version.hints)} hints; {MAX_HINTS} at most", False
    if not version.explanation:
        yield "explanation", "there is none below +++", False
    says = [str(m.get("says", "")) for m in version.mistakes if isinstance(m, Mapping)]
    for text in [version.prompt, version.explanation, *map(str, version.hints), *says, str(version.answer)]:
        if match := _TODO.search(text):
            yield "unfinished", f"{match[0]} in {text[:60]!r}", False
    for text in [version.prompt, version.explanation, *map(str, version.hints), *says]:
        try:
            if MATH_ERROR in render(text):
                yield "maths", f"a formula cannot be read in {text[:60]!r}", False
        except MarkdownTooLong as problem:
            yield "length", str(problem), False


def _source_problems(version: Any, sources: set[str] | None) -> Iterator[Found]:
    """Sources that exist, and at least one."""
    if sources is None:
        return
    if not version.sources:
        yield "sources", "no source is given", False
    for key in version.sources:
        if key not in sources:
            yield "sources", f"no source {key} in sources.yaml", False
