"""transformers, eager: BERT's attention and its encoder with the same weights. Knows none of our code."""

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

import torch

NAME = "transformers eager"
Maps = Callable[[], Any]


def installed() -> bool:
    """True where the optional extra [bench] is."""
    return find_spec("transformers") is not None


def attention(x: torch.Tensor, weights: Mapping[str, torch.Tensor], num_heads: int) -> Maps:
    """x (T, d_model) -> a call that gives (output, maps) of one layer, without dropout, norm or residual."""
    from transformers.models.bert.modeling_bert import BertAttention

    layer = BertAttention(_config(x.shape[1], num_heads, layers=1)).eval()
    with torch.no_grad():
        for name, part in (("q", layer.self.query), ("k", layer.self.key), ("v", layer.self.value)):
            part.weight.copy_(weights[name])
            part.bias.copy_(weights[f"{name}_bias"])
        layer.output.dense.weight.copy_(weights["out"])
        layer.output.dense.bias.copy_(weights["out_bias"])
    batch = x[None]

    @torch.no_grad()
    def run() -> tuple[torch.Tensor, torch.Tensor]:
        mixed, maps = layer.self(batch)[:2]
        return layer.output.dense(mixed)[0], maps[0]

    return run


def encoder(ids: torch.Tensor, weights: Mapping[str, torch.Tensor], *, num_heads: int, layers: int) -> Maps:
    """ids (T,) -> a call that gives the maps of every layer, each (H, T, T)."""
    from transformers import BertModel

    d_model = weights["embeddings.word_embeddings.weight"].shape[1]
    config = _config(d_model, num_heads, layers=layers)
    model = BertModel(config, add_pooling_layer=False).eval()
    model.load_state_dict(dict(weights), strict=False)
    batch = ids[None]

    @torch.no_grad()
    def run() -> list[torch.Tensor]:
        return [maps[0] for maps in model(batch, output_attentions=True).attentions]

    return run


def _config(d_model: int, num_heads: int, *, layers: int) -> Any:
    from transformers import BertConfig

    config = BertConfig(
        hidden_size=d_model,
        num_attention_heads=num_heads,
        num_hidden_layers=layers,
        intermediate_size=4 * d_model,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    config._attn_implementation = "eager"
    return config
