"""all-MiniLM-L6-v2 by itself, an encoder (Reimers and Gurevych 2019). Knows no other model, no picture."""

from pathlib import Path

import torch

from attention_engine.trained import loading, models
from attention_engine.trained.models import MOST_TOKENS, Reading

NAME = models.PUBLISHED_AS["minilm"]


def model_folder() -> Path | None:
    """Where weights and tokenizer lie, or None if they are not installed."""
    return loading.folder_of("minilm")


def why_missing() -> str:
    """Why MiniLM cannot be read here, as part of a sentence; "" where it can."""
    return models.why_missing("minilm")


def read(sentence: str, device: torch.device, *, most: int = MOST_TOKENS) -> Reading:
    """Runs the sentence, cut to `most` tokens, through all layers. Raises ValueError without weights."""
    return models.read("minilm", sentence, device, most=most)


def output_weights(layer: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """W_O of a layer as linear takes it, (d_model, H*D), and its bias. Raises ValueError without weights."""
    return models.output_weights("minilm", layer, device)
