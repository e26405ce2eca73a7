"""Rotary positions: each pair of features turns by an angle that grows with the position. Knows no scores.

Su et al. 2021 (RoFormer), section 3.2: after turning, q of position m times k of position n depends on
m - n alone. Two ways to pair the features are in use; they differ by a permutation, so weights made for one
give other scores under the other."""

from typing import Literal, get_args

import torch

Pairing = Literal["half", "interleaved"]
BASE = 10000.0


def rotate(
    x: torch.Tensor,
    *,
    base: float = BASE,
    pairing: Pairing = "half",
    positions: torch.Tensor | None = None,
    width: int | None = None,
) -> torch.Tensor:
    """(..., T, D) -> (..., T, D), lengths kept; pair i turns by position * base^(-2i/width) radians.

    half: feature i pairs with i + width/2 (Llama as transformers writes it). interleaved: 2i with 2i + 1
    (Su et al. 2021; GPT-J; GGUF files). positions (T,) are 0 to T - 1 unless given. width turns the first
    `width` features and leaves the rest (GPT-J turns 64 of 256). Raises ValueError for an odd width, one
    beyond D, or another pairing."""
    turned = x.shape[-1] if width is None else width
    _check(turned, x.shape[-1], pairing)
    if positions is None:
        positions = torch.arange(x.shape[-2], device=x.device)
    cosine, sine = turns(positions, turned, base=base, x=x)
    rotated = _TURN[pairing](x[..., :turned], cosine, sine)
    return rotated if turned == x.shape[-1] else torch.cat([rotated, x[..., turned:]], dim=-1)


def _check(width: int, d_head: int, pairing: str) -> None:
    if pairing not in get_args(Pairing):
        raise ValueError(f'pairing must be {" or ".join(get_args(Pairing))}, not "{pairing}"')
    if width % 2:
        raise ValueError(f"{width} features cannot turn in pairs: take {width - 1} or {width + 1}")
    if not 0 < width <= d_head:
        raise ValueError(f"{width} features cannot turn where a head has {d_head}: take at most that")


def turns(
    positions: torch.Tensor, width: int, *, base: float, x: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosines and sines (T, width/2) of what `rotate` turns by, in the type and on the device of x."""
    # In float32 an angle of 10,000 radians is known to 0.001 only.
    pairs = torch.arange(0, width, 2, device=x.device, dtype=torch.float64)
    angles = positions.to(torch.float64)[:, None] * base ** (-pairs / width)
    return angles.cos().to(x.dtype), angles.sin().to(x.dtype)


def turn_half(x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
    """(..., T, D) turned by these `turns` of width D, feature i with i + D/2: for one that turns many."""
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cosine - second * sine, first * sine + second * cosine], dim=-1)


def _interleaved(x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack([first * cosine - second * sine, first * sine + second * cosine], dim=-1).flatten(-2)


_TURN = {"half": turn_half, "interleaved": _interleaved}
