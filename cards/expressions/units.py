"""Words after a number: units of one meaning, sizes of bytes, scales such as k. Knows no card."""

from fractions import Fraction

SCALES = {
    "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "B": 10**9, "T": 10**12,
    "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40,
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
}  # fmt: skip
_SAME = (
    {"dim", "dimension", "feature", "number"},
    {"head"},
    {"byte", "b"},
    {"token"},
    {"layer"},
    {"parameter", "param", "weight"},
    {"element", "value", "entry", "entrie"},
    {"time", "fold"},
)
_BYTES = {
    "KB": 10**3, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "B": 1,
}  # fmt: skip


def same_unit(word: str, unit: str) -> bool:
    """Whether the word is the card's unit, case, plural and synonyms aside; B is a byte for bytes."""
    one, other = _singular(word), _singular(unit)
    return bool(unit) and (one == other or any(one in group and other in group for group in _SAME))


def unit_factor(word: str, unit: str) -> Fraction | None:
    """What one `word` is in the card's unit; None if it is another kind of thing. GiB is not GB."""
    if unit in _BYTES or same_unit("byte", unit):
        size = _BYTES.get(word, 1 if same_unit(word, "byte") else None)
        return None if size is None else Fraction(size, _BYTES.get(unit, 1))
    return Fraction(1) if same_unit(word, unit) else None


def _singular(word: str) -> str:
    return word.strip().lower().removesuffix("s")
