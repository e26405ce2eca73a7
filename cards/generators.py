"""Questions with drawn values: what a seed draws, the card it makes, and which seed comes next.

A version stores its variants in `parameters`; a seed is all that a review has to keep, for the version never
changes and draws follow from the seed alone. Knows no learner, no answer type and no page.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import product
from typing import Any

from cards.draw_values import DrawProblem, Values
from cards.draws import Draws, chooser, draw, draws_of, number_of
from cards.filling import filled, filled_text
from cards.markdown import render

__all__ = [
    "MAX_SEED",
    "DrawProblem",
    "concrete",
    "drawn",
    "is_parametrised",
    "next_seed",
    "sample",
    "seed_of",
]
MAX_SEED = 2**53 - 1  # what a number of JSON keeps everywhere; a review keeps 63 bits
NO_REPEAT = 5  # draws after which the same values may come again
TRIES = 256
OWN = ("variants", "where")


class Concrete:
    """A version with its values filled in: same card, number and sources, other words and numbers."""

    def __init__(self, version: Any, values: Values) -> None:
        self._version, self.values = version, dict(values)
        self.answer = filled(version.answer, values)
        self.mistakes = filled(version.mistakes, values)
        self.picture = filled(version.picture, values)
        self.hints = filled(version.hints, values, read=True)
        self.prompt = filled_text(version.prompt, values)
        self.explanation = filled_text(version.explanation, values)
        self.parameters = {name: one for name, one in version.parameters.items() if name not in OWN}

    @cached_property
    def prompt_html(self) -> str:
        """The prompt rendered."""
        return render(self.prompt)

    @cached_property
    def explanation_html(self) -> str:
        """The explanation rendered."""
        return render(self.explanation)

    def __getattr__(self, name: str) -> Any:
        """Everything else is the version's own."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._version, name)

    def __str__(self) -> str:
        return str(self._version)


def is_parametrised(version: Any) -> bool:
    """Whether a version (or anything like one) leaves values to be drawn."""
    return isinstance(version.parameters, Mapping) and bool(version.parameters.get("variants"))


def drawn(version: Any, seed: int) -> Values:
    """{name: value} of a seed, the same on every machine; {} for a card without variants.

    Raises DrawProblem, which no published version does."""
    return dict(_drawn(_draws(version), seed)) if is_parametrised(version) else {}


def concrete(version: Any, seed: int) -> Any:
    """The question of a seed: the version itself where nothing is drawn. Raises DrawProblem."""
    return Concrete(version, drawn(version, seed)) if is_parametrised(version) else version


def with_values(version: Any, values: Values) -> Any:
    """The question of these values."""
    return Concrete(version, values)


def next_seed(version: Any, key: str, recent: Sequence[int]) -> int:
    """The seed to ask with next: none of the last five (`recent`, newest first) drew the same values.

    The same for the same version, `recent` and `key` (whose turn it is: learner, card, how often asked).
    Where there are fewer than six variants as many of the last are avoided as can be. Below 2^53, which JSON
    keeps everywhere; 0 for a card without variants.
    """
    if not is_parametrised(version):
        return 0
    draws = _draws(version)
    last = [_shown(draws, _drawn(draws, seed)) for seed in recent[:NO_REPEAT]]
    avoided = last[: min(len(last), _distinct(draws, NO_REPEAT + 1) - 1)]
    seeds = (number_of("seed", key, list(recent[:NO_REPEAT]), at) % MAX_SEED + 1 for at in range(TRIES))
    tried: dict[int, int] = {}
    for seed in seeds:
        values = _shown(draws, _drawn(draws, seed))
        if values not in avoided:
            return seed
        tried.setdefault(avoided.index(values), seed)
    return tried[max(tried)]


def sample(version: Any, most: int) -> tuple[Sequence[Values], bool]:
    """The variants of a card, and whether that is all of them: all where there are at most `most`, else the
    corners of its lists and what the first seeds draw. Raises DrawProblem."""
    return _sample(_draws(version), most)


@lru_cache(maxsize=64)
def _sample(draws: Draws, most: int) -> tuple[Sequence[Values], bool]:
    """The same, kept: a card that is proved is gone through several times."""
    every, all_of_them = draws.listed(most)
    if all_of_them and every:
        return every, True
    found: dict[str, Values] = {}
    for values in (*_corners(draws), *(_drawn(draws, seed) for seed in range(most))):
        found.setdefault(str(_shown(draws, values)), values)
    return tuple(found.values()), False


def seed_of(version: Any, values: Values, most: int = 20_000) -> int | None:
    """A seed that draws these values, or None if none of the first `most` does."""
    draws = _draws(version)
    return next((seed for seed in range(most) if _drawn(draws, seed) == values), None)


def share_that_fits(version: Any, most: int = 400) -> float:
    """Which share of plain draws `where` lets through."""
    draws = _draws(version)
    return sum(draws.pick(chooser(seed)) is not None for seed in range(1, most + 1)) / most


def _draws(version: Any) -> Draws:
    return draws_of(version.parameters["variants"], version.parameters.get("where") or [])


@lru_cache(maxsize=4096)
def _drawn(draws: Draws, seed: int) -> Values:
    """What a seed draws, kept: a queue asks for the same seeds again and again."""
    return draw(draws, seed)


def _shown(draws: Draws, values: Values) -> tuple[Any, ...]:
    """What chance decided, without what follows from it."""
    return tuple(values[name] for name in draws.drawn)


@lru_cache(maxsize=512)
def _distinct(draws: Draws, most: int) -> int:
    """How many variants there are, counted up to `most`."""
    return len(draws.listed(most)[0])


def _corners(draws: Draws) -> Iterator[Values]:
    """The variants in which every name has its first or its last value."""
    for ends in product((0, -1), repeat=len(draws.drawn)):
        turn = iter(ends)
        values = draws.pick(lambda _name, listed, turn=turn: listed[next(turn)])  # type: ignore[misc]
        if values is not None:
            yield values
