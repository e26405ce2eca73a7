"""The fit of 34 numbers: its slopes are right, and it is offered to those alone whom it foretells better."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import fsrs7_learners
from benchmarks.fsrs_learners import DEFAULTS, Course, answers, true_numbers
from studyhub.study.fit_report import BETTER, KEPT, TOO_FEW
from studyhub.study.fitting.beside import fit_two_stabilities
from studyhub.study.fitting.case import Case
from studyhub.study.fitting.learn import fit_learners
from studyhub.study.fitting.single import CENTRE, SIGMAS, in_coordinates, in_numbers
from studyhub.study.fitting.two_stabilities import foreseen_with_slopes, walk_of
from studyhub.study.scheduling import fsrs7, fsrs7_batch
from studyhub.study.scheduling.histories import Histories
from studyhub.study.scheduling.sureness import proof_by_cards

pytestmark = pytest.mark.plain
GOLDEN = json.loads((Path(__file__).parents[2] / "data" / "fsrs_vectors.json").read_text())["fsrs7"]
COURSE = Course(cards=250, new_per_day=8, days=60)


def golden() -> Histories:
    rows = []
    for number, sequence in enumerate(GOLDEN["sequences"]):
        days = np.cumsum([one["elapsed_days"] for one in sequence["reviews"]])
        rows += [
            (number, one["rating"], int(day), day * 86_400.0)
            for one, day in zip(sequence["reviews"], days, strict=True)
        ]
    card, rating, day, at = zip(*rows, strict=True)
    return Histories(np.array(card), np.array(rating), np.array(day), np.array(at))


@pytest.fixture(scope="module")
def seven():
    """Somebody who remembers with two stabilities, unlike most: true numbers, and answers."""
    chance = np.random.default_rng(2)
    numbers = fsrs7_learners.true_numbers(chance, SIGMAS)
    return numbers, fsrs7_learners.answers(numbers, COURSE, chance)


@pytest.fixture(scope="module")
def offered(seven):
    return fit_two_stabilities(Case(seven[1]))


def test_the_loss_and_its_slopes_are_the_golden_ones():
    histories, expected = golden(), GOLDEN["loss_at_defaults"]
    walk = walk_of([histories], 64)
    chance, slopes = foreseen_with_slopes(walk, np.array([fsrs7.DEFAULT_PARAMETERS]))
    recalled, told = histories.recalled[walk.answers], histories.waited[walk.answers] > 0
    loss = -np.log(np.where(recalled, chance, 1 - chance))
    assert loss[told].sum() == pytest.approx(expected["bce_sum"], abs=1e-6)
    gradient = slopes[:, told] @ ((chance - recalled) / (chance * (1 - chance)))[told]
    assert gradient == pytest.approx(expected["gradient"], abs=1e-6, rel=1e-6)


def test_problems_side_by_side_are_foreseen_as_each_alone_by_the_twin_without_slopes(seven):
    numbers, histories = seven
    parts = [histories.only(histories.lane < 40), histories.only(histories.lane >= 200)]
    both = [numbers, fsrs7.DEFAULT_PARAMETERS]
    walk = walk_of(parts, 64)
    chance, _ = foreseen_with_slopes(walk, np.array(both))
    expected = np.concatenate(
        [fsrs7_batch.foretold(part, own) for part, own in zip(parts, both, strict=True)]
    )
    assert chance == pytest.approx(expected[walk.answers], abs=1e-12)
    assert np.isfinite(expected[walk.answers]).all()
    assert (walk.problems == (walk.answers >= len(parts[0]))).all()


def test_coordinates_are_numbers_again_within_their_bounds():
    assert in_numbers(CENTRE) == pytest.approx(fsrs7.DEFAULT_PARAMETERS)
    wild = in_numbers(in_coordinates(np.full(34, 50.0)))
    assert tuple(wild) == fsrs7.clipped(tuple(wild))


def test_whoever_remembers_with_two_stabilities_is_offered_them(seven, offered):
    report = offered.report
    assert (report.outcome, report.numbers, len(offered.numbers)) == (BETTER, 34, 34)
    assert report.scores["fitted"].log_loss < report.scores["one_stability"].log_loss
    assert min(report.proofs.values()) > 2.8
    assert "21 numbers fitted to the same reviews" in report.reason
    assert f"{report.held_out:,} held-out" in report.reason
    fresh = fsrs7_learners.answers(seven[0], COURSE, np.random.default_rng(9))
    fitted = fsrs7_learners.loss(fresh, offered.numbers)
    assert fitted < fsrs7_learners.loss(fresh, fsrs7.DEFAULT_PARAMETERS)
    assert fitted < fsrs7_learners.loss(fresh, seven[0]) + 0.01


def test_the_two_fits_are_judged_on_the_same_answers(seven, offered):
    (single,) = fit_learners([Case(seven[1])])
    assert offered.report.scores["one_stability"] == single.report.scores["fitted"]
    assert {score.number for score in offered.report.scores.values()} == {single.report.held_out}
    assert seven[1].is_term[Case(seven[1]).terms[offered.held_out.places]].all()


def test_whoever_remembers_by_the_built_in_numbers_is_not(seven):
    (histories,) = answers(DEFAULTS[None], COURSE, np.random.default_rng(0))
    found = fit_two_stabilities(Case(histories))
    assert found.report.outcome == KEPT
    assert found.numbers == tuple(DEFAULTS)


def test_numbers_of_two_stabilities_in_use_are_to_be_beaten_by_a_fit_of_one(seven, offered):
    """Else the next fit of 21 numbers would be offered in place of better ones."""
    (found,) = fit_learners([Case(seven[1], offered.numbers)])
    assert found.report.outcome == KEPT
    assert found.numbers == offered.numbers
    assert "yours" in found.report.reason


def test_too_few_reviews_are_said_to_be(seven):
    found = fit_two_stabilities(Case(seven[1].only(seven[1].lane < 5)))
    assert (found.report.outcome, found.report.numbers) == (TOO_FEW, 34)


def test_answers_of_one_card_are_one_piece_of_evidence():
    gains, cards = np.array([1.0, 0.5, 0.8, 0.2] * 5), np.arange(20)
    alone = proof_by_cards(gains, cards)
    assert proof_by_cards(np.repeat(gains, 9), np.repeat(cards, 9)) == pytest.approx(alone)
    assert proof_by_cards(gains, np.zeros(20, int)) == 0


@pytest.mark.thorough
def test_of_twenty_who_remember_with_one_stability_none_is_offered_two():
    chance = np.random.default_rng(5)
    numbers = np.concatenate([np.stack([DEFAULTS] * 10), true_numbers(10, chance)])
    for histories in answers(numbers, COURSE, chance):
        assert fit_two_stabilities(Case(histories)).report.outcome == KEPT


@pytest.mark.thorough
def test_twenty_thousand_reviews_are_fitted_and_foretold_within_a_hundredth_of_the_truth():
    chance = np.random.default_rng(3)
    numbers = fsrs7_learners.true_numbers(chance, SIGMAS)
    found = fit_two_stabilities(Case(fsrs7_learners.answers(numbers, Course(2_500, 25, 150), chance)))
    assert found.report.outcome == BETTER
    fresh = fsrs7_learners.answers(numbers, Course(1_000, 10, 120), chance)
    assert fsrs7_learners.loss(fresh, found.numbers) < fsrs7_learners.loss(fresh, numbers) + 0.01
