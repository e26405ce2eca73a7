"""The tokens of a run under the whole cache: what evicting changed, or that nothing did. Knows no frame.

Distributions are compared on the same tokens (teacher forcing), so that a difference is the cache's alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from attention_engine.attention import entropy
from attention_engine.kinds import decode_cache as kind
from attention_engine.visualizations.decode.run import (
    Numbers,
    Step,
    followed,
    likeliest,
    snapshot,
    step_of,
)
from attention_engine.visualizations.decode.source import Source


@dataclass(frozen=True)
class Beside:
    """One token of the run: nats under this cache and under the whole one, and how far the two lie apart."""

    here: float
    whole: float
    divergence: float
    """KL(whole || here) of the distributions the token was taken from, nats."""
    entropy_here: float
    entropy_whole: float
    gone: float
    """Weight that the whole cache sends from this token to positions not held here, mean over heads."""


@dataclass(frozen=True)
class Other:
    """What the whole cache writes from the same prompt: its tokens, their nats under both caches."""

    ids: tuple[int, ...]
    here: tuple[float, ...]
    whole: tuple[float, ...]


@dataclass(frozen=True)
class Recomputed:
    """The run's tokens in one pass without a cache."""

    rows: tuple[Beside, ...]
    largest: float
    """The largest difference of any log-probability, over the whole vocabulary."""
    same: bool
    """Whether the likeliest token is the same at every step."""
    ms: float


def recomputed(source: Source, steps: Sequence[Step]) -> Recomputed:
    """All tokens at once, nothing kept: what the cache saved, and that it changed nothing."""
    passed = source.run(steps[-1].ids[:-1], None, last=len(steps) - 1)
    whole = passed.log_p
    here = torch.stack([step.before for step in steps[1:]])
    rows = _rows(steps, whole, gone=[0.0] * len(whole))
    same = bool((whole.argmax(dim=-1) == here.argmax(dim=-1)).all())
    return Recomputed(rows, float((whole - here).abs().max()), same, passed.ms)


def beside_whole(source: Source, steps: Sequence[Step]) -> tuple[tuple[Beside, ...], torch.Tensor]:
    """The run's tokens behind the whole prompt and one another, and the distributions (n, vocabulary)."""
    prompt, cache = steps[0], snapshot(steps[0].cache)
    passed = source.run(_new(steps), cache, last=len(steps) - 1)
    whole = torch.cat([prompt.after[None], passed.log_p[:-1]]) if len(passed.log_p) else passed.log_p
    mean = passed.weights.mean(dim=0).cpu()
    gone = [_gone(row, step.held) for row, step in zip(mean, steps[1:], strict=True)]
    return _rows(steps, whole, gone=gone), whole


def _new(steps: Sequence[Step]) -> tuple[int, ...]:
    """Tokens that were added to the prompt."""
    return steps[-1].ids[len(steps[0].ids) :]


def _gone(row: torch.Tensor, held: tuple[int, ...]) -> float:
    """Of one token's weights (T,) what falls on positions that are not held."""
    return max(0.0, float(row.sum() - row[list(held)].sum()))


def _rows(steps: Sequence[Step], whole: torch.Tensor, *, gone: Sequence[float]) -> tuple[Beside, ...]:
    if not len(whole):
        return tuple(Beside(0.0, 0.0, 0.0, 0.0, 0.0, one) for one in gone)
    return tuple(
        Beside(
            here=step.log_p,
            whole=float(other[step.ids[-1]]),
            divergence=max(0.0, float((other.exp() * (other - step.before)).sum())),
            entropy_here=step.entropy,
            entropy_whole=float(entropy(other.exp())),
            gone=away,
        )
        for step, other, away in zip(steps[1:], whole, gone, strict=True)
    )


def other_text(source: Source, steps: Sequence[Step], whole: torch.Tensor, *, numbers: Numbers) -> Other:
    """Greedy decoding behind the whole cache, and its tokens behind the evicting one.

    `whole` are the distributions of the run's own tokens: as far as they choose the same, nothing is run."""
    tokens = _new(steps)
    chosen = whole.argmax(dim=-1).tolist()
    same = next((n for n, token in enumerate(tokens) if chosen[n] != token), len(tokens))
    step = _after(source, steps[0], tokens[:same], numbers=numbers)
    told = [float(whole[n, tokens[n]]) for n in range(same)]
    for n in range(same + 1, numbers["new_tokens"] + 1):
        token = likeliest(step)
        if source.ends(token):
            break
        step = followed(step, token, source=source, numbers={**numbers, "keep": "all"}, n=n)
        told.append(step.log_p)
    ids = step.ids[len(steps[0].ids) :]
    return Other(ids, forced(source, steps[0], ids, numbers=numbers), tuple(told))


def _after(source: Source, prompt: Step, tokens: Sequence[int], *, numbers: Numbers) -> Step:
    """The step that these tokens lead to behind the whole cache, in one pass."""
    if not tokens:
        return prompt
    cache = snapshot(prompt.cache)
    passed = source.run(tokens, cache)
    return step_of(len(tokens), (*prompt.ids, *tokens), cache, passed=passed, numbers=numbers)


def forced(source: Source, prompt: Step, ids: Sequence[int], *, numbers: Numbers) -> tuple[float, ...]:
    """Nats of given tokens behind a cache that evicts, in one pass: keys keep their positions, so hiding
    what would be evicted gives what evicting it token by token gives."""
    if not ids:
        return ()
    cache, first = snapshot(prompt.cache), len(prompt.ids)
    mask = torch.zeros(len(ids), first + len(ids), dtype=torch.bool)
    for n, row in enumerate(mask):
        row[list(kind.kept(numbers, first + n))] = True
    log_p = source.run(ids, cache, last=len(ids), mask=mask.to(cache.k[0].device)).log_p
    behind = torch.cat([prompt.after[None], log_p[:-1]])
    return tuple(float(row[token]) for row, token in zip(behind, ids, strict=True))
