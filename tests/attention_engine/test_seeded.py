"""Random layers of any width: free by law, and head by head the same where weights are pinned."""

import pytest
import torch

from attention_engine import gaussian
from attention_engine.device import Chance
from attention_engine.heads import merge_heads
from attention_engine.trained import seeded
from attention_engine.trained.seeded import Widths
from tests.attention_engine.memory import measured

CPU = torch.device("cpu")
MIB = 1024 * 1024
GROUPED = Widths(48, num_heads=6, d_head=10, num_kv_heads=2, d_head_v=7)
GPT_3 = Widths(12288, num_heads=96, d_head=128)
WORDS = ["the", "cat", "sat", "on", "the", "mat"]


def rows(tokens: int, d_model: int) -> torch.Tensor:
    return Chance(7, CPU).normal((tokens, d_model))


@pytest.mark.parametrize("weights", ["law", "pinned"])
def test_grouped_heads_and_wide_values_have_their_shapes(weights: str) -> None:
    sizes = {"d_model": 48, "num_heads": 6, "d_head": 10, "num_kv_heads": 2, "d_head_v": 7}
    heads = seeded.read(WORDS, Chance(0, CPU), weights=weights, **sizes)
    assert [tuple(part.shape) for part in (heads.q, heads.k, heads.v)] == [(6, 6, 10), (2, 6, 10), (2, 6, 7)]


def test_one_pinned_head_alone_equals_the_same_head_among_all() -> None:
    x = rows(5, 48)
    every = seeded.pinned(x, 3, GROUPED)
    for head in range(6):
        alone = seeded.pinned(x, 3, GROUPED, heads=[head])
        assert torch.equal(alone.q[0], every.q[head])
        assert torch.equal(alone.k[0], every.k[head // 3])
        assert torch.equal(alone.v[0], every.v[head // 3])


def test_kv_heads_that_do_not_divide_are_told_with_those_that_do() -> None:
    with pytest.raises(ValueError, match="5 K/V heads do not divide 6 query heads"):
        seeded.pinned(rows(2, 8), 0, Widths(8, num_heads=6, d_head=2, num_kv_heads=5))


def test_heads_of_one_group_bring_their_keys_once() -> None:
    heads = seeded.pinned(rows(5, 48), 3, GROUPED, heads=[0, 2, 4])
    assert (len(heads.q), len(heads.k), len(heads.v)) == (3, 2, 2)


def test_every_seed_layer_projection_and_head_has_weights_of_its_own() -> None:
    x = rows(5, 48)
    seen = [
        part[head]
        for seed in (1, 2)
        for layer in (0, 1)
        for drawn in [seeded.pinned(x, seed, Widths(48, 2, 8), layer=layer)]
        for part in (drawn.q, drawn.k, drawn.v)
        for head in (0, 1)
    ]
    assert len({tuple(part.flatten().tolist()) for part in seen}) == 24


def test_pinned_weights_have_the_variance_the_law_assumes() -> None:
    unit = torch.eye(256)[:40]
    drawn = seeded.pinned(unit, 0, Widths(256, 8, 32)).q
    assert float(drawn.std()) == pytest.approx(256**-0.5, rel=0.03)


def test_the_same_word_in_two_places_differs_by_its_place_alone() -> None:
    x = seeded.embedded(["it", "saw", "It"], Chance(0, CPU), 4096)
    near, far = (x[0] - x[2]).norm(), (x[0] - x[1]).norm()
    assert 0 < near < 0.6 * far


def test_a_layer_as_wide_as_gpt_3s_takes_8_mib() -> None:
    x = rows(16, GPT_3.d_model)
    whole_layer(x)
    with measured() as meter:
        output = whole_layer(x)
    assert output.shape == (16, 12288)
    assert meter.peak - x.numel() * 4 <= 8 * MIB


def whole_layer(x: torch.Tensor) -> torch.Tensor:
    chance = Chance(0, CPU)
    heads = seeded.by_law(x, chance, GPT_3)
    weights = (heads.q @ heads.k.mT * 128**-0.5).softmax(-1)
    (output,) = gaussian.project(merge_heads((weights @ heads.v)[None])[0], [GPT_3.d_model], chance)
    return output


def test_one_pinned_head_of_gpt_3_takes_the_memory_of_its_own_weights() -> None:
    x = rows(16, GPT_3.d_model)
    seeded.pinned(rows(2, 8), 0, Widths(8, 1, 8))
    with measured() as meter:
        seeded.pinned(x, 0, GPT_3, heads=[95])
    assert meter.peak <= x.numel() * 4 + 12288 * 128 * 4 + MIB
