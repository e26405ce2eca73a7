"""Content files read into plain values. Knows no database and no answer type.

    content/<deck>/deck.yaml      {title}
    content/<deck>/sources.yaml   [{key, title, authors, year, locator, url, as_of}]
    content/<deck>/<topic>/topic.md    front matter title, position, sources, related;
                                       sections "## kind: Title"
    content/<deck>/<topic>/<card>.md   front matter CARD_FIELDS; body: prompt, a line +++, explanation
A folder's or file's name is its slug, with "_" as "-".
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cards.frontmatter import (
    ContentProblem,
    choice_field,
    line_of,
    list_field,
    parse_yaml,
    position_field,
    read_front_matter,
    read_text,
    refuse_unknown,
)

CARD_FIELDS = frozenset(
    [
        "position",
        "answer",
        "mistakes",
        "picture",
        "hints",
        "sources",
        "edit",
        "state",
        "parameters",
        "waivers",
    ]
)
TOPIC_FIELDS = frozenset(["title", "position", "sources", "related"])
SECTION_KINDS = frozenset(
    [
        *("memory_line", "analogy", "concept", "deep_dive", "pipeline", "rule", "formula", "limits", "quick"),
        *("model_table", "usage", "follow_ups", "red_flags", "brief", "objectives", "sources", "related"),
    ]
)
_HEADING = re.compile(r"^## (?P<kind>[a-z_]+): (?P<title>.+?)\s*$")
_FENCE = re.compile(r"^(```|~~~)")


@dataclass(frozen=True)
class SectionText:
    """One section of a topic as written."""

    kind: str
    title: str
    markdown: str


@dataclass(frozen=True)
class CardText:
    """One card as written. The fields up to `sources` are those of a card's version."""

    slug: str
    path: Path
    answer_type: str
    answer: Mapping[str, Any]
    prompt: str
    explanation: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    mistakes: list[Any] = field(default_factory=list)
    hints: list[Any] = field(default_factory=list)
    picture: list[Any] = field(default_factory=list)
    sources: list[Any] = field(default_factory=list)
    position: int = 0
    edit: str = "major"
    state: str = "published"

    def content(self) -> dict[str, Any]:
        """What a version holds; its hash decides whether a new one is written."""
        names = "answer_type answer prompt explanation parameters mistakes hints picture sources"
        return {name: getattr(self, name) for name in names.split()}

    def content_hash(self) -> str:
        """SHA-256 of the content."""
        return hash_of(self.content())


@dataclass(frozen=True)
class TopicText:
    """One topic as written."""

    slug: str
    path: Path
    title: str
    position: int
    sections: list[SectionText]
    sources: list[str]
    related: list[str]
    cards: list[CardText]


@dataclass(frozen=True)
class DeckText:
    """A deck with all it holds."""

    slug: str
    title: str
    sources: list[dict[str, Any]]
    topics: list[TopicText]


def hash_of(value: object) -> str:
    """SHA-256 of a value's canonical JSON, in hex."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def read_decks(folder: Path) -> list[DeckText]:
    """Every deck of a content folder, in the order of names. Raises ContentProblem at the first fault."""
    decks = [read_deck(path.parent) for path in sorted(folder.glob("*/deck.yaml"))]
    seen: dict[str, Path] = {}
    for card in (card for deck in decks for topic in deck.topics for card in topic.cards):
        if card.slug in seen:
            raise ContentProblem(
                card.path, 1, f"the slug {card.slug} is taken by {seen[card.slug].parent.name}"
            )
        seen[card.slug] = card.path
    return decks


def read_deck(folder: Path) -> DeckText:
    """One deck's folder."""
    about = parse_yaml(folder / "deck.yaml", read_text(folder / "deck.yaml"), 1)
    if not isinstance(about, Mapping) or not isinstance(about.get("title"), str):
        raise ContentProblem(folder / "deck.yaml", 1, "a deck needs a title")
    path = folder / "sources.yaml"
    sources = parse_yaml(path, read_text(path), 1) if path.exists() else []
    if not isinstance(sources, list) or not all(isinstance(row, Mapping) and "key" in row for row in sources):
        raise ContentProblem(
            path, 1, "sources are a list of {key, title, authors, year, locator, url, as_of}"
        )
    topics = [read_topic(found.parent) for found in sorted(folder.glob("*/topic.md"))]
    return DeckText(slug_of(folder.name), about["title"], [dict(row) for row in sources], topics)


