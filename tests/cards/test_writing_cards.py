"""docs/writing-cards.md and the commands of the README: what they show can be done as it stands."""

import json
import re
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from attention_engine.__main__ import main
from attention_engine.engine import render
from attention_engine.spec import KINDS, make_spec
from cards.answering import ANSWER_TYPES, answer_type, grade, judged, question_of
from cards.directives import named_pictures
from cards.files import read_card
from cards.lint import killed_mistakes, lint_card
from cards.mistakes import formulas, matrices, numbers, programs, shapes
from studyhub.delivery.judging import verdict_of

pytestmark = pytest.mark.plain

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "writing-cards.md").read_text(encoding="utf-8")
CONTRACT = (ROOT / "docs" / "answer-types.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
CARDS = re.findall(r"```markdown\n(.*?)```", GUIDE, re.DOTALL)
YAML = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)]
ANSWERS = [front for front in YAML if "answer" in front]
COMMANDS = [
    found
    for found in re.findall(r"python -m attention_engine ([^`\n]+)", README + GUIDE)
    if found.split()[0] in KINDS
]


@pytest.mark.parametrize("text", CARDS, ids=["numeric", "choice", "drawn"])
def test_a_card_of_the_guide_is_one_to_publish(tmp_path: Path, text: str) -> None:
    path = tmp_path / "example.md"
    path.write_text(text, encoding="utf-8")
    card = read_card(path)
    assert lint_card(card, sources={"vaswani-2017"}) == []
    for example in answer_type(card.answer_type).examples(question_of(card)):
        roles = [one["role"] for one in grade(card, 0, example.response).pictures]
        assert roles == (["yours", "right"] if example.mistake else ["right"])


def asked(front: dict[str, Any]) -> SimpleNamespace:
    """An answer of the guide as a card."""
    return SimpleNamespace(
        answer_type=front["answer"]["type"], answer=front["answer"], mistakes=front["mistakes"],
        parameters={}, prompt="What is it?", explanation="That.", hints=[], picture=[],
        sources=["vaswani-2017"],
    )  # fmt: skip


@pytest.mark.parametrize("front", ANSWERS, ids=[front["answer"]["type"] for front in ANSWERS])
def test_an_answer_of_the_guide_names_its_mistakes_and_gives_nothing_away(front: dict[str, Any]) -> None:
    card = asked(front)
    assert lint_card(card, sources={"vaswani-2017"}) == []
    assert killed_mistakes(card) == {mistake["name"] for mistake in card.mistakes}


def test_the_guide_shows_every_type_of_answer_but_the_one_said_aloud() -> None:
    shown = {front["answer"]["type"] for front in ANSWERS} | {
        yaml.safe_load(text.split("---")[1])["answer"]["type"] for text in CARDS
    }
    assert shown == set(ANSWER_TYPES) - {"reveal"}


@pytest.mark.parametrize("front", [front for front in ANSWERS if front["answer"]["type"] == "program"])
def test_lines_of_the_guide_do_what_it_says_when_they_are_run(front: dict[str, Any]) -> None:
    card = asked(front)
    for example in answer_type("program").examples(question_of(card)):
        asks = grade(card, 0, example.response).asks
        told = verdict_of([frame.as_json() for frame in render(make_spec(**asks))])
        found = judged(card, 0, example.response, told)
        wanted = "incorrect" if example.mistake else "correct"
        assert (found.outcome, found.mistake) == (wanted, example.mistake)


def test_the_contract_names_every_type_its_fields_and_every_mistake_of_the_bank() -> None:
    told = set(re.findall(r"\w+", CONTRACT))
    matrix_names = {one.name for one in matrices.BANK if "_for_" not in one.name}
    banks = (formulas.BANK, numbers.TRANSFORMS, shapes.TRANSFORMS, programs.BANK)
    assert {one.name for bank in banks for one in bank} | matrix_names <= told
    assert {field for name in ANSWER_TYPES for field in (name, *answer_type(name).FIELDS)} <= told


def test_the_picture_of_a_section_in_the_guide_can_be_drawn() -> None:
    (picture,) = named_pictures(GUIDE)
    assert picture["kind"] == "memory_tape"


def test_guide_and_readme_name_every_kind_of_picture() -> None:
    for text in (GUIDE, README):
        assert set(KINDS) <= set(re.findall(r"`(\w+)`", text)) | set(
            re.findall(r"attention_engine (\w+)", text)
        )


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_readme_gives_its_facts(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*shlex.split(command), "--facts"]) == 0
    assert json.loads(capsys.readouterr().out)


def test_each_kind_has_a_command_in_the_readme() -> None:
    assert {command.split()[0] for command in COMMANDS} == set(KINDS)
