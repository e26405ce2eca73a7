"""What decode_cache runs token by token: a trained decoder, or seeded layers, silent. Knows no frame."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from attention_engine.attention import attention_weights
from attention_engine.boundaries import boundary
from attention_engine.device import Chance
from attention_engine.kinds import decode_cache as kind
from attention_engine.kinds.kv.cache_bytes import CacheSizes
from attention_engine.kinds.trained import trained
from attention_engine.masks import causal
from attention_engine.trained import models, seeded
from attention_engine.trained.cache import KVCache

STAND_IN_D_MODEL = 64


@dataclass(frozen=True)
class Passed:
    """What one run of new tokens left: log-probabilities of what comes next, weights, time."""

    log_p: torch.Tensor
    """(T, vocabulary); empty where no text is told."""
    weights: torch.Tensor
    """(H, T_new, T_held) float32 of the layer that is shown."""
    ms: float


class Source(Protocol):
    """Tokens that are run behind a cache."""

    prompt: tuple[int, ...]
    cut: bool
    stamp: dict[str, str]

    def cache(self) -> KVCache:
        """An empty cache."""

    def run(
        self,
        ids: Sequence[int],
        cache: KVCache | None,
        *,
        last: int = 1,
        mask: torch.Tensor | None = None,
    ) -> Passed:
        """New tokens behind the cached ones; log-probabilities after each of the `last` ones.

        `mask` (T_new, T_cached + T_new), True may be seen, takes the place of the causal one."""

    def text(self, ids: Sequence[int]) -> tuple[str, ...]:
        """What each token spells."""

    def ends(self, token: int) -> bool:
        """True for a token that ends a text."""


class Trained:
    """A trained decoder with its tokenizer."""

    def __init__(
        self, name: str, *, prompt: str, layer: int, device: torch.device, most: int = kind.MOST_PROMPT
    ) -> None:
        """Cuts the prompt to `most` tokens. Raises CannotRead without weights."""
        self._decoder, self._tokenizer = models.decoder(name, device)
        self._layer, self._device = layer, device
        self._of: tuple[int, ...] = ()
        self._spelled: list[str] = []
        ids = self._tokenizer.encode(prompt).ids
        self.prompt, self.cut = tuple(ids[:most]), len(ids) > most
        cache = str(self._decoder.dtype).removeprefix("torch.")
        self.stamp = {"weights": trained(name).title, "cache": cache}

    def cache(self) -> KVCache:
        """In the model's own type."""
        return self._decoder.cache()

    def run(
        self,
        ids: Sequence[int],
        cache: KVCache | None,
        *,
        last: int = 1,
        mask: torch.Tensor | None = None,
    ) -> Passed:
        """Really timed: embedding to log-probabilities, the watching of one layer's weights with it."""
        watched, tokens = Watched(self._layer), torch.tensor(ids, device=self._device)
        started = time.perf_counter()
        hidden = self._decoder.run(tokens, cache, watch=watched, mask=mask)
        log_p = self._decoder.logits(hidden[-last:]).log_softmax(dim=-1).cpu()
        ms = (time.perf_counter() - started) * 1000
        return Passed(log_p, watched.weights, ms)

    def text(self, ids: Sequence[int]) -> tuple[str, ...]:
        """What each token adds to the text; of a letter made of several tokens the last shows it."""
        told = self._spelled if tuple(ids[: len(self._spelled)]) == self._of else []
        before = "".join(told)
        for end in range(len(told) + 1, len(ids) + 1):
            text = self._tokenizer.decode(list(ids[:end]), skip_special_tokens=False)
            whole = text.rstrip("\ufffd")
            told.append(whole[len(before) :])
            before = whole
        self._of, self._spelled = tuple(ids[: len(told)]), told
        return tuple(told[: len(ids)])

    def ends(self, token: int) -> bool:
        """As chat and base models of the Llama family end."""
        return self._tokenizer.id_to_token(token) in {"<|im_end|>", "<|endoftext|>", "</s>", "<|eot_id|>"}


class Watched:
    """Keeps the weights of one layer of a run."""

    def __init__(self, layer: int) -> None:
        """Nothing is kept yet."""
        self._layer, self.weights = layer, torch.empty(0)

    def __call__(self, layer: int, weights: torch.Tensor) -> None:
        """As a decoder calls it."""
        if layer == self._layer:
            self.weights = weights


class StandIn:
    """Seeded layers of the asked sizes over words; what is added has no text. Token n is its place n."""

    def __init__(self, numbers: Any, sizes: CacheSizes, *, seed: int, device: torch.device) -> None:
        """Draws q, k and v of every token there will be, layer by layer."""
        words = kind.prompt_words(numbers)
        self._words = [*words, *(f"new {n}" for n in range(1, numbers["new_tokens"] + 1))]
        self.prompt, self.cut = tuple(range(len(words))), False
        self.stamp = {"weights": f"random layers, seed {seed}"}
        self._layer, self._device = numbers["layer"], device
        x = seeded.embedded(self._words, Chance(seed, device), STAND_IN_D_MODEL)
        widths = seeded.Widths(STAND_IN_D_MODEL, sizes.num_heads, sizes.d_head, sizes.num_kv_heads)
        seeds = (seeded.head_seed(seed, f"{layer}/law", 0) for layer in range(sizes.layers))
        self._layers = [seeded.by_law(x, Chance(one, device), widths) for one in seeds]

    def cache(self) -> KVCache:
        """In 16 bits a number, as real ones are held."""
        return KVCache(len(self._layers))

    def run(
        self,
        ids: Sequence[int],
        cache: KVCache | None,
        *,
        last: int = 1,  # noqa: ARG002 - nothing is foretold
        mask: torch.Tensor | None = None,
    ) -> Passed:
        """Appends K and V of the tokens to every layer; weights of the layer shown, no probabilities."""
        cache = self.cache() if cache is None else cache
        rows, weights = list(ids), torch.empty(0)
        for layer, heads in enumerate(self._layers):
            k, _ = cache.append(layer, heads.k[:, rows], heads.v[:, rows])
            if layer == self._layer:
                seen = causal(len(rows), k.shape[1], device=self._device, align="bottom_right")
                weights = attention_weights(heads.q[:, rows], k.float(), mask=seen if mask is None else mask)
        boundary()
        cache.advance(len(rows))
        return Passed(torch.empty(0), weights, 0.0)

    def text(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Words of the prompt; of what is added nothing but its number."""
        return tuple(self._words[one] for one in ids)

    def ends(self, token: int) -> bool:  # noqa: ARG002
        """Never."""
        return False
