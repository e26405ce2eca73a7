"""The exact law of x @ W for random W, drawn without W. Knows no head and no layer.

The numbers of W are independent with mean 0 and variance 1 / d_model, and x does not depend on them. Given x,
each column of x @ W is then a Gaussian vector with covariance x x^T / d_model, and columns are independent
(the linear map of a Gaussian vector is Gaussian; Bishop 2006, section 2.3). With any root R of that
covariance, R R^T = x x^T / d_model, and independent normal numbers Z, R @ Z has the same law as x @ W, and a
token count of 16 needs 16 numbers a column where W needs d_model."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from attention_engine.device import Chance

SUMMED_AT_ONCE = 2**20
"""Numbers of x in float64 at a time, 8 MiB."""
NUMBERS_AT_ONCE = 2**16
"""256 KiB of normal numbers: they stay in the cache until they are multiplied."""


def project(x: torch.Tensor, widths: Sequence[int], chance: Chance) -> tuple[torch.Tensor, ...]:
    """(..., d_model) -> one (..., width) for each width, as if by matrices of their own; views of one sample.

    Float32, the same for the same `chance`. All rows of x, over its leading axes, meet the same matrices."""
    if not widths or min(widths) < 1:
        raise ValueError(f"widths must be whole numbers from 1, not {list(widths)}")
    rows = x.reshape(-1, x.shape[-1]).contiguous()
    drawn = _times_normal(root(rows), sum(widths), chance)
    return tuple(drawn.view(*x.shape[:-1], -1).split_with_sizes(list(widths), dim=-1))


def root(rows: torch.Tensor) -> torch.Tensor:
    """(N, d_model) -> R, (N, N) or (N, d_model), with R R^T = rows rows^T / d_model; float32.

    The rows themselves are such a root, and the narrower one where they are more than their features."""
    count, d_model = rows.shape
    if count >= d_model:
        return rows.float().mul(d_model**-0.5)
    if rows.is_meta:
        return rows.new_empty(count, count)
    return _square_root(_covariance(rows)).float()


def _covariance(rows: torch.Tensor) -> torch.Tensor:
    """(N, d_model) -> (N, N) in float64: in float32 the same token twice would get two different rows.

    By NumPy, which sees that both factors are the same and computes one half."""
    count, d_model = rows.shape
    total = np.zeros((count, count))
    for part in torch.split(rows, max(1, SUMMED_AT_ONCE // count), dim=1):
        total += _products(part)
    return torch.from_numpy(total / d_model).to(rows.device)


def _products(part: torch.Tensor) -> npt.NDArray[np.float64]:
    """(N, features) -> (N, N); the copy in float64 is given up before the next is made."""
    exact = part.double().cpu().numpy()
    product: npt.NDArray[np.float64] = exact @ exact.T
    return product


def _square_root(covariance: torch.Tensor) -> torch.Tensor:
    """Cholesky's factor; where rows repeat or depend on each other there is none, and eigenvectors serve."""
    lower: torch.Tensor
    lower, failed = torch.linalg.cholesky_ex(covariance)
    if not failed:
        return lower
    sizes, directions = torch.linalg.eigh(covariance)
    return torch.mul(directions, sizes.clamp(min=0).sqrt())


def _times_normal(left: torch.Tensor, columns: int, chance: Chance) -> torch.Tensor:
    """(N, R) -> (N, columns): left @ Z, with Z drawn block by block and never kept."""
    count, rank = left.shape
    product = torch.empty(count, columns, device=left.device)
    at_once = max(1, NUMBERS_AT_ONCE // rank)
    for block in torch.split(product, at_once, dim=1):
        torch.mm(left, chance.normal((rank, block.shape[1])), out=block)
    return product
