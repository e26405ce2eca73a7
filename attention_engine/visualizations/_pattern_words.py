"""What the frames of attention_pattern say, in words and tables, from their own numbers. Knows no model."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from attention_engine.attention import Stages, entropy
from attention_engine.frames import Cell, Table

FULL_MAP = 24
"""Up to this many tokens a table holds every cell, beyond it the strongest key of each row."""
LABEL_BYTES = 3600
SPECIAL = ("[CLS]", "[SEP]", "[UNK]")
Rank = Callable[[int, int, float], tuple[int, int]]
Numbers = Mapping[str, Any]


def labels(tokens: Sequence[str]) -> list[str]:
    """Tokens, shortened where all of them would not fit a frame."""
    short = list(tokens)
    for most in (24, 12, 6, 3, 1):
        short = [token if len(token) <= most + 1 else f"{token[:most]}…" for token in tokens]
        if sum(len(json.dumps(token, ensure_ascii=False).encode()) for token in short) <= LABEL_BYTES:
            break
    return short


def _cell(value: float) -> float | str:
    return round(value, 3) if math.isfinite(value) else "hidden"


def map_table(tokens: Sequence[str], values: torch.Tensor) -> Table:
    """(T, T) as a table: all cells of a short sentence, else position and value of each row's largest key."""
    names = labels(tokens)
    if len(names) <= FULL_MAP:
        rows = [
            (name, *(_cell(value) for value in row)) for name, row in zip(names, values.tolist(), strict=True)
        ]
        return Table(("query", *names), tuple(rows))
    best = values.max(dim=-1)
    told = zip(names, best.indices.tolist(), best.values.tolist(), strict=True)
    return Table(
        ("query", "strongest key, by position", "value"),
        tuple((name, key, round(value, 2)) for name, key, value in told),
    )


def output_table(tokens: Sequence[str], stages: Stages, root: float) -> Table:
    """Of each token: which token's value enters most, with which weight, and the length of what results."""
    best = stages.weights.max(dim=-1)
    sizes = (stages.output.norm(dim=-1) / root).tolist()
    told = zip(labels(tokens), best.indices.tolist(), best.values.tolist(), sizes, strict=True)
    rows: list[tuple[Cell, ...]] = [
        (name, key, round(weight, 2), round(size, 2)) for name, key, weight, size in told
    ]
    return Table(("query", "strongest key, by position", "weight", "root mean square"), tuple(rows))


def _extent(values: torch.Tensor) -> str:
    finite = values[torch.isfinite(values)]
    return f"{float(finite.min()):.2f} to {float(finite.max()):.2f}"


def scores(stages: Stages, numbers: Numbers) -> str:
    """What q times k gives."""
    tokens = stages.scores.shape[-1]
    where = f"Layer {numbers['layer']}, head {numbers['head']}"
    return (
        f"{where}, counted from 0: q of each token times k of each, {tokens} x {tokens} scores "
        f"from {_extent(stages.scores)}."
    )


def scaled(stages: Stages, numbers: Numbers) -> str:
    """What the division does."""
    d_head = numbers["d_head"]
    return f"Divided by sqrt({d_head}) = {math.sqrt(d_head):.2f}: from {_extent(stages.scaled)}."


def masked(numbers: Numbers) -> str:
    """What the mask hides."""
    if not numbers["causal"]:
        encoder = "Encoder: nothing" if numbers["model"] == "minilm" else "Nothing"
        return f"{encoder} is masked, every token sees every other."
    only = " In this layer only: the ones below it ran unmasked." if numbers["model"] == "minilm" else ""
    return f"Causal: keys after the query are set to minus infinity.{only}"


def telling_pair(weights: torch.Tensor, tokens: Sequence[str]) -> tuple[int, int] | None:
    """Query and key of the largest weight between two different words; None if there is no such pair."""
    words = torch.tensor([token not in SPECIAL and any(map(str.isalnum, token)) for token in tokens])
    allowed = words[:, None] & words[None, :] & ~torch.eye(len(tokens), dtype=torch.bool)
    if not bool(allowed.any()):
        return None
    best = int(weights.cpu().masked_fill(~allowed, -1.0).argmax())
    return divmod(best, len(tokens))


def weights(values: torch.Tensor, tokens: Sequence[str], *, numbers: Numbers, rank: Rank | None) -> str:
    """The telling pair of this head, and whether any other head of the model gives it more."""
    spread = f"Mean entropy {float(entropy(values).mean()):.2f} of at most {math.log(len(tokens)):.2f} nats."
    pair = telling_pair(values, tokens)
    if pair is None:
        return f"Each row sums to 1. {spread}"
    query, key = pair
    weight, names = float(values[query, key]), labels(tokens)
    where = f"Layer {numbers['layer']}, head {numbers['head']}"
    sent = f"{where} sends {weight:.2f} of “{names[query]}” to “{names[key]}”."
    return " ".join(part for part in (sent, _ranked(rank, query, key, weight=weight), spread) if part)


def _ranked(rank: Rank | None, query: int, key: int, *, weight: float) -> str:
    if rank is None:
        return ""
    larger, heads = rank(query, key, weight)
    if larger == 0:
        return f"Of the model's {heads} heads it gives this pair the most."
    return f"Of the model's {heads} heads {larger} give this pair more."


def output(stages: Stages) -> str:
    """What mixing values gives."""
    tokens, d_head = stages.output.shape
    return (
        f"Each row mixes {tokens} values of width {d_head} by its weights: {tokens} x {d_head} new numbers."
    )
