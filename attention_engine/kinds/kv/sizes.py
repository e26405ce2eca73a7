"""Whose cache a budget counts: a row of the table, a trained model, or own numbers. Has no tensor."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from attention_engine import configs
from attention_engine.kinds import layer
from attention_engine.kinds.kv import cache_bytes
from attention_engine.kinds.kv.cache_bytes import CacheSizes
from attention_engine.kinds.trained import NAMES, trained
from attention_engine.parameters import InvalidSpec

OWN = {"layers": 32, "d_model": 0, "num_heads": 32, "d_head": 128}
"""A decoder of 7 billion weights, as published often: where a reader begins to type."""
WIDTHS = ("layers", "d_model", "num_heads", "num_kv_heads", "d_head", "d_head_v", "kv_rank", "d_head_rope")
Numbers = Mapping[str, Any]


def widths_of(given: Numbers, model: str) -> dict[str, int]:
    """The eight numbers that a cache and its projections follow from: given, else the model's, else OWN.

    num_kv_heads is 0 where a latent is cached; asked for, it asks what plain K/V heads would be.
    Raises InvalidSpec for an unknown model, for one that keeps no cache, and for unequal groups."""
    own = published(model) if model else dict.fromkeys(WIDTHS, 0) | OWN
    filled = own | {name: given[name] for name in WIDTHS if given.get(name, 0)}
    if given.get("num_kv_heads", 0):
        filled |= {"kv_rank": 0, "d_head_rope": 0}
    if filled["kv_rank"]:
        filled["num_kv_heads"] = 0  # written out, what is read again must ask for the same
    else:
        filled |= {"d_head_rope": 0, "num_kv_heads": _kv_heads(filled, given, own)}
    filled["d_head_v"] = given.get("d_head_v", 0) or own["d_head_v"] or filled["d_head"]
    if filled["num_kv_heads"] and filled["num_heads"] % filled["num_kv_heads"]:
        told = layer.unequal_groups(filled["num_heads"], filled["num_kv_heads"])
        raise InvalidSpec(told, field="num_kv_heads" if given.get("num_kv_heads", 0) else "num_heads")
    return filled


def _kv_heads(filled: Numbers, given: Numbers, own: Numbers) -> int:
    """As many as query heads where those were changed alone, or nothing else is said."""
    changed = filled["num_heads"] != own["num_heads"] and not given.get("num_kv_heads", 0)
    return int(filled["num_heads"] if changed else filled["num_kv_heads"] or filled["num_heads"])


def row_of(model: str) -> configs.ModelConfig | None:
    """The row of the table that a name stands for; None for numbers of one's own and for a local folder."""
    slug = trained(model).slug if model in NAMES else model
    return layer.published(slug) if slug else None


def published(model: str) -> dict[str, int]:
    """The eight numbers of a model. Raises InvalidSpec (field `model`) where it keeps no cache."""
    row = row_of(model)
    if row is not None and not row.kv_elements:
        raise InvalidSpec(cache_bytes.why_none(row), field="model")
    if row is None and not trained(model).causal:
        raise InvalidSpec(f"{trained(model).title} is an encoder: it keeps no cache", field="model")
    source: Any = row if row is not None else trained(model)
    return {name: int(getattr(source, name, 0)) for name in WIDTHS} | {
        "num_kv_heads": 0 if row is not None and row.kv_rank else source.num_kv_heads
    }


def is_published(numbers: Numbers) -> bool:
    """Whether these are the model's own numbers, none of them changed."""
    model = numbers["model"]
    own = widths_of({}, model) if model else {}
    return bool(model) and all(numbers[name] == own[name] for name in WIDTHS)


def sizes_of(numbers: Numbers) -> CacheSizes:
    """What one token of these numbers leaves in a cache."""
    own, row = is_published(numbers), row_of(numbers["model"]) if numbers["model"] else None
    title = title_of(numbers["model"]) if numbers["model"] else ""
    latent = numbers["kv_rank"] + numbers["d_head_rope"]
    names = ("layers", "num_heads", "num_kv_heads", "d_head", "d_head_v", "kv_rank", "d_head_rope")
    return CacheSizes(
        title=title if own else f"{title}, changed" if title else "Your numbers",
        elements=latent if numbers["kv_rank"] else 0,
        bytes_per_value=numbers["bytes_per_value"],
        attention=row.attention if own and row is not None else "",
        **{name: numbers[name] for name in names},
    )


def title_of(model: str) -> str:
    """As people call it."""
    row = row_of(model)
    return row.name if row is not None else trained(model).title


def as_mha(sizes: CacheSizes) -> CacheSizes:
    """The same model if each query head kept K and V of its own: no latent, no groups."""
    return replace(sizes, num_kv_heads=sizes.num_heads, kv_rank=0, d_head_rope=0, elements=0)


def as_mqa(sizes: CacheSizes) -> CacheSizes:
    """The same model if all query heads read one K and one V (Shazeer 2019)."""
    return replace(sizes, num_kv_heads=1, kv_rank=0, d_head_rope=0, elements=0)
