"""No room turns text into code: the tree is read for every way there is."""

import ast
from pathlib import Path

import pytest

pytestmark = pytest.mark.plain

PROJECT = Path(__file__).parents[2]
FILES = sorted(
    path for room in ("attention_engine", "cards", "studyhub") for path in (PROJECT / room).rglob("*.py")
)
CALLS = {"eval", "exec", "compile", "__import__", "literal_eval"}
MODULES = {
    "ast",
    "asteval",
    "marshal",
    "numexpr",
    "pickle",
    "pint",
    "shelve",
    "sympy",
    "dill",
    "cloudpickle",
    "jsonpickle",
}
INTERPRETED = ("attention_engine/program/", "attention_engine/execution/")
"""Rooms that walk the tree of a learner's lines, operation by operation of a list: nothing is compiled."""
WALKED = {"ast.walk", "ast.unparse", "ast.iter_child_nodes", "ast.iter_fields", "ast.get_source_segment"}


def _names(node):
    """What a node calls or imports, as far as it could run text."""
    if isinstance(node, ast.Call):
        function = node.func
        name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        plain = isinstance(function, ast.Name) or name == "literal_eval"
        yield from [name] if plain and name in CALLS else []
    elif isinstance(node, ast.Import):
        yield from (alias.name.split(".")[0] for alias in node.names if alias.name.split(".")[0] in MODULES)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield from [node.module] if node.module.split(".")[0] in MODULES else []


def _found(source):
    return [name for node in ast.walk(ast.parse(source)) for name in _names(node)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_a_file_runs_no_text(path):
    where = path.relative_to(PROJECT).as_posix()
    allowed = {"ast"} if where.startswith(INTERPRETED) else set()
    assert set(_found(path.read_text(encoding="utf-8"))) <= allowed


def test_text_becomes_a_tree_in_one_place_alone():
    def calls(path):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        names = (ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call))
        return [name for name in names if name.startswith("ast.") and name not in WALKED]

    found = {path.relative_to(PROJECT).as_posix(): calls(path) for path in FILES}
    assert {where: names for where, names in found.items() if names} == {
        "attention_engine/program/syntax.py": ["ast.parse"]
    }


@pytest.mark.parametrize(
    "source",
    ["eval('1')", "exec(x)", "compile(x, '', 'eval')", "import sympy", "from pickle import loads",
        "import sympy.core",
     "ast.literal_eval(x)", "__import__('os')"],
)  # fmt: skip
def test_the_check_finds_what_it_looks_for(source):
    assert _found(source)


def test_a_pattern_or_a_model_in_evaluation_is_not_code():
    assert _found("re.compile('x'); model.eval()") == []
