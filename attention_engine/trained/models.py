"""Trained models by name: whether one can be read here, and what it made of a sentence. Knows no picture."""

import torch

from attention_engine.kinds.trained import trained
from attention_engine.trained import minilm
from attention_engine.trained.minilm import MOST_TOKENS, Reading


def why_missing(name: str) -> str:
    """Why the model cannot be read here, as part of a sentence; "" where it can."""
    return minilm.why_missing() if name == "minilm" else f"{trained(name).title} is not installed yet"


def read(name: str, sentence: str, device: torch.device, *, most: int = MOST_TOKENS) -> Reading:
    """The sentence, cut to `most` tokens, through all layers. Raises ValueError without weights."""
    if missing := why_missing(name):
        raise ValueError(f"{name} cannot be read: {missing}; make models fetches it")
    return minilm.read(sentence, device, most=most)
