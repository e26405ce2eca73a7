"""What a token leaves in the cache under each way of sharing K and V. Knows no picture and no tensor."""

from dataclasses import dataclass

from attention_engine import arithmetic

LATENT_RANK, LATENT_ROPE = 512, 64
"""Widths of the latent and of the one rotary key of DeepSeek-V2 and V3 (DeepSeek-V2, 2024, section 3.1.2): a
convention for every model that makes no latent of its own."""
USUAL_GROUPS = 8
"""K/V heads of a grouped layer where a model has none: GQA-8 of Ainslie et al. 2023, section 3.3."""


@dataclass(frozen=True)
class Scheme:
    """One way of sharing: mha, gqa, mqa or mla."""

    name: str
    kv_heads: int
    """Heads of K and of V that are cached; 0 for a latent."""
    numbers: int
    """Numbers cached for each token in each layer."""

    def bytes_per_token(self, *, layers: int, bytes_per_value: int) -> int:
        """Over all layers."""
        return layers * self.numbers * bytes_per_value


def grouped_numbers(*, kv_heads: int, d_head: int, d_head_v: int) -> int:
    """Numbers that K and V heads cache for one token in one layer."""
    return kv_heads * (d_head + d_head_v)


def latent_numbers(*, kv_rank: int, d_head_rope: int) -> int:
    """The latent and the one rotary key (DeepSeek-V2, 2024, section 2.1): no head adds to them."""
    return kv_rank + d_head_rope


def usual_groups(num_heads: int, *, own: int = 0) -> int:
    """K/V heads of the grouped scheme: the model's own where they are neither all nor one, else the divisor
    nearest to GQA-8 between the two; num_heads where no number lies between."""
    if 1 < own < num_heads:
        return own
    between = arithmetic.divisors(n=num_heads)[1:-1]
    return min(between, key=lambda groups: (abs(groups - USUAL_GROUPS), groups), default=num_heads)


def schemes(
    *, num_heads: int, num_kv_heads: int, d_head: int, d_head_v: int, kv_rank: int, d_head_rope: int
) -> tuple[Scheme, ...]:
    """mha, gqa (of num_kv_heads), mqa and mla, in this order. Raises ValueError for unequal groups."""
    if num_heads % num_kv_heads:
        raise ValueError(f"{num_kv_heads} K/V heads do not divide {num_heads} query heads")
    counts = {"mha": num_heads, "gqa": num_kv_heads, "mqa": 1}
    shared = (
        Scheme(name, heads, grouped_numbers(kv_heads=heads, d_head=d_head, d_head_v=d_head_v))
        for name, heads in counts.items()
    )
    return (*shared, Scheme("mla", 0, latent_numbers(kv_rank=kv_rank, d_head_rope=d_head_rope)))
