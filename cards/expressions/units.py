"""Words after a number: units in families (bytes, seconds, FLOP) and scales such as k. Knows no card."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

SCALES = {
    "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "B": 10**9, "T": 10**12,
    "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40,
    "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
}  # fmt: skip
_SAME = (
    ("dim", "dimension", "feature", "number", "value", "element", "entry", "entrie"),
    ("head",),
    ("token", "tok"),
    ("layer",),
    ("parameter", "param", "weight"),
    ("time", "fold"),
    ("byte",),
    ("bit",),
    ("FLOP", "flop"),
)
_TIMES = {
    ("s", "sec", "second"): Fraction(1), ("ms", "msec", "millisecond"): Fraction(1, 10**3),
    ("us", "μs", "usec", "microsecond"): Fraction(1, 10**6), ("ns", "nanosecond"): Fraction(1, 10**9),
    ("min", "minute"): Fraction(60), ("h", "hour"): Fraction(3600),
}  # fmt: skip
_PREFIXES = (("K", "kilo", "kibi"), ("M", "mega", "mebi"), ("G", "giga", "gibi"), ("T", "tera", "tebi"))
_BIT_OR_BYTE = frozenset({"b", "kb", "Kb", "mb", "Mb", "gb", "Gb", "tb", "Tb", "Kib", "Mib", "Gib", "Tib"})


class AmbiguousUnit(ValueError):
    """A unit that people use for two things; the message says how to write each."""


@dataclass(frozen=True)
class Unit:
    """What is counted and how much of it one unit is; what stands before the noun and after `per`."""

    family: str
    size: Fraction
    qualifiers: tuple[str, ...] = ()
    per: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fit:
    """How a given unit stands to the asked one: `factor` of the card's unit in it, None for another kind."""

    factor: Fraction | None


def _words() -> Iterator[tuple[str, tuple[str, Fraction]]]:
    """Every known noun, as it is written (abbreviations) or in lower case and singular (words)."""
    for group in _SAME:
        yield from ((word, (group[0], Fraction(1))) for word in group)
    for words, size in _TIMES.items():
        yield from ((word, ("second", size)) for word in words)
    for power, (letter, decimal, binary) in enumerate(_PREFIXES, 1):
        ten, two = Fraction(10 ** (3 * power)), Fraction(2 ** (10 * power))
        for noun, family, one in (("byte", "byte", Fraction(1)), ("bit", "bit", Fraction(1))):
            yield f"{decimal}{noun}", (family, ten * one)
            yield f"{binary}{noun}", (family, two * one)
        small = letter.lower() if letter == "K" else letter
        yield from ((f"{one}B", ("byte", ten)) for one in {letter, small})
        yield from ((f"{one}bit", ("bit", ten)) for one in {letter, letter.lower()})
        yield from ((f"{one}ib", ("byte", two)) for one in (letter.lower(),))
        yield from ((f"{one}ibit", ("bit", two)) for one in {letter, letter.lower()})
        yield from ((f"{letter.lower()}flop", ("FLOP", ten)) for _ in (0,))
    yield "B", ("byte", Fraction(1))
    yield "pflop", ("FLOP", Fraction(10**15))


_KNOWN = dict(_words())
_BYTES_PER = {"byte": Fraction(1), "bit": Fraction(1, 8)}


def initial_of(letter: str, unit: str) -> bool:
    """Whether letters may abbreviate a word of the unit instead of a scale: 4T of tokens, 64Gi in GiB."""
    if len(letter) > 2:
        return False
    words = unit.lower().split()
    asked = unit_of(unit) if unit else None
    byte = asked is not None and asked.family in _BYTES_PER
    larger = byte and asked is not None and asked.size != 1
    return larger or letter.lower() in {word[0] for word in words} or (byte and letter == "B")


def unit_of(words: str) -> Unit | None:
    """The unit some words name; a noun nobody knows is a family of its own. None for no word."""
    head, _, tail = f" {words} ".partition(" per ")
    nouns = head.split()
    if not nouns:
        return None
    family, size = _noun(nouns[-1]) or (_singular(nouns[-1]), Fraction(1))
    return Unit(family, size, tuple(map(_singular, nouns[:-1])), tuple(map(_singular, tail.split())))


def fit(words: str, asked: str) -> Fit | None:
    """How the words' unit stands to the card's; None where the words are no unit. GiB is not GB.

    "numbers per head" is also "numbers" and "dims"; what a card's unit does not say may not be added.
    Raises AmbiguousUnit for `Gb`.
    """
    given, wanted = unit_of(words), unit_of(asked)
    if given is None or wanted is None:
        return None
    noun = words.partition(" per ")[0].split()[-1]
    _refuse_ambiguous(noun, wanted)
    if not _is_word(noun, wanted):
        return None
    both_sizes = {given.family, wanted.family} <= set(_BYTES_PER)
    if given.family != wanted.family and not both_sizes:
        return Fit(None)
    if given.qualifiers not in ((), wanted.qualifiers) or (given.per and not wanted.per):
        return None
    if given.per not in ((), wanted.per):
        return Fit(None) if _noun(given.per[0]) else None
    return Fit(_size(given) / _size(wanted))


def is_size(unit: str) -> bool:
    """Whether a unit counts bytes or bits."""
    found = unit_of(unit)
    return found is not None and found.family in _BYTES_PER


def _size(unit: Unit) -> Fraction:
    return unit.size * _BYTES_PER.get(unit.family, Fraction(1))


def _is_word(noun: str, wanted: Unit) -> bool:
    """Whether a noun is known, or is the card's own; one letter says too little for another family."""
    known = _noun(noun)
    if known is None:
        return _singular(noun) == wanted.family
    return len(noun) > 1 or known[0] == wanted.family or (noun == "B" and wanted.family in _BYTES_PER)


def _refuse_ambiguous(noun: str, wanted: Unit) -> None:
    if noun in _BIT_OR_BYTE and wanted.family in _BYTES_PER:
        prefix = noun[:-1].upper().replace("I", "i")
        raise AmbiguousUnit(f"{noun} may be bits or bytes; write {prefix}B or {prefix}bit.")


def _noun(word: str) -> tuple[str, Fraction] | None:
    """Family and size of a noun, if it is known."""
    return _KNOWN.get(word) or (_KNOWN.get(_singular(word)) if len(word) > 2 else None)


def _singular(word: str) -> str:
    return word.lower().removesuffix("s")
