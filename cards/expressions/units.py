"""Words after a number: units of one meaning, sizes of bytes, scales such as k. Knows no card."""

from fractions import Fraction

SCALES = {
    "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "B": 10**9, "T": 10**12,
    "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40,
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
}  # fmt: skip
_SAME = (
    {"dim", "dimension", "feature", "number", "value", "element", "entry", "entrie"},
    {"head"},
    {"byte", "b"},
    {"token"},
    {"layer"},
    {"parameter", "param", "weight"},
    {"time", "fold"},
)
_BYTES = {
    "KB": 10**3, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "B": 1,
}  # fmt: skip


def initial_of(letter: str, unit: str) -> bool:
    """Whether a letter may abbreviate a word of the unit instead of a scale: 4T of tokens, 8B in GiB."""
    words = unit.lower().split()
    byte = bool(words) and (unit.split(maxsplit=1)[0] in _BYTES or same_unit("byte", words[0]))
    return len(letter) == 1 and (any(word[0] == letter.lower() for word in words) or (byte and letter == "B"))


def same_unit(words: str, unit: str) -> bool:
    """Whether the words are the card's unit or its head word, case, plural and synonyms aside.

    "numbers per head" is also "numbers" and "dims"; B is a byte where bytes are asked for.
    """
    asked, given = _singulars(unit), _singulars(words)
    if not asked or not given:
        return False
    same = given[0] == asked[0] or any({given[0], asked[0]} <= group for group in _SAME)
    return same and given[1:] in ([], asked[1:])


def unit_factor(words: str, unit: str) -> Fraction | None:
    """What one of the words' unit is in the card's; None if it is another kind of thing. GiB is not GB."""
    head, _, rest = unit.partition(" ")
    given, _, tail = words.partition(" ")
    if head not in _BYTES and not same_unit("byte", head):
        return Fraction(1) if same_unit(words, unit) else None
    size = _BYTES.get(given, 1 if same_unit(given, "byte") else None)
    if size is None or _singulars(tail) not in ([], _singulars(rest)):
        return None
    return Fraction(size, _BYTES.get(head, 1))


def _singulars(words: str) -> list[str]:
    return [word.removesuffix("s") for word in words.lower().split()]
