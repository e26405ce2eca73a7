"""Numbers drawn by law are those of real random weight matrices: means, spreads, quantiles, covariances."""

from collections.abc import Callable, Sequence

import pytest
import torch

from attention_engine import gaussian
from attention_engine.device import META, Chance, settle
from tests.attention_engine.memory import measured

CPU = torch.device("cpu")
MIB = 1024 * 1024
DRAWS, TOKENS, D_MODEL, NUM_HEADS = 3000, 8, 64, 4
WIDTHS = (D_MODEL,) * 3
LARGEST_Z = 5.0
"""Of a few thousand z-scores of two equal laws the largest lies near 3.5; 5 comes once in 1,000 such runs."""

Draw = Callable[[int], Sequence[torch.Tensor]]


def drawn(shape: tuple[int, ...], seed: int = 0) -> torch.Tensor:
    return Chance(seed, CPU).normal(shape)


X = drawn((TOKENS, D_MODEL), 1) + torch.linspace(-1, 1, TOKENS)[:, None]


def with_real_matrices(seed: int, deviation: float = 1.0) -> Sequence[torch.Tensor]:
    chance = Chance(seed, CPU)
    return [X @ chance.normal((D_MODEL, width), deviation=deviation * D_MODEL**-0.5) for width in WIDTHS]


def by_law(seed: int) -> Sequence[torch.Tensor]:
    return gaussian.project(X, WIDTHS, Chance(seed, CPU))


def layer(projected: Sequence[torch.Tensor], output: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    """Everything that is compared of one draw, in one row: projections, weights, mixed heads, output."""
    q, k, v = (part.unflatten(-1, (NUM_HEADS, -1)).transpose(0, 1) for part in projected)
    weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)
    mixed = (weights @ v).transpose(0, 1).flatten(1)
    told = (projected[0][:, :3], projected[1][:, :3], weights, output(mixed)[:, :6])
    return torch.cat([part.flatten() for part in told])


def samples_with_real_matrices(first: int, *, deviation: float = 1.0) -> torch.Tensor:
    def output(mixed: torch.Tensor, seed: int) -> torch.Tensor:
        return mixed @ Chance(seed, CPU).normal((D_MODEL, D_MODEL), deviation=D_MODEL**-0.5)

    seeds = range(first, first + DRAWS)
    return torch.stack(
        [layer(with_real_matrices(s, deviation), lambda m, s=s: output(m, s + 10**6)) for s in seeds]
    )


def samples_by_law(first: int) -> torch.Tensor:
    def output(mixed: torch.Tensor, seed: int) -> torch.Tensor:
        return gaussian.project(mixed, [D_MODEL], Chance(seed, CPU))[0]

    seeds = range(first, first + DRAWS)
    return torch.stack([layer(by_law(s), lambda m, s=s: output(m, s + 10**6)) for s in seeds])


