"""Every way to multiply gives the same product, and only an exact one is taken for its speed."""

import pytest
import torch

from attention_engine import kernels
from attention_engine.device import Chance
from attention_engine.kernels import LARGEST_ERROR, NUMPY, ONEDNN, TORCH, Linear, Path, choose

CPU = torch.device("cpu")
PATHS = [TORCH, NUMPY, *([ONEDNN] if torch.backends.mkldnn.is_available() else [])]


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return Chance(seed, CPU).normal(shape)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("rows", [1, 5, 64])
def test_a_packed_product_equals_torchs_linear(path: str, rows: int) -> None:
    x, weight, bias = drawn(rows, 48, seed=1), drawn(20, 48, seed=2), drawn(20, seed=3)
    linear = Linear(weight, bias, path=path)
    wanted = torch.nn.functional.linear(x, weight, bias)
    assert torch.allclose(linear(x), wanted, atol=1e-5)
    assert torch.allclose(linear(x, torch.empty(rows, 20)), wanted, atol=1e-5)


@pytest.mark.parametrize("path", PATHS)
def test_a_packed_weight_can_be_read_again(path: str) -> None:
    weight = drawn(20, 48)
    assert torch.equal(Linear(weight, torch.zeros(20), path=path).weight, weight)


@pytest.mark.parametrize("path", [TORCH, NUMPY])
def test_a_product_is_written_where_it_was_asked_for(path: str) -> None:
    out = torch.empty(3, 20)
    made = Linear(drawn(20, 48), torch.zeros(20), path=path)(drawn(3, 48), out)
    assert made.data_ptr() == out.data_ptr()


def test_a_layer_in_bfloat16_is_packed_where_onednn_computes_in_it_whatever_was_chosen() -> None:
    linear = Linear(drawn(20, 48).bfloat16(), torch.zeros(20).bfloat16(), path=NUMPY)
    assert linear.path == (ONEDNN if kernels.has_bfloat16() else TORCH)
    assert linear(drawn(3, 48).bfloat16()).dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("other", "chosen"),
    [
        (Path("other", 200.0, share=0.5, error=2e-7), "other"),
        (Path("other", 105.0, share=0.96, error=2e-7), "own"),
        (Path("other", 130.0, share=0.8, error=2e-7), "own"),
        (Path("other", 90.0, share=1.1, error=2e-7), "own"),
        (Path("other", 400.0, share=0.25, error=1e-4), "own"),
    ],
)
def test_another_path_is_taken_if_it_is_exact_and_saves_five_percent(other: Path, chosen: str) -> None:
    assert choose([Path("own", 100.0, share=1.0, error=1e-7), other]) == chosen


def test_the_fastest_of_several_exact_paths_is_taken() -> None:
    paths = [Path("own", 1, 1.0, 1e-7), Path("fast", 2, 0.5, 1e-7), Path("faster", 4, 0.25, 1e-7)]
    assert choose(paths) == "faster"


@pytest.mark.parametrize("digits", [torch.bfloat16, torch.float16])
def test_a_product_of_rounded_numbers_is_seen_as_inexact(digits: torch.dtype) -> None:
    x, weight = drawn(8, 512, seed=1), drawn(16, 512, seed=2)

    def rounded(rows: torch.Tensor) -> torch.Tensor:
        return rows.to(digits).float() @ weight.to(digits).float().T

    own, other = kernels.measured({"own": lambda rows: rows @ weight.T, "rounded": rounded}, x, weight)
    assert own.exact
    assert not other.exact
    assert other.error > 5 * LARGEST_ERROR


def test_what_this_machine_chose_is_exact_and_all_paths_are_reported() -> None:
    told = kernels.report()
    assert set(told["paths"]) == set(PATHS)
    assert told["paths"][told["linear"]]["error"] <= LARGEST_ERROR
    assert told["linear"] in kernels.report_line()


def test_torchs_own_products_stay_exact_after_the_check() -> None:
    kernels.best_linear()
    x, weight = drawn(64, 512, seed=1), drawn(512, 512, seed=2)
    norms = x.norm(dim=1)[:, None] * weight.norm(dim=1)
    error = ((x @ weight.T - (x.double() @ weight.double().T)).abs() / norms).max()
    assert error <= LARGEST_ERROR
