"""The published vectors are what the grader says, stand on their own, and another language can run them."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from cards.answer_types import ANSWER_TYPES
from cards.grading import Unreadable
from cards.inline import Specification, grade_inline
from cards.vector_files import FOLDER, UnknownVectors, offline_types, vector_file, vector_text, write_vectors

pytestmark = pytest.mark.plain

NODE = Path(__file__).parent / "vectors_in_node.mjs"
PORTED = ("choice", "multi_choice", "ordering")


def vectors(name: str) -> list[dict]:
    return json.loads(vector_file(name)[0])["vectors"]


def told(name: str, vector: dict) -> tuple:
    """What the grader says of a vector's own words."""
    parts = {part: vector[part] for part in ("answer", "mistakes", "parameters", "seed")}
    try:
        grade = grade_inline(Specification(name, **parts), vector["response"])
    except Unreadable:
        return "unreadable", 0.0, ""
    return grade.outcome, grade.score, grade.mistake


@pytest.mark.parametrize("name", offline_types())
def test_a_file_says_what_the_grader_says(name):
    stored = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    assert stored == vector_text(name), "run: manage.py cards vectors"


@pytest.mark.parametrize("name", offline_types())
def test_a_vector_holds_all_that_its_verdict_rests_on(name):
    for vector in vectors(name):
        verdict = (vector["outcome"], vector["score"], vector["mistake"])
        assert told(name, vector) == verdict, vector["name"]
        assert vector["right"]
    names = [vector["name"] for vector in vectors(name)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", offline_types())
def test_the_vectors_of_a_type_show_each_kind_of_verdict(name):
    outcomes = {vector["outcome"] for vector in vectors(name)}
    assert {"correct", "incorrect", "unreadable"} <= outcomes
    assert any(vector["mistake"] for vector in vectors(name))


def test_only_types_that_are_graded_offline_have_vectors():
    assert {path.stem for path in FOLDER.glob("*.json")} == {*offline_types(), "chosen"}
    for name in {"reveal", "program", "essay", "chosen", "../content"} & {*ANSWER_TYPES, "essay", "chosen"}:
        with pytest.raises(UnknownVectors, match="choice"):
            vector_file(name)


def test_writing_again_changes_nothing_and_removes_what_has_no_type(tmp_path):
    shutil.copy(FOLDER / "chosen.json", tmp_path)
    (tmp_path / "essay.json").write_text("{}")
    assert {path.stem for path in write_vectors(folder=tmp_path)} == {*offline_types(), "essay"}
    assert write_vectors(folder=tmp_path) == []


def in_node(path: Path) -> dict:
    """What the grader in Node says of a file: {"tried", "others"}."""
    node = shutil.which("node")
    if not node:
        pytest.skip("no Node on this machine")
    done = subprocess.run(
        [node, str(NODE), str(path)], check=True, capture_output=True, text=True, timeout=30
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", PORTED)
def test_another_language_comes_to_the_same_verdicts(name):
    assert in_node(FOLDER / f"{name}.json") == {"tried": len(vectors(name)), "others": []}


def test_another_language_notices_a_verdict_that_is_not_so(tmp_path):
    spoilt = {"answer_type": "choice", "vectors": [dict(vectors("choice")[0], outcome="incorrect")]}
    (tmp_path / "choice.json").write_text(json.dumps(spoilt))
    assert len(in_node(tmp_path / "choice.json")["others"]) == 1
