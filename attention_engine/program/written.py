"""Whether a program is written for one layer alone: sizes as numbers, pieces one by one. Runs nothing."""

import ast

from attention_engine.program import words
from attention_engine.program.inputs import Sizes
from attention_engine.program.plan import MOST_INSTEAD, MOST_OWN_NUMBERS, Plan, own_sizes
from attention_engine.program.reader import dotted
from attention_engine.program.syntax import Program

JOINING = frozenset({"stack", "cat", "concat", "concatenate"})
FEW = 2
"""Pieces of any layer: two halves, an old and a new part."""


def instead(programs: tuple[Program, ...], sizes: Sizes, layout: str) -> Plan:
    """The card's own sizes, where primes decide too little; larger ones where numbers demand it."""
    most = MOST_OWN_NUMBERS if written_out(programs[0]) else MOST_INSTEAD
    return own_sizes(programs, sizes, layout, most=most)


def written_out(program: Program) -> bool:
    """Whether a shape, a place or a list of pieces is written for one layer, so that primes may not fit."""
    nodes = (node for statement in program.statements for node in ast.walk(statement.value))
    return any(_in_call(node) if isinstance(node, ast.Call) else _in_place(node) for node in nodes)


def _in_place(node: ast.AST) -> bool:
    """q[:, 5] and k[:, [0, 0, 1, 1]]: more than the first and second place."""
    if not isinstance(node, ast.Subscript):
        return False
    listed = (one for one in ast.walk(node.slice) if isinstance(one, ast.List))
    return _large(node.slice) or any(len(one.elts) > FEW for one in listed)


def _in_call(node: ast.Call) -> bool:
    name = dotted(node.func)
    method = name not in words.FUNCTIONS
    last = node.func.attr if method and isinstance(node.func, ast.Attribute) else name.rpartition(".")[2]
    if last in JOINING and node.args and isinstance(node.args[0], ast.List | ast.Tuple):
        return len(node.args[0].elts) > FEW
    row = words.METHODS[last] if method else words.FUNCTIONS[name]
    sized = {words.SIZE, words.COUNT}
    given = [one for place, one in enumerate(node.args) if row.role(place, method=method) in sized]
    named = [one.value for one in node.keywords if _sizes(one.arg or "", last)]
    return any(_large(one) for one in (*given, *named))


def _sizes(keyword: str, call: str) -> bool:
    """Whether an argument given by name is a size: an axis of a pattern, or sizes= and the like."""
    return call in words.PATTERNS or keyword in {"shape", "size", "sizes", "repeats", "split_size"}


def _large(node: ast.AST) -> bool:
    """Whether a whole number above 1 stands anywhere in it."""
    constants = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
    return any(type(value) is int and value > 1 for value in constants)
