"""The characters of a program: typographic ones read as ASCII, one for one. Knows no grammar."""

import re
import unicodedata
from dataclasses import dataclass

from attention_engine.program.faults import UnreadableProgram

LONGEST = 600
READ_AS = {
    **dict.fromkeys("−–—‒‐‑", "-"),
    **dict.fromkeys("\u00a0\u2009\u202f\u2007\t", " "),
    **dict.fromkeys("“”„″", '"'),
    **dict.fromkeys("‘’‚′", "'"),
    **dict.fromkeys("×·∗", "*"),
    "÷": "/",
}
"""What editors and phones put in the place of an ASCII character. One for one, so that offsets stay."""
_WORD_WITH_DIGIT = re.compile(r"(?<![A-Za-z0-9_])[0-9][A-Za-z0-9_.]*")
_REMARK = re.compile(r"""('[^'\n]*'|"[^"\n]*")|#[^\r\n]*""")
"""A text, which is kept, or a comment."""
_NUMBER = re.compile(r"[0-9]+(_[0-9]+)*(\.[0-9]*)?(e[0-9]*)?")
MOST_DIGITS = 16


@dataclass(frozen=True)
class Source:
    """ASCII text to parse, with the way back to the learner's text."""

    text: str
    margin: int
    """Blanks that every line of the original began with."""
    starts: tuple[int, ...]
    """Where each line begins in the original."""

    def offset(self, line: int, column: int) -> int:
        """A line (from 1) and a column (from 0) of `text` as an offset into the original."""
        row = min(max(line, 1), len(self.starts)) - 1
        return self.starts[row] + self.margin + max(column, 0)


def plain(original: str) -> Source:
    """The text with a common margin taken away. Raises UnreadableProgram at what is no character of it."""
    if len(original) > LONGEST:
        raise UnreadableProgram(
            f"a program has at most {LONGEST} characters, this one {len(original):,}", LONGEST
        )
    text = "".join(_ascii(letter, offset) for offset, letter in enumerate(_without_remarks(original)))
    text = text.replace("\r\n", " \n").replace("\r", "\n")
    if not text.strip():
        raise UnreadableProgram("a program has at least one line, such as q.transpose(1, 2)")
    _check_numbers(text)
    lines = text.split("\n")
    margin = min(len(line) - len(line.lstrip(" ")) for line in lines if line.strip())
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    return Source("\n".join(line[margin:].rstrip() for line in lines), margin, tuple(starts[:-1]))


def _without_remarks(original: str) -> str:
    """The same with blanks for comments, one for one: those are in any language and at any margin."""
    return _REMARK.sub(lambda found: found[1] or " " * len(found[0]), original)


def _ascii(letter: str, offset: int) -> str:
    """The ASCII character a letter stands for."""
    if unicodedata.decomposition(letter).startswith("<wide>") and not letter.isalpha():
        letter = unicodedata.normalize("NFKC", letter)
    letter = READ_AS.get(letter, letter)
    if letter in "\r\n" or " " <= letter <= "~":
        if letter == "\\":
            raise UnreadableProgram("a backslash is not part of the language", offset)
        return letter
    name = unicodedata.name(letter, f"U+{ord(letter):04X}")
    raise UnreadableProgram(f"{letter!a} ({name}) is not part of the language: write ASCII", offset)


def _check_numbers(text: str) -> None:
    """Only decimal numbers: no 0x1f, no 1j, and no word that grows out of a number."""
    for found in _WORD_WITH_DIGIT.finditer(text):
        number = found.group()
        if not _NUMBER.fullmatch(number):
            raise UnreadableProgram(f"{number[:20]} is not a decimal number", found.start())
        if len(number) > MOST_DIGITS:
            raise UnreadableProgram(f"a number has at most {MOST_DIGITS} digits", found.start())
