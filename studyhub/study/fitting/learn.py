"""From histories of many learners to numbers and a verdict on each. Knows no table and keeps nothing.

What is held out is later in time than all it is foretold from. Small histories go side by side, each with
five forward splits; a large one goes alone: its last fifth is held out, and a sample of its cards is fitted
first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from studyhub.study.fit_report import BETTER, FEWEST, FitReport, HeldOut, too_few, verdict
from studyhub.study.fitting.batch import Batch, batched
from studyhub.study.fitting.case import DEFAULTS, Case
from studyhub.study.fitting.newton import Fitted, in_coordinates, in_numbers, most_probable
from studyhub.study.fitting.passes import foreseen
from studyhub.study.scheduling import fsrs7_batch
from studyhub.study.scheduling.evaluation import bins_within, forward_splits, moving_average
from studyhub.study.scheduling.histories import Floats, Integers
from studyhub.study.scheduling.prefixes import prefixes_of
from studyhub.study.scheduling.sureness import Guess, careful, proof, proof_by_cards
from studyhub.study.scheduling.trace import Parameters

LARGE = 20_000
"""Answers from which on a learner is fitted alone, coarsely first."""
TOGETHER = 60_000
"""Answers, with their splits, that go side by side."""
SAMPLED, FORETOLD = 8_000, 30_000
"""Answers to the cards of the coarse fit of a large history, and to those that are foretold."""
HELD_OUT = 0.2
COARSE_PASSES = 5


@dataclass(frozen=True)
class Fit:
    """The numbers a fit came to (the current ones unless the report says better), the report, and what that
    stands on.
    """

    numbers: Parameters
    report: FitReport
    held_out: HeldOut | None = None


def fit_learners(cases: Sequence[Case]) -> list[Fit]:
    """Fits each learner; never raises for what the answers are. In the order of the cases."""
    torch.set_num_threads(1)  # two threads at these sizes are slower than one
    found: dict[int, Fit] = {}
    for group in _groups(cases):
        members = [cases[number] for number in group]
        fits = [_fit_large(members[0])] if _is_large(members[0]) else _fit_small(members)
        found.update(zip(group, fits, strict=True))
    return [found.get(number) or _too_few(case) for number, case in enumerate(cases)]


def _is_large(case: Case) -> bool:
    return len(case.histories) >= LARGE


def _groups(cases: Sequence[Case]) -> Iterator[list[int]]:
    """The cases that have enough, in groups of like length that fit side by side."""
    group: list[int] = []
    enough = [number for number, case in enumerate(cases) if len(case.terms) >= FEWEST]
    for number in sorted(enough, key=lambda number: len(cases[number].histories)):
        size = len(cases[number].histories) * 6
        if group and (size * (len(group) + 1) > TOGETHER or _is_large(cases[number])):
            yield group
            group = []
        group.append(number)
    if group:
        yield group


def _too_few(case: Case) -> Fit:
    outcome, reason = too_few(len(case.terms))
    return Fit(case.current, _counted(case, outcome, reason))


def _fit_small(cases: Sequence[Case]) -> list[Fit]:
    """All with their splits in one batch: problem 0 of a case is the whole, the others end at a split."""
    tests = [forward_splits(len(case.terms)) for case in cases]
    ends = [
        [len(case.terms), *(test.start for test in split)] for case, split in zip(cases, tests, strict=True)
    ]
    owners = [case for case, until in zip(cases, ends, strict=True) for _ in until]
    weights = [case.weights(end) for case, until in zip(cases, ends, strict=True) for end in until]
    batch = batched(
        [case.prefixes for case in owners],
        [case.prefixes.sums(weight) for case, weight in zip(owners, weights, strict=True)],
    )
    starts = [case.start(end) for case, until in zip(cases, ends, strict=True) for end in until]
    guesses = _guesses(most_probable(batch, np.stack(starts)), weights)
    candidates = np.stack([_candidate(guess) for guess in guesses])
    foretold = [_foretold(batch, numbers) for numbers in (candidates, _rivals(owners, 0), _rivals(owners, 1))]
    fits, first = [], 0
    for case, split in zip(cases, tests, strict=True):
        rows = [
            np.concatenate(
                [case.prefixes.spread(by[first + 1 + k])[case.terms[test]] for k, test in enumerate(split)]
            )
            for by in foretold
        ]
        held_out = _held_out(case, np.concatenate([np.arange(t.start, t.stop) for t in split]), rows, split)
        fits.append(_judged(case, guesses[first], candidates[first], held_out))
        first += 1 + len(split)
    return fits


def _rivals(owners: Sequence[Case], which: int) -> Floats:
    """The defaults (0) or the current numbers (1) of each problem."""
    return np.stack([_current(case) if which else DEFAULTS for case in owners])


def _current(case: Case) -> Floats:
    """The current numbers; the defaults in place of those of the other model, which foretells by itself."""
    return np.array(case.current) if case.is_of_one_stability else DEFAULTS


def _fit_large(case: Case) -> Fit:
    """A coarse fit of what comes before the held-out part, a pass over all of that, one over everything."""
    end = len(case.terms)
    until = int(end * (1 - HELD_OUT))
    before = case.histories.at < case.histories.at[case.terms[until]]
    coarse = Case(case.histories.only(case.in_sample(SAMPLED) & before))
    early = _passed(coarse, len(coarse.terms), coarse.start(len(coarse.terms)), COARSE_PASSES)
    weights = case.weights(until)
    known = _passed(case, until, in_numbers(early.at[0]), 1)
    earlier = _candidate(_guesses(known, [weights])[0])
    held_out = _foretold_of_sample(case, until, earlier)
    last = _passed(case, end, in_numbers(known.at[0]), 1)
    guess = _guesses(last, [case.weights(end)])[0]
    return _judged(case, guess, _candidate(guess), held_out)


def _passed(case: Case, until: int, start: Floats, passes: int) -> Fitted:
    batch = batched([case.prefixes], [case.prefixes.sums(case.weights(until))])
    return most_probable(batch, start[None], passes)


def _foretold_of_sample(case: Case, until: int, fitted: Floats) -> HeldOut:
    """The held-out answers to a sample of the cards."""
    sampled = case.in_sample(FORETOLD)
    histories = case.histories.only(sampled)
    prefixes = prefixes_of(histories)
    number = np.cumsum(sampled) - 1
    places = np.arange(until, len(case.terms))
    places = places[sampled[case.terms[places]]]
    numbers = np.stack([fitted, DEFAULTS, _current(case)])
    blank = np.zeros(len(prefixes.rating))
    foretold = _foretold(batched([prefixes] * 3, [blank] * 3), numbers)
    rows = [prefixes.spread(values)[number[case.terms[places]]] for values in foretold]
    return _held_out(case, places, rows, [slice(until, len(case.terms))])


def _foretold(batch: Batch, numbers: Floats) -> list[Floats]:
    """The chance of recall before the last answer of each beginning, for each problem."""
    with torch.inference_mode():
        return batch.gathered(foreseen(batch, torch.tensor(numbers, device=batch.device)))


def _held_out(case: Case, places: Integers, rows: Sequence[Floats], tests: Sequence[slice]) -> HeldOut:
    """Those terms (by their place in time), foretold by (fitted, defaults, current), and by the baselines."""
    histories, terms = case.histories, case.terms
    recalled = histories.recalled[terms]
    known = np.concatenate([[0], np.cumsum(recalled)])
    first = places[0] if len(places) else 0
    chances = dict(zip(("fitted", "defaults", "current"), rows, strict=True))
    if not case.is_of_one_stability:
        chances["current"] = fsrs7_batch.foretold(histories, case.current)[terms[places]]
    chances["average"] = np.full(len(places), known[first] / max(first, 1))
    chances["moving_average"] = moving_average(recalled)[places]
    return HeldOut(chances, recalled[places], bins_within(histories)[terms[places]], places, tests)


def _guesses(fitted: Fitted, weights: Sequence[Floats]) -> list[Guess]:
    rows = zip(fitted.at, fitted.precision, fitted.curvature, weights, strict=True)
    return [
        Guess(at, np.linalg.inv(precision), curvature / max(float(weight.sum()), 1.0))
        for at, precision, curvature, weight in rows
    ]


def _candidate(guess: Guess) -> Floats:
    return in_numbers(careful(guess, in_coordinates(DEFAULTS)))


def _judged(case: Case, guess: Guess, candidate: Floats, held_out: HeldOut) -> Fit:
    new = in_coordinates(candidate)
    rivals = {"defaults": DEFAULTS, "current": _current(case)}
    proofs = {name: proof(guess, new, in_coordinates(numbers)) for name, numbers in rivals.items()}
    if not case.is_of_one_stability:
        proofs["current"] = held_out_proof(case, held_out, "current")
    outcome, reason = verdict(held_out, proofs, len(case.terms))
    report = replace(
        _counted(case, outcome, reason),
        held_out=len(held_out.recalled),
        scores=held_out.scores(),
        differences=held_out.differences(),
        proofs=proofs,
        shrinkage=_way_gone(guess, new),
    )
    numbers = tuple(round(float(number), 6) for number in candidate)
    return Fit(numbers if outcome == BETTER else case.current, report, held_out)


def held_out_proof(case: Case, held_out: HeldOut, rival: str) -> float:
    """The gain over a rival on what was held out, in standard errors of it."""
    cards = case.histories.lane[case.terms[held_out.places]]
    return proof_by_cards(held_out.gains(rival), cards)


def _way_gone(guess: Guess, new: Floats) -> float:
    """How much of the way from the defaults to the best guess is gone, 0..1, by what it means for losses."""
    start = in_coordinates(DEFAULTS)
    gone, whole = ((to - start) @ guess.curvature @ (to - start) for to in (new, guess.at))
    return float(np.sqrt(gone / whole)) if whole > 0 else 0.0


def _counted(case: Case, outcome: str, reason: str) -> FitReport:
    """A report with what there was to learn from."""
    return FitReport(
        outcome,
        reason,
        reviews=len(case.histories),
        terms=len(case.terms),
        cards=len(case.histories.starts),
        dropped=dict(case.dropped),
    )