def read_topic(folder: Path) -> TopicText:
    """One topic's folder with its cards."""
    path = folder / "topic.md"
    front, body, line = read_front_matter(path)
    refuse_unknown(path, front, TOPIC_FIELDS)
    if not isinstance(front.get("title"), str):
        raise ContentProblem(path, 1, "a topic needs a title")
    cards = [read_card(found) for found in sorted(folder.glob("*.md")) if found.name != "topic.md"]
    return TopicText(
        slug=slug_of(folder.name),
        path=path,
        title=front["title"],
        position=position_field(path, front),
        sections=_sections(path, body, line),
        sources=list_field(path, front, "sources"),
        related=list_field(path, front, "related"),
        cards=cards,
    )


def read_card(path: Path) -> CardText:
    """One card's file."""
    front, body, line = read_front_matter(path)
    refuse_unknown(path, front, CARD_FIELDS)
    answer = front.get("answer")
    if not isinstance(answer, Mapping) or not isinstance(answer.get("type"), str):
        raise ContentProblem(path, line_of(path, "answer"), "a card needs answer: {type: ..., ...}")
    prompt, explanation = _halves(body)
    if not prompt:
        raise ContentProblem(path, line, "a card needs a prompt below its front matter")
    picture = front.get("picture") or []
    waivers = {"waivers": front["waivers"]} if front.get("waivers") else {}
    return CardText(
        slug=slug_of(path.stem),
        path=path,
        answer_type=answer["type"],
        answer={k: v for k, v in answer.items() if k != "type"},
        prompt=prompt,
        explanation=explanation,
        parameters={**dict(front.get("parameters") or {}), **waivers},
        mistakes=list_field(path, front, "mistakes"),
        hints=list_field(path, front, "hints"),
        picture=[picture] if isinstance(picture, Mapping) else list_field(path, front, "picture"),
        sources=list_field(path, front, "sources"),
        position=position_field(path, front),
        edit=choice_field(path, front, "edit", ("major", "minor")),
        state=choice_field(path, front, "state", ("published", "draft")),
    )


def slug_of(name: str) -> str:
    """The slug of a file or folder name: d_head -> d-head."""
    return name.lower().replace("_", "-")


def _halves(body: str) -> tuple[str, str]:
    """Prompt and explanation around the line +++."""
    prompt, _, explanation = ("\n" + body + "\n").partition("\n+++\n")
    return prompt.strip(), explanation.strip()


def _sections(path: Path, body: str, first_line: int) -> list[SectionText]:
    """A topic's body cut at "## kind: Title"; code fences are left alone."""
    found: list[tuple[str, str, list[str]]] = []
    fenced = False
    for number, line in enumerate(body.split("\n"), first_line):
        fenced ^= bool(_FENCE.match(line))
        heading = None if fenced else _HEADING.match(line)
        if heading:
            if heading["kind"] not in SECTION_KINDS:
                kinds = ", ".join(sorted(SECTION_KINDS))
                raise ContentProblem(path, number, f"no section kind {heading['kind']}; there are: {kinds}")
            found.append((heading["kind"], heading["title"], []))
        elif found:
            found[-1][2].append(line)
        elif line.strip() or (line.startswith("## ") and not fenced):
            raise ContentProblem(
                path, number, "text before the first section: start it with `## kind: Title`"
            )
    return [SectionText(kind, title, "\n".join(lines).strip()) for kind, title, lines in found]
