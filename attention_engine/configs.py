"""Published model configurations, one line of model_configs.csv each. Knows no formula and no tensor."""

import csv
import difflib
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files


class UnknownModel(ValueError):
    """A slug that no line of the table has; the message names the closest ones."""


@dataclass(frozen=True)
class ModelConfig:
    """One model as published. Widths count numbers; 0 means that the source does not say (or, for MLA, that
    the cache holds no K/V heads)."""

    slug: str
    name: str
    layers: int
    d_model: int
    num_heads: int
    num_kv_heads: int
    d_head: int
    """Width of one query or key head."""
    d_head_v: int
    """Width of one value head."""
    d_head_rope: int
    """Features of d_head that rotary turns and that all heads share as one key (MLA); 0 elsewhere."""
    attention: str
    vocab: int
    context: int
    score_scale: str
    kv_elements: int
    """Numbers cached per token and layer; 0 where the model keeps no cache or its layers differ."""
    source: str
    status: str
    as_of: str
    note: str

    @property
    def kv_rank(self) -> int:
        """Width of the latent that K and V of every head are made from (MLA): what is cached beside the one
        rotary key. 0 where K and V are projected from x itself."""
        return self.kv_elements - self.d_head_rope if self.d_head_rope else 0


def slug_of(name: str) -> str:
    """ "GPT-3 175B" -> "gpt-3-175b": lower case, each run of other characters becomes one hyphen."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")


def _number(text: str) -> int:
    return int(text) if text else 0


def _config(row: dict[str, str]) -> ModelConfig:
    return ModelConfig(
        slug=slug_of(row["model"]),
        name=row["model"],
        layers=_number(row["n_layers"]),
        d_model=_number(row["d_model"]),
        num_heads=_number(row["n_heads"]),
        num_kv_heads=_number(row["n_kv_heads"]),
        d_head=_number(row["d_head_qk"]),
        d_head_v=_number(row["d_head_v"]),
        d_head_rope=_number(row["d_head_rope"]),
        attention=row["attention"],
        vocab=_number(row["vocab"]),
        context=_number(row["ctx"]),
        score_scale=row["score_scale"],
        kv_elements=_number(row["kv_cache_elems_per_token_per_layer"]),
        source=row["source"],
        status=row["status"],
        as_of=row["as_of"],
        note=row["note"],
    )


@lru_cache(maxsize=1)
def _table() -> dict[str, ModelConfig]:
    text = files("attention_engine").joinpath("model_configs.csv").read_text(encoding="utf-8")
    configs = (_config(row) for row in csv.DictReader(text.splitlines()))
    return {config.slug: config for config in configs}


def all_models() -> tuple[ModelConfig, ...]:
    """Every model, in the order of the table."""
    return tuple(_table().values())


def model(slug: str) -> ModelConfig:
    """The model of this slug. Raises UnknownModel with the closest slugs."""
    found = _table().get(slug)
    if found is None:
        close = difflib.get_close_matches(slug_of(slug), _table(), n=3, cutoff=0.3)
        hint = f"; close to it: {', '.join(close)}" if close else ""
        raise UnknownModel(f'no model "{slug[:80]}" in the table of {len(_table())}{hint}')
    return found
