"""The tokenizer of a GGUF file, written as a tokenizer.json. Knows no tensor.

Byte-level BPE (Sennrich et al. 2016, on bytes as GPT-2 spells them), digits one at a time."""

from collections.abc import Mapping
from typing import Any

CONTROL = 3
"""GGUF's type of a token that no text makes by itself, such as <|endoftext|>."""


def tokenizer_json(told: Mapping[str, Any]) -> str:
    """From a file's key-value pairs. Raises ValueError where they describe another kind of tokenizer."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    kind = told["tokenizer.ggml.model"], told.get("tokenizer.ggml.pre")
    if kind != ("gpt2", "smollm"):
        raise ValueError(f"its tokenizer is {kind[0]} with {kind[1]}, not gpt2 with smollm")
    tokens = told["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in told["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({token: number for number, token in enumerate(tokens)}, merges))
    digits = pre_tokenizers.Digits(individual_digits=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [digits, pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    kinds = zip(tokens, told["tokenizer.ggml.token_type"], strict=True)
    special = [AddedToken(token, special=True, normalized=False) for token, kind in kinds if kind == CONTROL]
    tokenizer.add_special_tokens(special)
    return str(tokenizer.to_str())
