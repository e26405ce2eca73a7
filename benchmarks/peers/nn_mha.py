"""torch.nn.MultiheadAttention with the weights of every head. Knows none of our code."""

from collections.abc import Callable, Mapping

import torch

NAME = "nn.MultiheadAttention"


def attention(
    x: torch.Tensor, weights: Mapping[str, torch.Tensor], num_heads: int
) -> Callable[[], tuple[torch.Tensor, torch.Tensor]]:
    """x (T, d_model) -> a call that gives (output, maps (H, T, T)) with the given weights."""
    layer = torch.nn.MultiheadAttention(x.shape[1], num_heads, batch_first=True).eval()
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat([weights[name] for name in "qkv"]))
        layer.in_proj_bias.copy_(torch.cat([weights[f"{name}_bias"] for name in "qkv"]))
        layer.out_proj.weight.copy_(weights["out"])
        layer.out_proj.bias.copy_(weights["out_bias"])
    return lambda: _called(layer, x)


def fresh(x: torch.Tensor, num_heads: int) -> tuple[torch.Tensor, torch.Tensor]:
    """A layer with its constructor's own random weights, run once: what a random layer costs this way."""
    return _called(torch.nn.MultiheadAttention(x.shape[1], num_heads, batch_first=True).eval(), x)


@torch.no_grad()
def _called(layer: torch.nn.MultiheadAttention, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    batch = x[None]
    output, maps = layer(batch, batch, batch, need_weights=True, average_attn_weights=False)
    return output[0], maps[0]
