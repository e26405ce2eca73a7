"""The trained models a picture may look at, before any weight is read. Knows sizes, no tensor and no text."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from attention_engine import arithmetic, configs
from attention_engine.kinds.local_model import LocalConfig, local_config
from attention_engine.parameters import InvalidSpec

LOCAL = "local"
NAMES = ("minilm", "smollm2", LOCAL)
"""What a parameter `model` may say beside a slug of the table: `local` is the folder STUDYHUB_MODEL_DIR."""
Family = Literal["bert", "llama"]


@dataclass(frozen=True)
class TrainedModel:
    """The numbers of a trained model, whose heads are all alike."""

    name: str
    """One of NAMES."""
    title: str
    """As people call it: "MiniLM-L6"."""
    slug: str
    """Its row in the table of models; "" for a local one."""
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
    epsilon: float = 1e-12
    """Added to the variance in a norm."""
    tied: bool = True
    """True where the last product of a decoder takes the embeddings."""
    segments: int = 0
    """Kinds of segment an encoder tells apart; 0 for a decoder."""
    fingerprint: str = ""
    """Of a local folder 8 hex digits that change with it; part of the digest of its pictures."""

    @property
    def short(self) -> str:
        """The title without its size: "MiniLM"."""
        return self.title.removesuffix("-L6").removesuffix("-135M")

    @property
    def family(self) -> Family:
        """Which architecture reads it: BERT's encoder or Llama's decoder."""
        return "llama" if self.causal else "bert"


def trained(name: str) -> TrainedModel:
    """The model of this name. Raises InvalidSpec (field `model`) for a name that is none, or not here."""
    if name in PUBLISHED:
        return _published(name)
    if name == LOCAL:
        return _local(local_config())
    raise InvalidSpec(f"{name} is no trained model: {', '.join(NAMES)} are", field="model")


def named(model: str) -> str:
    """One name for one model: the row of a trained model is that model."""
    return next((name for name, own in PUBLISHED.items() if own["slug"] == model), model)


PUBLISHED = {
    "minilm": {"title": "MiniLM-L6", "slug": "all-minilm-l6-v2", "causal": False, "segments": 2},
    "smollm2": {
        "title": "SmolLM2-135M",
        "slug": "smollm2-135m",
        "causal": True,
        "rope_base": 1e5,
        "epsilon": 1e-5,
    },
}
"""What the table of models does not say of them (their own config.json and GGUF metadata)."""


@lru_cache(maxsize=2)
def _published(name: str) -> TrainedModel:
    own = dict(PUBLISHED[name])
    config = configs.model(str(own["slug"]))
    return TrainedModel(
        name=name,
        layers=config.layers,
        d_model=config.d_model,
        num_heads=config.num_heads,
        num_kv_heads=config.num_kv_heads,
        d_head=config.d_head,
        d_inner=1536,
        vocab=config.vocab,
        positions=512 if name == "minilm" else config.context,
        **own,  # type: ignore[arg-type]
    )


def _local(config: LocalConfig) -> TrainedModel:
    """Raises InvalidSpec for sizes that do not fit together."""
    causal, number = config.family == "llama", config.number
    d_model, num_heads = number("hidden_size"), number("num_attention_heads")
    d_head = _d_head(config, d_model, num_heads)
    num_kv_heads = number("num_key_value_heads") if "num_key_value_heads" in config.numbers else num_heads
    if num_heads % num_kv_heads:
        told = arithmetic.division_sentence(num_heads, num_kv_heads)
        raise config.refused(f"num_key_value_heads {num_kv_heads} does not divide {num_heads} ({told})")
    return TrainedModel(
        name=LOCAL,
        title=config.folder.name,
        slug="",
        causal=causal,
        layers=number("num_hidden_layers"),
        d_model=d_model,
        num_heads=num_heads,
        num_kv_heads=num_kv_heads if causal else num_heads,
        d_head=d_head,
        d_inner=number("intermediate_size"),
        vocab=number("vocab_size"),
        positions=number("max_position_embeddings"),
        rope_base=number("rope_theta") if causal else 0.0,
        epsilon=number("rms_norm_eps" if causal else "layer_norm_eps"),
        tied=bool(config.numbers.get("tie_word_embeddings", False)),
        segments=0 if causal else number("type_vocab_size"),
        fingerprint=config.fingerprint,
    )


def _d_head(config: LocalConfig, d_model: int, num_heads: int) -> int:
    """A decoder's head_dim where it says one, else d_model shared out."""
    if config.family == "llama" and config.numbers.get("head_dim") is not None:
        d_head = config.number("head_dim")
    elif d_model % num_heads:
        raise config.refused(arithmetic.not_a_multiple(d_model, num_heads))
    else:
        d_head = d_model // num_heads
    if config.family == "llama" and d_head % 2:
        raise config.refused(f"head_dim is {d_head}: rotary turns features in pairs")
    return int(d_head)
