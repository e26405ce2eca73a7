"""Text -> a white-listed tree of Python's own grammar. Compiles nothing, runs nothing; knows no torch."""

import ast
import threading
from dataclasses import dataclass, field

from attention_engine.program.faults import UnreadableProgram
from attention_engine.program.reader import Reader, Statement
from attention_engine.program.text import Source, plain

MOST_NODES = 250
DEEPEST = 60
_ONE_AT_A_TIME = threading.Lock()
"""CPython 3.11 counts the depth of all trees in one place: threads that parse at once break each other."""


@dataclass(frozen=True)
class Program:
    """A program that is in the language."""

    original: str
    source: Source
    statements: tuple[Statement, ...]
    reads: tuple[str, ...]
    """Names it takes from outside, in the order in which they appear."""
    calls: frozenset[str] = field(default=frozenset())

    def offset(self, node: ast.AST) -> int:
        """Where a node begins in the learner's text."""
        return self.source.offset(getattr(node, "lineno", 1), getattr(node, "col_offset", 0))

    def code(self, node: ast.AST, *, after: ast.AST | None = None) -> str:
        """What is written for a node, on one line; `after`: only from the end of that part of it on."""
        lines = self.source.text.split("\n")
        first, last = getattr(node, "lineno", 1) - 1, (getattr(node, "end_lineno", 1) or 1) - 1
        start, end = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", None)
        if after is not None:
            first = (getattr(after, "end_lineno", 1) or 1) - 1
            start = getattr(after, "end_col_offset", 0) or 0
        if first == last:
            return " ".join(lines[first][start:end].split())
        return " ".join(" ".join([lines[first][start:], *lines[first + 1 : last], lines[last][:end]]).split())


def read(text: str) -> Program:
    """The program of a text. Raises UnreadableProgram, with the offset into `text`, and nothing else."""
    source = plain(text)
    tree = _parsed(source)
    _bounded(tree, source)
    reader = Reader(source)
    statements = tuple(reader.statement(node) for node in tree.body)
    return Program(text, source, statements, tuple(reader.reads), frozenset(reader.calls))


def _parsed(source: Source) -> ast.Module:
    try:
        with _ONE_AT_A_TIME:
            return ast.parse(source.text)
    except SyntaxError as error:
        offset = source.offset(error.lineno or 1, (error.offset or 1) - 1)
        raise UnreadableProgram(f"line {error.lineno or 1} cannot be read: {error.msg}", offset) from None
    except (RecursionError, MemoryError, ValueError, OverflowError):
        raise UnreadableProgram("brackets or signs are nested too deep to be read") from None


def _bounded(tree: ast.Module, source: Source) -> None:
    """Raises UnreadableProgram for too many nodes or too deep ones; goes level by level, not by recursion."""
    level: list[ast.AST] = list(tree.body)
    if not level:
        raise UnreadableProgram("a program has at least one line that is not a comment")
    count = depth = 0
    while level:
        count, depth = count + len(level), depth + 1
        first = level[0]
        offset = source.offset(getattr(first, "lineno", 1), getattr(first, "col_offset", 0))
        if depth > DEEPEST:
            raise UnreadableProgram(f"a line is nested at most {DEEPEST} deep", offset)
        if count > MOST_NODES:
            raise UnreadableProgram(f"a program has at most {MOST_NODES} parts", offset)
        level = [
            child
            for node in level
            for child in ast.iter_child_nodes(node)
            if isinstance(child, ast.expr | ast.stmt | ast.keyword | ast.Slice)
        ]