def z_of_means(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """For each column, by how many standard errors the means of two samples differ."""
    error = (one.var(0) / len(one) + other.var(0) / len(other)).sqrt()
    return (one.mean(0) - other.mean(0)) / error


def products(sample: torch.Tensor) -> torch.Tensor:
    """Of each draw the products of neighbouring columns, and of columns a token or more apart."""
    centred = sample - sample.mean(0)
    return torch.cat([centred * centred.roll(shift, 1) for shift in (1, 3, 6, 9)], dim=1)


def below(sample: torch.Tensor, cuts: torch.Tensor) -> torch.Tensor:
    """(draws, columns), (quantiles, columns) -> 1 where a number lies under a cut."""
    return (sample[:, None] < cuts).flatten(1).float()


def disagreement(one: torch.Tensor, other: torch.Tensor) -> dict[str, torch.Tensor]:
    """z-scores of means, squares, covariances and five quantiles."""
    centre = (one.mean(0) + other.mean(0)) / 2
    cuts = torch.cat([one, other]).quantile(torch.tensor([0.05, 0.25, 0.5, 0.75, 0.95]), dim=0)
    return {
        "means": z_of_means(one, other),
        "spreads": z_of_means((one - centre) ** 2, (other - centre) ** 2),
        "covariances": z_of_means(products(one), products(other)),
        "quantiles": z_of_means(below(one, cuts), below(other, cuts)),
    }


@pytest.fixture(scope="module")
def real() -> torch.Tensor:
    settle(CPU)
    return samples_with_real_matrices(0)


def test_a_layer_by_law_is_distributed_as_one_with_real_matrices(real: torch.Tensor) -> None:
    for name, z in disagreement(samples_by_law(10**5), real).items():
        assert z.abs().max() < LARGEST_Z, name
        assert 0.85 < z.square().mean().sqrt() < 1.15, name


@pytest.mark.thorough
def test_the_same_comparison_passes_two_samples_of_real_matrices(real: torch.Tensor) -> None:
    again = disagreement(samples_with_real_matrices(2 * 10**5), real)
    assert all(z.abs().max() < LARGEST_Z for z in again.values())


def test_the_same_comparison_refuses_a_deviation_that_is_five_percent_off(real: torch.Tensor) -> None:
    wrong = disagreement(samples_with_real_matrices(3 * 10**5, deviation=1.05), real)
    assert wrong["spreads"].abs().max() > LARGEST_Z
    assert wrong["spreads"].square().mean().sqrt() > 2


@pytest.mark.thorough
def test_the_same_comparison_refuses_tokens_drawn_apart_from_each_other(real: torch.Tensor) -> None:
    alone = torch.linalg.vector_norm(X, dim=1) * D_MODEL**-0.5
    parts = [
        layer(
            [alone[:, None] * drawn((TOKENS, D_MODEL), 9 * seed + n) for n in range(3)],
            lambda mixed: gaussian.project(mixed, [D_MODEL], Chance(1, CPU))[0],
        )
        for seed in range(DRAWS)
    ]
    assert disagreement(torch.stack(parts), real)["covariances"].abs().max() > 2 * LARGEST_Z


@pytest.mark.parametrize("tokens", [1, 2, 40, 63, 64, 65, 200])
def test_a_root_times_itself_is_the_covariance(tokens: int) -> None:
    x = drawn((tokens, 64))
    root = gaussian.root(x)
    assert torch.allclose(root @ root.T, x @ x.T / 64, atol=1e-5)


@pytest.mark.parametrize("d_model", [511, 512, 513, 1300])
def test_a_width_that_512_does_not_divide_loses_no_feature(d_model: int) -> None:
    x = drawn((5, d_model))
    root = gaussian.root(x).double()
    assert torch.allclose(root @ root.T, x.double() @ x.double().T / d_model, atol=1e-6)


def test_the_same_token_twice_is_projected_twice_to_the_same_numbers() -> None:
    x = drawn((3, 768))[[0, 1, 0, 2, 2]]
    for seed in range(20):
        (q,) = gaussian.project(x, [64], Chance(seed, CPU))
        assert torch.allclose(q[0], q[2], atol=1e-6)
        assert torch.allclose(q[3], q[4], atol=1e-6)
        assert (q[0] - q[1]).abs().max() > 0.1


def test_a_token_of_zeros_stays_zero_and_leaves_no_nan() -> None:
    x = drawn((4, 32))
    x[2] = 0
    (q,) = gaussian.project(x, [16], Chance(0, CPU))
    assert torch.isfinite(q).all()
    assert q[2].abs().max() < 1e-6


def test_rows_of_a_batch_meet_the_same_matrices() -> None:
    row = drawn((3, 48))
    (q,) = gaussian.project(torch.stack([row, row]), [8], Chance(0, CPU))
    assert q.shape == (2, 3, 8)
    assert torch.allclose(q[0], q[1], atol=1e-6)


def test_a_transposed_x_is_read_as_it_lies() -> None:
    x = drawn((48, 3))
    (q,), (same,) = (gaussian.project(one, [8], Chance(0, CPU)) for one in (x.T, x.T.contiguous()))
    assert torch.equal(q, same)


def test_each_width_is_a_matrix_of_its_own() -> None:
    q, k = gaussian.project(drawn((2, 32)), [4000, 4000], Chance(0, CPU))
    assert abs(float(torch.corrcoef(torch.stack([q[0], k[0]]))[0, 1])) < 0.08


def test_the_same_seed_draws_the_same_projection() -> None:
    one, other = by_law(3), by_law(3)
    assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))
    assert not torch.equal(one[0], by_law(4)[0])


def test_on_meta_only_shapes_are_made() -> None:
    parts = gaussian.project(torch.empty(2, 16, 12288, device=META), [5, 7], Chance(0, META))
    assert [tuple(part.shape) for part in parts] == [(2, 16, 5), (2, 16, 7)]


def test_a_width_of_nothing_is_told() -> None:
    with pytest.raises(ValueError, match=r"widths must be whole numbers from 1, not \[4, 0\]"):
        gaussian.project(X, [4, 0], Chance(0, CPU))


def test_a_long_text_is_projected_without_a_copy_of_its_features() -> None:
    x = drawn((512, 12288))
    gaussian.project(drawn((4, 8)), [8], Chance(0, CPU))
    with measured() as meter:
        gaussian.project(x, [128], Chance(0, CPU))
    assert meter.peak - x.numel() * 4 <= 24 * MIB


@pytest.mark.parametrize("repeated", [False, True])
def test_the_root_times_itself_is_the_covariance_whether_rows_repeat_or_not(repeated: bool) -> None:
    x = Chance(3, torch.device("cpu")).normal((6, 32)).double()
    rows = torch.cat([x, x[:2]]) if repeated else x
    covariance = rows @ rows.T / 32
    root = gaussian._square_root(covariance)
    assert torch.allclose(root @ root.T, covariance, atol=1e-12)
