"""What a text means as 384 numbers of length 1, by MiniLM: near ones mean alike. Knows no grade and no card.

As sentence-transformers' all-MiniLM-L6-v2: the text in 256 tokens at most, the last layer's output, its mean
over all tokens, divided by its length. Unicode is composed (NFC) and every run of white space is one blank,
so that texts which look alike are one; the model's tokenizer lowers case and drops accents by itself.

The encoder runs in bfloat16 where three things hold, looked at once a process: the processor has
instructions for it, FIXED texts come out within COSINE of float32, and it takes less time. Else float32."""

import statistics
import threading
import time
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from attention_engine.device import chosen_device, settle
from attention_engine.kernels import has_bfloat16
from attention_engine.trained import loading, models, packed
from attention_engine.trained.encoder import Encoder
from attention_engine.trained.reading import cut

Vectors = npt.NDArray[np.float32]
NAME = "minilm"
MOST_TOKENS = 256
"""max_seq_length in the package's sentence_bert_config.json, [CLS] and [SEP] included."""
PASS_TOKENS = 512
"""Tokens of one pass through the encoder: what its widest layer makes of them still fits a core's cache."""
MARKS = 2
"""[CLS] and [SEP] come with every text."""
COSINE = 0.9999
WORTH_IT = 0.9
"""Share of float32's time below which bfloat16 is taken: near a tie the exact one is."""
KEPT_TEXTS = 4096
"""Vectors that are remembered: 6 MB, and about as much in texts."""
FIXED = (
    "Each head looks at the tokens through its own projection of queries and keys.",
    "softmax(Q K^T / sqrt(d_head)) V",
    "Because the dot product of two vectors grows with their width, its variance is d_head.",
    "no",
    "The cache keeps keys and values, so a new token is compared with all of them and none is made again.",
    "Ein Satz in einer anderen Sprache, mit Umlauten: größer, höher, später.",
)


class Memory:
    """Vectors by text, those used last; threads share it."""

    def __init__(self, most: int = KEPT_TEXTS) -> None:
        self._most, self._lock = most, threading.Lock()
        self._kept: OrderedDict[str, Vectors] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, text: str) -> Vectors | None:
        """(384,), read-only; None where it is not remembered."""
        with self._lock:
            found = self._kept.get(text)
            if found is not None:
                self._kept.move_to_end(text)
            return found

    def keep(self, text: str, vector: Vectors) -> None:
        """The vector is remembered, and the one used longest ago forgotten where there are too many."""
        vector.flags.writeable = False
        with self._lock:
            self._kept[text] = vector
            self._kept.move_to_end(text)
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)


@dataclass(frozen=True)
class Embedder:
    """An encoder with its tokenizer, and what it has embedded so far."""

    encoder: Encoder
    tokenizer: Any
    device: torch.device
    memory: Memory

    def embed(self, texts: Sequence[str]) -> Vectors:
        """N texts -> (N, 384) float32, rows of length 1. Raises ValueError for a text with nothing in it."""
        plain = [plain_text(text, number, len(texts)) for number, text in enumerate(texts, 1)]
        looked = {text: self.memory.find(text) for text in plain}
        found = {text: vector for text, vector in looked.items() if vector is not None}
        missing = [text for text in looked if text not in found]
        for text, vector in zip(missing, self._computed(missing), strict=True):
            self.memory.keep(text, vector)
            found[text] = vector
        return np.stack([found[text] for text in plain]) if plain else np.empty((0, 384), np.float32)

    def _computed(self, texts: Sequence[str]) -> list[Vectors]:
        ids = [self._ids(text) for text in texts]
        made: list[Vectors] = []
        for one in packed.packs([len(text) for text in ids], PASS_TOKENS):
            made += self._pooled(ids[one])
        return made

    def _ids(self, text: str) -> torch.Tensor:
        ids = cut(self.tokenizer.encode(text).ids, MOST_TOKENS, ends=True)
        if len(ids) <= MARKS:
            raise ValueError(f"{text[:40]!r} has no sign that the model reads")
        return torch.tensor(ids, device=self.device)

    def _pooled(self, ids: Sequence[torch.Tensor]) -> list[Vectors]:
        """Of each text the mean over its tokens, of length 1."""
        with torch.inference_mode():
            rows = torch.split(packed.run(self.encoder, ids).float(), [len(text) for text in ids])
            means = torch.stack([own.mean(dim=0) for own in rows])
            return [row.copy() for row in torch.nn.functional.normalize(means).cpu().numpy()]


def plain_text(text: str, number: int = 1, count: int = 1) -> str:
    """NFC, one blank between words, none around. Raises ValueError for a text with nothing in it."""
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    if not plain:
        raise ValueError(
            f"text {number} of {count} is empty: an embedding takes at least one sign that is no blank"
        )
    return plain


def embed(texts: Sequence[str]) -> Vectors:
    """N texts -> (N, 384) float32, rows of length 1: the product of two is their cosine.

    Raises ValueError for an empty text, CannotRead where MiniLM is not installed."""
    return embedder().embed(texts)


def embedder() -> Embedder:
    """The process's own, made at the first call. Raises CannotRead."""
    if missing := models.why_missing(NAME):
        raise models.CannotRead(f"nothing can be embedded: {missing}; make models fetches it")
    return _made()


@lru_cache(maxsize=1)
def _made() -> Embedder:
    device = chosen_device()
    settle(device)
    here = loading.loaded(NAME, device)
    assert isinstance(here.model, Encoder)
    exact = Embedder(here.model, here.tokenizer, device, Memory())
    if device.type != "cpu" or not has_bfloat16():
        return exact
    halved = loading.encoder(NAME, device, precision="bfloat16")
    fast = Embedder(halved, here.tokenizer, device, Memory())
    return fast if pays(fast, exact) else exact


def pays(fast: Embedder, exact: Embedder) -> bool:
    """True where the fixed texts come out alike and sooner."""
    near = float((fast.embed(FIXED) * exact.embed(FIXED)).sum(axis=1).min())
    return near >= COSINE and _seconds(fast) < WORTH_IT * _seconds(exact)


def _seconds(one: Embedder) -> float:
    """CPU seconds of a short text, the median of some."""
    return statistics.median(_timed(lambda: one._computed(FIXED[:1])) for _ in range(5))


def _timed(run: Callable[[], Any]) -> float:
    started = time.process_time()
    run()
    return time.process_time() - started
