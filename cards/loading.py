"""Shipped content written to the database, a new version where it changed. Knows no learner."""

import datetime
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from django.db import models, transaction

from cards.answering import answer_type
from cards.directives import expand
from cards.files import CardText, DeckText, SectionText, TopicText, hash_of, read_decks
from cards.frontmatter import ContentProblem
from cards.markdown import MarkdownTooLong, render
from cards.models import Card, CardVersion, Deck, Origin, Source, Topic, shipped_uuid

CONTENT = Path(__file__).parent / "content"
WORDS_PER_MINUTE = 200
SECONDS_PER_FORMULA = 4
SECONDS_PER_ROW = 2
M = TypeVar("M", bound=models.Model)


@dataclass
class LoadReport:
    """What a load wrote; all zero when the database already says what the files say."""

    decks: int = 0
    topics: int = 0
    sources: int = 0
    cards: int = 0
    versions: int = 0
    retired: int = 0
    skipped: list[str] = field(default_factory=list)

    @property
    def writes(self) -> int:
        """Rows written."""
        return self.decks + self.topics + self.sources + self.cards + self.versions + self.retired


def load_content(folder: Path = CONTENT) -> LoadReport:
    """Brings the shipped decks to what the files say, in one transaction; a second time writes nothing.

    Local decks, topics and cards are never touched. Raises ContentProblem with file and line.
    """
    decks = read_decks(Path(folder))
    report = LoadReport()
    with transaction.atomic():
        for deck in decks:
            _load_deck(deck, report)
        present = {card.slug for deck in decks for topic in deck.topics for card in topic.cards}
        report.retired += (
            Card.objects.filter(origin=Origin.SHIPPED)
            .exclude(slug__in=present)
            .exclude(state=Card.State.RETIRED)
            .update(state=Card.State.RETIRED)
        )
    return report


def _load_deck(text: DeckText, report: LoadReport) -> None:
    """A deck, its sources and its topics."""
    deck = _upsert(Deck, {"slug": text.slug}, {"title": text.title, "origin": Origin.SHIPPED}, report)
    if deck is None:
        return
    for row in text.sources:
        _upsert(Source, {"key": row["key"]}, _source_fields(row), report)
    sources = {row["key"]: row for row in text.sources}
    for topic in text.topics:
        _load_topic(deck, topic, sources, report)


def _load_topic(deck: Deck, text: TopicText, sources: dict[str, Any], report: LoadReport) -> None:
    """A topic with its sections rendered, and its cards."""
    try:
        sections = [section_json(section) for section in [*text.sections, *_listed(text, sources)]]
    except ValueError as error:  # too long, or a model that no table has
        raise ContentProblem(text.path, 1, str(error)) from error
    fields = {
        "deck": deck,
        "title": text.title,
        "position": text.position,
        "sections": sections,
        "content_hash": hash_of([text.title, sections]),
        "origin": Origin.SHIPPED,
    }
    topic = _upsert(Topic, {"slug": text.slug}, fields, report)
    if topic is not None:
        for card in text.cards:
            _load_card(topic, card, report)


def _load_card(topic: Topic, text: CardText, report: LoadReport) -> None:
    """A card; a new version where its content hash is not that of the published one."""
    answer_type(text.answer_type)
    fields = {
        "uuid": shipped_uuid(text.slug),
        "topic": topic,
        "position": text.position,
        "state": text.state,
        "origin": Origin.SHIPPED,
    }
    card = _upsert(Card, {"slug": text.slug}, fields, report)
    if card is None:
        return
    published = card.published_version
    if published is None or published.content_hash != text.content_hash():
        card.published_version = _new_version(card, text)
        card.save(update_fields=["published_version"])
        report.versions += 1


def _new_version(card: Card, text: CardText) -> CardVersion:
    """The next version of a card, rendered."""
    last = card.versions.aggregate(last=models.Max("number"))["last"] or 0
    try:
        html = {"prompt_html": render(text.prompt), "explanation_html": render(text.explanation)}
    except MarkdownTooLong as error:
        raise ContentProblem(text.path, 1, str(error)) from error
    return CardVersion.objects.create(
        card=card,
        number=last + 1,
        edit=text.edit,
        content_hash=text.content_hash(),
        **text.content(),
        **html,
    )


def section_json(section: SectionText) -> dict[str, Any]:
    """{kind, title, markdown, html, read_seconds} of a topic's section."""
    return {
        "kind": section.kind,
        "title": section.title,
        "markdown": section.markdown,
        "html": render(expand(section.markdown)),
        "read_seconds": read_seconds(section.markdown),
    }


def read_seconds(markdown: str) -> int:
    """How long a text takes to read: words at 200 a minute, formulas and table rows on top."""
    formulas = len(re.findall(r"\$\$?[^$]+\$\$?", markdown))
    rows = len(re.findall(r"^\|", markdown, re.MULTILINE))
    words = len(re.findall(r"\w+", re.sub(r"\$[^$]*\$", "", markdown)))
    return round(words * 60 / WORDS_PER_MINUTE) + formulas * SECONDS_PER_FORMULA + rows * SECONDS_PER_ROW


def _listed(text: TopicText, sources: dict[str, Any]) -> list[SectionText]:
    """The sections that front matter makes: sources and related."""
    for key in text.sources:
        if key not in sources:
            raise ContentProblem(text.path, 1, f"no source {key} in sources.yaml")
    lines = {
        ("sources", "Sources"): [_source_line(sources[key]) for key in text.sources],
        ("related", "Related"): [str(one) for one in text.related],
    }
    return [
        SectionText(k, title, "\n".join(f"- {one}" for one in rows))
        for (k, title), rows in lines.items()
        if rows
    ]


def _source_line(row: dict[str, Any]) -> str:
    """Authors, year, linked title, where in it, and when it was last true."""
    title = f"[{row['title']}]({row['url']})" if row.get("url") else str(row["title"])
    who = " ".join(
        str(part) for part in (row.get("authors"), f"({row['year']})" if row.get("year") else "") if part
    )
    return ". ".join(part for part in (who, title, row.get("locator"), f"As of {row['as_of']}") if part) + "."


def _source_fields(row: dict[str, Any]) -> dict[str, Any]:
    names = ("title", "authors", "year", "locator", "url")
    as_of = datetime.date.fromisoformat(str(row["as_of"]))
    return {**{name: row[name] for name in names if row.get(name)}, "as_of": as_of}


def _upsert(model: type[M], key: dict[str, Any], fields: dict[str, Any], report: LoadReport) -> M | None:
    """The row with these fields, saved only if it differs; None if it is a local one."""
    row = model._default_manager.filter(**key).first()
    if row is None:
        row = model(**key)
    elif getattr(row, "origin", Origin.SHIPPED) == Origin.LOCAL:
        report.skipped.append(f"{model.__name__} {next(iter(key.values()))} is a local one: left alone")
        return None
    elif all(getattr(row, name) == value for name, value in fields.items()):
        return row
    for name, value in fields.items():
        setattr(row, name, value)
    row.save()
    _count(model, report)
    return row


def _count(model: type[models.Model], report: LoadReport) -> None:
    name = {Deck: "decks", Topic: "topics", Source: "sources", Card: "cards"}[model]
    setattr(report, name, getattr(report, name) + 1)
