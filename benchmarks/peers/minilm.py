"""Trained models by others: transformers' maps, bertviz' page of them, SmolLM2 by generate. Not our code."""

import warnings
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

TRANSFORMERS, BERTVIZ, GENERATE = "transformers eager", "bertviz head_view", "transformers generate"


def missing(*packages: str) -> tuple[str, ...]:
    """Those that are not installed here."""
    return tuple(package for package in packages if find_spec(package) is None)


def maps(folder: Path, ids: Sequence[int]) -> Callable[[], list[torch.Tensor]]:
    """A call that gives the maps of every layer of the model in `folder`, each (H, T, T)."""
    from transformers import BertModel

    quiet()
    model = BertModel.from_pretrained(folder, add_pooling_layer=False, attn_implementation="eager").eval()
    batch = torch.tensor([list(ids)])

    @torch.no_grad()
    def run() -> list[torch.Tensor]:
        return [one[0] for one in model(batch, output_attentions=True).attentions]

    return run


def page(attention: Sequence[torch.Tensor], tokens: Sequence[str]) -> bytes:
    """bertviz' page of these maps, each (H, T, T), with the numbers in it."""
    from bertviz import head_view

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        html = head_view([one[None] for one in attention], list(tokens), html_action="return")
    text: str = html.data
    return text.encode()


def generate(folder: Path, ids: Sequence[int], count: int) -> Callable[[], list[int]]:
    """A call that continues the ids greedily by `count` tokens in float32, with its cache."""
    from transformers import AutoModelForCausalLM

    quiet()
    model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    batch = torch.tensor([list(ids)])
    how = {"max_new_tokens": count, "min_new_tokens": count, "do_sample": False, "pad_token_id": 0}

    @torch.no_grad()
    def run() -> list[int]:
        made: list[int] = model.generate(batch, attention_mask=torch.ones_like(batch), **how)[0].tolist()
        return made[len(ids) :]

    return run


def quiet() -> None:
    """No bars and no warnings of theirs between our lines."""
    from transformers.utils import logging as theirs

    theirs.set_verbosity_error()
    theirs.disable_progress_bar()
