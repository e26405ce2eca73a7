"""A topic's text cut into sections, each as the page gets it: rendered and timed. Knows no database."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cards.directives import expand
from cards.frontmatter import ContentProblem
from cards.markdown import render, render_inline

SECTION_KINDS = frozenset(
    [
        *("memory_line", "analogy", "concept", "deep_dive", "pipeline", "rule", "formula", "limits", "quick"),
        *("model_table", "usage", "follow_ups", "red_flags", "brief", "objectives", "sources", "related"),
    ]
)
_HEADING = re.compile(r"^## (?P<kind>[a-z_]+): (?P<title>.+?)\s*$")
WORDS_PER_MINUTE = 200
SECONDS_PER_FORMULA = 4
SECONDS_PER_ROW = 2
QUESTIONS = "follow_ups"
_QUESTION = re.compile(r"^(?P<marks>#{3,6}) +(?P<text>.+?)\s*$")
_FENCE = re.compile(r"^(```|~~~)")


@dataclass(frozen=True)
class SectionText:
    """One section of a topic as written, and the line its heading stands on."""

    kind: str
    title: str
    markdown: str
    line: int = 1


@dataclass
class _Question:
    """A question asked next, its approach, and the questions that follow from it."""

    level: int
    text: str
    lines: list[str] = field(default_factory=list)
    questions: list["_Question"] = field(default_factory=list)


def cut_sections(path: Path, body: str, first_line: int) -> list[SectionText]:
    """A topic's body cut at "## kind: Title"; code fences are left alone."""
    found: list[tuple[str, str, int, list[str]]] = []
    fenced = False
    for number, line in enumerate(body.split("\n"), first_line):
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.match(line)
        if heading:
            if heading["kind"] not in SECTION_KINDS:
                kinds = ", ".join(sorted(SECTION_KINDS))
                raise ContentProblem(path, number, f"no section kind {heading['kind']}; there are: {kinds}")
            found.append((heading["kind"], heading["title"], number, []))
        elif found:
            found[-1][3].append(line)
        elif line.strip():
            raise ContentProblem(
                path, number, "text before the first section: start it with `## kind: Title`"
            )
    return [
        SectionText(kind, title, "\n".join(lines).strip(), number) for kind, title, number, lines in found
    ]


def section_json(section: SectionText) -> dict[str, Any]:
    """{kind, title, markdown, html, read_seconds} of a section; one of follow-up questions has `items` too.

    An item is {question_html, approach_html, items}. Raises ValueError: too long, or an unknown model.
    """
    items = {"items": follow_ups(section.markdown)} if section.kind == QUESTIONS else {}
    return {
        "kind": section.kind,
        "title": section.title,
        "markdown": section.markdown,
        "html": render(expand(section.markdown)),
        "read_seconds": read_seconds(section.markdown),
        **items,
    }


def follow_ups(markdown: str) -> list[dict[str, Any]]:
    """Each `### question` with what stands below it; deeper headings are questions that follow from it.

    Raises ValueError for text before the first question.
    """
    root = _Question(level=2, text="")
    path, fenced = [root], False
    for line in markdown.split("\n"):
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _QUESTION.match(line)
        if heading:
            asked = _Question(level=len(heading["marks"]), text=heading["text"])
            path = [one for one in path if one.level < asked.level]
            path[-1].questions.append(asked)
            path.append(asked)
        else:
            path[-1].lines.append(line)
    if any(line.strip() for line in root.lines):
        raise ValueError("follow-ups begin with a question: `### What changes?`, its approach below it")
    return [_item(one) for one in root.questions]


def _item(asked: _Question) -> dict[str, Any]:
    return {
        "question_html": render_inline(asked.text),
        "approach_html": render("\n".join(asked.lines).strip()),
        "items": [_item(one) for one in asked.questions],
    }


def read_seconds(markdown: str) -> int:
    """How long a text takes to read: words at 200 a minute, formulas and table rows on top."""
    formulas = len(re.findall(r"\$\$?[^$]+\$\$?", markdown))
    rows = len(re.findall(r"^\|", markdown, re.MULTILINE))
    words = len(re.findall(r"\w+", re.sub(r"\$[^$]*\$", "", markdown)))
    return round(words * 60 / WORDS_PER_MINUTE) + formulas * SECONDS_PER_FORMULA + rows * SECONDS_PER_ROW
