"""The rows of a deck's sources.yaml, each checked field by field. Knows no database."""

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cards.frontmatter import ContentProblem, parse_yaml, read_text

LONGEST = {"key": 80, "title": 300, "authors": 300, "locator": 300, "url": 500}
FIELDS = ("key", "title", "authors", "year", "locator", "url", "as_of")
_KEY = re.compile(r"[-a-zA-Z0-9_]+")


@dataclass(frozen=True)
class SourceText:
    """One source as written; what is not given is empty."""

    key: str
    title: str
    as_of: datetime.date
    authors: str = ""
    year: int = 0
    locator: str = ""
    url: str = ""

    def fields(self) -> dict[str, Any]:
        """What a row of the database holds beside its key."""
        return {name: getattr(self, name) for name in FIELDS if name != "key"}


def read_sources(path: Path) -> list[SourceText]:
    """The sources of a deck, none where there is no file. Raises ContentProblem with the row's line."""
    if not path.exists():
        return []
    text = read_text(path)
    rows = parse_yaml(path, text, 1)
    if not isinstance(rows, list):
        raise ContentProblem(path, 1, f"sources are a list of {{{', '.join(FIELDS)}}}")
    lines = [number for number, line in enumerate(text.split("\n"), 1) if line.startswith("-")]
    found: dict[str, SourceText] = {}
    for number, row in enumerate(rows):
        line = lines[number] if number < len(lines) else 1
        try:
            source = _source(row)
            if source.key in found:
                raise ValueError(f"the key {source.key} is given twice")
        except ValueError as error:
            raise ContentProblem(path, line, str(error)) from error
        found[source.key] = source
    return list(found.values())


def _source(row: object) -> SourceText:
    """One row. Raises ValueError naming the field."""
    if not isinstance(row, Mapping):
        raise ValueError(f"a source is {{{', '.join(FIELDS)}}}")
    if unknown := sorted(set(row) - set(FIELDS)):
        raise ValueError(f"no field {unknown[0]}; there are: {', '.join(FIELDS)}")
    texts = {name: _text(row, name) for name in LONGEST}
    if not _KEY.fullmatch(texts["key"]):
        raise ValueError("a source needs a key of letters, digits, - and _")
    if not texts["title"]:
        raise ValueError(f"source {texts['key']} needs a title")
    if texts["url"] and not re.match(r"https?://", texts["url"]):
        raise ValueError(f"source {texts['key']}: url begins with https://")
    return SourceText(**texts, year=_year(row), as_of=_date(row))


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name) or ""
    if not isinstance(value, str) or len(value) > LONGEST[name]:
        raise ValueError(f"source {row.get('key')}: {name} is a text of at most {LONGEST[name]} characters")
    return value


def _year(row: Mapping[str, Any]) -> int:
    year = row.get("year") or 0
    if not isinstance(year, int) or isinstance(year, bool) or not 0 <= year <= datetime.MAXYEAR:
        raise ValueError(f"source {row.get('key')}: year is a whole number, not {year!r}")
    return year


def _date(row: Mapping[str, Any]) -> datetime.date:
    try:
        return datetime.date.fromisoformat(str(row.get("as_of", "")))
    except ValueError as error:
        raise ValueError(
            f"source {row.get('key')}: as_of is the day it was last true, such as 2026-11-30"
        ) from error
