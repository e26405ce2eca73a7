"""Models small enough for a test: a GGUF file as llama.cpp writes it, folders as transformers saves them."""

import json
from pathlib import Path
from typing import Any

import numpy as np

GGUF_SIZES = {"layers": 2, "d_model": 16, "num_heads": 4, "num_kv_heads": 2, "d_inner": 24}
WORDS = "the animal did not cross street because it was too tired . 1 2 3"


def bytes_of_gpt2() -> list[str]:
    """The 256 letters that byte-level vocabularies spell bytes with (Radford et al. 2019)."""
    from tokenizers.pre_tokenizers import ByteLevel

    return sorted(ByteLevel.alphabet())


def write_gguf(path: Path) -> dict[str, np.ndarray]:
    """A Llama with random weights and a byte-level vocabulary; returns its tensors by GGUF's names."""
    from gguf import GGUFWriter, TokenType

    d_model, d_inner = GGUF_SIZES["d_model"], GGUF_SIZES["d_inner"]
    heads, shared = GGUF_SIZES["num_heads"], GGUF_SIZES["num_kv_heads"]
    tokens = ["<|endoftext|>", *bytes_of_gpt2(), "Ġt", "he", "Ġthe"]
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = GGUFWriter(path, "llama")
    writer.add_block_count(GGUF_SIZES["layers"])
    writer.add_context_length(64)
    writer.add_embedding_length(d_model)
    writer.add_feed_forward_length(d_inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(shared)
    writer.add_rope_freq_base(1e4)
    writer.add_rope_dimension_count(d_model // heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens)
    writer.add_token_types([TokenType.CONTROL] + [TokenType.NORMAL] * (len(tokens) - 1))
    writer.add_token_merges(["Ġ t", "h e", "Ġt he"])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    tensors = _tensors(len(tokens))
    for name, values in tensors.items():
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return tensors


def _tensors(vocabulary: int) -> dict[str, np.ndarray]:
    chance = np.random.default_rng(0)
    d_model, d_inner = GGUF_SIZES["d_model"], GGUF_SIZES["d_inner"]
    shared = d_model * GGUF_SIZES["num_kv_heads"] // GGUF_SIZES["num_heads"]
    shapes = {"token_embd.weight": (vocabulary, d_model), "output_norm.weight": (d_model,)}
    for layer in range(GGUF_SIZES["layers"]):
        shapes |= {
            f"blk.{layer}.{name}.weight": shape
            for name, shape in {
                "attn_norm": (d_model,),
                "ffn_norm": (d_model,),
                "attn_q": (d_model, d_model),
                "attn_k": (shared, d_model),
                "attn_v": (shared, d_model),
                "attn_output": (d_model, d_model),
                "ffn_gate": (d_inner, d_model),
                "ffn_up": (d_inner, d_model),
                "ffn_down": (d_model, d_inner),
            }.items()
        }
    return {name: chance.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def write_bert(folder: Path, *, shard_bytes: str = "50GB", **changed: Any) -> Any:
    """A random BERT as transformers saves it, with its tokenizer; returns transformers' own model."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel

    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS.split()]
    tokenizer = Tokenizer(models.WordPiece({piece: n for n, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        "[CLS] $A [SEP]", None, [("[CLS]", 2), ("[SEP]", 3)]
    )
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(pieces),
        hidden_size=24,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=40,
        max_position_embeddings=32,
        initializer_range=0.3,
        attn_implementation="eager",
    )
    model = BertModel(config).eval()
    _save(model, folder, tokenizer, shard_bytes=shard_bytes, changed=changed)
    return model


def write_llama(folder: Path, *, shard_bytes: str = "50GB", tied: bool = False, **changed: Any) -> Any:
    """A random Llama: 4 query heads of 10 on 2 K/V heads, though d_model is 24; as `write_bert`."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = Tokenizer(models.BPE({letter: n for n, letter in enumerate(bytes_of_gpt2())}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=256,
        hidden_size=24,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=10,
        intermediate_size=40,
        max_position_embeddings=64,
        rope_parameters={"rope_type": "default", "rope_theta": 500.0},
        tie_word_embeddings=tied,
        attention_bias=True,
        initializer_range=0.3,
        attn_implementation="eager",
    )
    model = LlamaForCausalLM(config).eval()
    for name, values in model.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(values, std=0.3)
    _save(model, folder, tokenizer, shard_bytes=shard_bytes, changed=changed)
    return model


def _save(model: Any, folder: Path, tokenizer: Any, *, shard_bytes: str, changed: dict[str, Any]) -> None:
    model.save_pretrained(folder, max_shard_size=shard_bytes)
    tokenizer.save(str(folder / "tokenizer.json"))
    config = json.loads((folder / "config.json").read_text()) | changed
    (folder / "config.json").write_text(json.dumps(config))
