"""Which query and key are followed through all heads: by word, by position, or the pair that gets most."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from attention_engine.visualizations.atlas.measures import bare
from attention_engine.visualizations.pattern.pairs import is_mark


@dataclass(frozen=True)
class Pair:
    """Positions of a query and a key, and what had to be said on the way to them."""

    query: int
    key: int
    note: str = ""


def place_of(asked: str, tokens: Sequence[str]) -> int | None:
    """Where a token stands: "7" is a position from 0, anything else the first such word or piece of one."""
    if asked.isascii() and asked.isdigit() and int(asked) < len(tokens):
        return int(asked)
    wanted, pieces = asked.casefold(), [bare(token).casefold() for token in tokens]
    if wanted in pieces:
        return pieces.index(wanted)
    return next((at for at in range(len(pieces)) if _spells(pieces[at:], wanted)), None)


def _spells(pieces: Sequence[str], word: str) -> bool:
    """Whether the pieces from here on make up the word: token, ization."""
    made = ""
    for piece in pieces:
        made += piece
        if not piece or not word.startswith(made):
            return False
        if made == word:
            return True
    return False


def pair_of(query: str, key: str, tokens: Sequence[str], most: torch.Tensor, *, causal: bool = False) -> Pair:
    """The pair asked for; what is not asked, or not there, is where the strongest head of all sends most.

    `most` is (T, T), the largest weight that any head gives each pair. In a causal model nearly all heads
    send most to the first token, which is therefore not what is taken."""
    places = {name: place_of(text, tokens) if text else None for name, text in asked(query, key).items()}
    missing = [text for name, text in asked(query, key).items() if text and places[name] is None]
    best = _strongest(most, tokens, places["query"], places["key"], sink=causal)
    words = " or ".join(f"“{text[:24]}”" for text in missing)
    note = f"No token here is {words}: the strongest is taken instead." if missing else ""
    return Pair(*best, note)


def asked(query: str, key: str) -> dict[str, str]:
    """The two texts by what they are."""
    return {"query": query, "key": key}


def _strongest(
    most: torch.Tensor, tokens: Sequence[str], query: int | None, key: int | None, *, sink: bool
) -> tuple[int, int]:
    """Two different words that do not stand side by side where there are two, else two words, else any two.

    Side by side the head that looks one token back wins in every sentence."""
    count = len(tokens)
    if query is not None and key is not None:
        return query, key
    spelled = [bare(one).casefold() for one in tokens]
    words = torch.tensor([not is_mark(one) and any(map(str.isalnum, bare(one))) for one in tokens])
    names = torch.tensor([spelled.index(one) for one in spelled])
    places = torch.arange(count)
    distance = (places[:, None] - places).abs()
    within = torch.ones(count, count, dtype=torch.bool)
    if query is not None:
        within = within & (places == query)[:, None]
    if key is not None:
        within = within & (places == key)
    if sink and (query is None or key is None):  # what a causal model hides is the strongest of nothing
        within = within & (places[:, None] >= places)
    two = words[:, None] & words & (distance > 0) & within
    later = (places > 0) if sink else torch.ones(count, dtype=torch.bool)
    telling = two & (distance > 1) & (names[:, None] != names) & later
    for allowed in (telling, two & later, two, (distance > 0) & within, within):
        if bool(allowed.any()):
            return divmod(int(most.cpu().masked_fill(~allowed, -1.0).argmax()), count)
    return 0, 0
