"""x @ W for the random weights of one layer: by their exact law, head by head, or on meta. Knows no step."""

from dataclasses import dataclass

import torch

from attention_engine import gaussian
from attention_engine.device import Chance
from attention_engine.trained.seeded import head_seed


@dataclass(frozen=True)
class Projecting:
    """The weights of a layer with independent numbers of mean 0 and variance 1 / (their input's width)."""

    chance: Chance
    seed: int
    pinned: bool

    def heads(self, x: torch.Tensor, name: str, *, heads: int, width: int) -> torch.Tensor:
        """(B, T, N) -> (B, T, heads * width), contiguous. `name` is part of a pinned head's seed."""
        if x.is_meta:
            return x @ self.chance.normal((x.shape[-1], heads * width))
        if not self.pinned:
            return gaussian.project(x, [heads * width], self.chance)[0]
        made = x.new_empty(*x.shape[:-1], heads * width)
        for head, part in enumerate(torch.split(made, width, dim=-1)):
            part.copy_(x @ self._weight(x, name, head, (x.shape[-1], width), x.shape[-1]))
        return made

    def output(self, merged: torch.Tensor, *, heads: int, d_model: int) -> torch.Tensor:
        """(B, T, heads * width) -> (B, T, d_model) by W_O, of which each head has its own rows."""
        if merged.is_meta or not self.pinned:
            return self.heads(merged, "o", heads=1, width=d_model)
        made = merged.new_zeros(*merged.shape[:-1], d_model)
        for head, part in enumerate(torch.split(merged, merged.shape[-1] // heads, dim=-1)):
            made += part @ self._weight(merged, "o", head, (part.shape[-1], d_model), merged.shape[-1])
        return made

    def _weight(
        self, x: torch.Tensor, name: str, head: int, shape: tuple[int, int], width: int
    ) -> torch.Tensor:
        """One head's weights, the same alone and among all: those of trained/seeded.py for q, k and v."""
        own = Chance(head_seed(self.seed, f"0/{name}", head), x.device)
        return own.normal(shape, deviation=width**-0.5)
