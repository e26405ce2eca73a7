"""What a parameter of a picture may be, and the error that names the field. Knows no kind of picture."""

import unicodedata
from dataclasses import dataclass
from typing import Any

LARGEST_AXIS = 2**31 - 1
LONGEST_SHAPE = 8
LONGEST_SENTENCE = 2000


class InvalidSpec(ValueError):
    """A parameter that cannot be: `field` names it, the message gives the numbers and the way out.

    offset: the character of a text, from 0, at which it stops being readable; -1 where that is not told."""

    offset = -1

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class Parameter:
    """One parameter: what it takes, its default and its bounds (length for text, each entry for lists)."""

    name: str
    takes: str
    """int, ints, text or choice."""
    default: Any
    help: str
    minimum: int = 1
    maximum: int = LARGEST_AXIS
    choices: tuple[str, ...] = ()

    def read(self, value: Any) -> Any:
        """The value as a spec keeps it. Raises InvalidSpec."""
        readers = {"int": self._int, "ints": self._ints, "text": self._text, "choice": self._choice}
        return readers[self.takes](value)

    def _fail(self, wanted: str, value: Any) -> InvalidSpec:
        return InvalidSpec(f"{self.name} must be {wanted}, not {_shown(value)}", field=self.name)

    def _int(self, value: Any) -> int:
        if type(value) is not int or not self.minimum <= value <= self.maximum:
            raise self._fail(f"a whole number from {self.minimum} to {self.maximum}", value)
        return value

    def _ints(self, value: Any) -> list[int]:
        if not isinstance(value, list | tuple) or len(value) > LONGEST_SHAPE:
            raise self._fail(f"a list of at most {LONGEST_SHAPE} whole numbers", value)
        return [self._int(number) for number in value]

    def _text(self, value: Any) -> str:
        if not isinstance(value, str) or not self.minimum <= len(value) <= self.maximum:
            raise self._fail(f"a text of {self.minimum} to {self.maximum} characters", value)
        if any(unicodedata.category(letter) in {"Cc", "Cs"} and letter not in "\t\n\r" for letter in value):
            raise self._fail("a text without control characters and lone surrogates", value)
        text = unicodedata.normalize("NFC", value)
        if len(text) > self.maximum:
            raise self._fail(f"a text of at most {self.maximum} characters in composed form (NFC)", value)
        return text

    def _choice(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.choices:
            raise self._fail(f"one of {', '.join(self.choices)}", value)
        return value


def _shown(value: Any) -> str:
    """A value as an error quotes it: short, ASCII, and never deep."""
    if isinstance(value, str):
        return ascii(value) if len(value) <= 40 else f"{len(value)} characters"
    if isinstance(value, int) and value.bit_length() > 128:
        return f"a number of {value.bit_length()} bits"
    if isinstance(value, int | float) or value is None:
        return repr(value)
    return f"{len(value)} entries" if isinstance(value, list | tuple) else f"a {type(value).__name__}"
