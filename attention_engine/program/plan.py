"""At which sizes two programs are compared: tiny primes, or the card's own where numbers are written out."""

import ast
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from attention_engine.program import words
from attention_engine.program.inputs import Sizes, shapes
from attention_engine.program.reader import dotted
from attention_engine.program.syntax import Program

Place = tuple[int, int]
MOST_OWN_NUMBERS = 2_000_000
"""Numbers of all inputs up to which programs are compared at the card's own sizes."""
MOST_INSTEAD = 150_000
"""The same, where primes are tried first and decide nothing."""
PRIMES, SUBSTITUTED, OWN, NONE = "primes", "substituted", "own", "none"
_BY_NAME = {
    **dict.fromkeys(("shape", "size", "sizes"), words.SIZE),
    **dict.fromkeys(
        ("repeats", "chunks", "split_size", "split_size_or_sections", "start", "length"), words.COUNT
    ),
    **dict.fromkeys(("other", "value", "exponent", "scale", "bias", "is_causal"), words.NUMBER),
}


@dataclass(frozen=True)
class Literal:
    """A number written in a program; `among`: the other numbers of the same shape, None beside a name."""

    place: Place
    value: int | float
    role: str
    call: str = ""
    among: tuple[int | float, ...] | None = ()


@dataclass(frozen=True)
class Plan:
    """Where programs are compared: the sizes of each trial, and what written numbers stand for there."""

    mode: str
    sizes: tuple[Sizes, ...]
    literals: tuple[tuple[Mapping[Place, int | float], ...], ...] = ()
    """Per program, per trial: the number that stands for the one written at a place."""
    stands_for: Mapping[int | float, str] = field(default_factory=dict)


def plan(programs: tuple[Program, ...], sizes: Sizes, layout: str) -> Plan:
    """Tiny primes where no size is written as a number; else primes in their place, where each number means
    one size alone; else the card's own sizes, where they are small; else none."""
    found = [tuple(literals(program)) for program in programs]
    flat = [literal for several in found for literal in several]
    trials = primes(sizes, even=sizes.D % 2 == 0 and any(_halves(literal, sizes) for literal in flat))
    concrete = [literal for literal in flat if not _generic(literal, sizes)]
    if not concrete:
        return Plan(PRIMES, trials)
    names = [(literal.value, _name(literal, sizes, trials)) for literal in concrete]
    stands_for = dict(names)
    if all(name and stands_for[value] == name for value, name in names):
        kept = ([one for one in several if not _generic(one, sizes)] for several in found)
        exchanged = tuple(_exchanged(several, stands_for, trials) for several in kept)
        return Plan(SUBSTITUTED, trials, exchanged, stands_for)
    return own_sizes(programs, sizes, layout)


def own_sizes(
    programs: tuple[Program, ...], sizes: Sizes, layout: str, *, most: int = MOST_OWN_NUMBERS
) -> Plan:
    """One trial at the card's own sizes, none where its inputs hold more numbers."""
    numbers = sum(math.prod(shape) for shape in input_shapes(programs, sizes, layout))
    return Plan(OWN, (sizes,)) if numbers <= most else Plan(NONE, ())


def input_shapes(programs: tuple[Program, ...], sizes: Sizes, layout: str) -> list[tuple[int, ...]]:
    """Shapes of all tensors that programs are given."""
    reads = dict.fromkeys(name for program in programs for name in program.reads)
    return list(shapes(reads, sizes, layout).values())


def primes(sizes: Sizes, *, even: bool) -> tuple[Sizes, ...]:
    """Two sets of distinct primes for the axes, and the first again, for a third trial with other numbers.

    What is 1, or equal by the card's own numbers, stays so."""
    first = _prime(sizes, (3, 7, 2, 5, 11, 13, 17), even=even)
    return first, _prime(sizes, (7, 5, 3, 2, 13, 11, 19), even=even), first


def _prime(sizes: Sizes, row: tuple[int, ...], *, even: bool) -> Sizes:
    """The layer with primes for its axes: B, T, heads of K and V, query heads of each, D, T_k, d_model."""
    batch, tokens, kv_heads, group, width, keys, model = row
    grouped = 1 < sizes.H_kv < sizes.H
    heads = 1 if sizes.H == 1 else kv_heads * group if grouped else group
    width = 1 if sizes.D == 1 else width * 2 if even else width
    kept = 1 if sizes.T == 1 else tokens
    return Sizes(
        B=1 if sizes.B == 1 else batch,
        T=kept,
        K=kept if sizes.K == sizes.T else 1 if sizes.K == 1 else keys,
        H=heads,
        H_kv=kv_heads if grouped else 1 if sizes.H_kv == 1 else heads,
        D=width,
        C=heads * width if sizes.C == sizes.H * sizes.D else model,
    )


def _exchanged(
    found: list[Literal], stands_for: Mapping[int | float, str], trials: tuple[Sizes, ...]
) -> tuple[Mapping[Place, int | float], ...]:
    """For each trial the number that takes the place of a concrete one of this program."""
    return tuple({one.place: _numbers(trial)[stands_for[one.value]] for one in found} for trial in trials)


