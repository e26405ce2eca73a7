"""Reading a trained model opens no connection, and nothing anywhere unpickles."""

import ast
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from attention_engine.engine import render
from attention_engine.spec import make_spec
from attention_engine.trained import loading, models

pytestmark = pytest.mark.plain
CPU = torch.device("cpu")
PROJECT = Path(__file__).parents[2]
ROOMS = ("attention_engine", "cards", "studyhub", "benchmarks")
UNPICKLES = {"pickle", "cPickle", "dill", "cloudpickle", "shelve", "marshal", "joblib"}


SUSPECT = re.compile("|".join((*UNPICKLES, r"\bload\b")))


class NoNetwork(AssertionError):
    """Somebody opened a socket."""


@pytest.fixture
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever makes a socket or connects one fails here."""

    def refused(*_: Any, **__: Any) -> Any:
        raise NoNetwork

    monkeypatch.setattr(socket, "socket", refused)
    monkeypatch.setattr(socket, "create_connection", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)


@pytest.fixture
def nothing_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has read no model yet."""
    monkeypatch.setattr(loading, "_kept", {})


@pytest.mark.usefixtures("no_sockets")
def test_the_sockets_are_blocked() -> None:
    with pytest.raises(NoNetwork):
        socket.create_connection(("127.0.0.1", 9))


@pytest.mark.usefixtures("minilm", "no_sockets", "nothing_loaded")
def test_minilm_is_loaded_and_drawn_without_a_connection() -> None:
    assert [frame.step for frame in render(make_spec("attention_pattern", {}))][-1] == "output"


@pytest.mark.usefixtures("smollm2", "no_sockets", "nothing_loaded")
def test_smollm2_is_loaded_and_goes_on_without_a_connection() -> None:
    decoder, tokenizer = models.decoder("smollm2", CPU)
    hidden = decoder.run(torch.tensor(tokenizer.encode("The capital of France is").ids))
    assert tokenizer.decode([int(decoder.logits(hidden[-1]).argmax())]) == " Paris"


def parsed() -> Iterator[tuple[Path, ast.AST]]:
    for room in ROOMS:
        for path in (PROJECT / room).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if SUSPECT.search(text):
                yield from ((path, node) for node in ast.walk(ast.parse(text)))


def unpickling(node: ast.AST) -> bool:
    """Whether the node imports something that unpickles, or calls torch.load."""
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] in UNPICKLES for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        names = {alias.name for alias in node.names}
        return (node.module or "").partition(".")[0] in UNPICKLES or (
            node.module == "torch" and "load" in names
        )
    return isinstance(node, ast.Attribute) and ast.unparse(node) in {"torch.load", "torch.serialization.load"}


def test_nothing_unpickles() -> None:
    assert [path for path, node in parsed() if unpickling(node)] == []


@pytest.mark.parametrize(
    "text", ["import pickle", "from pickle import loads", "torch.load(x)", "from torch import load"]
)
def test_what_unpickles_is_found(text: str) -> None:
    assert any(unpickling(node) for node in ast.walk(ast.parse(text)))
