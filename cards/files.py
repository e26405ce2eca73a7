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
    mapping_field,
    parse_yaml,
    position_field,
    read_front_matter,
    read_text,
    refuse_unknown,
    text_list_field,
)
from cards.sections import SectionText, cut_sections
from cards.source_rows import SourceText, read_sources

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
        "variants",
        "where",
        "family",
    ]
)
TOPIC_FIELDS = frozenset(["title", "position", "sources", "related"])
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_SLUG = 80
LONGEST_CARD_SLUG = 120
LONGEST_TITLE = 200


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
    family: str = ""
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
    sources: list[SourceText]
    topics: list[TopicText]


def hash_of(value: object) -> str:
    """SHA-256 of a value's canonical JSON, in hex."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def read_decks(folder: Path) -> list[DeckText]:
    """Every deck of a content folder, in the order of names. Raises ContentProblem at the first fault."""
    decks = [read_deck(path.parent) for path in sorted(folder.glob("*/deck.yaml"))]
    topics = [topic for deck in decks for topic in deck.topics]
    _refuse_doubles([(topic.slug, topic.path) for topic in topics])
    _refuse_doubles([(card.slug, card.path) for topic in topics for card in topic.cards])
    _refuse_other_words(folder, decks)
    return decks


def _refuse_doubles(named: list[tuple[str, Path]]) -> None:
    """A slug is taken once in all decks."""
    seen: dict[str, Path] = {}
    for slug, path in named:
        if slug in seen:
            raise ContentProblem(path, 1, f"the slug {slug} is taken by {seen[slug].parent.name}")
        seen[slug] = path


def _refuse_other_words(folder: Path, decks: list[DeckText]) -> None:
    """Two decks may cite one source if they say the same about it."""
    seen: dict[str, SourceText] = {}
    for deck in decks:
        for source in deck.sources:
            if seen.setdefault(source.key, source) != source:
                raise ContentProblem(
                    folder / deck.slug / "sources.yaml", 1, f"another deck says otherwise about {source.key}"
                )


def read_deck(folder: Path) -> DeckText:
    """One deck's folder."""
    path = folder / "deck.yaml"
    about = parse_yaml(path, read_text(path), 1)
    title = _title(path, about if isinstance(about, Mapping) else {}, "deck")
    topics = [read_topic(found.parent) for found in sorted(folder.glob("*/topic.md"))]
    return DeckText(_slug(path, folder.name), title, read_sources(folder / "sources.yaml"), topics)


def _title(path: Path, front: Mapping[str, Any], thing: str) -> str:
    """A title that is a text of a length to read."""
    title = front.get("title")
    if not isinstance(title, str) or not 0 < len(title) <= LONGEST_TITLE:
        line = line_of(path, "title")
        raise ContentProblem(path, line, f"a {thing} needs a title of at most {LONGEST_TITLE} characters")
    return title


def _slug(path: Path, name: str, longest: int = LONGEST_SLUG) -> str:
    """The slug of a file or folder, refused where it could not be part of an address."""
    slug = slug_of(name)
    if not _SLUG.fullmatch(slug) or len(slug) > longest:
        raise ContentProblem(
            path, 1, f"{name[:40]!r} gives no slug: letters, digits and -, at most {longest} characters"
        )
    return slug


def read_topic(folder: Path) -> TopicText:
    """One topic's folder with its cards."""
    path = folder / "topic.md"
    front, body, line = read_front_matter(path)
    refuse_unknown(path, front, TOPIC_FIELDS)
    cards = [read_card(found) for found in sorted(folder.glob("*.md")) if found.name != "topic.md"]
    return TopicText(
        slug=_slug(path, folder.name),
        path=path,
        title=_title(path, front, "topic"),
        position=position_field(path, front),
        sections=cut_sections(path, body, line),
        sources=text_list_field(path, front, "sources"),
        related=text_list_field(path, front, "related"),
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
    return CardText(
        slug=_slug(path, path.stem, LONGEST_CARD_SLUG),
        path=path,
        answer_type=answer["type"],
        answer={k: v for k, v in answer.items() if k != "type"},
        prompt=prompt,
        explanation=explanation,
        parameters={**mapping_field(path, front, "parameters"), **_kept_beside(path, front)},
        mistakes=list_field(path, front, "mistakes"),
        hints=list_field(path, front, "hints"),
        picture=[picture] if isinstance(picture, Mapping) else list_field(path, front, "picture"),
        sources=list_field(path, front, "sources"),
        position=position_field(path, front),
        family=_family(path, front),
        edit=choice_field(path, front, "edit", ("major", "minor")),
        state=choice_field(path, front, "state", ("published", "draft")),
    )


def _kept_beside(path: Path, front: Mapping[str, Any]) -> dict[str, Any]:
    """What a version keeps among its parameters: waivers, variants, and what must hold between them."""
    read = {"waivers": mapping_field, "variants": mapping_field, "where": list_field}
    return {name: field(path, front, name) for name, field in read.items() if front.get(name)}


def _family(path: Path, front: Mapping[str, Any]) -> str:
    """The name that siblings share, "" for none."""
    family = front.get("family") or ""
    if family and not (isinstance(family, str) and _SLUG.fullmatch(family) and len(family) <= LONGEST_SLUG):
        raise ContentProblem(
            path, line_of(path, "family"), f"family is letters, digits and -, at most {LONGEST_SLUG}"
        )
    return family


def slug_of(name: str) -> str:
    """The slug of a file or folder name: d_head -> d-head."""
    return name.lower().replace("_", "-")


def _halves(body: str) -> tuple[str, str]:
    """Prompt and explanation around the line +++."""
    prompt, _, explanation = ("\n" + body + "\n").partition("\n+++\n")
    return prompt.strip(), explanation.strip()
