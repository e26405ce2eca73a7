"""What a model made of one sentence: its tokens and the heads of every layer. Knows no model."""

from collections.abc import Sequence
from dataclasses import dataclass

from attention_engine.trained.encoder import LayerHeads


@dataclass(frozen=True)
class Reading:
    """A sentence as the model saw it: tokens, an encoder's with [CLS] and [SEP], and every layer's heads."""

    tokens: tuple[str, ...]
    layers: tuple[LayerHeads, ...]
    cut: bool
    """True where the sentence had more tokens than were read."""
    weights: str = ""
    """Whose weights, as its publisher names them."""
    precision: str = "float32"
    """What the model computed in."""
    linear: str = ""
    """By which product its layers were computed: MKL, oneDNN, NumPy's BLAS, or torch on a GPU."""

    @property
    def stamp(self) -> dict[str, str]:
        """What made a picture of this reading, for the stamps of its frames."""
        told = {"weights": self.weights, "linear": self.linear}
        return told if self.precision == "float32" else told | {"precision": self.precision}


MARKS = {" ": "␣", "\n": "⏎", "\t": "⇥"}
"""How a token is written that is nothing but blanks."""


def shown(token: str, text: str) -> str:
    """A token as people read it: `token` is the vocabulary's spelling, `text` what it stands for.

    A byte-level vocabulary spells the blank before a word as part of it; it is left out, so that a word
    reads as a word. A token of blanks is written by marks, part of a letter as the vocabulary spells it."""
    if "\ufffd" in text:
        return token
    return text.strip() or "".join(MARKS.get(letter, letter) for letter in text) or token


def cut(items: Sequence[int], most: int, *, ends: bool) -> list[int]:
    """At most so many; where the text ends with a mark of its own, as [SEP], that is kept."""
    if len(items) <= most:
        return list(items)
    return [*items[: most - 1], items[-1]] if ends else list(items[:most])
