"""One attention layer of seeded random weights over the words of a sentence. It has learned nothing."""

from collections.abc import Sequence

import torch

from attention_engine.device import Chance
from attention_engine.trained.minilm import LayerHeads


def read(words: Sequence[str], chance: Chance, *, d_model: int, num_heads: int, d_head: int) -> LayerHeads:
    """q, k, v of every head, each (H, T, D); the same word in two places differs only by its place."""
    spelled = list(dict.fromkeys(word.lower() for word in words))
    embeddings = chance.normal((len(spelled), d_model))
    places = chance.normal((len(words), d_model), deviation=0.5)
    x = embeddings[[spelled.index(word.lower()) for word in words]] + places

    def project() -> torch.Tensor:
        w = chance.normal((d_model, num_heads * d_head), deviation=d_model**-0.5)
        return (x @ w).view(len(words), num_heads, d_head).transpose(0, 1)

    return LayerHeads(q=project(), k=project(), v=project())
