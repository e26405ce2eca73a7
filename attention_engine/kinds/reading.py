"""What MiniLM takes to read a sentence, before it is read. Has no weights and no tokenizer."""

import re
import unicodedata
from dataclasses import dataclass

from attention_engine import configs

MINILM = "all-minilm-l6-v2"
MOST_TOKENS = 512
"""Positions that MiniLM has learned."""


@dataclass(frozen=True)
class Reading:
    """Numbers and FLOPs of running one sentence through every layer (BERT, Devlin et al. 2019)."""

    tokens: int

    @property
    def maps(self) -> int:
        """Numbers in one stage of all heads of a layer."""
        return configs.model(MINILM).num_heads * self.tokens**2

    @property
    def flops(self) -> int:
        """2 per multiply-add: W_Q, W_K, W_V and W_O, the perceptron 4 wide, scores and mixing."""
        config = configs.model(MINILM)
        return config.layers * config.d_model * (24 * config.d_model * self.tokens + 4 * self.tokens**2)

    @property
    def weights(self) -> int:
        """Numbers that stay loaded: embeddings, and 12 matrices of d_model x d_model a layer with biases."""
        config = configs.model(MINILM)
        return (config.vocab + MOST_TOKENS + config.layers * (12 * config.d_model + 16)) * config.d_model

    @property
    def heads(self) -> int:
        """q, k and v of every layer, which are kept."""
        config = configs.model(MINILM)
        return 3 * config.layers * self.tokens * config.d_model

    @property
    def passing(self) -> int:
        """Numbers held beside them in one layer, at most."""
        return 2 * self.maps + 12 * self.tokens * configs.model(MINILM).d_model


def plain(sentence: str) -> str:
    """The sentence with one blank between words: more of them make no other tokens, and no other picture."""
    return " ".join(re.split(r"[ \t\n\r]+", sentence)).strip(" ")


def reading(sentence: str, most: int = MOST_TOKENS) -> Reading:
    """Of a sentence cut to `most` tokens. MiniLM takes letters apart (NFD) before it cuts them into tokens: a
    Korean syllable becomes up to 3; [CLS] and [SEP] come with them."""
    return Reading(min(most, len(unicodedata.normalize("NFD", sentence)) + 2))
