"""A chain of tensor operations read from text: names and whole numbers, nothing is run. Knows no tensor."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NoReturn

Argument = int | tuple[int, ...]
MOST_OPS = 12
MOST_SIZES = 8
LARGEST = 2**31 - 1

SIZES = frozenset({"view", "reshape", "permute", "expand"})
"""Operations that take any number of whole numbers, or one tuple of them."""
ATTRIBUTES = frozenset({"T", "mT"})
SIGNATURES: Mapping[str, tuple[tuple[str, Argument | None], ...]] = MappingProxyType(
    {
        "contiguous": (),
        "transpose": (("dim0", None), ("dim1", None)),
        "flatten": (("start_dim", 0), ("end_dim", -1)),
        "unflatten": (("dim", None), ("sizes", None)),
        "unsqueeze": (("dim", None),),
        "narrow": (("dim", None), ("start", None), ("length", None)),
        "select": (("dim", None), ("index", None)),
    }
)
"""Names of the others' arguments, as torch has them, and their defaults (None: must be given)."""
OPS = (*sorted(SIZES), *sorted([*SIGNATURES, "squeeze"]), *sorted(ATTRIBUTES))
BASES = ("x", "q")
TOKEN = re.compile(r"\s*(?:(?P<number>[0-9]+)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<sign>\S))")


class BadChain(ValueError):
    """A text that is no chain of known operations; the message says where and what is possible."""


@dataclass(frozen=True)
class Op:
    """One call on the tensor before it; the arguments are complete, sizes are one tuple."""

    name: str
    arguments: tuple[Argument, ...] = ()

    def __str__(self) -> str:
        """As Python writes it: view(2, 4, 12, 64), unflatten(-1, (12, 64)), T."""
        if self.name in ATTRIBUTES:
            return self.name
        given = self.arguments[0] if self.name in SIZES and self.arguments[0] else self.arguments
        assert isinstance(given, tuple)
        return f"{self.name}({', '.join(str(value) for value in given)})"


def parse(text: str, names: Mapping[str, int]) -> tuple[Op, ...]:
    """ "view(B, T, H, D).transpose(1, 2)" -> two operations; `names` are numbers that the text may use.

    A leading "x." is left out. Raises BadChain."""
    return _Reader(text, names).chain()


def written(ops: Sequence[Op], base: str = "x") -> str:
    """The chain as code: x.view(2, 4, 12, 64).transpose(1, 2)."""
    return ".".join([base, *map(str, ops)])


