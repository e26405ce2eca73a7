"""Whether 34 numbers foretell a learner's answers better than what is in use and than 21 fitted to the same.

Learnt from everything in real seconds, answers of the same day too; judged on the very answers that the fit
of 21 numbers holds out, all a study day or more after the one before, each foretold from earlier ones alone.
"""

from dataclasses import replace

import numpy as np
import torch

from studyhub.study.fit_report import BETTER, HeldOut, verdict
from studyhub.study.fitting.case import Case
from studyhub.study.fitting.learn import Fit, fit_learners, held_out_proof
from studyhub.study.fitting.single import CENTRE, Told, in_numbers, most_probable
from studyhub.study.fitting.two_stabilities import walk_of
from studyhub.study.scheduling import fsrs7_batch
from studyhub.study.scheduling.histories import Booleans, Floats
from studyhub.study.scheduling.prefixes import LONGEST
from studyhub.study.scheduling.sureness import Guess, careful
from studyhub.study.scheduling.trace import Parameters

COUNT = 34
MOST = 12_000
"""Answers to learn from; of more, those to a sample of the cards: all of it takes a worker some seconds."""


def fit_two_stabilities(case: Case) -> Fit:
    """Fits 34 numbers; never raises for what the answers are. The proofs are those of held-out answers."""
    single = fit_learners([case])[0]
    report = replace(single.report, numbers=COUNT, shrinkage=0.0)
    if single.held_out is None:
        return Fit(case.current, report)
    torch.set_num_threads(1)
    ends = [*(test.start for test in single.held_out.tests), len(case.terms)]
    guesses = most_probable(_told(case, ends), len(ends))
    *earlier, last = (_candidate(guess) for guess in guesses)
    return _judged(case, Fit(last, report, _with_ours(case, single.held_out, earlier)))


def _candidate(guess: Guess) -> Parameters:
    """As far from the defaults as is sure."""
    return tuple(round(float(number), 6) for number in in_numbers(careful(guess, CENTRE)))


def _told(case: Case, ends: list[int]) -> Told:
    """What there is to learn from before each of these terms, side by side."""
    sampled = case.in_sample(MOST)
    known = [sampled & _before(case, until) for until in ends]
    walk = walk_of([case.histories.only(kept) for kept in known], LONGEST)
    recalled = np.concatenate([case.histories.recalled[kept] for kept in known])
    weights = [_weights(case, until)[kept] for until, kept in zip(ends, known, strict=True)]
    return Told(walk, recalled[walk.answers], np.concatenate(weights)[walk.answers])


def _weights(case: Case, until: int) -> Floats:
    """What each answer counts. Those of the same day count as much as terms do on average."""
    histories, weights = case.histories, case.weights(until)
    used = weights > 0
    usual = float(weights[used].mean()) if used.any() else 1.0
    same_day = ~histories.is_term & (histories.waited > 0) & case.usual[histories.lane]
    return np.where(same_day, usual, weights)


def _before(case: Case, until: int) -> Booleans:
    if until >= len(case.terms):
        return np.ones(len(case.histories), bool)
    return np.asarray(case.histories.at < case.histories.at[case.terms[until]])


def _with_ours(case: Case, held_out: HeldOut, candidates: list[Parameters]) -> HeldOut:
    """The same answers, foretold by each test's own 34 numbers too."""
    chance = np.zeros(len(held_out.places))
    for test, numbers in zip(held_out.tests, candidates, strict=True):
        here = (held_out.places >= test.start) & (held_out.places < test.stop)
        chance[here] = _foretold(case, numbers)[case.terms[held_out.places[here]]]
    chances = {**held_out.chances, "one_stability": held_out.chances["fitted"], "fitted": chance}
    return replace(held_out, chances=chances)


def _foretold(case: Case, numbers: Parameters) -> Floats:
    return fsrs7_batch.foretold(case.histories, numbers)


def _judged(case: Case, fit: Fit) -> Fit:
    """The verdict on numbers of 34, by what was held out alone: the models have no numbers in common."""
    held_out = fit.held_out
    assert held_out is not None
    proofs = {rival: held_out_proof(case, held_out, rival) for rival in held_out.rivals}
    outcome, reason = verdict(held_out, proofs, len(case.terms), COUNT)
    report = replace(
        fit.report,
        outcome=outcome,
        reason=reason,
        scores=held_out.scores(),
        differences=held_out.differences(),
        proofs=proofs,
    )
    return Fit(fit.numbers if outcome == BETTER else case.current, report, held_out)
