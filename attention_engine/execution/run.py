"""The interpreter: walks the lines of a program, one method a kind of node. Knows no grade."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import torch

from attention_engine.execution import operations
from attention_engine.execution.limits import Limits, Meter
from attention_engine.execution.machine import Machine, kind_of
from attention_engine.execution.operations import Space
from attention_engine.execution.ran import Failed, Ran
from attention_engine.program import Program, words
from attention_engine.program.reader import LARGEST_EXPONENT, Statement, dotted

BINARY: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
}
UNARY: Mapping[type[ast.AST], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}
COMPARED: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
Place = tuple[int, int]
LONGEST_TUPLE = 64


def run(
    program: Program,
    given: Mapping[str, Any],
    *,
    space: Space,
    limits: Limits,
    literals: Mapping[Place, int | float] | None = None,
    kept: list[tuple[int, torch.Tensor]] | None = None,
) -> Ran:
    """Runs the lines on what is given. Raises RefusedProgram for what is too large or gives no tensor.

    literals: numbers that stand for others, by the line and column at which they are written.
    kept: takes the tensors that each statement's operations give, with the statement's place."""
    machine = _Walker(program, given, space=space, meter=Meter(limits), literals=literals or {})
    machine.kept = kept
    with torch.no_grad():
        try:
            tensor = machine.result()
        except Failed as failed:
            return machine.ran(failure=failed.failure)
    return machine.ran(tensor=tensor)


class _Walker(Machine):
    """Walks the tree: one method a kind of node."""

    def __init__(
        self,
        program: Program,
        given: Mapping[str, Any],
        *,
        space: Space,
        meter: Meter,
        literals: Mapping[Place, int | float],
    ) -> None:
        super().__init__(program, given, space=space, meter=meter)
        self.literals = literals
        self._kinds: dict[type[ast.AST], Callable[..., Any]] = {
            ast.Name: lambda node: self.values[node.id],
            ast.Attribute: self._attribute,
            ast.Call: self._call,
            ast.Constant: self._constant,
            ast.Tuple: lambda node: tuple(self._value(one) for one in node.elts),
            ast.List: lambda node: [self._value(one) for one in node.elts],
            ast.Subscript: self._subscript,
            ast.Slice: self._slice,
            ast.BinOp: self._binary,
            ast.UnaryOp: self._unary,
            ast.Compare: self._compare,
        }

    def result(self) -> torch.Tensor:
        """Runs all lines; the last one's value is the result, assigned or not."""
        last: Any = None
        for statement in self.program.statements:
            self.statement = statement
            last = self._value(self.statement.value)
            if self.statement.targets:
                self._assign(self.statement, last)
        if isinstance(last, bool | int | float):
            return torch.tensor(float(last), dtype=self.space.dtype, device=self.space.device)
        if not isinstance(last, torch.Tensor):
            way = "; torch.stack or torch.cat joins them" if isinstance(last, tuple | list) and last else ""
            raise self.refuse(self.statement.value, f"the result is {kind_of(last)}, not one tensor{way}")
        return last

    def _assign(self, statement: Statement, value: Any) -> None:
        if not statement.unpacks:
            self.values[statement.targets[0]] = value
            return
        if isinstance(value, torch.Tensor):
            value = self.apply(
                statement.value, "unbind", operations.method("unbind", self.space), (value,), {}
            )
        if not isinstance(value, tuple | list):
            raise self.refuse(statement.value, f"{kind_of(value)} cannot be taken apart")
        if len(value) != len(statement.targets):
            few = len(value) < len(statement.targets)
            said = "not enough" if few else "too many"
            got = f", got {len(value)}" if few else ""
            words_of = f"ValueError: {said} values to unpack (expected {len(statement.targets)}{got})"
            raise Failed(self.failure(statement.value, "unpack", words_of, (value,), {}))
        self.values.update(zip(statement.targets, value, strict=True))

    def _value(self, node: ast.AST) -> Any:
        return self._kinds[type(node)](node)

    def _constant(self, node: ast.Constant) -> Any:
        return self.literals.get((node.lineno, node.col_offset), node.value)

    def _attribute(self, node: ast.Attribute) -> Any:
        name = dotted(node)
        if name in words.CONSTANTS:
            return operations.constant(name, self.space)
        value = self._value(node.value)
        if not isinstance(value, torch.Tensor):
            said = f"AttributeError: '{type(value).__name__}' object has no attribute '{node.attr}'"
            raise Failed(self.failure(node, node.attr, said, (value,), {}))
        if node.attr not in {"T", "mT"}:
            return getattr(value, node.attr)
        return self.apply(
            node, node.attr, lambda tensor: operations.attribute(tensor, node.attr), (value,), {}
        )

    def _call(self, node: ast.Call) -> Any:
        name = dotted(node.func)
        if name in words.FUNCTIONS:
            call, before = operations.function(name, self.space), []
            name = name if name.startswith("math.") else name.rpartition(".")[2]
        else:
            assert isinstance(node.func, ast.Attribute)
            name, before = node.func.attr, [self._value(node.func.value)]
            call = operations.method(name, self.space)
            if not isinstance(before[0], torch.Tensor):
                said = f"AttributeError: '{type(before[0]).__name__}' object has no attribute '{name}'"
                raise Failed(self.failure(node, name, said, tuple(before), {}))
        arguments = [*before, *(self._argument(one) for one in node.args)]
        named = {keyword.arg: self._value(keyword.value) for keyword in node.keywords if keyword.arg}
        return self.apply(node, name, call, arguments, named)

    def _argument(self, node: ast.expr) -> Any:
        value = self._value(node)
        if isinstance(value, torch.dtype | torch.device):
            raise self.refuse(node, "a dtype is given by name: dtype=torch.float32")
        return value

    def _subscript(self, node: ast.Subscript) -> Any:
        value, index = self._value(node.value), self._value(node.slice)
        if not isinstance(value, torch.Tensor | tuple | list):
            raise self.refuse(node, f"{kind_of(value)} has no places to take out")
        for part in index if isinstance(index, tuple) else (index,):
            if (
                not isinstance(part, int | slice | list | torch.Tensor)
                and part is not None
                and part is not Ellipsis
            ):
                raise self.refuse(node.slice, f"{kind_of(part)} is no place in a tensor")
            if isinstance(part, torch.Tensor) and part.dim() == 0:
                raise self.refuse(node.slice, "one place is a whole number here, not a tensor of one")
            if isinstance(part, bool) or (isinstance(part, torch.Tensor) and part.dtype == torch.bool):
                raise self.refuse(node.slice, "how many a mask picks is not known before: use masked_fill")
        return self.apply(node, "index", operator.getitem, (value, index), {})

    def _slice(self, node: ast.Slice) -> slice:
        parts = [None if part is None else self._value(part) for part in (node.lower, node.upper, node.step)]
        if not all(part is None or type(part) is int for part in parts):
            raise self.refuse(node, "a slice goes from one whole number to another")
        return slice(*parts)

    def _binary(self, node: ast.BinOp) -> Any:
        left, right = self._value(node.left), self._value(node.right)
        call = BINARY[type(node.op)]
        if isinstance(left, torch.Tensor) or isinstance(right, torch.Tensor):
            for one in (left, right):
                if not isinstance(one, torch.Tensor | int | float):
                    raise self.refuse(node, f"{kind_of(one)} is no operand beside a tensor")
            name = "matmul" if isinstance(node.op, ast.MatMult) else type(node.op).__name__.lower()
            return self.apply(node, name, call, (left, right), {})
        if isinstance(left, tuple) and isinstance(right, tuple) and isinstance(node.op, ast.Add):
            if len(left) + len(right) > LONGEST_TUPLE:
                raise self.refuse(node, f"a tuple has at most {LONGEST_TUPLE} entries")
            return tuple(left) + tuple(right)
        return self._of_numbers(node, call, left, right)

    def _of_numbers(self, node: ast.BinOp, call: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
        """Arithmetic of plain numbers; a power is measured before it is taken."""
        for one in (left, right):
            if not isinstance(one, int | float):
                raise self.refuse(node, f"{kind_of(one)} is no number to compute with")
        if isinstance(node.op, ast.Pow) and abs(right) > LARGEST_EXPONENT:
            raise self.refuse(node, f"an exponent is at most {LARGEST_EXPONENT}")
        return self.number(node, self.apply(node, "number", call, (left, right), {}))

    def _unary(self, node: ast.UnaryOp) -> Any:
        value = self._value(node.operand)
        if not isinstance(value, torch.Tensor | int | float):
            raise self.refuse(node, f"{kind_of(value)} has no sign")
        return self.apply(node, type(node.op).__name__.lower(), UNARY[type(node.op)], (value,), {})

    def _compare(self, node: ast.Compare) -> Any:
        left, right = self._value(node.left), self._value(node.comparators[0])
        for one in (left, right):
            if not isinstance(one, torch.Tensor | int | float):
                raise self.refuse(node, f"{kind_of(one)} is not compared")
        return self.apply(node, "compare", COMPARED[type(node.ops[0])], (left, right), {})
