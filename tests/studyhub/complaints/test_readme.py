"""The table of complaints names every row once, and only tests that are there."""

import re
from collections import Counter
from pathlib import Path

import pytest

pytestmark = pytest.mark.plain
HERE = Path(__file__).parent
TESTS = HERE.parents[1]
LINES = re.findall(r"^\| (\d+) \| (.+?) \| (.+) \|$", (HERE / "README.md").read_text(), re.MULTILINE)


def defined(folder: Path) -> list[str]:
    """Names of the tests in a folder."""
    return [
        name
        for file in folder.rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)\(", file.read_text(), re.M)
    ]


def test_every_row_stands_once_in_the_table_in_order():
    assert [int(number) for number, _, _ in LINES] == list(range(1, 43))


def test_every_row_has_a_test_of_its_number_or_says_why_it_is_left_out():
    for number, _, told in LINES:
        named = re.findall(r"`(test_\w+)`", told)
        assert any(name.startswith(f"test_row_{int(number):02}_") for name in named) != told.startswith(
            "left out: "
        ), number


def test_every_test_that_is_named_exists_and_every_test_of_a_row_is_named():
    named = [name for *_, told in LINES for name in re.findall(r"`(test_\w+)`", told)]
    assert max(Counter(named).values()) == 1
    assert set(named) <= set(defined(TESTS))
    here = [name for name in defined(HERE) if name.startswith("test_row_")]
    assert set(here) <= set(named)
    assert max(Counter(here).values()) == 1
