"""A formula's text cut into numerals, words, signs and brackets: plain, Unicode or LaTeX. Knows no grammar.

Every token keeps its place in the original text. Work is bounded by the length of the text and the number of
tokens; what is no sign of a formula is refused where it stands.
"""

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from cards.expressions import tokens as numerals
from cards.expressions.maths import latex
from cards.expressions.maths.names import GREEK
from cards.expressions.text import Plain, plain
from cards.grading import Unreadable, quoted

MAX_TOKENS = 300
_NUMBER = (
    r"(?:\d{1,3}(?P<by>,|_| |\{,\}|\\,)\d{3}(?:(?P=by)\d{3})*(?!\d)(?:\.\d+)?"
    r"|\d+(?:\.\d+|\.(?![A-Za-z]))?|\.\d+)"
)
_NUMERAL = re.compile(rf"(?P<number>{_NUMBER})(?P<exponent>[eE][+-]?\d+(?![\d.]))?")
_LETTER = rf"A-Za-z{''.join(GREEK)}"
_WORD = re.compile(rf"[{_LETTER}][{_LETTER}0-9_]*")
_SIGN = re.compile(r"\*\*|[-+*/^%,;@]|==|<=|>=|!=|<>|[=<>!]")
_COMMAND = re.compile(r"\\([A-Za-z]+\*?|.)", re.DOTALL)
_INSIDE = r"\s*([A-Za-z0-9_ ,\-]*?)\s*"
_BRACED = re.compile(rf"\{{(?:{_INSIDE}|\s*(?:\\[a-zA-Z]+\s*)?\{{{_INSIDE}\}}\s*)\}}")
_BARE = re.compile(r"([A-Za-z0-9]+)")
_WORDED = re.compile(r"\\([a-zA-Z]+)\s*")
_SPELLED = {"**": "^", "==": "=", "<>": "!="}
_WRAPPERS = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))


@dataclass(frozen=True)
class Token:
    """One sign: kind (number word sign open close bar root frac end), text, and where it starts and ends.

    A word keeps the place of each of its letters in `marks`, a numeral its `value`.
    """

    kind: str
    text: str
    start: int
    end: int
    marks: tuple[int, ...] = ()
    value: Fraction = Fraction(0)


def tokens(text: str) -> list[Token]:
    """The tokens of a text, an `end` last. Raises Unreadable at the first sign that is none."""
    return _Cutter(text).all()


