"""Where an einsum equation stands in a learner's text: bare, in quotes, or in a call. Reads no equation."""

import re
from dataclasses import dataclass, replace

from cards.expressions.text import Plain, plain
from cards.grading import Unreadable, quoted

_QUOTES = dict.fromkeys(map(ord, "'‘’‚‛“”„‟«»′″`´＂＇"), '"')
_TOKEN = re.compile(
    r' *(?:(?P<text>"[^"]*")|(?P<name>[A-Za-z_]\w*(?: *\. *[A-Za-z_]\w*)*)|(?P<sign>.)) *', re.DOTALL
)
_ONE_LETTER = ("torch", "np", "numpy", "jnp", "tf", "opt_einsum")
_LIBRARIES = (*_ONE_LETTER, "einops")


@dataclass(frozen=True)
class Name:
    """An operand as a call names it."""

    text: str
    offset: int


@dataclass(frozen=True)
class Written:
    """The text made plain, the span of the equation in it, the operands named in order.

    `by_letter`: the call is one of those that take one letter for an axis.
    """

    plain: Plain
    span: tuple[int, int]
    names: tuple[Name, ...] = ()
    by_letter: bool = False


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def written(text: str) -> Written:
    """The equation of a text and what is named beside it. Raises Unreadable with the offset."""
    source = replace(plain(text.translate(_QUOTES)), original=text)
    count = source.text.count('"')
    if not count:
        start = len(source.text) - len(source.text.lstrip())
        if called := re.match(r" *(?:\w+\.)?einsum *\(", source.text):
            raise Unreadable("Inside a call the equation stands in quotes.", source.offset(called.end()))
        return Written(source, (start, len(source.text.rstrip())))
    if count != 2:
        last = source.text.rindex('"')
        raise Unreadable("The equation stands between one pair of quotes.", source.offset(last))
    return _Outside(source).read()


class _Outside:
    """What stands around the quotes, from left to right."""

    def __init__(self, source: Plain) -> None:
        self.source = source
        self.tokens = [
            _Token(str(m.lastgroup), m[str(m.lastgroup)], m.start(str(m.lastgroup)), m.end(str(m.lastgroup)))
            for m in _TOKEN.finditer(source.text)
        ]
        self.position = 0

    def read(self) -> Written:
        """[name =] [library.einsum (] names and the equation [)]"""
        if self.texts(2)[1:] == ["="] and self.tokens[0].kind == "name":
            self.position += 2
        library = self.call()
        equation, names = self.arguments()
        if library is not None:
            self.expect(")")
        while self.position < len(self.tokens) and self.tokens[self.position].text == ";":
            self.position += 1
        if self.position < len(self.tokens):
            raise self.unread()
        span = (equation.start + 1, equation.end - 1)
        return Written(self.source, span, tuple(names), by_letter=library in _ONE_LETTER)

    def call(self) -> str | None:
        """The library of a call, "" for einsum alone, None where nothing is called."""
        if self.texts(2)[1:] != ["("] or self.tokens[self.position].kind != "name":
            return None
        token = self.tokens[self.position]
        library, _, function = token.text.replace(" ", "").rpartition(".")
        if function != "einsum" or library not in ("", *_LIBRARIES):
            raise Unreadable(
                f"I know torch.einsum and einops.einsum, not {quoted(token.text)}.",
                self.source.offset(token.start),
            )
        self.position += 2
        return library

    def arguments(self) -> tuple[_Token, list[Name]]:
        """The equation and the operands, with commas between."""
        equation, names = None, []
        while self.position < len(self.tokens) and self.tokens[self.position].kind != "sign":
            token = self.tokens[self.position]
            self.position += 1
            if token.kind == "text":
                equation = token
            else:
                names.append(Name(token.text, self.source.offset(token.start)))
            if self.texts(1) != [","]:
                break
            self.position += 1
        if equation is None:
            raise self.unread()
        return equation, names

    def texts(self, count: int) -> list[str]:
        """The next tokens."""
        return [token.text for token in self.tokens[self.position : self.position + count]]

    def expect(self, sign: str) -> None:
        """The next token is this sign."""
        if self.texts(1) != [sign]:
            raise self.unread()
        self.position += 1

    def unread(self) -> Unreadable:
        """The refusal at the next token."""
        token = self.tokens[self.position] if self.position < len(self.tokens) else None
        if token is None:
            return Unreadable("The call is not closed; write ) at its end.", len(self.source.original))
        said = f"I could not read {quoted(self.source.original)} at {quoted(token.text)}. "
        return Unreadable(f"{said}Name operands alone, such as q, k.", self.source.offset(token.start))
