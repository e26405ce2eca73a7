"""Answers made by chance, a million of them: nothing is raised but Unreadable, and no call is slow."""

import argparse
import heapq
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from os import cpu_count
from typing import Any

from cards.answer_types import answer_type
from cards.grading import Grade, Question, Unreadable, read_response
from tests.cards.grading.corpus_rows import rows

SLOWEST_MS = 50.0
OUTCOMES = frozenset({"correct", "partial", "incorrect", "undecided"})
KEY = {"compute": "head_width", "d_model": 768, "num_heads": 12}
QUESTIONS: tuple[dict[str, Any], ...] = (
    {"type": "numeric", "key": {"compute": "d_head", "model": "bert-base"}, "unit": "dims"},
    {"type": "numeric", "key": {"compute": "d_head", "model": "bert-base"}, "tolerance": {"relative": 0.01}},
    {"type": "numeric", "key": {"compute": "d_head", "model": "bert-base"}, "unit": "GiB", "locale": "de"},
    {"type": "numeric", "key": {"compute": "d_model", "model": "bert-base"}, "locale": "any"},
    {"type": "formula", "key": "sqrt(d_k)", "symbols": {"d_k": ["d_head"]}},
    {"type": "formula", "key": "2 L H d T b", "symbols": ["L", "H", "d", "T", "b"], "domain": "positive"},
    {"type": "formula", "key": "y = f(x)^2", "symbols": ["x", "y"], "functions": ["f"], "domain": "real"},
    {"type": "formula", "key": "n! / 2^n", "symbols": ["n"], "domain": {"n": "integer"}},
    {"type": "formula", "key": "a < b + 1", "symbols": ["a", "b"], "domain": "real"},
    {
        "type": "matrix_formula",
        "key": "softmax(Q K^T / sqrt(d_k)) V",
        "matrices": {"Q": ["n", "d_k"], "K": ["m", "d_k"], "V": ["m", "d_v"]},
    },
    {
        "type": "shape",
        "key": {"compute": "shape_after", "step": "transpose", "batch": 2, "tokens": 4, "num_heads": 12,
                "d_head": 64},
    },
    {"type": "shape", "axes": ["B", "H", "T", "D"], "sizes": {"B": 2, "T": 4, "H": 12, "D": 64}},
    {"type": "einsum", "key": "bhqd,bhkd->bhqk", "operands": ["q", "k"]},
    {"type": "words", "key": "batch size", "accepts": ["number of sequences"], "typos": 1},
    {"type": "program", "reference": "q.view(2, 4, 12, 64).transpose(1, 2)", "model": "bert-base"},
    {
        "type": "table",
        "columns": ["d_model", "heads", "width"],
        "rows": [
            {
                "title": "BERT-base",
                "cells": [
                    {"given": "768"},
                    {"id": "a", "type": "numeric", "key": {"compute": "num_heads", "model": "bert-base"}},
                    {"id": "b", "type": "formula", "key": "d/h", "symbols": ["d", "h"]},
                ],
            }
        ],
    },
    {
        "type": "cloze",
        "text": "Divided by {{a::\\sqrt{d_k}}}, along the {{b::batch}}.",
        "gaps": {"a": {"type": "formula", "symbols": ["d_k"]}},
    },
    {"type": "rubric", "points": [{"id": "a", "text": "x"}, {"id": "b", "text": "y"}]},
    {
        "type": "multi_choice",
        "options": [{"id": "a", "text": "8", "correct": True}, {"id": "b", "text": "10", "mistake": "m"}],
    },
    {
        "type": "ordering",
        "items": [{"id": "a", "text": "1"}, {"id": "b", "text": "2"}, {"id": "c", "text": "3"}],
        "before": [["a", "b"]],
        "distractors": [{"id": "d", "text": "4", "mistake": "m"}],
    },
)  # fmt: skip
PIECES = (
    *"0123456789abdefhknqtvxyzBHKLQTVWπ√²³ᵀ⊤·×÷−–^*/+=<>≤≥≠!%(){}[]|,.;:_'\"\\ ⊙@", *"  ((()))^^__//**",
    "d_k", "d_head", "d_{k}", "sqrt(", "softmax(", "\\frac{", "\\sqrt{", "\\left(", "\\right)", "\\text{",
    "\\cdot", "\\times", "^T", "^\\top", "K^T", "Q K", " / ", "->", "bhqd,bhkd", "b h q d", "torch.Size([",
    "torch.einsum(", "q.view(", ".transpose(1, 2)", "rearrange(q, '", "1,536", "12,5", "1e9", "9**9**9",
    "10^",     "GiB", "GB", "dims", "½", "６４", "٦٤", "\u200b", "\u00a0",
    "\u2009", "\u202e",

    "é", "e\u0301", "\U0001d465",     "inf", "nan", "0x", "f(", "log(", "exp(", "max(", "!!!", "$", "$$",
    "\\(", "\n", "\t", "\0", "__class__",
    "lambda", "import os", "{{", "}}", "%s", "{0}", "<b>", "&amp;", "\ud800", "١", "∞", "ﬁ", "Ⅳ", "㎇", "㏒",
)  # fmt: skip


