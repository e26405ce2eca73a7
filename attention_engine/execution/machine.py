"""One operation of a program: carried out, measured and kept, or ended in its own words. Knows no grammar."""

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch

from attention_engine.execution import operations
from attention_engine.execution.exact import RAISED, exact_words
from attention_engine.execution.limits import Meter
from attention_engine.execution.operations import Space
from attention_engine.execution.quick import quick
from attention_engine.execution.ran import Failed, Failure, Ran, Step
from attention_engine.program import Program, RefusedProgram, TooMuch, words
from attention_engine.program.reader import LARGEST_INTEGER, dotted


class Machine:
    """The values of a program while it runs, and the operations that have run."""

    def __init__(self, program: Program, given: Mapping[str, Any], *, space: Space, meter: Meter) -> None:
        self.program, self.space, self.meter = program, space, meter
        self.values = dict(given)
        self.meter.given([value for value in given.values() if isinstance(value, torch.Tensor)])
        self.steps: list[Step] = []
        self.kept: list[tuple[int, torch.Tensor]] | None = None
        self.statement = program.statements[0]

    def ran(self, *, tensor: torch.Tensor | None = None, failure: Failure | None = None) -> Ran:
        """What became of the program, with what it took."""
        return Ran(tuple(self.steps), tensor, failure, self.meter.work, self.meter.operations)

    def refuse(self, node: ast.AST, why: str, *, because: RefusedProgram | None = None) -> RefusedProgram:
        """What to raise where a line is not run."""
        line = getattr(node, "lineno", self.statement.line)
        told, offset = f"line {line}: {why}", self.program.offset(node)
        if isinstance(because, TooMuch):
            return TooMuch(told, offset, numbers=because.numbers)
        return RefusedProgram(told, offset)

    def failure(
        self, node: ast.AST, name: str, said: str, arguments: tuple[Any, ...], named: Mapping[str, Any]
    ) -> Failure:
        """What became of a node in the words of torch, einops or Python."""
        line = getattr(node, "lineno", self.statement.line)
        return Failure(line, self.statement.code, self.code(node), said, name, arguments, named)

    def code(self, node: ast.AST) -> str:
        """The operation as written, without the tensor it is called on where that has a row of its own."""
        on = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
        on = node.value if isinstance(node, ast.Subscript | ast.Attribute) else on
        alone = on is None or isinstance(on, ast.Name) or dotted(on) in words.MODULES
        return self.program.code(node, after=None if alone else on)

    def apply(
        self,
        node: ast.AST,
        name: str,
        call: Callable[..., Any],
        arguments: Sequence[Any],
        named: Mapping[str, Any],
    ) -> Any:
        """One operation: run, measured and kept, or ended in torch's own words."""
        arguments = tuple(arguments)
        try:
            self.meter.operation(operations.COSTS.get(name, 1) if _of_tensors(arguments) else 1)
            if name in operations.PICKY:
                operations.probe(call, arguments, named)
            value = quick(name, arguments, named)
            value = call(*arguments, **named) if value is None else value
            value = self._one_float(value, partial(_in_floats, call, arguments, named, self.space.dtype))
            times, beside = operations.multiplications(name, (*arguments, *named.values()), value)
            self.meter.multiplies(times)
            self.meter.holds(beside)
            self.meter.made(value)
        except RefusedProgram as refused:
            raise self.refuse(node, refused.message, because=refused) from None
        except RAISED as error:
            said = exact_words(error, call, arguments, named)
            raise Failed(self.failure(node, name, said, arguments, named)) from None
        self._keep(node, value)
        return value

    def _one_float(self, value: Any, again: Callable[[], Any]) -> Any:
        """Floats of another width than the space's become its own, as in a program all of one dtype.

        again: the same of whole numbers as floats, since torch rounds to float32 what it makes of them."""
        dtype = self.space.dtype
        if not isinstance(value, torch.Tensor) or not value.is_floating_point() or value.dtype == dtype:
            return value
        return value.to(dtype) if value.is_meta else again().to(dtype)

    def _keep(self, node: ast.AST, value: Any) -> None:
        first = value[0] if isinstance(value, tuple | list) and value else value
        if isinstance(first, torch.Tensor):
            line = getattr(node, "lineno", self.statement.line)
            pieces = 1 if first is value else len(value)
            laid = (tuple(first.shape), tuple(first.stride()), first.is_contiguous())
            self.steps.append(Step(line, self.code(node), *laid, pieces))
            if self.kept is not None:
                several = value if isinstance(value, tuple | list) else (value,)
                place = self.program.statements.index(self.statement)
                self.kept.extend((place, one) for one in several if isinstance(one, torch.Tensor))

    def number(self, node: ast.AST, value: Any) -> Any:
        """A plain number within its bounds. Raises RefusedProgram."""
        if not isinstance(value, int | float):
            raise self.refuse(node, f"{kind_of(value)} is no number of the language")
        if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
            raise self.refuse(node, f"a whole number is at most {LARGEST_INTEGER:,}")
        return value


def _of_tensors(arguments: Sequence[Any]) -> bool:
    return any(isinstance(one, torch.Tensor) for one in arguments)


def _in_floats(
    call: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any], dtype: torch.dtype
) -> Any:
    """The call on the same whole numbers as floats of this width."""

    def wide(one: Any) -> Any:
        whole = isinstance(one, torch.Tensor) and not one.is_floating_point() and one.dtype != torch.bool
        return one.to(dtype) if whole else one

    return call(*(wide(one) for one in arguments), **{name: wide(one) for name, one in named.items()})


def kind_of(value: Any) -> str:
    """A value as a sentence calls it."""
    if isinstance(value, tuple | list):
        inside = "tensors" if any(isinstance(one, torch.Tensor) for one in value) else "entries"
        return f"a tuple of {len(value)} {inside}"
    names = {str: "a text", bool: "True or False", complex: "a complex number", type(None): "None"}
    return names.get(type(value), f"a {type(value).__name__}")
