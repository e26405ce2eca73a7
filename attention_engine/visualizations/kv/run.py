"""The cache of a text that a trained decoder really read, beside the formula. Knows no table of models."""

from collections.abc import Mapping
from typing import Any

import torch

from attention_engine.frames import Frame, Table
from attention_engine.kinds.attention_pattern import SENTENCE
from attention_engine.kinds.kv.cache_bytes import CacheSizes
from attention_engine.kinds.kv_budget import RUN_TOKENS
from attention_engine.kinds.operations import many
from attention_engine.trained import models
from attention_engine.visualizations.kv.words import verdict

COLUMNS = ("what", "bytes by formula", "bytes in memory", "difference")
TYPES = {1: torch.bfloat16, 2: torch.bfloat16, 4: torch.float32}


def run_frame(numbers: Mapping[str, Any], sizes: CacheSizes, device: torch.device) -> Frame:
    """Reads the first tokens of a sentence behind an empty cache, then compares the bytes that it holds."""
    title = f"The cache of a text that {sizes.title} read"
    if missing := models.why_missing(numbers["model"]):
        told = f"{sizes.title} is not on this machine: {missing}. Its cache is the one allocated before."
        stamp = {"weights": f"none: {missing}"}
        return Frame("run", "text", title, told, table=Table(COLUMNS), stamp=stamp)
    decoder, tokenizer = models.decoder(numbers["model"], device)
    ids = tokenizer.encode(SENTENCE).ids[: min(RUN_TOKENS, numbers["tokens"])]
    cache = decoder.cache(TYPES[numbers["bytes_per_value"]])
    decoder.run(torch.tensor(ids, device=device), cache)
    return _frame(title, numbers, sizes, tokens=len(cache), held=cache.nbytes, width=cache.dtype.itemsize)


def _frame(
    title: str, numbers: Mapping[str, Any], sizes: CacheSizes, *, tokens: int, held: int, width: int
) -> Frame:
    each = sizes.layers * sizes.numbers * width
    formula = each * tokens
    other = (
        ""
        if width == numbers["bytes_per_value"]
        else f" It is held at {width} bytes a number: {sizes.title} runs at no fewer."
    )
    return Frame(
        step="run",
        layout="text",
        title=title,
        sentence=f"{sizes.title} read {many(tokens, 'token')}: {verdict(formula, held)}{other}",
        table=Table(
            COLUMNS,
            (
                (many(tokens, "token"), formula, held, held - formula),
                ("a token", each, held // tokens, held // tokens - each),
            ),
        ),
        verdict={"equal": int(held == formula)},
    )
