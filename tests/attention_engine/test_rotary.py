"""Rotary positions equal their slow twin, keep lengths, and leave only the distance in a score."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_engine.device import Chance
from attention_engine.rotary import Pairing, rotate
from tests.attention_engine import reference
from tests.attention_engine.rearranged import half_from_interleaved

PAIRINGS: list[Pairing] = ["half", "interleaved"]
WIDTHS = st.integers(1, 20).map(lambda half: 2 * half)


def drawn(shape: tuple[int, ...], seed: int) -> torch.Tensor:
    return Chance(seed, torch.device("cpu")).normal(shape)


@pytest.mark.parametrize("pairing", PAIRINGS)
@settings(deadline=None, max_examples=40)
@given(width=WIDTHS, rest=st.integers(0, 5), tokens=st.integers(1, 9), base=st.sampled_from([1e2, 1e4, 5e5]))
def test_every_vector_turns_as_its_twin_does(
    pairing: Pairing, width: int, rest: int, tokens: int, base: float
) -> None:
    x = drawn((2, 3, tokens, width + rest), seed=width)
    ours = rotate(x, base=base, pairing=pairing, width=width)
    for vector, row in zip(ours.flatten(0, 1).tolist(), x.flatten(0, 1).tolist(), strict=True):
        for position in range(tokens):
            twin = reference.rotated(
                row[position], position, base=base, interleaved=pairing == "interleaved", width=width
            )
            assert vector[position] == pytest.approx(twin, abs=1e-5)


@pytest.mark.parametrize("pairing", PAIRINGS)
@settings(deadline=None, max_examples=40)
@given(width=WIDTHS, first=st.integers(0, 100_000))
def test_lengths_are_kept_and_position_0_does_not_turn(pairing: Pairing, width: int, first: int) -> None:
    x = drawn((4, 5, width), seed=first)
    turned = rotate(x, pairing=pairing, positions=torch.arange(first, first + 5))
    assert torch.allclose(turned.norm(dim=-1), x.norm(dim=-1), rtol=1e-5)
    assert torch.equal(rotate(x, pairing=pairing, positions=torch.zeros(5)), x)


@pytest.mark.parametrize("pairing", PAIRINGS)
@settings(deadline=None, max_examples=40)
@given(width=WIDTHS, m=st.integers(0, 500), n=st.integers(0, 500), shift=st.integers(0, 100_000))
def test_a_score_depends_on_the_distance_alone(
    pairing: Pairing, width: int, m: int, n: int, shift: int
) -> None:
    q, k = drawn((1, width), 1), drawn((1, width), 2)

    def score(at: int) -> float:
        turned = [
            rotate(x, pairing=pairing, positions=torch.tensor([at + own])) for x, own in ((q, m), (k, n))
        ]
        return float((turned[0] * turned[1]).sum())

    assert score(shift) == pytest.approx(score(0), abs=2e-5)


def test_the_distance_does_change_a_score() -> None:
    x = drawn((1, 8), 3).expand(4, 8)
    scores = (rotate(x)[0] * rotate(x)).sum(dim=-1)
    assert torch.unique(scores).numel() == 4


@settings(deadline=None, max_examples=40)
@given(width=WIDTHS, tokens=st.integers(1, 9))
def test_a_permutation_turns_one_pairing_into_the_other(width: int, tokens: int) -> None:
    x, order = drawn((2, tokens, width), 5), half_from_interleaved(width)
    assert torch.equal(order.sort().values, torch.arange(width))
    halves = rotate(x[..., order], pairing="half")
    assert torch.equal(halves, rotate(x, pairing="interleaved")[..., order])
    q, k = drawn((tokens, width), 6), drawn((tokens, width), 7)
    interleaved = rotate(q, pairing="interleaved") @ rotate(k, pairing="interleaved").T
    assert torch.allclose(rotate(q[..., order]) @ rotate(k[..., order]).T, interleaved, atol=1e-5)


def test_without_the_permutation_the_pairings_give_other_scores() -> None:
    q, k = drawn((5, 16), 6), drawn((5, 16), 7)
    scores = [rotate(q, pairing=pairing) @ rotate(k, pairing=pairing).T for pairing in PAIRINGS]
    assert not torch.allclose(*scores, atol=0.1)


def test_a_pair_turns_by_its_own_angle() -> None:
    turned = rotate(torch.tensor([[1.0, 1.0, 0.0, 0.0]]), positions=torch.tensor([3]))
    slow = 3 * 10000 ** (-2 / 4)
    assert turned[0].tolist() == pytest.approx(
        [math.cos(3), math.cos(slow), math.sin(3), math.sin(slow)], abs=1e-6
    )


def test_features_beyond_the_width_do_not_turn() -> None:
    x = drawn((3, 10), 8)
    assert torch.equal(rotate(x, width=4)[:, 4:], x[:, 4:])
    assert torch.equal(rotate(x, width=4)[:, :4], rotate(x[:, :4]))


def test_a_far_position_turns_as_exactly_as_a_near_one() -> None:
    x = drawn((1, 64), 9)
    far = rotate(x, positions=torch.tensor([131_071]))[0].tolist()
    assert far == pytest.approx(
        reference.rotated(x[0].tolist(), 131_071, base=1e4, interleaved=False), abs=1e-5
    )


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (rotate, "5 features cannot turn in pairs: take 4 or 6"),
        (lambda x: rotate(x, width=6), "6 features cannot turn where a head has 5: take at most that"),
        (lambda x: rotate(x, width=0), "0 features cannot turn"),
        (lambda x: rotate(x, width=4, pairing="both"), 'half or interleaved, not "both"'),
    ],
)
def test_what_cannot_turn_is_told_with_its_numbers(call: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call(torch.ones(2, 5))  # type: ignore[operator]
