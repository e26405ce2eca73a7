"""Several texts through an encoder in one pass, no padding. Knows no tokenizer and no picture.

The tokens of all texts stand one below the other: every product with weights takes them at once, and each
text attends within itself. A short text alone leaves such a product half idle: of 8 tokens it runs at half
the rate of 128 (384 x 1152, measured on one core)."""

from collections.abc import Iterator, Sequence

import torch

from attention_engine.attention import attend_output
from attention_engine.boundaries import boundary
from attention_engine.trained.encoder import Encoder, Layer, LayerHeads, Scratch

PACK_TOKENS = 128
"""Tokens of one pass: more are hardly faster, and the first of the texts would wait for the last."""


def packs(lengths: Sequence[int], most: int = PACK_TOKENS) -> Iterator[slice]:
    """Neighbours of at most so many tokens together; a longer text is alone."""
    start = total = 0
    for n, length in enumerate(lengths):
        if n > start and total + length > most:
            yield slice(start, n)
            start, total = n, 0
        total += length
    if lengths:
        yield slice(start, len(lengths))


def heads_of(encoder: Encoder, texts: Sequence[torch.Tensor]) -> list[tuple[LayerHeads, ...]]:
    """Texts of (T_i,) ids -> of each text every layer's heads, as `Encoder.heads` gives them alone.

    Equal to the last bit where the product sums every row in the same order for any number of rows, as
    oneDNN does from 2 rows on and MKL from 16; else to 1e-5, the rounding of float32 (test)."""
    x, lengths, scratch = _embedded(encoder, texts), [len(text) for text in texts], Scratch()
    kept: list[list[LayerHeads]] = [[] for _ in texts]
    for layer in encoder.layers:
        boundary()
        made = torch.split(layer.attention.qkv(x), lengths)
        # Copied, so that a text that is kept does not keep all that were read with it.
        heads = [layer.attention.parted(own.clone()) for own in made]
        for own, one in zip(kept, heads, strict=True):
            own.append(one)
        if layer is not encoder.layers[-1]:
            x = _after(encoder, layer, x, heads=heads, scratch=scratch)
    return [tuple(own) for own in kept]


def run(encoder: Encoder, texts: Sequence[torch.Tensor]) -> torch.Tensor:
    """Texts of (T_i,) ids -> (sum of T_i, d_model): the last layer's output, one text below the other."""
    x, lengths, scratch = _embedded(encoder, texts), [len(text) for text in texts], Scratch()
    for layer in encoder.layers:
        boundary()
        attention = layer.attention
        made = attention.qkv(x, scratch.take("qkv", x, len(x), len(attention.qkv.bias)))
        heads = [attention.parted(own) for own in torch.split(made, lengths)]
        x = _after(encoder, layer, x, heads=heads, scratch=scratch)
    return x


def _after(
    encoder: Encoder, layer: Layer, x: torch.Tensor, *, heads: Sequence[LayerHeads], scratch: Scratch
) -> torch.Tensor:
    """What the next layer is given, where each text attended to itself alone."""
    num_heads, _, d_head = heads[0].q.shape
    merged = scratch.take("merged", x, len(x), num_heads, d_head)
    for own, out in zip(heads, torch.split(merged, [one.q.shape[1] for one in heads]), strict=True):
        out.copy_(attend_output(own.q, own.k, own.v).transpose(0, 1))
    joined = layer.attention.out(merged.view(len(x), -1), scratch.take("joined", x, *x.shape))
    return encoder.after(layer, x, joined=joined, scratch=scratch)


def _embedded(encoder: Encoder, texts: Sequence[torch.Tensor]) -> torch.Tensor:
    """(sum of T_i, d_model): every text begins at place 0. Raises ValueError for one with too many tokens."""
    longest = max(len(text) for text in texts)
    if longest > encoder.sizes.positions:
        raise ValueError(f"{longest} tokens, but the encoder has {encoder.sizes.positions} places")
    if len(texts) == 1:
        return encoder.embedded(texts[0])
    places = torch.cat([torch.arange(len(text), device=text.device) for text in texts])
    return encoder.embedded(torch.cat(list(texts)), places)
