"""FLOPs of running tokens through a decoder behind a cache, by formula. Knows no text and no cache."""

from attention_engine.kinds.trained import TrainedModel


def flops(model: TrainedModel, tokens: int, *, cached: int) -> int:
    """FLOPs of running `tokens` tokens behind `cached` ones, 2 per multiply-add, logits of the last token.

    Projections, gated perceptron (three matrices), then Q K^T and A V of every pair that is looked at."""
    heads = (2 * model.num_heads + 2 * model.num_kv_heads) * model.d_head
    matrices = model.layers * model.d_model * (heads + 3 * model.d_inner)
    pairs = tokens * cached + tokens * (tokens + 1) // 2
    scores = 2 * model.layers * model.num_heads * model.d_head * pairs
    return 2 * (matrices * tokens + model.vocab * model.d_model + scores)