@dataclass
class Found:
    """What a run met."""

    calls: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    raised: list[str] = field(default_factory=list)
    slow: list[tuple[float, str]] = field(default_factory=list)
    """The ten slowest calls in ms of CPU time, with what was answered."""

    def join(self, other: "Found") -> None:
        """Both together."""
        self.calls += other.calls
        self.outcomes += other.outcomes
        self.raised += other.raised
        self.slow = heapq.nlargest(10, [*self.slow, *other.slow])


def main() -> int:
    """Prints what was met; 1 where something was raised or slow."""
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    started, jobs = time.monotonic(), cpu_count() or 1
    share = -(-given.count // (jobs * 8))
    found = Found()
    with ProcessPoolExecutor(jobs) as pool:
        for one in pool.map(run, range(given.seed, given.seed + jobs * 8), [share] * jobs * 8):
            found.join(one)
    print(f"{found.calls:,} answers in {time.monotonic() - started:.0f} s: {dict(found.outcomes)}")
    print(*(f"{ms:8.2f} ms  {answered}" for ms, answered in found.slow), sep="\n")
    print(f"{len(found.raised)} exceptions", *found.raised[:20], sep="\n")
    return int(bool(found.raised) or found.slow[0][0] > SLOWEST_MS)


def run(seed: int, count: int) -> Found:
    """`count` answers of one seed; the first few of each question warm it up and are not timed."""
    draw, found = random.Random(seed), Found()
    for question in QUESTIONS:
        _graded(question, {"text": "1"})
    for _ in range(count):
        question = draw.choice(QUESTIONS)
        _one(found, question, response_to(question, draw))
    return found


def _one(found: Found, question: dict[str, Any], response: dict[str, Any]) -> None:
    """One answer: its outcome, or what was raised, and how long it took."""
    told = f"{question['type']} {response!r}"[:400]
    started = time.thread_time()
    try:
        found.outcomes[_graded(question, response)] += 1
    except Exception as error:  # whatever it is, it is what is looked for
        found.raised.append(f"{type(error).__name__}: {error} from {told}")
    found.calls += 1
    found.slow = heapq.nlargest(10, [*found.slow, ((time.thread_time() - started) * 1000, told)])


def _graded(question: dict[str, Any], response: dict[str, Any]) -> str:
    """The outcome, or `unreadable`; a grade that breaks its own rules is an AssertionError."""
    kind = answer_type(question["type"])
    try:
        verdict = kind.grade(Question(question), read_response(response))
    except Unreadable as problem:
        _check_offset(problem, response)
        return "unreadable"
    _check(verdict, response)
    return verdict.outcome


def _check_offset(problem: Unreadable, response: dict[str, Any]) -> None:
    assert 0 <= problem.offset <= len(_text_of(response, problem.field)), problem.offset


def _check(verdict: Grade, response: dict[str, Any]) -> None:
    assert verdict.outcome in OUTCOMES
    assert 0 <= verdict.score <= 1
    assert (verdict.score == 1) == (verdict.outcome == "correct"), verdict.score
    if verdict.place is not None:
        length = len(_text_of(response, verdict.place.field))
        assert 0 <= verdict.place.start <= verdict.place.end <= length, verdict.place


def _text_of(response: dict[str, Any], name: str) -> str:
    if name.startswith("cells."):
        return str(response.get("cells", {}).get(name.removeprefix("cells."), ""))
    return str(response.get(name, "")) if isinstance(response.get(name), str) else ""


def response_to(question: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """A response of the fields that the type reads."""
    kind = question["type"]
    if kind in ("multi_choice", "ordering"):
        name = "choices" if kind == "multi_choice" else "order"
        return {name: [draw.choice(("a", "b", "c", "d", "none", "", "x")) for _ in range(draw.randint(0, 5))]}
    if kind in ("table", "cloze"):
        return {
            "cells": {name: text_for(kind, draw) for name in draw.choice((("a", "b"), ("a",), ("b", "c")))}
        }
    return {"text": text_for(kind, draw)}


def text_for(kind: str, draw: random.Random) -> str:
    """Pieces in a row, a known answer with a few characters changed, or a formula grown at random."""
    return draw.choice(MAKERS)(kind, draw)


def _pieces(_kind: str, draw: random.Random) -> str:
    return "".join(draw.choice(PIECES) for _ in range(int(draw.expovariate(0.08)) + 1))


def _changed(kind: str, draw: random.Random) -> str:
    """Characters of a known answer taken out, doubled, exchanged or put in."""
    text = list(draw.choice(_known(kind) or ("64",)))
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(text) + 1)
        text[at : at + draw.randint(0, 2)] = draw.choice(
            ([], [draw.choice(PIECES)], text[at : at + 6] * 2, [chr(draw.choice((32, 95, 0x300, 0x2212)))])
        )
    return "".join(text)


@cache
def _known(kind: str) -> tuple[str, ...]:
    """Texts of the corpus for a type, those of other types for one that has none."""
    texts = [(row.type, row.response.get("text")) for row in rows() if isinstance(row.response, dict)]
    typed = [(name, text) for name, text in texts if isinstance(text, str) and text and len(text) < 700]
    return tuple(t for name, t in typed if name == kind) or tuple(t for _, t in typed)


def _grown(_kind: str, draw: random.Random) -> str:
    return "".join(_branch(draw, draw.randint(1, 7)))


def _branch(draw: random.Random, depth: int) -> Iterator[str]:
    """A formula with operators, powers, functions and brackets nested at random."""
    if depth <= 0 or draw.random() < 0.15:
        yield draw.choice(("x", "y", "n", "d_k", "2", "64", "0", "1/3", "9", "10", "Q", "K^T", "V", "\\pi"))
        return
    shape = draw.choice(
        ("{}{}{}", "({}{}{})", "\\frac{{{}}}{{{}{}}}", "sqrt({}{}{})", "f({}{}{})", "|{}{}{}|")
    )
    sign = draw.choice(("+", "-", "*", "/", "^", "**", " ", "!+", "=", "<", "@", "\\cdot "))
    left, right = ("".join(_branch(draw, depth - draw.randint(1, 2))) for _ in range(2))
    yield shape.format(left, sign, right)


def _unicode(_kind: str, draw: random.Random) -> str:
    return "".join(chr(draw.choice((draw.randrange(0x2FF), draw.randrange(0x10FFFF)))) for _ in range(12))


MAKERS: tuple[Callable[[str, random.Random], str], ...] = (_pieces, _changed, _changed, _grown, _unicode)


if __name__ == "__main__":
    sys.exit(main())
