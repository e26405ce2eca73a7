"""Finds the words of a picture by its kind. Knows no kind by name."""

from importlib import import_module
from types import ModuleType
from typing import Any

from attention_engine import spec
from studyhub.web.plain.saying import Facts, Plain, listed


def title_of(kind: str, facts: Facts, *, role: str) -> str:
    """What the picture shows, with its own numbers, and whose they are where they are the learner's."""
    if kind not in spec.KINDS:
        return kind.replace("_", " ")
    return (_words(kind).title(facts, role) if facts else "") or spec.KINDS[kind].title


def plain_of(kind: str, facts: Facts) -> Plain:
    """The words of a picture; of a kind that is none, its plain facts in one sentence."""
    if not facts:
        return Plain()
    return _words(kind).plain(facts) if kind in spec.KINDS else listed(facts)


def edits_of(kind: str) -> str:
    """Names of the parameters that a reader may change, blanks between them."""
    return str(_words(kind).EDITS) if kind in spec.KINDS else ""


def question_of(kind: str) -> str:
    """What a picture answers, as the lab asks it; its title where no question is written."""
    return str(getattr(_words(kind), "QUESTION", spec.KINDS[kind].title))


def start_of(kind: str) -> dict[str, Any]:
    """Parameters that the list of the lab opens a picture with, where its defaults show less."""
    return dict(getattr(_words(kind), "START", {}))


def _words(kind: str) -> ModuleType:
    return import_module(f"studyhub.web.plain.{kind}")
