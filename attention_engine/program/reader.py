"""The grammar of the language: which of Python's nodes it has, and what is said of the others."""

import ast
from collections.abc import Callable
from dataclasses import dataclass

from attention_engine.program import words
from attention_engine.program.faults import UnreadableProgram
from attention_engine.program.near import LONGEST_NAME, no_function, unknown
from attention_engine.program.text import Source

LARGEST_INTEGER = 2**31 - 1
LARGEST_FLOAT = 1e38
LONGEST_TEXT = 200
LARGEST_EXPONENT = 64
BINARY = (
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.FloorDiv,
    ast.Mod,
    ast.Pow,
    ast.MatMult,
    ast.BitAnd,
    ast.BitOr,
)
UNARY = (ast.USub, ast.UAdd, ast.Invert)
COMPARED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
WRITE_INSTEAD: dict[type[ast.AST], str] = {
    ast.Import: "nothing is imported: torch, F, math and einops are there",
    ast.ImportFrom: "nothing is imported: torch, F, math and einops are there",
    ast.AugAssign: "write the operation out: x = x / 8",
    ast.Return: "the last line is the result, without return",
    ast.FunctionDef: "a program is lines, without def",
    ast.AnnAssign: "a name is assigned without a type",
    ast.Starred: "write the sizes out, without *",
    ast.For: "a program has no loops",
    ast.While: "a program has no loops",
    ast.ListComp: "a program has no loops",
    ast.GeneratorExp: "a program has no loops",
    ast.Lambda: "a program has no functions of its own",
    ast.NamedExpr: "assign on a line of its own",
    ast.JoinedStr: "a text is written as it is, without f",
    ast.BoolOp: "masks are joined with & and |",
    ast.IfExp: "a program has no conditions",
    ast.Not: "a mask is turned round with ~",
}


@dataclass(frozen=True)
class Statement:
    """One line: what it assigns to, and the expression."""

    targets: tuple[str, ...]
    """No name: the value is the result. Several: a tuple is taken apart."""
    unpacks: bool
    value: ast.expr
    line: int
    code: str


