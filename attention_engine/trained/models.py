"""Trained models by name: whether one can be read here, and what it made of a sentence. Knows no picture."""

from typing import Any

import torch

from attention_engine.kernels import TORCH
from attention_engine.kinds.trained import TrainedModel, trained
from attention_engine.trained.checkpoint import CannotRead
from attention_engine.trained.decoder import Decoder
from attention_engine.trained.encoder import Encoder
from attention_engine.trained.loading import Loaded, loaded, why_missing
from attention_engine.trained.reading import Reading, cut, shown

__all__ = ["MOST_TOKENS", "CannotRead", "Reading", "decoder", "output_weights", "read", "why_missing"]

MOST_TOKENS = 512
"""Of a picture; a model may have fewer positions."""
PUBLISHED_AS = {"minilm": "all-MiniLM-L6-v2", "smollm2": "SmolLM2-135M-Instruct (Q4_1, widened to bfloat16)"}


def read(name: str, sentence: str, device: torch.device, *, most: int = MOST_TOKENS) -> Reading:
    """The sentence, cut to `most` tokens, through all layers. Raises CannotRead without weights."""
    here = _here(name, device)
    most, encoded = min(most, here.about.positions), here.tokenizer.encode(sentence)
    ids = cut(encoded.ids, most, ends=not here.about.causal)
    layers = tuple(here.model.heads(torch.tensor(ids, dtype=torch.long, device=device)))
    return Reading(
        tokens=tuple(_shown(here, one) for one in ids),
        layers=layers,
        cut=len(encoded.ids) > most,
        weights=PUBLISHED_AS.get(name, f"{here.about.title}, {here.about.fingerprint}"),
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
