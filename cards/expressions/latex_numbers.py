r"""LaTeX of a number spelled plainly: `\frac{768}{12}` as (768)/(12), `2^{6}` as 2^(6). Knows no arithmetic.

Each sign keeps the place it had in the learner's text. A command that no number needs is unreadable.
"""

import re
from dataclasses import dataclass

from cards.expressions.text import Plain
from cards.grading import Unreadable, quoted

MAX_DEPTH = 40
_COMMAND = re.compile(r"\\([A-Za-z]+|.)")
_SIGNS = {"cdot": "*", "times": "*", "ast": "*", "div": "/", "%": "%", "lparen": "(", "rparen": ")"}
_BLANKS = frozenset({",", ";", ":", "!", " ", "quad", "qquad", "thinspace", "displaystyle"})
_BRACKETS = frozenset({"left", "right", "big", "Big", "bigl", "bigr", "Bigl", "Bigr"})
_FRACTIONS = frozenset({"frac", "dfrac", "tfrac", "cfrac"})
_TEXTS = frozenset(
    {"text", "textrm", "textbf", "textit", "mathrm", "mathbf", "mathit", "operatorname", "boxed"}
)
_WRAPPED = re.compile(r"^\s*(?:\$\$(.*)\$\$|\$([^$]*)\$|\\\((.*)\\\)|\\\[(.*)\\\])\s*$", re.DOTALL)


def without_latex(source: Plain, *, times: str = "*", way_out: str = "Give one number.") -> Plain:
    r"""The same text with its LaTeX spelled out; a text that has none is given back as it is.

    `times` is what `\times` and `\cdot` become, `way_out` ends a refusal. Raises Unreadable at
    a command that is not known, or a brace that is not closed.
    """
    if not any(sign in source.text for sign in "\\$") and not re.search(r"[\^_]\{|\{,\}", source.text):
        return source
    if not (inner := _unwrapped(source)).text.strip():
        raise Unreadable("There is no answer yet.")
    speller = _Speller(inner, times, way_out)
    speller.spell_until("")
    return Plain("".join(speller.pieces), (*speller.origins, inner.origins[-1]), source.original)


def _unwrapped(source: Plain) -> Plain:
    """What stands between dollars or LaTeX's own brackets."""
    match = _WRAPPED.match(source.text)
    if match is None:
        return source
    group = next(g for g in range(1, 5) if match[g] is not None)
    return sliced(source, match.start(group), match.end(group))


def sliced(source: Plain, start: int, end: int) -> Plain:
    """A part of a text that still knows where it stood."""
    return Plain(source.text[start:end], source.origins[start : end + 1], source.original)


@dataclass
class _Speller:
    """One pass from left to right."""

    source: Plain
    times: str
    way_out: str

    def __post_init__(self) -> None:
        self.pieces: list[str] = []
        self.origins: list[int] = []
        self.index = self.depth = 0

    def spell_until(self, closing: str) -> None:
        """Everything up to the closing brace, or to the end of the text."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.refusal(self.index)
        start = self.index
        while self.index < len(self.source.text):
            if closing and self.source.text[self.index] == closing:
                self.index += 1
                self.depth -= 1
                return
            self.one()
        if closing:
            raise self.refusal(start - 1)
        self.depth -= 1

    def one(self) -> None:
        """The next sign, command or group."""
        text = self.source.text
        if text.startswith("{,}", self.index):
            self.put(",", self.index + 1)
            self.index += 3
        elif text[self.index] == "\\":
            self.command()
        elif text[self.index] == "~":
            self.put(" ")
            self.index += 1
        else:
            self.put(text[self.index])
            self.index += 1
            self.raised(text[self.index - 1])

    def raised(self, sign: str) -> None:
        """The group after ^ and _: an exponent in parentheses, an index as part of the name."""
        if sign not in "^_" or not self.source.text.startswith("{", self.index):
            return
        self.index += 1
        first = len(self.pieces)
        self.spell_until("}")
        if sign == "^":
            self.enclose(first)

    def command(self) -> None:
        """A command and its arguments."""
        start = self.index
        match = _COMMAND.match(self.source.text, start)
        if match is None:
            raise self.refusal(start)
        name, self.index = match[1], match.end()
        if name in _SIGNS:
            self.put(self.times if _SIGNS[name] == "*" else _SIGNS[name], start)
        elif name in _BLANKS:
            self.put(" ", start)
        elif name in _FRACTIONS:
            self.fraction(start)
        elif name == "sqrt":
            self.put("sqrt", start)
            self.argument(start, always=True)
        elif name in _TEXTS:
            self.words(start)
        elif name not in _BRACKETS:
            raise self.refusal(start)

    def fraction(self, start: int) -> None:
        """The first argument over the second; in parentheses where a neighbour would bind one of them."""
        first = len(self.pieces)
        before = "".join(self.pieces).rstrip()[-1:]
        self.argument(start, joined=True)
        self.put("/", start)
        self.argument(start)
        after = self.source.text[self.index :].lstrip()
        if before in ("", "=", "+", "-", "(") and (not after or after[0] in "=+-)}" or after[0].isalpha()):
            return
        self.enclose(first, always=True)

    def argument(self, start: int, *, always: bool = False, joined: bool = False) -> None:
        r"""A group, a command or one sign: `\frac12` is 1 over 2."""
        self.skip_blanks()
        if self.index >= len(self.source.text) or self.source.text[self.index] in "}^_=+*/)]":
            raise self.refusal(start)
        first = len(self.pieces)
        if self.source.text[self.index] == "{":
            self.index += 1
            self.spell_until("}")
        elif self.source.text[self.index] == "\\":
            self.nested_command()
        else:
            self.one()
        if len(self.pieces) == first:
            raise self.refusal(start)
        if not joined or not self.is_numeral(first):
            self.enclose(first, always=always)

    def is_numeral(self, first: int) -> bool:
        """Whether the pieces from `first` on are digits."""
        return re.fullmatch(r"[\d.]+", "".join(self.pieces[first:])) is not None

    def enclose(self, first: int, *, always: bool = False) -> None:
        """Parentheses around the pieces from `first` on, unless they are a numeral that stays one."""
        if not always and self.is_numeral(first) and not re.match(r"[\d.,]", self.source.text[self.index :]):
            return
        at = sum(map(len, self.pieces[:first]))
        self.origins.insert(at, self.origins[at] if at < len(self.origins) else self.source.origins[-1])
        self.pieces.insert(first, "(")
        self.put(")", max(self.index - 1, 0))

    def nested_command(self) -> None:
        """A command as an argument, one level down."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.refusal(self.index)
        self.command()
        self.depth -= 1

    def words(self, start: int) -> None:
        r"""What `\text{...}` holds, as it stands; after an underscore it belongs to the name."""
        self.skip_blanks()
        if not self.source.text.startswith("{", self.index):
            raise self.refusal(start)
        self.index += 1
        self.spell_until("}")

    def skip_blanks(self) -> None:
        """LaTeX does not see blanks before an argument."""
        while self.source.text.startswith(" ", self.index):
            self.index += 1

    def put(self, piece: str, index: int | None = None) -> None:
        """A piece of plain text that stands for the sign at `index`."""
        at = self.source.origins[min(self.index if index is None else index, len(self.source.origins) - 1)]
        self.pieces.append(piece)
        self.origins.extend([at] * len(piece))

    def refusal(self, index: int) -> Unreadable:
        """The refusal at a sign."""
        message = f"I could not read {quoted(self.source.original)}. {self.way_out}"
        return Unreadable(message, self.source.offset(max(index, 0)))
