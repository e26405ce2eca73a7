"""A learner's text made plain: one spelling for each sign, each mapped to where it stood. Parses nothing."""

import unicodedata
from dataclasses import dataclass

from cards.grading import Unreadable

MAX_LENGTH = 400
UNSEEN = ("Cc", "Cf", "Cs")
"""Categories of characters that show nothing: control, format, half of a pair."""
_DASHES = "‐‑‒–—―−﹘﹣－"
_SIGNS = {
    **dict.fromkeys(_DASHES, "-"), **dict.fromkeys("×✕✖·⋅∙•∗＊", "*"), **dict.fromkeys("÷∕⁄／", "/"),
    "ˆ": "^", "√": "sqrt", "’": "_", "'": "_", "˙": "_", "٬": "_", "٫": ".", "٪": "%",
}  # fmt: skip
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True))
_KEPT = ("<wide>", "<narrow>", "<compat>", "<font>", "<noBreak>", "<fraction>", "<small>", "<square>")


@dataclass(frozen=True)
class Plain:
    """Normalised text; `origins[i]` is the index of `text[i]` in the learner's text."""

    text: str
    origins: tuple[int, ...]
    original: str

    def offset(self, index: int) -> int:
        """Where `text[index]` stood in the learner's own text."""
        return self.origins[min(index, len(self.origins) - 1)]


def plain(text: str, *, times: str = "*") -> Plain:
    """Signs, digits and blanks in one spelling each. Raises Unreadable if empty or too long.

    `times` is what a multiplication sign becomes: a product for numbers, a separator for shapes.
    """
    if len(text) > MAX_LENGTH:
        raise Unreadable(
            f"An answer of {len(text):,} characters is too long to read; {MAX_LENGTH} are the limit."
        )
    if is_blank(text):
        raise Unreadable("There is no answer yet.")
    pieces: list[str] = []
    origins: list[int] = []
    for index, character in enumerate(text):
        raised = character in _RAISED and index > 0 and text[index - 1] in _RAISED
        piece = _RAISED[character] if raised else _spelling(character)
        piece = piece.replace("*", times) if character != "*" else piece
        pieces.append(piece)
        origins.extend([index] * len(piece))
    return Plain("".join(pieces), (*origins, len(text)), text)


def is_blank(text: str) -> bool:
    """Whether nothing in a text is to be seen."""
    return all(character.isspace() or unicodedata.category(character) in UNSEEN for character in text)


def _spelling(character: str) -> str:
    """The plain spelling of one sign; one that has none stays and will be refused by the tokenizer."""
    if " " <= character <= "~" and character != "'":
        return character
    if character in _SIGNS:
        return _SIGNS[character]
    if character in _RAISED:
        return f"^{_RAISED[character]}"
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.digit(character))
    if category in ("Zs", "Zl", "Zp") or character in "\t\n\r":
        return " "
    return "" if category == "Cf" else _compatible(character)


def _compatible(character: str) -> str:
    """NFKC for wide, narrow and styled forms; ½ is a quotient; lowered and ringed digits stay."""
    form = unicodedata.decomposition(character).partition(" ")[0]
    if form == "<fraction>":
        return f"({unicodedata.normalize('NFKC', character).replace('⁄', '/')})"
    return unicodedata.normalize("NFKC", character) if form in _KEPT else character