@lru_cache(maxsize=256)
def _numbers(sizes: Sizes) -> dict[str, int | float]:
    """Sizes by name, and what scores are divided by or multiplied with."""
    width = sizes.D
    return {**sizes.products, "sqrt(D)": math.sqrt(width), "1/sqrt(D)": width**-0.5, "1/D": 1 / width}


def rounded(where: Plan, sizes: Sizes) -> bool:
    """Whether a number is written as learners round it: 11.31 for the root of 128."""
    return any(number != _numbers(sizes)[name] for number, name in where.stands_for.items())


def _generic(literal: Literal, sizes: Sizes) -> bool:
    """Whether a number means the same at any size: an axis, 0, 1, a half, three projections, a base."""
    value, role = literal.value, literal.role
    if role in {words.AXIS, words.STEP} or value in {0, 1}:
        return True
    if role == words.SIZE:
        return value <= 3 and (literal.among is None or (value == 3 and not _is_size(value, sizes)))
    if role == words.COUNT and literal.call == "chunk":
        return value in {2, 3} and value not in {sizes.H, sizes.H_kv, sizes.T}
    if role == words.COUNT:
        return False
    return value in {2, 0.5} or not any(_means(value, one) for one in _numbers(sizes).values())


def _means(written: float, number: float) -> bool:
    """Whether what is written is this number: a size to the last digit, a root as learners round it."""
    return written == number if isinstance(number, int) else math.isclose(written, number, rel_tol=1e-3)


def _is_size(value: int | float, sizes: Sizes) -> bool:
    return value in {sizes.B, sizes.T, sizes.K, sizes.H, sizes.H_kv, sizes.H // sizes.H_kv, sizes.D}


def _halves(literal: Literal, sizes: Sizes) -> bool:
    """Whether a program cuts the width of a head into halves or pairs: then the width must be even."""
    half = literal.value == sizes.D // 2 and literal.value > 2
    return half or (literal.value == 2 and literal.role not in {words.AXIS, words.SIZE})


def _name(literal: Literal, sizes: Sizes, trials: tuple[Sizes, ...]) -> str:
    """The one size a number can mean; "" where several have it, none has, or a shape has it twice."""
    if literal.among and literal.among.count(literal.value) > 1:
        return ""
    table = _numbers(sizes) if literal.role == words.NUMBER else sizes.products
    names = [name for name, value in table.items() if _means(literal.value, value)]
    meanings = {tuple(_numbers(trial)[name] for trial in trials) for name in names}
    return names[0] if len(meanings) == 1 else ""


def literals(program: Program) -> Iterator[Literal]:
    """Every number that is written, with what it is for."""
    for statement in program.statements:
        yield from _literals(statement.value, words.NUMBER)


def _literals(
    node: ast.AST, role: str, call: str = "", among: tuple[int | float, ...] | None = ()
) -> Iterator[Literal]:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, int | float) and not isinstance(node.value, bool):
            yield Literal((node.lineno, node.col_offset), node.value, role, call, among)
    elif isinstance(node, ast.Tuple | ast.List):
        beside = _among(node.elts) if role == words.SIZE else among
        for element in node.elts:
            yield from _literals(element, role, call, beside)
    elif isinstance(node, ast.UnaryOp):
        yield from _literals(node.operand, role, call, among)
    elif isinstance(node, ast.Subscript):
        yield from _literals(node.value, words.NUMBER)
        yield from _index(node.slice)
    elif isinstance(node, ast.Call):
        yield from _arguments(node)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _literals(child, words.NUMBER)


def _among(elements: list[ast.expr]) -> tuple[int | float, ...] | None:
    """The numbers of a shape; None where it has a name in it."""
    if any(isinstance(part, ast.Name) for element in elements for part in ast.walk(element)):
        return None
    return tuple(
        part.value for part in elements if isinstance(part, ast.Constant) and isinstance(part.value, int)
    )


def _index(node: ast.AST) -> Iterator[Literal]:
    """Numbers in brackets: the ends of a slice count, a single place and a step do not depend on sizes."""
    if isinstance(node, ast.Tuple):
        for element in node.elts:
            yield from _index(element)
    elif isinstance(node, ast.Slice):
        for end in (node.lower, node.upper):
            if end is not None:
                yield from _literals(end, words.COUNT)
        if node.step is not None:
            yield from _literals(node.step, words.STEP)
    elif isinstance(node, ast.Constant | ast.UnaryOp):
        yield from _literals(node, words.STEP)
    else:
        yield from _literals(node, words.NUMBER)


def _arguments(node: ast.Call) -> Iterator[Literal]:
    name = dotted(node.func)
    method = name not in words.FUNCTIONS
    if method and isinstance(node.func, ast.Attribute):
        yield from _literals(node.func.value, words.NUMBER)
        name = node.func.attr
    row = words.METHODS[name] if method else words.FUNCTIONS[name]
    last = name.rpartition(".")[2]
    beside = _among(node.args)
    for place, argument in enumerate(node.args):
        yield from _literals(argument, row.role(place, method=method), last, beside)
    for keyword in node.keywords:
        pattern = last in words.PATTERNS and not name.startswith("torch.") and not method
        role = words.SIZE if pattern else _BY_NAME.get(keyword.arg or "", words.AXIS)
        yield from _literals(keyword.value, role, last)
