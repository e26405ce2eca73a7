"""What a trained model takes to read a sentence, before it is read. Has no weights and no tokenizer."""

import re
import unicodedata
from dataclasses import dataclass

from attention_engine.kinds.trained import TrainedModel, trained
from attention_engine.parameters import InvalidSpec

MINILM = "all-minilm-l6-v2"
MOST_TOKENS = 512
"""Of a picture; MiniLM has learned that many positions."""
WRITTEN_OUT = 256
"""Tokens up to which a decoder writes its maps out while it reads; beyond, they are never whole in memory."""
BLOCK = 64
"""Keys by which the kernel that leaves out what lies above the diagonal rounds up."""


@dataclass(frozen=True)
class Reading:
    """Numbers and FLOPs of running one sentence through every layer (2 FLOPs a multiply-add)."""

    tokens: int
    model: TrainedModel

    @property
    def maps(self) -> int:
        """Numbers in one stage of all heads of a layer."""
        return self.model.num_heads * self.tokens**2

    @property
    def matrices(self) -> tuple[int, int]:
        """Numbers of one layer's weight matrices: W_Q, W_K and W_V; W_O and the perceptron."""
        own = self.model
        inner, shared = own.num_heads * own.d_head, own.num_kv_heads * own.d_head
        perceptron = (3 if own.causal else 2) * own.d_model * own.d_inner
        return own.d_model * (inner + 2 * shared), own.d_model * inner + perceptron

    @property
    def flops(self) -> int:
        """Of the projections, of scores and mixing; a decoder stops at q, k and v of its last layer."""
        own, (first, rest) = self.model, self.matrices
        whole = own.layers - 1 if own.causal else own.layers
        projected = 2 * self.tokens * (own.layers * first + whole * rest)
        return projected + whole * 4 * own.num_heads * own.d_head * self.pairs

    @property
    def pairs(self) -> int:
        """Of a query and a key that are multiplied; a long text's decoder leaves out what it may not see."""
        long = self.model.causal and self.tokens > WRITTEN_OUT
        return self.tokens * (self.tokens + BLOCK) // 2 if long else self.tokens**2

    @property
    def weights(self) -> int:
        """Numbers that stay loaded: MiniLM's embeddings and layers. What people bring and what a decoder
        multiplies stays in its file, mapped, whoever reads it."""
        own = self.model
        if own.name != "minilm":
            return 0
        return (own.vocab + MOST_TOKENS + own.layers * (12 * own.d_model + 16)) * own.d_model

    @property
    def heads(self) -> int:
        """q, k and v of every layer, which are kept."""
        own = self.model
        return own.layers * self.tokens * own.d_head * (own.num_heads + 2 * own.num_kv_heads)

    @property
    def passing(self) -> int:
        """Numbers held beside them in one layer, at most."""
        own = self.model
        if not own.causal:
            return 2 * self.maps + 12 * self.tokens * own.d_model
        maps = 0 if self.tokens > WRITTEN_OUT else 3 * self.maps
        widened = own.d_model * max(own.d_inner, own.num_heads * own.d_head)
        return maps + widened + self.tokens * (6 * own.d_model + 3 * own.d_inner)


def plain(sentence: str) -> str:
    """The sentence with one blank between words: more of them make no other tokens, and no other picture."""
    return " ".join(re.split(r"[ \t\n\r]+", sentence)).strip(" ")


def reading(sentence: str, most: int = MOST_TOKENS, *, name: str = "minilm") -> Reading:
    """Of a sentence cut to `most` tokens, by the trained model of this name. Raises InvalidSpec.

    Without its tokenizer no fewer tokens than it has: MiniLM takes letters apart (NFD) before it cuts them,
    so that a Korean syllable becomes up to 3; a decoder has at most one token a byte, and one that begins."""
    model = trained(name)
    letters = len(unicodedata.normalize("NFD", sentence)) + 2
    bytes_ = len(sentence.encode()) + (1 if name == "local" else 0)
    counted = {"minilm": letters, "smollm2": bytes_}.get(name, max(letters, bytes_))
    return Reading(min(most, model.positions, counted), model)


def prompt_room(name: str, new_tokens: int, most: int) -> int:
    """Tokens of a prompt, at most `most`, that a decoder has positions for beside those it adds.

    Raises InvalidSpec where it has none."""
    model = trained(name)
    room = min(most, model.positions - new_tokens)
    if room < 1:
        raise InvalidSpec(
            f"{model.title} has {model.positions} positions, so {new_tokens} new tokens leave none to a "
            f"prompt: take at most {model.positions - 1}",
            field="new_tokens",
        )
    return room
