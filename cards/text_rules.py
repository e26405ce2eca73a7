"""What must hold of a card's words before it is published: nothing unfinished, nothing given away, a source.

Knows no database and grades nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cards.grading import Example, Question
from cards.markdown import MATH_ERROR, MarkdownTooLong, plain_text, render
from cards.variants import Found

MAX_HINTS = 3
LONGER_OPTION = 1.6
_TODO = re.compile(r"\b(TODO|FIXME|TBD|XXX)\b")


def given_away(version: Any, examples: Sequence[Example]) -> Iterator[Found]:
    """A prompt that contains the key as a number or shape of its own."""
    prompt = plain_text(render(version.prompt))
    for text in {str(e.response["text"]) for e in examples if not e.mistake and "text" in e.response}:
        grouped = f"{int(text):,}" if text.isdecimal() else text
        if any(
            re.search(rf"(?<![\w.,^]){re.escape(one)}(?![\w^]|[.,]\d)", prompt) for one in {text, grouped}
        ):
            yield "prompt-contains-key", f"the prompt contains the key {grouped}", False


def same_texts(question: Question) -> Iterator[Found]:
    """Options or rows that nobody could tell apart."""
    for name in ("options", "items"):
        rows = [*(question.answer.get(name) or []), *(question.answer.get("distractors") or [])]
        texts = [plain_text(render(str(row.get("text", "")))) for row in rows if isinstance(row, Mapping)]
        for text in sorted({text for text in texts if texts.count(text) > 1}):
            yield "same-text", f"two {name} say {text[:60]!r}", False


def option_lengths(question: Question) -> Iterator[Found]:
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


def text_problems(version: Any) -> Iterator[Found]:
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


def source_problems(version: Any, sources: set[str] | None) -> Iterator[Found]:
    """Sources that exist, and at least one."""
    if sources is None:
        return
    if not version.sources:
        yield "sources", "no source is given", False
    for key in version.sources:
        if key not in sources:
            yield "sources", f"no source {key} in sources.yaml", False
