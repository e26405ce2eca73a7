"""docs/pictures.md and the guide for authors: every kind with all it takes, and examples that can be made."""

import re
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
import yaml

from attention_engine.spec import KINDS
from cards.placing import why_not
from studyhub.web.lab_state import asked_in

pytestmark = pytest.mark.plain
DOCS = Path(__file__).parents[3] / "docs"
SECTIONS = re.split(r"^## `(\w+)`$", (DOCS / "pictures.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
TOLD = dict(zip(SECTIONS[1::2], SECTIONS[2::2], strict=True))
GUIDE = (DOCS / "writing-cards.md").read_text(encoding="utf-8")
EXAMPLES = [
    row
    for text in re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
    if isinstance(rows := yaml.safe_load(text), list)
    for row in rows
]
ANSWERS = {"roofline": 96, "answer_executed": 12, "config_museum": 128, "memory_tape": 40}


def test_every_kind_is_told_in_the_order_of_the_rows() -> None:
    assert list(TOLD) == list(KINDS)
    assert [row["kind"] for row in EXAMPLES] == list(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_told_with_every_parameter_a_link_that_opens_and_a_command(kind: str) -> None:
    assert re.findall(r"^\| `(\w+)` \|", TOLD[kind], re.MULTILINE) == [
        one.name for one in KINDS[kind].parameters
    ]
    (query,) = re.findall(rf"`/lab/{kind}/\?([^`]+)`", TOLD[kind])
    assert asked_in(kind, dict(parse_qsl(query))).refusal == ""
    assert f"`python -m attention_engine {kind} " in TOLD[kind]


@pytest.mark.parametrize("row", EXAMPLES, ids=lambda row: str(row["kind"]))
def test_an_example_of_the_guide_can_be_made_of_an_answer(row: dict[str, object]) -> None:
    assert why_not(row, ANSWERS.get(str(row["kind"]), 8)) == ""
