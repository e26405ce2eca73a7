"""No room turns text into code, nor reaches for what a text names: the tree is read for each way there is."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.plain

PROJECT = Path(__file__).parents[2]
FILES = sorted(
    path for room in ("attention_engine", "cards", "studyhub") for path in (PROJECT / room).rglob("*.py")
)
CALLS = {"eval", "exec", "compile", "__import__", "literal_eval"}
MODULES = {
    *("ast", "code", "codeop", "runpy", "importlib", "pkgutil", "builtins", "pty"),  # text that runs
    *("asteval", "numexpr", "pint", "sympy", "jaxtyping", "simpleeval"),  # text that is evaluated
    *("marshal", "pickle", "shelve", "dill", "cloudpickle", "jsonpickle", "joblib"),  # bytes that run
    *("subprocess", "multiprocessing", "ctypes", "cffi", "signal"),  # processes, time limits by signal
}  # fmt: skip
ATTRIBUTES = {
    *("os.system", "os.popen", "os.fork", "os.kill", "torch.load", "np.load", "numpy.load", "yaml.load"),
    *("yaml.unsafe_load", "yaml.full_load", "torch.jit", "torch.compile", "signal.alarm", "signal.setitimer"),
    *("signal.SIGALRM", "sys.setrecursionlimit", "operator.attrgetter", "operator.methodcaller"),
}
PREFIXES = ("os.exec", "os.spawn", "os.posix_spawn")
NAMED = {"getattr", "setattr", "delattr", "globals", "locals"}
"""Of these the ones whose name is no constant: `getattr(x, "y")` is `x.y`."""

TREE = "the tree of a program is walked, operation by operation of a list; nothing is compiled"
TABLE = "the names are the fields of a class or the columns of a table of ours"
LISTED = "the name is one of a list in the same file, looked up in it first"
PROCESSES = "starts, watches and ends our own processes; no learner's text comes near"
FOUND = "the name is that of a file in our own folder, looked up in the list of them first"
ALLOWED: dict[str, dict[str, str]] = {
    "attention_engine/__main__.py": {"getattr": "the name is that of a parameter of a picture"},
    "attention_engine/configs.py": {"importlib": "reads the table of models that is shipped beside it"},
    "attention_engine/engine.py": {"importlib": FOUND},
    "attention_engine/execution/operations.py": {"getattr": LISTED},
    "attention_engine/execution/run.py": {"ast": TREE, "getattr": LISTED},
    "attention_engine/execution/wrapped.py": {"getattr": LISTED},
    "attention_engine/gpus.py": {"importlib": "asks which build of torch is installed"},
    "attention_engine/kinds/kv/sizes.py": {"getattr": TABLE},
    "attention_engine/kinds/layer.py": {"getattr": TABLE},
    "attention_engine/program/inputs.py": {"getattr": TABLE},
    "attention_engine/store/base.py": {"getattr": TABLE},
    "attention_engine/tasks.py": {
        "ctypes": "one call of the C library, which gives back memory that is free",
        "getattr": "a field that our own message carries",
    },
    "attention_engine/trained/places.py": {"importlib": "finds the folder of an installed model"},
    "attention_engine/visualizations/memory_tape.py": {"getattr": LISTED},
    "attention_engine/visualizations/silent_mistake.py": {"getattr": TABLE},
    "cards/answer_types/__init__.py": {"importlib": FOUND, "pkgutil": FOUND},
    "cards/authoring/forms.py": {"getattr": TABLE},
    "cards/authoring/versions.py": {"getattr": TABLE},
    "cards/faults.py": {"getattr": TABLE},
    "cards/files.py": {"getattr": TABLE},
    "cards/frontmatter.py": {"yaml.load": "with a safe loader of its own that refuses aliases"},
    "cards/generators.py": {"getattr": "the name is that of an attribute that our code asks for"},
    "cards/inline.py": {"getattr": TABLE},
    "cards/keys.py": {"getattr": TABLE},
    "cards/loading.py": {"getattr": TABLE, "setattr": TABLE},
    "cards/mistakes/number_cases.py": {"getattr": TABLE},
    "cards/source_rows.py": {"getattr": TABLE},
    "cards/variants.py": {"getattr": TABLE},
    "studyhub/delivery/ending.py": {"signal": PROCESSES},
    "studyhub/operations/management/commands/up.py": {"signal": PROCESSES},
    "studyhub/operations/running.py": {"pkgutil": "the name is one of jobs.KINDS, looked up there first"},
    "studyhub/operations/supervisor.py": {"signal": PROCESSES, "subprocess": PROCESSES},
    "studyhub/operations/tied.py": {"ctypes": PROCESSES, "signal": PROCESSES, "os.execv": PROCESSES},
    "studyhub/operations/weights.py": {"signal": PROCESSES, "subprocess": PROCESSES},
    "studyhub/study/ledger.py": {"getattr": "a flag of a connection", "setattr": "a flag of a connection"},
    "studyhub/api/parameters.py": {"getattr": TABLE},
    "studyhub/study/fitting/newton.py": {"getattr": TABLE, "setattr": TABLE},
    "studyhub/study/fitting/two_stabilities.py": {"getattr": TABLE},
    "studyhub/web/plain/finding.py": {"importlib": "the name is one of spec.KINDS, looked up there first"},
    "studyhub/web/plans.py": {"getattr": TABLE},
}
INTERPRETED = ("attention_engine/program/", "attention_engine/execution/")
WALKED = {"ast.walk", "ast.unparse", "ast.iter_child_nodes", "ast.iter_fields", "ast.get_source_segment"}
LEARNERS_TEXT = ("cards/answer_types/", "cards/expressions/", "cards/grading.py", "cards/answering.py")


def dangers(source: str) -> set[str]:
    """Everything in a source that could run text, or reach for what a text names."""
    return {name for node in ast.walk(ast.parse(source)) for name in _names(node)}


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call):
        yield from _called(node)
    elif isinstance(node, ast.Import):
        yield from _modules(alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield from _modules([node.module])
        yield from _attributes(f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Attribute):
        yield from _attributes([ast.unparse(node)])


def _called(node: ast.Call) -> Iterator[str]:
    function = node.func
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    plain = isinstance(function, ast.Name)
    if name in CALLS and (plain or name == "literal_eval"):
        yield name
    fixed = len(node.args) > 1 and isinstance(node.args[1], ast.Constant)
    if plain and name in NAMED and not fixed:
        yield name


def _modules(names) -> Iterator[str]:
    yield from {name.split(".")[0] for name in names} & MODULES


def _attributes(names) -> Iterator[str]:
    yield from (name for name in names if name in ATTRIBUTES or name.startswith(PREFIXES))


def allowed(where: str) -> set[str]:
    """What one file may do, with a reason."""
    return set(ALLOWED.get(where, ())) | ({"ast"} if where.startswith(INTERPRETED) else set())


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_a_file_runs_no_text(path):
    where = path.relative_to(PROJECT).as_posix()
    assert dangers(path.read_text(encoding="utf-8")) <= allowed(where)


@pytest.mark.parametrize("where", ALLOWED)
def test_every_exception_is_one_that_is_needed(where):
    found = dangers((PROJECT / where).read_text(encoding="utf-8"))
    assert set(ALLOWED[where]) <= found


def test_what_reads_a_learners_text_has_no_exception_but_finding_its_own_files():
    excepted = {where: set(names) for where, names in ALLOWED.items() if where.startswith(LEARNERS_TEXT)}
    assert excepted == {"cards/answer_types/__init__.py": {"importlib", "pkgutil"}}


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
    [
        *("eval('1')", "exec(x)", "compile(x, '', 'eval')", "ast.literal_eval(x)", "__import__('os')"),
        *("import sympy", "import sympy.core", "from pickle import loads", "import pint", "import asteval"),
        *("import os\nos.system(x)", "from os import system", "os.popen(x)", "os.execv(x, y)"),
        *("import subprocess",),
        *("torch.load(x)", "from torch import load", "yaml.load(x)", "numpy.load(x, allow_pickle=True)"),
        *("signal.alarm(1)", "signal.signal(signal.SIGALRM, f)", "signal.setitimer(0, 1)"),
        *("from signal import alarm",),
        *("getattr(x, text)", "setattr(x, text, 1)", "globals()[text]", "operator.attrgetter(text)"),
        *("import importlib", "import marshal", "import runpy", "import ctypes", "sys.setrecursionlimit(9)"),
    ],
)  # fmt: skip
def test_the_check_finds_what_it_looks_for(source):
    assert dangers(source)


@pytest.mark.parametrize(
    "source",
    [
        "re.compile('x'); model.eval()",
        "getattr(x, 'y', None)",
        "json.loads(x); yaml.safe_load(x)",
        "from cards.code import x",
    ],
)
def test_what_only_looks_like_it_is_not_found(source):
    assert dangers(source) == set()
