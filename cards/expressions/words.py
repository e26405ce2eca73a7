"""Learners' words made comparable, and the slips of typing between two of them. Knows no card and no key.

Compared is what was written in NFC with wide and joined forms made plain, blanks joined, a blank for a hyphen
between letters, one kind of dash and quotation mark, and without marks around the whole, a final full stop
and a leading article. A slip is a letter too many, too few, another one, or two neighbours exchanged
(Damerau 1964).
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from cards.grading import Unreadable

LONGEST = 400  # characters of an answer in words
MAX_TYPOS = 2
SURELY_MEANT = 5  # characters of a word so short that one letter makes another word
_DASHES = "‐‑‒–—―−﹘﹣－"
_QUOTES = {**dict.fromkeys("‘’‚‛′＇`´", "'"), **dict.fromkeys("“”„‟″«»＂", '"')}
_PLAIN_FORMS = ("<wide>", "<narrow>", "<compat>", "<font>", "<noBreak>")
_ARTICLE = re.compile(r"(?:the (?=\w)|an? (?=\w\w))", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)*")
_MARKUP = re.compile(
    r"</?[A-Za-z!][^>]*>|&#?\w+;|`|\*\*|(?<!\w)\*[^*\s][^*]*\*(?!\w)|(?<!\w)_[^_\s][^_]*_(?!\w)|\$[^$]+\$"
    r"|\\\(|\\\[|\]\(|^#+ |^[-*] "
)
_PREFIXES = ("", "a", "an", "anti", "de", "dis", "en", "hyper", "hypo", "il", "im", "in", "ir", "non", "non-",
             "over", "post", "pre", "re", "sub", "super", "un", "under")  # fmt: skip
SHORTEST_STEM = 3


@dataclass(frozen=True)
class Typed:
    """Words as they are compared; `origins[i]` is where `text[i]` stood in what was typed."""

    text: str
    origins: tuple[int, ...]

    def offset(self, index: int) -> int:
        """Where a character stood; past the last one, behind it."""
        if index < len(self.origins):
            return self.origins[index]
        return self.origins[-1] + 1 if self.origins else 0


def read_words(text: str) -> Typed:
    """What was typed, case kept. Raises Unreadable where it is empty or too long."""
    if len(text) > LONGEST:
        said = f"An answer of {len(text):,} characters is too long to read; {LONGEST} are the limit."
        raise Unreadable(said, LONGEST)
    read = typed(text, keep_case=True)
    if not read.text:
        raise Unreadable("There is no answer yet.")
    return read


@lru_cache(maxsize=512)
def typed(text: str, *, keep_case: bool) -> Typed:
    """A text as it is compared. Remembered: an answer meets every key and every mistake of its card."""
    pairs = list(_parted(list(_joined(_signs(text)))))
    start, end = _inside("".join(sign for sign, _ in pairs))
    kept = pairs[start:end]
    folded = [(c, origin) for sign, origin in kept for c in (sign if keep_case else sign.casefold())]
    return Typed("".join(sign for sign, _ in folded), tuple(origin for _, origin in folded))


def _signs(text: str) -> Iterator[tuple[str, int]]:
    """Each letter with its accents in one spelling, and where it stood."""
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        for sign in unicodedata.normalize("NFC", text[start:end]):
            for plain in _spelling(sign):
                yield plain, start
        start = end


@lru_cache(maxsize=4096)
def _spelling(sign: str) -> str:
    """The plain spelling of one sign; "" for one that is not seen."""
    if " " < sign <= "~" and sign != "`":
        return sign
    if sign in _QUOTES or sign in _DASHES:
        return _QUOTES.get(sign, "-")
    category = unicodedata.category(sign)
    if category == "Cf" or "\ufe00" <= sign <= "\ufe0f":
        return ""
    if category[0] == "Z" or category == "Cc":
        return " "
    if category == "Nd":
        return str(unicodedata.digit(sign))
    form = unicodedata.decomposition(sign).partition(" ")[0]
    return unicodedata.normalize("NFKC", sign) if form in _PLAIN_FORMS else sign


def _joined(signs: Iterator[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Runs of blanks as one; none at the start."""
    before = " "
    for sign, origin in signs:
        if sign != " " or before != " ":
            yield sign, origin
        before = sign


def _parted(pairs: list[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """Words with a blank for a hyphen between two letters: batch-size is batch size, -1 is a number."""
    signs = [" ", *(sign for sign, _ in pairs), " "]
    for before, (sign, origin), after in zip(signs, pairs, signs[2:], strict=False):
        yield " " if sign == "-" and before.isalpha() and after.isalpha() else sign, origin


def _inside(text: str) -> tuple[int, int]:
    """Where the words stand: past quotation marks around them, a leading article and a final full stop."""
    start, end = 0, _without_stop(text, len(text.rstrip()))
    if end > 2 and text[0] == text[end - 1] and text[0] in "'\"":
        start, end = 1, _without_stop(text, end - 1)
    if article := _ARTICLE.match(text, start, end):
        start = article.end()
    return start, end


def _without_stop(text: str, end: int) -> int:
    """Before a final full stop; three dots are none."""
    return end - 1 if end > 1 and text[end - 1] == "." and text[end - 2] != "." else end


def slips(one: str, other: str, most: int) -> int | None:
    """Slips of typing between two texts, where they are forgiven and at most `most`; else None.

    None are forgiven in a text of five characters or fewer, in a number, where a word is too many or too few,
    or where a prefix makes it another word (symmetric and asymmetric, encoder and decoder).
    """
    if one == other:
        return 0
    short = min(len(one), len(other)) <= SURELY_MEANT
    same = _NUMBER.findall(one) == _NUMBER.findall(other) and one.count(" ") == other.count(" ")
    if most < 1 or short or not same:
        return None
    found = distance(one, other, most)
    return None if found > most or _other_words(one, other) else found


def distance(one: str, other: str, most: int) -> int:
    """Letters added, left out, exchanged or swapped with a neighbour between two texts; most + 1 for more.

    Only places at most `most` apart are looked at, so 400 letters take 400 * (2 * most + 1) steps.
    """
    far = most + 1
    if abs(len(one) - len(other)) > most:
        return far
    earlier: list[int] = []
    last = [min(place, far) for place in range(len(other) + 1)]
    for i, mine in enumerate(one):
        row = [min(i + 1, far)] + [far] * len(other)
        for j in range(max(0, i - most), min(len(other), i + most + 1)):
            best = min(last[j + 1] + 1, row[j] + 1, last[j] + (mine != other[j]))
            if i and j and mine == other[j - 1] and one[i - 1] == other[j]:
                best = min(best, earlier[j - 1] + 1)
            row[j + 1] = min(best, far)
        earlier, last = last, row
    return last[-1]


def _other_words(one: str, other: str) -> bool:
    """Whether two texts are one stem with different prefixes, which is another word and no slip."""
    stems = {one.removeprefix(prefix) for prefix in _PREFIXES if one.startswith(prefix)}
    others = {other.removeprefix(prefix) for prefix in _PREFIXES if other.startswith(prefix)}
    return any(len(stem) >= SHORTEST_STEM for stem in stems & others)


def first_difference(one: str, other: str) -> int:
    """The first place at which two different texts differ."""
    pairs = zip(one, other, strict=False)
    return next((i for i, (mine, theirs) in enumerate(pairs) if mine != theirs), min(len(one), len(other)))


def markup_in(text: str) -> str:
    """The first piece of HTML, Markdown or maths in a text; "" where there is none."""
    match = _MARKUP.search(text)
    return match[0] if match else ""
