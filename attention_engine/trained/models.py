"""Trained models by name: whether one can be read here, and what it made of a sentence. Knows no picture."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from attention_engine.kernels import TORCH
from attention_engine.kinds.trained import TrainedModel, trained
from attention_engine.trained import packed
from attention_engine.trained.checkpoint import CannotRead
from attention_engine.trained.decoder import Decoder
from attention_engine.trained.encoder import Encoder, LayerHeads
from attention_engine.trained.kept import Kept
from attention_engine.trained.loading import Loaded, loaded, why_missing
from attention_engine.trained.reading import Reading, cut, shown

__all__ = ["MOST_TOKENS", "CannotRead", "Reading", "decoder", "output_weights", "read", "why_missing"]

MOST_TOKENS = 512
"""Of a picture; a model may have fewer positions."""
PUBLISHED_AS = {"minilm": "all-MiniLM-L6-v2", "smollm2": "SmolLM2-135M-Instruct (Q4_1, widened to bfloat16)"}


_kept = Kept()


def read(name: str, sentence: str, device: torch.device, *, most: int = MOST_TOKENS) -> Reading:
    """The sentence, cut to `most` tokens, through all layers. Raises CannotRead without weights."""
    here = _here(name, device)
    text = _text(here, sentence, most, device)
    if found := _kept.find(text.key):
        return found
    return _kept.keep(text.key, _reading(here, text, tuple(here.model.heads(text.ids)), device))


def read_together(asked: Iterable[tuple[str, str]], device: torch.device) -> None:
    """Reads (name, sentence) ahead, each once and an encoder's several in a pass, for `read` to find.

    Where weights are absent nothing is read, and `read` says why. A decoder's are left to `read`: its
    products are of matrices four times as large, which a short text fills as well."""
    texts: dict[str, dict[Hashable, _Text]] = {}
    for name, sentence in asked:
        if not trained(name).causal and not why_missing(name):
            text = _text(loaded(name, device), sentence, MOST_TOKENS, device)
            if _kept.find(text.key) is None:
                texts.setdefault(name, {})[text.key] = text
    for name, found in texts.items():
        _read_packed(loaded(name, device), list(found.values()), device)


def _read_packed(here: Loaded, texts: Sequence["_Text"], device: torch.device) -> None:
    assert isinstance(here.model, Encoder)
    for pack in packed.packs([len(text.ids) for text in texts]):
        read_now = packed.heads_of(here.model, [text.ids for text in texts[pack]])
        for text, layers in zip(texts[pack], read_now, strict=True):
            _kept.keep(text.key, _reading(here, text, layers, device))


@dataclass(frozen=True)
class _Text:
    """A sentence as ids (T,), and under what its reading is kept."""

    key: Hashable
    ids: torch.Tensor
    cut: bool


def _text(here: Loaded, sentence: str, most: int, device: torch.device) -> _Text:
    """Kept by its ids: sentences that make the same tokens are one. The model itself is part of the key."""
    most, encoded = min(most, here.about.positions), here.tokenizer.encode(sentence)
    ids = cut(encoded.ids, most, ends=not here.about.causal)
    was_cut = len(encoded.ids) > most
    key = (id(here.model), here.about, str(device), was_cut, tuple(ids))
    return _Text(key, torch.tensor(ids, dtype=torch.long, device=device), was_cut)


def _reading(here: Loaded, text: _Text, layers: tuple[LayerHeads, ...], device: torch.device) -> Reading:
    return Reading(
        tokens=tuple(_shown(here, one) for one in text.ids.tolist()),
        layers=layers,
        cut=text.cut,
        weights=PUBLISHED_AS.get(here.about.name, f"{here.about.title}, {here.about.fingerprint}"),
        precision=here.model.precision,
        linear=_linear(here.model, device),
    )


def decoder(name: str, device: torch.device) -> tuple[Decoder, Any]:
    """A causal model and its tokenizers.Tokenizer. Raises CannotRead without weights, or for an encoder."""
    here = _here(name, device)
    if not isinstance(here.model, Decoder):
        raise CannotRead(f"{here.about.title} is an encoder: it continues no text; smollm2 does")
    return here.model, here.tokenizer


def output_weights(name: str, layer: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """W_O of an encoder's layer as linear takes it, (d_model, H*D), and its bias. Raises CannotRead."""
    model = _here(name, device).model
    if not isinstance(model, Encoder):
        raise CannotRead(f"{trained(name).title} is a decoder, whose W_O is not read by itself")
    out = model.layers[layer].attention.out
    return out.weight, out.bias


def token_text(about: TrainedModel, tokenizer: Any, token: int) -> str:
    """A token as people read it: an encoder's as its vocabulary spells it, a decoder's what it stands for."""
    spelled = str(tokenizer.id_to_token(token))
    if not about.causal:
        return spelled
    return shown(spelled, str(tokenizer.decode([token], skip_special_tokens=False)))


def _shown(here: Loaded, token: int) -> str:
    return token_text(here.about, here.tokenizer, token)


def _here(name: str, device: torch.device) -> Loaded:
    if missing := why_missing(name):
        raise CannotRead(f"{name} cannot be read: {missing}; make models fetches what is published")
    return loaded(name, device)


def _linear(model: Encoder | Decoder, device: torch.device) -> str:
    if device.type != "cpu":
        return "torch"
    return TORCH if isinstance(model, Decoder) else model.layers[0].attention.out.path
