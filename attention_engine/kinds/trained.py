"""The trained models a picture may look at, before any weight is read. Knows sizes, no tensor and no text."""

from dataclasses import dataclass
from functools import lru_cache

from attention_engine import configs
from attention_engine.parameters import InvalidSpec

NAMES = ("minilm", "smollm2", "local")
"""What a parameter `model` may say beside a slug of the table: `local` is the folder STUDYHUB_MODEL_DIR."""


@dataclass(frozen=True)
class TrainedModel:
    """The numbers of a trained model, whose heads are all alike."""

    name: str
    """One of NAMES."""
    title: str
    """As people call it: "MiniLM-L6"."""
    slug: str
    """Its row in the table of models; "" for a local one that has none."""
    causal: bool
    """True for a decoder: a token sees itself and what came before."""
    layers: int
    d_model: int
    num_heads: int
    num_kv_heads: int
    d_head: int
    d_inner: int
    vocab: int
    positions: int
    """Tokens that can be read at once, at most 512 in a picture."""
    rope_base: float = 0.0
    """0 where positions are learned vectors."""


@lru_cache(maxsize=8)
def trained(name: str) -> TrainedModel:
    """The model of this name. Raises InvalidSpec (field `model`) for a name that is none, or not here."""
    if name == "minilm":
        return _published(name, "MiniLM-L6", "all-minilm-l6-v2", causal=False, d_inner=1536)
    if name == "smollm2":
        return _published(name, "SmolLM2-135M", "smollm2-135m", causal=True, d_inner=1536, rope_base=1e5)
    raise InvalidSpec(f"{name} is no trained model that is here: {', '.join(NAMES[:2])}", field="model")


def _published(
    name: str, title: str, slug: str, *, causal: bool, d_inner: int, rope_base: float = 0.0
) -> TrainedModel:
    config = configs.model(slug)
    return TrainedModel(
        name=name,
        title=title,
        slug=slug,
        causal=causal,
        layers=config.layers,
        d_model=config.d_model,
        num_heads=config.num_heads,
        num_kv_heads=config.num_kv_heads,
        d_head=config.d_head,
        d_inner=d_inner,
        vocab=config.vocab,
        positions=512 if name == "minilm" else config.context,
        rope_base=rope_base,
    )