class Reader:
    """Walks a bounded tree once and refuses the first node that is not in the language."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.assigned: set[str] = set()
        self.reads: dict[str, None] = {}
        self.calls: set[str] = set()
        self._kinds: dict[type[ast.AST], Callable[..., None]] = {
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Call: self._call,
            ast.Constant: self._constant,
            ast.Tuple: self._several,
            ast.List: self._several,
            ast.Subscript: self._subscript,
            ast.Slice: self._slice,
            ast.BinOp: self._binary,
            ast.UnaryOp: self._unary,
            ast.Compare: self._compare,
        }

    def _refuse(self, node: ast.AST, why: str) -> UnreadableProgram:
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        if isinstance(node, ast.Attribute):
            line, column = node.end_lineno or 1, (node.end_col_offset or 0) - len(node.attr)
        return UnreadableProgram(f"line {line}: {why}", self.source.offset(line, column))

    def _not_in_it(self, node: ast.AST) -> UnreadableProgram:
        said = WRITE_INSTEAD.get(type(node), f"{type(node).__name__} is not part of the language")
        return self._refuse(node, said)

    def statement(self, node: ast.stmt) -> Statement:
        """A line that is an expression, or an assignment to a name or a tuple of names."""
        code = " ".join((ast.get_source_segment(self.source.text, node) or "").split())
        if isinstance(node, ast.Expr):
            self._visit(node.value)
            return Statement((), unpacks=False, value=node.value, line=node.lineno, code=code)
        if not isinstance(node, ast.Assign):
            raise self._not_in_it(node)
        if len(node.targets) != 1:
            raise self._refuse(node, "one name is assigned a line")
        target = node.targets[0]
        unpacks = isinstance(target, ast.Tuple)
        names = tuple(
            self._target(one) for one in (target.elts if isinstance(target, ast.Tuple) else [target])
        )
        self._visit(node.value)
        self.assigned.update(names)
        return Statement(names, unpacks=unpacks, value=node.value, line=node.lineno, code=code)

    def _target(self, node: ast.expr) -> str:
        if not isinstance(node, ast.Name):
            raise self._refuse(node, "only a plain name is assigned, such as q = ...")
        self._spelling(node, node.id)
        if node.id in words.ROOTS:
            raise self._refuse(node, f"{node.id} keeps its meaning: take another name")
        return node.id

    def _spelling(self, node: ast.AST, name: str) -> None:
        if "__" in name or len(name) > LONGEST_NAME:
            raise self._refuse(node, f"{name[:LONGEST_NAME]} is not a name of the language")

    def _visit(self, node: ast.AST) -> None:
        kind = self._kinds.get(type(node))
        if kind is None:
            raise self._not_in_it(node)
        kind(node)

    def _name(self, node: ast.Name) -> None:
        self._spelling(node, node.id)
        if node.id in words.ROOTS:
            raise self._refuse(node, f"{node.id} is called, or read as {node.id}.something")
        if node.id not in self.assigned:
            self.reads.setdefault(node.id)

    def _attribute(self, node: ast.Attribute) -> None:
        if dotted(node) in words.CONSTANTS:
            return
        if node.attr not in words.ATTRIBUTES:
            raise self._refuse(node, unknown(node.attr, called=node.attr in words.METHODS))
        self._visit(node.value)

    def _call(self, node: ast.Call) -> None:
        name = dotted(node.func)
        if name in words.FUNCTIONS:
            row, found, free = words.FUNCTIONS[name], name, name.rpartition(".")[2] in words.PATTERNS
            free = free and not name.startswith("torch.")
        elif isinstance(node.func, ast.Attribute) and name.rpartition(".")[0] not in words.MODULES:
            if node.func.attr not in words.METHODS:
                raise self._refuse(node.func, unknown(node.func.attr, called=False))
            self._visit(node.func.value)
            row, found, free = words.METHODS[node.func.attr], f".{node.func.attr}", False
        else:
            raise self._refuse(node.func, no_function(name))
        self.calls.add(found)
        for argument in node.args:
            self._visit(argument)
        for keyword in node.keywords:
            self._keyword(keyword, row, any_axis=free)

    def _keyword(self, keyword: ast.keyword, row: words.Operation, *, any_axis: bool) -> None:
        if keyword.arg is None:
            raise self._refuse(keyword.value, "write the arguments out, without **")
        self._spelling(keyword.value, keyword.arg)
        if keyword.arg not in row.keywords and not any_axis:
            takes = ", ".join(row.keywords) or "no argument by name"
            raise self._refuse(keyword.value, f"{keyword.arg}= is not taken here: {takes}")
        self._visit(keyword.value)

    def _constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool) or value is None or value is Ellipsis:
            return
        if isinstance(value, str) and len(value) <= LONGEST_TEXT:
            return
        if isinstance(value, int) and value <= LARGEST_INTEGER:
            return
        if isinstance(value, float) and value <= LARGEST_FLOAT:
            return
        raise self._refuse(
            node, f"a whole number is at most {LARGEST_INTEGER:,}, a text {LONGEST_TEXT} characters"
        )

    def _several(self, node: ast.Tuple | ast.List) -> None:
        for element in node.elts:
            self._visit(element)

    def _subscript(self, node: ast.Subscript) -> None:
        self._visit(node.value)
        self._visit(node.slice)

    def _slice(self, node: ast.Slice) -> None:
        for part in (node.lower, node.upper, node.step):
            if part is not None:
                self._visit(part)

    def _binary(self, node: ast.BinOp) -> None:
        if not isinstance(node.op, BINARY):
            raise self._refuse(node, f"{type(node.op).__name__} is not an operation of the language")
        texts = [one for one in (node.left, node.right) if isinstance(one, ast.Constant)]
        if any(isinstance(one.value, str) for one in texts):
            raise self._refuse(node, "a text is no number to compute with")
        if isinstance(node.op, ast.Pow) and _is_tower(node.right):
            raise self._refuse(node, f"an exponent is at most {LARGEST_EXPONENT}")
        self._visit(node.left)
        self._visit(node.right)

    def _unary(self, node: ast.UnaryOp) -> None:
        if not isinstance(node.op, UNARY):
            raise self._not_in_it(node.op) if type(node.op) in WRITE_INSTEAD else self._not_in_it(node)
        self._visit(node.operand)

    def _compare(self, node: ast.Compare) -> None:
        if len(node.ops) != 1 or not isinstance(node.ops[0], COMPARED):
            raise self._refuse(node, "one comparison at a time: <, <=, >, >=, == or !=")
        self._visit(node.left)
        self._visit(node.comparators[0])


def _is_tower(exponent: ast.expr) -> bool:
    """Whether an exponent is itself a power of numbers, or a larger number than is taken."""
    if isinstance(exponent, ast.BinOp):
        base = exponent.left
        return isinstance(exponent.op, ast.Pow) and isinstance(base, ast.Constant)
    return isinstance(exponent, ast.Constant) and _exceeds(exponent.value)


def _exceeds(value: object) -> bool:
    return isinstance(value, int | float) and value > LARGEST_EXPONENT


def dotted(node: ast.AST) -> str:
    """ "torch.nn.functional" of a chain of names, "" of anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join(reversed([*parts, node.id])) if isinstance(node, ast.Name) else ""