class _Cutter:
    """One pass over the plain text, from left to right."""

    def __init__(self, text: str) -> None:
        one_sign = {ord("√"): latex.ROOT, ord("'"): "′", ord("’"): "′"}
        self.source: Plain = _unescaped(replace(plain(text.translate(one_sign)), original=text))
        self.text = self.source.text
        self.found: list[Token] = []
        self.index, self.stop = self._inside()

    def _inside(self) -> tuple[int, int]:
        """First and one past the last character between $ $, \\( \\) or \\[ \\], if there are any."""
        start = len(self.text) - len(self.text.lstrip())
        stop = len(self.text.rstrip())
        for opening, closing in _WRAPPERS:
            enough = stop - start > len(opening) + len(closing)
            if enough and self.text[start:stop].startswith(opening) and self.text[:stop].endswith(closing):
                return start + len(opening), stop - len(closing)
        return start, stop

    def all(self) -> list[Token]:
        """Every token, and the end."""
        while self.index < self.stop:
            if self.text[self.index] in " ~":
                self.index += 1
                continue
            self._one()
            if len(self.found) > MAX_TOKENS:
                raise Unreadable(
                    f"That has more than {MAX_TOKENS} parts; write it shorter.", self.found[-1].start
                )
        if not self.found:
            raise Unreadable("There is no answer yet.")
        at = self.source.offset(self.stop)
        return [*self.found, Token("end", "", at, at)]

    def refused(self, index: int, way_out: str = "Write one formula.") -> Unreadable:
        """The refusal that quotes the answer and points at a sign of it."""
        return Unreadable(
            f"I could not read {quoted(self.source.original)}. {way_out}", self.source.offset(index)
        )

    def _add(self, kind: str, text: str, end: int, **more: object) -> None:
        """One token from the current place to `end`, which becomes the current place."""
        start = self.source.offset(self.index)
        last = self.source.offset(end - 1) + 1
        self.found.append(Token(kind, text, start, max(last, start + 1), **more))  # type: ignore[arg-type]
        self.index = end

    def _one(self) -> None:
        """The token that starts here."""
        character = self.text[self.index]
        if character == "\\":
            self._command()
        elif character.isdecimal() or (
            character == "." and self.text[self.index + 1 : self.index + 2].isdecimal()
        ):
            self._numeral()
        elif _WORD.match(character):
            self._word("", ())
        elif character in "([{⌊⌈":
            self._open(character)
        elif character in ")]}⌋⌉":
            self._add("close", character, self.index + 1)
        elif character == "|":
            self._add("bar", "|", self.index + 1)
        elif character in latex.ROOTS:
            self._add("root", latex.ROOTS[character], self.index + 1)
        else:
            self._sign(character)

    def _open(self, character: str) -> None:
        """A bracket; ½ after a numeral is refused, since 2½ is no product."""
        typed = self.source.original[self.source.offset(self.index)]
        if typed not in "([{（［｛⌊⌈" and self.found and self.found[-1].kind == "number":
            raise self.refused(self.index, "Write a mixed number as a sum, 2 + 1/2.")
        self._add("open", character, self.index + 1)

    def _sign(self, character: str) -> None:
        """An operator or a relation; raised letters are exponents."""
        if character in latex.RAISED_LETTERS:
            self._raised(latex.RAISED_LETTERS[character])
            return
        if character in latex.UNICODE_SIGNS:
            self._add("sign", latex.UNICODE_SIGNS[character], self.index + 1)
            return
        if (
            self.text.startswith(".T", self.index)
            and not self.text[self.index + 2 : self.index + 3].isalnum()
        ):
            self._add("sign", "′", self.index + 2)
            return
        match = _SIGN.match(self.text, self.index, self.stop)
        if not match:
            raise self.refused(self.index)
        self._add("sign", _SPELLED.get(match[0], match[0]), match.end())

    def _raised(self, letter: str) -> None:
        """ᵀ is a transpose, ⁿ an exponent."""
        at = self.source.offset(self.index)
        if letter == "⊤":
            self._add("sign", "⊤", self.index + 1)
        else:
            self.found.append(Token("sign", "^", at, at + 1))
            self._add("word", letter, self.index + 1, marks=(at,))

    def _numeral(self) -> None:
        """Digits as they are written for people; two numerals side by side are none."""
        match = _NUMERAL.match(self.text, self.index, self.stop)
        if match is None or re.match(r"0[xX][0-9a-fA-F]", self.text[self.index :]):
            raise self.refused(self.index)
        digits, end = match[0], match.end()
        if match["by"] == " " and self._keyed(self.index + digits.index(" ")):
            digits = digits[: digits.index(" ")]
            end = self.index + len(digits)
        before = self.found[-1] if self.found else None
        if before and before.kind == "number" and before.end == self.source.offset(self.index):
            raise self.refused(self.index, "Two numbers stand side by side; write the sign between them.")
        written = digits.replace("{,}", ",").replace("\\,", "_")
        value = numerals.literal(self.source, numerals.Token("number", written, self.index))
        self._add("number", written, end, value=value)

    def _keyed(self, index: int) -> bool:
        """Whether a blank is one that a keyboard gives, which groups no digits."""
        return self.source.original[self.source.offset(index)] in " \t\n\r"

    def _word(self, letters: str, marks: tuple[int, ...]) -> None:
        """Letters with what stands below the line after them: d_head, d_{k}, d_{\\text{head}}, dₖ."""
        start = self.index
        match = _WORD.match(self.text, start, self.stop) if not letters else None
        end = match.end() if match else start
        if match:
            letters, marks = match[0], self.source.origins[start:end]
        while end < self.stop and self.text[end] in latex.LOWERED:
            joint = "" if "_" in letters else "_"
            letters += joint + latex.LOWERED[self.text[end]]
            marks += (self.source.offset(end),) * (len(joint) + 1)
            end += 1
        if self.text[end : end + 1] == "_" and not letters.endswith("_"):
            letters, marks, end = letters + "_", (*marks, self.source.offset(end)), end + 1
        if letters.endswith("_"):
            letters, marks, end = self._below(letters, marks, end)
        first = marks[0]
        last = self.source.offset(end - 1) + 1
        self.found.append(Token("word", letters, first, last, marks))
        self.index = end

    def _below(self, letters: str, marks: tuple[int, ...], end: int) -> tuple[str, tuple[int, ...], int]:
        """The word with its subscript, which is a name or a number in braces, or a \\text{...}."""
        while end < self.stop and self.text[end] == " ":
            end += 1
        command = _WORDED.match(self.text, end, self.stop)
        if command and command[1] in latex.WORDED:
            end = command.end()
        found = _BRACED.match(self.text, end, self.stop) or _BARE.match(self.text, end, self.stop)
        name = _joined(found)
        if found is None or not name:
            raise self.refused(end, "What stands below the line is a name, as in d_{head}.")
        return letters + name, marks + (self.source.offset(end),) * len(name), found.end()

    def _command(self) -> None:
        """A LaTeX command."""
        match = _COMMAND.match(self.text, self.index, self.stop)
        name = match[1].removesuffix("*") if match else ""
        end = match.end() if match else self.index
        if name in latex.SKIPPED:
            self.index = end
        elif name in ("left", "right"):
            self._sized(name, end)
        elif name in latex.SIGNS:
            self._add("sign", latex.SIGNS[name], end)
        elif name in latex.OPENING:
            self._add("open", latex.OPENING[name], end)
        elif name in latex.CLOSING:
            self._add("close", latex.CLOSING[name], end)
        elif name in latex.FRACTIONS or name == "sqrt":
            self._add("root" if name == "sqrt" else "frac", name, end)
        elif name in latex.WORDED:
            self._worded(end)
        elif name in latex.NAMED:
            self._named("log10" if name == "lg" else name, end)
        else:
            raise self.refused(
                self.index, f"The command {quoted(self.text[self.index : end])} is none of a formula."
            )

    def _sized(self, side: str, end: int) -> None:
        """The delimiter after \\left or \\right."""
        while end < self.stop and self.text[end] == " ":
            end += 1
        command = _COMMAND.match(self.text, end, self.stop)
        opening = latex.OPENING.get(command[1]) if command else self.text[end : end + 1]
        closing = latex.CLOSING.get(command[1]) if command else self.text[end : end + 1]
        sign, signs = (opening, "([{|⌊⌈") if side == "left" else (closing, ")]}|⌋⌉")
        if sign == ".":
            sign = "{" if side == "left" else "}"
        if (command and command[1] == "|") or not sign or sign not in signs:
            raise self.refused(self.index, f"\\{side} is followed by a bracket.")
        self._add("open" if side == "left" else "close", sign, command.end() if command else end + 1)

    def _worded(self, end: int) -> None:
        """The name or number in the braces of \\text{...}; \\mathbf around more changes nothing."""
        braces = _BRACED.match(self.text, end, self.stop)
        letters = _joined(braces)
        if braces and _WORD.fullmatch(letters):
            marks = (self.source.offset(self.index),) * len(letters)
            self.index = braces.end()
            self._word(letters, marks)
        elif braces and letters.isdecimal():
            self._add("number", letters, braces.end(), value=Fraction(letters))
        elif braces is None and "{" in self.text[end : end + 2]:
            self.index = end
        else:
            raise self.refused(self.index, "There is no name in these braces.")

    def _named(self, name: str, end: int) -> None:
        """A command that is a word, with what stands below it: \\log_2, \\theta_{k}."""
        at = self.source.offset(self.index)
        self.index = end
        self._word(name, (at,) * len(name))


def _unescaped(source: Plain) -> Plain:
    """The text without the backslash of d\\_k, which is d_k."""
    kept = [i for i in range(len(source.text)) if not source.text.startswith("\\_", i)]
    text = "".join(source.text[i] for i in kept)
    return replace(source, text=text, origins=(*(source.origins[i] for i in kept), source.origins[-1]))


def _joined(braces: re.Match[str] | None) -> str:
    """What stands in braces as one word: head dim is head_dim."""
    inside = next((group for group in braces.groups() if group), "") if braces else ""
    return re.sub(r"[ ,\-]+", "_", inside)
