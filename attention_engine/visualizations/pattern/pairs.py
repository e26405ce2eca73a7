"""Which query and key of a map a sentence tells of, and whether a head sinks into the first token."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from attention_engine.kinds import attention_pattern as kind
from attention_engine.visualizations._names import quoted, weighed

_MARK = re.compile(r"\[[A-Z]+\]|<[^<>]+>")
SINKING_TOKENS, SINKS_FROM = 4, 0.3
Numbers = Mapping[str, Any]


def is_mark(token: str) -> bool:
    """Whether a tokenizer put it beside the words: [CLS], <s>, <|endoftext|>."""
    return _MARK.fullmatch(token) is not None


def sink(weights: torch.Tensor, numbers: Numbers) -> float:
    """What later tokens send the first on average, where this head of a trained decoder sinks there; else 0.

    A convention of this picture: 0.3 or more, and at least twice what even weights would send."""
    model, tokens = kind.of_trained(numbers), len(weights)
    if model is None or not model.causal or numbers["mask"] != "causal" or tokens < SINKING_TOKENS:
        return 0.0
    share, even = float(weights[1:, 0].mean()), _even_share(tokens)
    return share if share >= max(SINKS_FROM, 2 * even) else 0.0


def _even_share(tokens: int) -> float:
    """What even causal weights send the first token, over all later ones."""
    return sum(1 / (query + 1) for query in range(1, tokens)) / (tokens - 1)


def sinking(values: torch.Tensor, tokens: Sequence[str], numbers: Numbers) -> str:
    """The sink of a head in a sentence, with what even weights would send there; "" where it has none."""
    share = sink(values, numbers)
    if not share:
        return ""
    return (
        f"Later tokens send {weighed(share)} to the first one, {quoted(tokens)[0]}, on average, where even "
        f"weights would send {weighed(_even_share(len(tokens)))}: an attention sink (Xiao et al. 2023)."
    )


def telling_pair(weights: torch.Tensor, tokens: Sequence[str], *, first: int = 0) -> tuple[int, int] | None:
    """Query and key of the largest weight between two different words; None if there is no such pair, or
    none that is seen.

    Keys before `first` are passed over: 1 leaves out an attention sink, which gets most from nearly all."""
    words = torch.tensor([not is_mark(token) and any(map(str.isalnum, token)) for token in tokens])
    keys = words & (torch.arange(len(tokens)) >= first)
    allowed = words[:, None] & keys[None, :] & ~torch.eye(len(tokens), dtype=torch.bool)
    if not bool(allowed.any()):
        return None
    seen = weights.cpu().masked_fill(~allowed, -1.0)
    best = int(seen.argmax())
    return divmod(best, len(tokens)) if float(seen.flatten()[best]) > 0 else None


def told_row(weights: torch.Tensor, tokens: Sequence[str], numbers: Numbers) -> int:
    """The query of the telling pair, else of the largest weight."""
    pair = telling_pair(weights, tokens, first=1 if sink(weights, numbers) else 0)
    return pair[0] if pair else int(weights.max(dim=-1).values.argmax())
