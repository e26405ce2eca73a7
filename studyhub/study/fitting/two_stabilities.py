"""The model of 34 numbers on tensors: what it foresees of many cards, with slopes. Fits and judges nothing.

Formulas as in `scheduling.fsrs7`, in fractions of days; all cards at once, the longest histories first, so
that those still going are the head of each tensor.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from studyhub.study.scheduling.fsrs7 import DIFFICULTY_BOUNDS, STABILITY_BOUNDS
from studyhub.study.scheduling.histories import Floats, Histories, Integers

KIND = torch.float64
_LONG, _SHORT = 7, 15
_LEAST, _SPAN, _BEGUN, _PULL = 0.00001, 0.99998, 0.8, 0.01


class _Step(NamedTuple):
    """One answer of each card that has so many, four times over: rating 1..4, days since the one before."""

    rating: Tensor
    days: Tensor
    again: Tensor
    hard: Tensor
    easy: Tensor


@dataclass(frozen=True)
class Walk:
    """Histories of several problems by the place of an answer in them.

    `owners`: the problem of each card. Of each answer that is foretold, in the order of what is foreseen:
    `answers` says where it stands in the histories one after the other, `problems` whose it is.
    """

    steps: Sequence[_Step]
    owners: Integers
    answers: Integers
    problems: Integers


class _State(NamedTuple):
    long: Tensor
    difficulty: Tensor
    short: Tensor


def walk_of(problems: Sequence[Histories], longest: int) -> Walk:
    """The histories of the problems, up to `longest` answers of a card."""
    lengths = np.concatenate([one.lengths for one in problems])
    order = np.argsort(-lengths, kind="stable")
    begins = np.cumsum([0, *(len(one) for one in problems)])[:-1]
    starts = np.concatenate([one.starts + begin for one, begin in zip(problems, begins, strict=True)])[order]
    owners = np.repeat(np.arange(len(problems)), [len(one.starts) for one in problems])[order]
    lengths = np.minimum(lengths[order], longest)
    counts = [int((lengths > step).sum()) for step in range(int(lengths.max(initial=0)))]
    places = [starts[:count] + step for step, count in enumerate(counts)]
    rating, waited = (
        np.concatenate([getattr(one, name) for one in problems]) for name in ("rating", "waited")
    )
    return Walk(
        [_step(rating[place], waited[place]) for place in places],
        owners,
        np.concatenate([np.zeros(0, int), *places[1:]]),
        np.concatenate([np.zeros(0, int), *(owners[:count] for count in counts[1:])]),
    )


def _step(rating: Integers, days: Floats) -> _Step:
    rated, waited = torch.from_numpy(np.tile(rating, 4)), torch.from_numpy(np.tile(days, 4)).to(KIND)
    return _Step(rated, waited, rated == 1, (rated == 2).to(KIND), (rated == 4).to(KIND))


def foreseen_with_slopes(walk: Walk, numbers: Floats) -> tuple[Floats, Floats]:
    """(N,) the chance of recall before each of the walk's answers, (34, N) how it changes with each number.

    `numbers` (problems, 34). Slopes are carried along beside the state. What one answer does to them is taken
    from autograd, for each card by itself; that each card stands there four times lets one pass backwards
    tell the slopes of all four values an answer gives: a tenth of the work of going through whole histories
    for each number.
    """
    mine = torch.tensor(np.asarray(numbers).T[:, walk.owners], dtype=KIND)
    chances, slopes = [torch.zeros(0, dtype=KIND)], [torch.zeros(len(mine), 0, dtype=KIND)]
    state, carried = _begun(walk.steps[0], mine) if walk.steps else ((), ())
    for step in walk.steps[1:]:
        count = len(step.rating) // 4
        given = _State(*(part[:count].repeat(4).requires_grad_() for part in state))
        own = mine[:, :count].repeat(1, 4).requires_grad_()
        loss, short_loss = _losses(given, step.days, own.unbind(0))
        left = 1 - loss, *_after(given, step, (loss, short_loss), own.unbind(0))
        chance, *state = (part[:count].detach() for part in left)
        slope, *carried = _carried(left, given, own, [one[:, :count] for one in carried])
        chances.append(chance)
        slopes.append(slope)
    return torch.cat(chances).numpy(), torch.cat(slopes, 1).numpy()


def _begun(step: _Step, mine: Tensor) -> tuple[Sequence[Tensor], Sequence[Tensor]]:
    """The states that first answers leave, and their slopes."""
    count = mine.shape[1]
    own = mine.clone().requires_grad_()
    state = _first(step.rating[:count], own)
    slopes = [torch.autograd.grad(part.sum(), own, retain_graph=True)[0] for part in state]
    return [part.detach() for part in state], slopes


def _carried(left: Sequence[Tensor], given: _State, own: Tensor, before: Sequence[Tensor]) -> list[Tensor]:
    """The slopes (34, count) of each value an answer left: its own, and through the state it was given in."""
    count = len(left[0]) // len(left)
    picked = [value[turn * count : (turn + 1) * count].sum() for turn, value in enumerate(left)]
    by_own, *by_state = torch.autograd.grad(torch.stack(picked).sum(), [own, *given])
    found = list(torch.split(by_own, count, 1))
    for turn, slopes in enumerate(found):
        for by, slope in zip(by_state, before, strict=True):
            slopes.addcmul_(slope, by[turn * count : (turn + 1) * count])
    return found


def _first(rating: Tensor, w: Tensor) -> _State:
    stability = w[:4].gather(0, (rating - 1)[None])[0]
    difficulty = w[4] - torch.exp(w[5] * (rating - 1)) + 1
    return _bounded(stability, difficulty, _BEGUN * stability)


def _losses(state: _State, days: Tensor, w: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """1 - recall, and what the short curve alone has lost."""
    off = state.difficulty - 5
    log_long, log_short = state.long.log(), state.short.log()
    decay = (w[23] * torch.exp(log_short * (w[33] - 0.3))).clamp(0.01, 0.95)
    scale = torch.expm1((-w[25].log() / decay).clamp_max(60.0)) / state.short
    short_loss = -torch.expm1(-decay * torch.log1p(scale * days))
    base = torch.expm1(-w[26].log() / w[24])
    slowed = base * torch.exp(off * (w[32] - 0.3)) / state.long
    long_loss = -torch.expm1(-w[24] * torch.log1p(slowed * days))
    short_weight = w[27] * torch.exp(-w[29] * log_short)
    long_weight = w[28] * torch.exp(w[30] * log_long + off * (w[31] - 0.5))
    share = short_weight / (short_weight + long_weight)
    return _LEAST + _SPAN * (share * short_loss + (1 - share) * long_loss), short_loss


def _after(state: _State, step: _Step, losses: tuple[Tensor, Tensor], w: Sequence[Tensor]) -> _State:
    loss, short_loss = losses
    ease = 11 - state.difficulty
    long = _gone_on(w[_LONG : _LONG + 8], state.long, loss, step, ease)
    short = _gone_on(w[_SHORT : _SHORT + 8], state.short, short_loss, step, ease)
    short = torch.where(step.again, torch.minimum(short, _BEGUN * long), short)
    lean = -w[6] * (step.rating - 3) * torch.where(step.again, 1.1 - loss, 1.0)
    moved = state.difficulty + lean * (10 - state.difficulty) / 9
    easiest = w[4] - torch.exp(3 * w[5]) + 1
    return _bounded(long, _PULL * easiest + (1 - _PULL) * moved, short)


def _gone_on(w: Sequence[Tensor], stability: Tensor, loss: Tensor, step: _Step, ease: Tensor) -> Tensor:
    """One of the two stabilities after an answer, by its eight numbers."""
    growth, damping, gain, level, power, forgetting, hard, easy = w
    lapsed = level * torch.expm1(power * torch.log1p(stability)) * torch.exp(forgetting * loss)
    lapsed = torch.minimum(stability, lapsed)
    button = 1 + (hard - 1) * step.hard + (easy - 1) * step.easy
    damped = torch.exp(growth - 1.5 - damping * stability.log())
    grown = stability * (1 + damped * ease * torch.expm1(gain * loss) * button)
    return torch.where(step.again, lapsed, torch.maximum(lapsed, grown))


def _bounded(long: Tensor, difficulty: Tensor, short: Tensor) -> _State:
    return _State(
        long.clamp(*STABILITY_BOUNDS), difficulty.clamp(*DIFFICULTY_BOUNDS), short.clamp(*STABILITY_BOUNDS)
    )
