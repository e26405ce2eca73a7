"""Shipped content written to the database, a new version where it changed. Knows no learner."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from django.db import models, transaction

from cards.faults import faults
from cards.files import CardText, DeckText, TopicText, hash_of, read_decks
from cards.frontmatter import ContentProblem, line_of
from cards.generators import concrete
from cards.lint import self_test
from cards.markdown import render
from cards.models import Card, CardVersion, Deck, Origin, Source, Topic, shipped_uuid
from cards.sections import SectionText, section_json
from cards.source_rows import SourceText

CONTENT = Path(__file__).parent / "content"
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
    gone: int = 0
    skipped: list[str] = field(default_factory=list)

    @property
    def writes(self) -> int:
        """Rows written."""
        written = self.decks + self.topics + self.sources + self.cards + self.versions
        return written + self.retired + self.gone


def load_content(folder: Path = CONTENT) -> LoadReport:
    """Brings the shipped decks to what the files say, in one transaction; a second time writes nothing.

    Local decks, topics and cards are never touched. Raises ContentProblem with file and line.
    """
    decks = read_decks(Path(folder))
    report = LoadReport()
    with transaction.atomic():
        for deck in decks:
            _load_deck(deck, report)
        _retire_vanished_cards(decks, report)
        _clear_vanished_topics(decks, report)
        _delete_vanished_sources(decks, report)
    return report


def _retire_vanished_cards(decks: list[DeckText], report: LoadReport) -> None:
    """A card without a file is asked no more; its reviews and versions stay."""
    present = {card.slug for deck in decks for topic in deck.topics for card in topic.cards}
    vanished = Card.objects.filter(origin=Origin.SHIPPED).exclude(slug__in=present)
    report.retired += vanished.exclude(state=Card.State.RETIRED).update(state=Card.State.RETIRED)


def _clear_vanished_topics(decks: list[DeckText], report: LoadReport) -> None:
    """A topic or deck without a folder is deleted; one that still holds cards loses its text instead."""
    present = {topic.slug for deck in decks for topic in deck.topics}
    vanished = Topic.objects.filter(origin=Origin.SHIPPED).exclude(slug__in=present)
    report.gone += vanished.filter(cards=None).delete()[0]
    report.gone += vanished.exclude(content_hash="").update(sections=[], content_hash="")
    empty = Deck.objects.filter(origin=Origin.SHIPPED, topics=None).exclude(slug__in=[d.slug for d in decks])
    report.gone += empty.delete()[0]


def _delete_vanished_sources(decks: list[DeckText], report: LoadReport) -> None:
    """A source without a row is deleted, unless a version of a card names it."""
    present = {source.key for deck in decks for source in deck.sources}
    vanished = set(Source.objects.filter(origin=Origin.SHIPPED).values_list("key", flat=True)) - present
    if vanished:
        named = {key for keys in CardVersion.objects.values_list("sources", flat=True) for key in keys}
        report.gone += Source.objects.filter(key__in=vanished - named).delete()[0]


def _load_deck(text: DeckText, report: LoadReport) -> None:
    """A deck, its sources and its topics."""
    deck = _upsert(Deck, {"slug": text.slug}, {"title": text.title, "origin": Origin.SHIPPED}, report)
    if deck is None:
        return
    for source in text.sources:
        _upsert(Source, {"key": source.key}, {**source.fields(), "origin": Origin.SHIPPED}, report)
    sources = {source.key: source for source in text.sources}
    for topic in text.topics:
        _load_topic(deck, topic, sources, report)


def _load_topic(deck: Deck, text: TopicText, sources: dict[str, SourceText], report: LoadReport) -> None:
    """A topic with its sections rendered, and its cards."""
    sections = [_section_json(text, section) for section in [*text.sections, *_listed(text, sources)]]
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
    _refuse_faults(text)
    fields = {
        "uuid": shipped_uuid(text.slug),
        "topic": topic,
        "position": text.position,
        "family": text.family,
        "state": text.state,
        "origin": Origin.SHIPPED,
    }
    card = _upsert(Card, {"slug": text.slug}, fields, report)
    if card is None:
        return
    published = card.published_version
    if published is None or published.content_hash != text.content_hash():
        _refuse_failures(text)
        card.published_version = _new_version(card, text)
        card.save(update_fields=["published_version"])
        report.versions += 1


def _refuse_faults(text: CardText) -> None:
    """Raises ContentProblem at the field that could not be shown, graded or drawn."""
    for name, message in faults(text):
        raise ContentProblem(text.path, line_of(text.path, name), message)


def _refuse_failures(text: CardText) -> None:
    """Raises ContentProblem where a card to be asked is graded otherwise than it says itself."""
    for name, message in self_test(text) if text.state == Card.State.PUBLISHED else ():
        raise ContentProblem(text.path, line_of(text.path, name), message)


def _new_version(card: Card, text: CardText) -> CardVersion:
    """The next version of a card, rendered."""
    last = card.versions.aggregate(last=models.Max("number"))["last"] or 0
    shown = concrete(text, 0)
    html = {"prompt_html": render(shown.prompt), "explanation_html": render(shown.explanation)}
    return CardVersion.objects.create(
        card=card,
        number=last + 1,
        edit=text.edit,
        content_hash=text.content_hash(),
        **text.content(),
        **html,
    )


def _section_json(text: TopicText, section: SectionText) -> dict[str, Any]:
    """A section rendered. Raises ContentProblem at its heading: too long, or a model that no table has."""
    try:
        return section_json(section)
    except ValueError as error:
        raise ContentProblem(text.path, section.line, str(error)) from error


def _listed(text: TopicText, sources: dict[str, SourceText]) -> list[SectionText]:
    """The sections that front matter makes: sources and related."""
    for key in text.sources:
        if key not in sources:
            line = line_of(text.path, "sources")
            raise ContentProblem(text.path, line, f"no source {key} in sources.yaml")
    lines = {
        ("sources", "Sources"): [_source_line(sources[key]) for key in text.sources],
        ("related", "Related"): text.related,
    }
    return [
        SectionText(k, title, "\n".join(f"- {one}" for one in rows))
        for (k, title), rows in lines.items()
        if rows
    ]


def _source_line(row: SourceText) -> str:
    """Authors, year, linked title, where in it, and when it was last true."""
    title = f"[{row.title}]({row.url})" if row.url else row.title
    who = " ".join(part for part in (row.authors, f"({row.year})" if row.year else "") if part)
    return ". ".join(part for part in (who, title, row.locator, f"As of {row.as_of}") if part) + "."


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
