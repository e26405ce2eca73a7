"""What a KV cache holds of each token, by closed form from the table of models. Knows no tensor."""

from typing import Literal

from attention_engine.configs import ModelConfig
from attention_engine.configs import model as find_model

SchemeName = Literal["MHA", "GQA", "MQA", "MLA"]


def positive(**numbers: int) -> None:
    """Raises ValueError, with its name, for a number below 1."""
    for name, number in numbers.items():
        if number < 1:
            raise ValueError(f"{name} must be at least 1, not {number}")


def scheme_name(*, num_heads: int, num_kv_heads: int, kv_rank: int) -> SchemeName:
    """How query heads share keys and values: one pair for each head (MHA), for groups of them (GQA), one for
    all (MQA), or a latent of kv_rank numbers that all pairs are made from (MLA)."""
    if kv_rank:
        return "MLA"
    if num_kv_heads == num_heads:
        return "MHA"
    return "MQA" if num_kv_heads == 1 else "GQA"


def scheme_of(config: ModelConfig) -> SchemeName:
    """The same of a row of the table."""
    return scheme_name(num_heads=config.num_heads, num_kv_heads=config.num_kv_heads, kv_rank=config.kv_rank)


def _cached_numbers(config: ModelConfig, num_kv_heads: int) -> int:
    if num_kv_heads:
        return num_kv_heads * (config.d_head + config.d_head_v)
    if not config.kv_elements:
        raise ValueError(
            f"{config.name} ({config.attention}) has no cache size in the table: give num_kv_heads"
        )
    return config.kv_elements


def kv_bytes_per_token(*, model: str, bytes_per_value: int = 2, num_kv_heads: int = 0) -> int:
    """Bytes that one token adds to the cache over all layers; num_kv_heads asks "what if" (0: as is)."""
    positive(bytes_per_value=bytes_per_value)
    config = find_model(model)
    return config.layers * _cached_numbers(config, num_kv_heads) * bytes_per_value


def kv_bytes(*, model: str, tokens: int, bytes_per_value: int = 2, num_kv_heads: int = 0) -> int:
    """Bytes of the cache of one sequence of `tokens` tokens."""
    positive(tokens=tokens)
    each = kv_bytes_per_token(model=model, bytes_per_value=bytes_per_value, num_kv_heads=num_kv_heads)
    return tokens * each


def kv_head_of(*, query_head: int, num_heads: int, num_kv_heads: int) -> int:
    """The K/V head that a query head reads under grouping: 64 heads over 8, head 19 -> 2."""
    positive(num_heads=num_heads, num_kv_heads=num_kv_heads)
    if num_heads % num_kv_heads or not 0 <= query_head < num_heads:
        raise ValueError(
            f"query_head {query_head} of {num_heads} over {num_kv_heads} K/V heads: K/V heads must divide"
        )
    return query_head // (num_heads // num_kv_heads)