class _Reader:
    """Reads tokens from left to right; where it stands is where an error points."""

    def __init__(self, text: str, names: Mapping[str, int]) -> None:
        self._names = names
        self._tokens = [(m.start(m.lastgroup or 0), m[m.lastgroup or 0]) for m in TOKEN.finditer(text)]
        self._at = 0

    def chain(self) -> tuple[Op, ...]:
        if self._next in BASES:
            self._take()
            self._expect(".")
        ops = [self._op()]
        while self._next:
            self._expect(".")
            ops.append(self._op())
        if len(ops) > MOST_OPS:
            raise BadChain(f"{len(ops)} operations in a chain; at most {MOST_OPS} are drawn")
        return tuple(ops)

    @property
    def _next(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        token = self._next
        self._at += 1
        return token

    def _fail(self, wanted: str) -> NoReturn:
        found = ascii(self._next[:20]) if self._next else "the end"
        place = f"character {self._tokens[self._at][0] + 1}" if self._next else "the end"
        raise BadChain(f"at {place}: {wanted}, not {found}")

    def _expect(self, sign: str) -> None:
        if self._next != sign:
            self._fail(f'"{sign}" belongs here')
        self._take()

    def _op(self) -> Op:
        if self._next not in OPS:
            self._fail(f"an operation belongs here ({', '.join(OPS)})")
        name = self._take()
        if name in ATTRIBUTES:
            return Op(name)
        self._expect("(")
        return _op(name, self._arguments())

    def _arguments(self) -> list[tuple[str, Argument]]:
        """(keyword or "", value) until the closing parenthesis."""
        found: list[tuple[str, Argument]] = []
        while self._next != ")":
            keyword = ""
            if self._at + 1 < len(self._tokens) and self._tokens[self._at + 1][1] == "=":
                keyword = self._take()
                self._take()
            found.append((keyword, self._value()))
            if self._next != ")":
                self._expect(",")
        self._take()
        return found

    def _value(self) -> Argument:
        """A number, or numbers in parentheses or brackets; (7) is the number 7, as in Python."""
        if self._next not in {"(", "["}:
            return self._number()
        closing, commas = {"(": ")", "[": "]"}[self._take()], 0
        numbers = []
        while self._next != closing:
            numbers.append(self._number())
            if self._next != closing:
                self._expect(",")
                commas += 1
        if len(numbers) > MOST_SIZES:
            self._fail(f"at most {MOST_SIZES} numbers belong between parentheses")
        self._take()
        return numbers[0] if closing == ")" and len(numbers) == 1 and not commas else tuple(numbers)

    def _number(self) -> int:
        """A whole number, a known name, or a product of these; a minus before it."""
        sign = 1
        if self._next == "-":
            self._take()
            sign = -1
        factors = [self._factor()]
        while self._next == "*":
            self._take()
            factors.append(self._factor())
        number = sign * math.prod(factors)
        if abs(number) > LARGEST:
            raise BadChain(f"{str(number)[:24]} is beyond 2^31 - 1, the largest size of an axis here")
        return number

    def _factor(self) -> int:
        token = self._next
        if token in self._names:
            return self._names[self._take()]
        if not re.fullmatch(r"[0-9]{1,20}", token):
            self._fail(f"a whole number or one of {', '.join(self._names)} belongs here")
        return int(self._take())


def _op(name: str, given: list[tuple[str, Argument]]) -> Op:
    if name in SIZES:
        return Op(name, (_sizes(name, given),))
    if name == "squeeze":
        return _squeeze(given)
    signature = SIGNATURES[name]
    filled = _bound(name, given)
    for (parameter, _), value in zip(signature, filled, strict=True):
        if isinstance(value, tuple) != (parameter == "sizes"):
            wanted = "a tuple of sizes, as (12, 64)" if parameter == "sizes" else "one whole number"
            raise BadChain(f"{name} takes {wanted} for {parameter}, not {value}")
    return Op(name, filled)


def _sizes(name: str, given: list[tuple[str, Argument]]) -> tuple[int, ...]:
    values = [value for keyword, value in given if not keyword]
    flat = values[0] if len(values) == 1 and isinstance(values[0], tuple) else tuple(values)
    numbers = tuple(value for value in flat if isinstance(value, int))
    if len(values) < len(given) or len(numbers) < len(flat) or not given:
        raise BadChain(f"{name} takes whole numbers or one tuple of them: {name}(2, 4, 768)")
    if len(numbers) > MOST_SIZES:
        raise BadChain(f"{name} of {len(numbers)} sizes; at most {MOST_SIZES} are read")
    if name == "expand" and min(numbers, default=0) < -1:
        raise BadChain(f"expand keeps an axis by -1; {min(numbers)} is no size")
    return numbers


def _squeeze(given: list[tuple[str, Argument]]) -> Op:
    """The one that takes nothing, an axis, or a tuple of axes."""
    if len(given) > 1 or any(keyword not in {"", "dim"} for keyword, _ in given):
        raise BadChain("squeeze takes nothing, one axis, or one tuple of axes: squeeze(1)")
    return Op("squeeze", tuple(value for _, value in given))


def _bound(name: str, given: list[tuple[str, Argument]]) -> tuple[Argument, ...]:
    """The arguments in the order of the signature, keywords found by name, defaults filled in."""
    signature = SIGNATURES[name]
    names = [parameter for parameter, _ in signature]
    unnamed = [*names, *([""] * len(given))]
    places = {keyword or unnamed[i]: value for i, (keyword, value) in enumerate(given)}
    values = [places.get(parameter, default) for parameter, default in signature]
    filled = tuple(value for value in values if value is not None)
    if len(places) < len(given) or not set(places) <= set(names) or len(filled) < len(names):
        takes = ", ".join(names) or "nothing"
        raise BadChain(f"{name} takes {takes}; {len(given)} given")
    return filled
