"""What the tensors of a checkpoint are called and which shapes they have, by the numbers of the model."""

from attention_engine.kinds.trained import TrainedModel

Shapes = dict[str, tuple[int, ...]]


def encoder_shapes(about: TrainedModel) -> Shapes:
    """Every tensor of a BERT encoder (Devlin et al. 2019) as transformers names it, without "bert."."""
    d_model, d_inner = about.d_model, about.d_inner
    rows = {"word": about.vocab, "position": about.positions, "token_type": about.segments}
    shapes: Shapes = {
        f"embeddings.{name}_embeddings.weight": (count, d_model) for name, count in rows.items()
    }
    norms: list[str] = ["embeddings"]
    dense: dict[str, tuple[int, int]] = {}
    for number in range(about.layers):
        layer = f"encoder.layer.{number}"
        dense |= {f"{layer}.attention.self.{part}": (d_model, d_model) for part in ("query", "key", "value")}
        dense[f"{layer}.attention.output.dense"] = d_model, d_model
        dense[f"{layer}.intermediate.dense"] = d_inner, d_model
        dense[f"{layer}.output.dense"] = d_model, d_inner
        norms += [f"{layer}.attention.output", f"{layer}.output"]
    for name, (out, width) in dense.items():
        shapes |= {f"{name}.weight": (out, width), f"{name}.bias": (out,)}
    for name in norms:
        shapes |= {f"{name}.LayerNorm.weight": (d_model,), f"{name}.LayerNorm.bias": (d_model,)}
    return shapes


def decoder_shapes(about: TrainedModel) -> Shapes:
    """Every tensor of a Llama decoder (Touvron et al. 2023) as transformers names it, without "model."."""
    shapes: Shapes = {"embed_tokens.weight": (about.vocab, about.d_model), "norm.weight": (about.d_model,)}
    if not about.tied:
        shapes["lm_head.weight"] = about.vocab, about.d_model
    for number in range(about.layers):
        layer = f"layers.{number}"
        shapes |= {f"{layer}.{name}.weight": shape for name, shape in _dense(about).items()}
        shapes |= {
            f"{layer}.{name}_layernorm.weight": (about.d_model,) for name in ("input", "post_attention")
        }
    return shapes


def decoder_biases(about: TrainedModel) -> Shapes:
    """Those that a checkpoint may have beside its weights (attention_bias, mlp_bias)."""
    return {
        f"layers.{number}.{name}.bias": (shape[0],)
        for number in range(about.layers)
        for name, shape in _dense(about).items()
    }


def _dense(about: TrainedModel) -> dict[str, tuple[int, int]]:
    d_model, d_inner = about.d_model, about.d_inner
    inner, shared = about.num_heads * about.d_head, about.num_kv_heads * about.d_head
    return {
        "self_attn.q_proj": (inner, d_model),
        "self_attn.k_proj": (shared, d_model),
        "self_attn.v_proj": (shared, d_model),
        "self_attn.o_proj": (d_model, inner),
        "mlp.gate_proj": (d_inner, d_model),
        "mlp.up_proj": (d_inner, d_model),
        "mlp.down_proj": (d_model, d_inner),
    }
