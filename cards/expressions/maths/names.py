"""The names a formula may use, and which of them a learner's word means. Knows no grammar."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

GREEK = dict(zip(
    "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ",
    ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu",
     "nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
     "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega"),
    strict=True,
))  # fmt: skip
CONSTANTS = ("pi", "e")
FUNCTIONS = (
    "exp", "log", "ln", "log2", "log10", "sin", "cos", "tan", "tanh", "min", "max", "abs", "floor",
    "ceil", "sqrt",
)  # fmt: skip
MATRIX_FUNCTIONS = ("softmax", "transpose", "concat")
_OTHER_SPELLINGS = {"Softmax": "softmax", "Concat": "concat", "cat": "concat", "Max": "max", "Min": "min"}
_IGNORED = str.maketrans("", "", "_{}^, ")

LONGEST_WORD = 80
"""Letters of a word that is taken apart; a longer one is no product that anybody writes."""

Piece: TypeAlias = tuple[str, str, int, int]
"""("name" or "function", what it is, first and one past the last character of the word)."""


def fold_name(word: str) -> str:
    """One spelling for d_k, d_{k}, dk and the like; Greek letters by their names."""
    spelled = "".join(GREEK.get(letter, letter) for letter in word)
    for command in ("\\text", "\\mathrm", "\\operatorname", "\\"):
        spelled = spelled.replace(command, "")
    return spelled.translate(_IGNORED)


@dataclass(frozen=True)
class Vocabulary:
    """Declared symbols with their aliases, and unknown functions; `matrices` adds the matrix words."""

    symbols: Mapping[str, tuple[str, ...]]
    functions: tuple[str, ...] = ()
    matrices: bool = False

    @cached_property
    def meanings(self) -> Mapping[str, tuple[str, str]]:
        """("name", symbol) or ("function", function) of each folded spelling; a declared one wins."""
        known: dict[str, tuple[str, str]] = {}
        for name in CONSTANTS:
            known[name] = ("name", name)
        for name in FUNCTIONS + (MATRIX_FUNCTIONS if self.matrices else ()):
            known[name] = ("function", name)
        known |= {one: ("function", name) for one, name in _OTHER_SPELLINGS.items() if name in known}
        for name in self.functions:
            known[fold_name(name)] = ("function", name)
        for name, aliases in self.symbols.items():
            known |= {fold_name(alias): ("name", name) for alias in aliases}
        known |= {fold_name(name): ("name", name) for name in self.symbols}
        return known

    @cached_property
    def regardless_of_case(self) -> Mapping[str, tuple[str, str]]:
        """Spellings of two letters and more in lower case, where that is still one name."""
        found: dict[str, set[tuple[str, str]]] = {}
        for spelling, meaning in self.meanings.items():
            if len(spelling) > 1:
                found.setdefault(spelling.lower(), set()).add(meaning)
        return {spelling: next(iter(one)) for spelling, one in found.items() if len(one) == 1}

    @cached_property
    def longest(self) -> int:
        """Characters of the longest folded spelling."""
        return max(map(len, self.meanings), default=1)

    def meaning(self, word: str) -> tuple[str, str] | None:
        """("name", symbol) or ("function", function) of a word as a whole; None if it is not declared."""
        return self.meanings.get(fold_name(word))

    def pieces(self, word: str) -> list[Piece] | None:
        """The word as one name, else as the fewest names written together; None where it is neither.

        The longest name from the left wins: with d, k and d_k declared, dk is d_k.
        """
        whole = self.meaning(word)
        if whole is not None:
            return [(*whole, 0, len(word))]
        split = self._split(word)
        other_case = self.regardless_of_case.get(fold_name(word).lower())
        if split is None and other_case is not None:
            return [(*other_case, 0, len(word))]
        return split

    def _split(self, word: str) -> list[Piece] | None:
        """The shortest list of names that makes up a word; of two, the one with the longer first name."""
        if len(word) > LONGEST_WORD:
            return None
        folded = [fold_name(letter) for letter in word]
        best: list[list[Piece] | None] = [None] * len(word) + [[]]
        for start in range(len(word) - 1, -1, -1):
            spelling = ""
            for end in range(start + 1, len(word) + 1):
                spelling += folded[end - 1]
                if len(spelling) > self.longest:
                    break
                rest, meaning, held = best[end], self.meanings.get(spelling), best[start]
                whole = folded[start] and folded[end - 1] and meaning is not None and rest is not None
                if whole and (held is None or len(rest) < len(held)):  # type: ignore[arg-type]
                    best[start] = [(*meaning, start, end), *rest]  # type: ignore[misc]
        found = best[0]
        return None if found is None or self._misplaced(found) else found

    @staticmethod
    def _misplaced(pieces: list[Piece]) -> bool:
        """Whether two functions follow each other without a name between: explog is no word."""
        return any(one[0] == "function" == other[0] for one, other in pairwise(pieces))
