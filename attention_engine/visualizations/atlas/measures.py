"""What is measured on the maps of a layer: means over rows, small maps, names. Knows no model."""

import itertools
import unicodedata
from collections.abc import Sequence

import torch

from attention_engine.kinds.head_atlas import (
    BROAD,
    BROAD_FROM,
    MEASURES,
    NAMED_FROM,
    NO_PATTERN,
    PATTERNS,
    TIMES_EVEN,
    WEIGHED,
)

ENDS = ("[SEP]", "</s>", "<|im_start|>", "<|im_end|>", "<|endoftext|>")
SMALLEST = 1e-30
"""Times its logarithm it adds nothing, as 0 does."""
ORDER = [measure.name for measure in MEASURES]


def bare(token: str) -> str:
    """A piece of a word without the sign that says whether it begins one: animal, not ##animal or Ġanimal."""
    return token.removeprefix("##").lstrip("Ġ▁Ċ \n")


def separates(token: str) -> bool:
    """Whether a token ends a text or is nothing but punctuation."""
    letters = bare(token)
    return token in ENDS or (letters != "" and all(unicodedata.category(one)[0] == "P" for one in letters))


def kernels(tokens: Sequence[str], device: torch.device | None = None) -> torch.Tensor:
    """(measures but entropy, T, T): a measure is the sum of weights times its kernel.

    Each row is shared out among the queries that count: those after the first, for next those before the
    last; of a single token that one."""
    count = len(tokens)
    places = torch.arange(count, device=device)
    apart = (places[:, None] - places[None, :]).float()
    marks = torch.tensor([place > 0 and separates(one) for place, one in enumerate(tokens)], device=device)
    after = (places > 0).float() if count > 1 else torch.ones(1, device=device)
    seen = {
        "sink": (places == 0).float().expand(count, count),
        "locality": apart.abs(),
        "previous": (apart == 1).float(),
        "own": (apart == 0).float(),
        "next": (apart == -1).float(),
        "separator": marks.float().expand(count, count),
    }
    each = 1 / max(1, count - 1)
    rows = {name: torch.ones_like(after) if name == "next" else after for name in seen}
    return torch.stack([seen[name] * rows[name][:, None] * each for name in ORDER if name != "entropy"])


def measured(weights: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
    """(H, T, T) weights and the kernels -> (H, measures), all heads of a layer in one product."""
    heads = len(weights)
    linear = weights.reshape(heads, -1) @ by.reshape(len(by), -1).T
    nats = weights.clamp(min=SMALLEST).log_().mul_(weights).sum(dim=(1, 2)).div_(weights.shape[-1]).abs_()
    return torch.cat([nats[:, None], linear], dim=1)


def even(count: int, *, causal: bool, device: torch.device | None = None) -> torch.Tensor:
    """(T, T): every key that a query sees weighs alike."""
    seen = torch.ones(count, count, device=device)
    seen = seen.tril() if causal else seen
    return seen / seen.sum(dim=-1, keepdim=True)


def pooled(weights: torch.Tensor, side: int) -> torch.Tensor:
    """(H, T, T) -> (H, T', T'), T' at most `side`: the largest of each bin, as `encoding.thumbnail`."""
    size = weights.shape[-1]
    count = min(size, side)
    if count == size:
        return weights
    ends = [i * size // count for i in range(count + 1)]
    bins = list(itertools.pairwise(ends))
    rows = torch.stack([weights[:, a:b].amax(dim=1) for a, b in bins], dim=1)
    return torch.stack([rows[:, :, a:b].amax(dim=2) for a, b in bins], dim=2)


def named(measures: torch.Tensor, of_even: torch.Tensor) -> torch.Tensor:
    """(L, H, measures), (measures,) -> (L, H) places in PATTERNS, by the rule that the facts tell."""
    weighed = [ORDER.index(name) for name in WEIGHED]
    found, least = measures[..., weighed], (TIMES_EVEN * of_even[weighed]).clamp(min=NAMED_FROM)
    best = found.masked_fill(found < least, -1.0).max(dim=-1)
    most = float(of_even[ORDER.index("entropy")])
    wide = (measures[..., ORDER.index("entropy")] >= BROAD_FROM * most) & (most > 0)
    unnamed = torch.where(wide, PATTERNS.index(BROAD), PATTERNS.index(NO_PATTERN))
    first = PATTERNS.index(next(iter(WEIGHED.values())))
    return torch.where(best.values > 0, best.indices + first, unnamed)
