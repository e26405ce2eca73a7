"""Greedy decoding behind a cache that evicts: one Step a token. Knows no model's name and no frame."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from attention_engine.attention import entropy
from attention_engine.kinds import decode_cache as kind
from attention_engine.trained.cache import KVCache
from attention_engine.visualizations.decode.source import Passed, Source

Numbers = Mapping[str, Any]


@dataclass(frozen=True)
class Step:
    """A token once its keys and values are in the cache; n is 0 for the prompt, whose last token it tells."""

    n: int
    ids: tuple[int, ...]
    """Every token up to this one."""
    held: tuple[int, ...]
    """Positions in the cache, ascending."""
    weights: torch.Tensor
    """(2, T_held): what the token sends to each, mean over the heads and by the chosen head."""
    cache: KVCache
    """As it was then; not to be changed. Each holds memory of its own: `lightened` gives it up."""
    before: torch.Tensor
    """(vocabulary,) log-probabilities the token was taken from; empty for the prompt or without a text."""
    after: torch.Tensor
    """(vocabulary,) of what comes next."""
    ms: float

    @property
    def position(self) -> int:
        """Of the token."""
        return len(self.ids) - 1

    @property
    def log_p(self) -> float:
        """Nats; of the token under what it was taken from."""
        return float(self.before[self.ids[-1]]) if len(self.before) else 0.0

    @property
    def entropy(self) -> float:
        """Nats of the distribution the token was taken from."""
        return float(entropy(self.before.exp())) if len(self.before) else 0.0

    @property
    def sinks(self) -> tuple[float, float]:
        """Weight on the first token of the text, mean and head; 0 where it is not held."""
        if self.held[0] != 0:
            return 0.0, 0.0
        mean, head = self.weights[:, 0].tolist()
        return mean, head


def decode(source: Source, numbers: Numbers) -> Iterator[Step]:
    """The prompt, read whole, then new_tokens more, each the likeliest; a text may end before."""
    cache = source.cache()
    passed = source.run(source.prompt, cache)
    step = step_of(0, source.prompt, cache, passed=passed, numbers=numbers)
    yield step
    for n in range(1, numbers["new_tokens"] + 1):
        token = likeliest(step)
        if source.ends(token):
            return
        step = followed(step, token, source=source, numbers=numbers, n=n)
        yield step


def lightened(step: Step) -> Step:
    """The same without its cache."""
    return replace(step, cache=KVCache(0))


def likeliest(step: Step) -> int:
    """The token of the largest probability; without a text the next of the stand-in."""
    return int(step.after.argmax()) if len(step.after) else len(step.ids)


def followed(step: Step, token: int, *, source: Source, numbers: Numbers, n: int) -> Step:
    """A token run behind the cache of a step, after what `keep` evicts to make room for it."""
    ids = (*step.ids, token)
    cache = snapshot(step.cache)
    evict(cache, kind.kept(numbers, len(ids) - 1))
    passed = source.run([token], cache)
    return step_of(n, ids, cache, passed=passed, numbers=numbers, before=step.after)


def snapshot(cache: KVCache) -> KVCache:
    """The cache as it is now: appending and evicting make new memory, so none is copied here."""
    kept = copy.copy(cache)
    kept.k, kept.v = list(cache.k), list(cache.v)
    return kept


def evict(cache: KVCache, positions: Sequence[int]) -> None:
    """Keeps the cached tokens of these positions, in their order."""
    wanted = set(positions)
    indices = [index for index, position in enumerate(cache.positions.tolist()) if position in wanted]
    if len(indices) < len(cache):
        cache.keep(indices)


def step_of(
    n: int,
    ids: tuple[int, ...],
    cache: KVCache,
    *,
    passed: Passed,
    numbers: Numbers,
    before: torch.Tensor | None = None,
) -> Step:
    """The step of the last of the tokens that were just run."""
    last = passed.weights[:, -1]
    return Step(
        n=n,
        ids=ids,
        held=tuple(cache.positions.tolist()),
        weights=torch.stack([last.mean(dim=0), last[numbers["head"]]]).cpu(),
        cache=cache,
        before=torch.empty(0) if before is None else before,
        after=passed.log_p[-1] if len(passed.log_p) else torch.empty(0),
        ms=passed.ms,
    )
