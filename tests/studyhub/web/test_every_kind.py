"""All kinds of picture by every way in: a terminal, the call of the API, a shipped card; and on every model.

Each kind is found by its row, so a new one is asked for here without a word."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from zlib import crc32

import pytest
from django.contrib.auth.models import User
from django.test import Client

from attention_engine.__main__ import main
from attention_engine.admission import TooLarge, admit
from attention_engine.configs import all_models
from attention_engine.engine import render
from attention_engine.frames import Frame
from attention_engine.spec import KINDS, InvalidSpec, VisualizationSpec, facts, make_spec
from cards.files import read_decks
from cards.loading import CONTENT
from cards.placing import rows_of

MODELS = tuple(config.slug for config in all_models())
FEWEST_ROWS = 60
"""Of the table, that a kind which takes a model at all can be made of."""


def takes_model(kind: str) -> bool:
    return any(one.name == "model" for one in KINDS[kind].parameters)


def made(kind: str) -> Iterator[tuple[str, VisualizationSpec | str]]:
    """Every row of the table with its picture, or why there is none."""
    for slug in MODELS if takes_model(kind) else ():
        try:
            yield slug, make_spec(kind, {"model": slug})
        except InvalidSpec as refused:
            yield slug, str(refused)


def cost(spec: VisualizationSpec) -> str:
    """Why a picture may not be drawn; "" where it may."""
    try:
        admit(spec)
    except TooLarge as refused:
        return str(refused)
    return ""


def checked(frames: list[Frame]) -> None:
    """What every picture owes whoever reads it."""
    assert frames
    for frame in frames:
        assert frame.sentence
        assert len(frame.as_bytes()) <= 16 * 1024
        assert frame.table.columns
        assert all(len(row) == len(frame.table.columns) for row in frame.table.rows)


@pytest.mark.parametrize("kind", KINDS)
def test_every_row_of_the_table_gives_facts_or_a_sentence_why_not(
    kind: str, record_property: Callable[[str, object], None]
) -> None:
    drawn, refused = 0, dict[str, str]()
    for slug, found in made(kind):
        if isinstance(found, str):
            refused[slug] = found
            continue
        json.dumps(facts(found), allow_nan=False)
        why = cost(found)
        assert not why or "above" in why, slug
        drawn += not why
    for slug, sentence in refused.items():
        assert len(sentence.split()) > 4, (slug, sentence)
        assert any(letter.isdigit() for letter in sentence) or slug in sentence, (slug, sentence)
    record_property("not drawn", refused)
    assert not takes_model(kind) or drawn >= FEWEST_ROWS


def sample(kind: str) -> list[VisualizationSpec]:
    """A row by the checksum of the kind, and with THOROUGH every row that is drawn."""
    rows = [found for _, found in made(kind) if isinstance(found, VisualizationSpec) and not cost(found)]
    if not rows:
        return []
    if os.environ.get("THOROUGH"):
        return rows
    return [rows[crc32(kind.encode()) % len(rows)]]


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_of_the_table_is_drawn(kind: str) -> None:
    for spec in sample(kind):
        checked(list(render(spec)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_terminal_draws_every_kind_as_it_starts(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([kind]) == 0
    told = capsys.readouterr()
    assert told.out.startswith(KINDS[kind].title)
    assert f"\nengine {VisualizationSpec(kind, {}).as_json()['engine']}, torch " in told.out


@pytest.mark.parametrize("kind", KINDS)
def test_the_call_of_the_lab_draws_every_kind_as_it_starts(db: None, quick: None, kind: str) -> None:
    client = Client()
    client.force_login(User.objects.create_user("ben"))
    body = json.dumps({"kind": kind})
    answer = client.post("/api/v1/visualizations", body, content_type="application/json")
    assert answer.status_code in {200, 202}, answer.content
    told: Mapping[str, Any] = answer.json()
    assert told["parameters"] == make_spec(kind, {}).as_json()["parameters"]
    seen = client.get(told["poll"]).json()
    assert (seen["state"], seen["sentence"]) == ("done", "")
    assert [one["frame"]["n"] for one in seen["frames"]] == list(range(len(seen["frames"])))


def test_a_shipped_card_shows_every_kind() -> None:
    cards = [card for deck in read_decks(CONTENT) for topic in deck.topics for card in topic.cards]
    shown = {str(row.get("kind")) for card in cards for row in rows_of(card.picture)}
    assert shown == set(KINDS)
