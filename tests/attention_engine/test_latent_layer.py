"""Random heads of latent attention: pinned ones are those of their matrices, and by law they spread alike."""

import pytest
import torch

from attention_engine.device import Chance
from attention_engine.latent import LatentWeights, Turning, naive_heads
from attention_engine.trained.latent_layer import LatentWidths, by_law, pinned
from attention_engine.trained.seeded import head_seed

CPU = torch.device("cpu")
WIDTHS = LatentWidths(num_heads=3, d_head=12, rope=4, kv_rank=16, d_head_v=6)
TURNING = Turning(pairing="half")


def rows(tokens: int, d_model: int, seed: int = 7) -> torch.Tensor:
    return Chance(seed, CPU).normal((tokens, d_model))


def matrices(place: str, heads: int, shape: tuple[int, int]) -> torch.Tensor:
    """(N, heads, M), each head's from its own seed."""
    drawn = [
        Chance(head_seed(5, f"2/{place}", head), CPU).normal(shape, deviation=shape[0] ** -0.5)
        for head in range(heads)
    ]
    return torch.stack(drawn, dim=1)


def test_pinned_heads_are_those_of_their_seeded_matrices() -> None:
    x = rows(6, 40)
    weights = LatentWeights(
        w_q=matrices("q", 3, (40, 12)),
        w_kv_down=matrices("kv_down", 1, (40, 16))[:, 0],
        w_k_up=matrices("k_up", 3, (16, 8)),
        w_v_up=matrices("v_up", 3, (16, 6)),
        w_k_rope=matrices("k_rope", 1, (40, 4))[:, 0],
        w_o=torch.zeros(3, 6, 40),
    )
    unpacked = naive_heads(x[None], weights, turning=TURNING)
    drawn = pinned(x, 5, WIDTHS, layer=2, turning=TURNING)
    for ours, theirs in ((drawn.q, unpacked.q), (drawn.k, unpacked.k), (drawn.v, unpacked.v)):
        assert torch.allclose(ours, theirs[0], atol=1e-5)


def test_heads_by_law_spread_as_pinned_ones_do() -> None:
    x, wide = rows(8, 64), LatentWidths(num_heads=200, d_head=12, rope=4, kv_rank=16, d_head_v=6)
    law = by_law(x, Chance(1, CPU), wide, turning=TURNING)
    pin = pinned(x, 1, wide, layer=0, turning=TURNING)
    for ours, theirs in ((law.q, pin.q), (law.v, pin.v)):
        assert ours.shape == theirs.shape
        assert float(ours.std()) == pytest.approx(float(theirs.std()), rel=0.25)
    assert law.k.shape == pin.k.shape == (200, 8, 12)


def test_values_by_law_follow_the_latent_they_are_unpacked_from() -> None:
    x = rows(4, 64)
    x[3] = x[1]
    drawn = by_law(x, Chance(2, CPU), WIDTHS, turning=TURNING)
    assert torch.allclose(drawn.v[:, 3], drawn.v[:, 1], atol=1e-4)
    assert torch.allclose(drawn.k[:, 3, :8], drawn.k[:, 1, :8], atol=1e-4)
    assert not torch.allclose(drawn.k[:, 3, 8:], drawn.k[:, 1, 8:], atol=1e-2)


def test_all_heads_share_the_turned_key() -> None:
    for drawn in (
        by_law(rows(5, 64), Chance(3, CPU), WIDTHS, turning=TURNING),
        pinned(rows(5, 64), 3, WIDTHS, layer=0, turning=TURNING),
    ):
        assert torch.equal(drawn.k[:, :, 8:], drawn.k[:1, :, 8:].expand(3, 5, 4))
