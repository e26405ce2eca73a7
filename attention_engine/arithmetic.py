"""Closed forms over widths, heads and bytes. Knows no tensor; arguments are integers or slugs."""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from attention_engine.configs import model as find_model
from attention_engine.kv_cache import kv_bytes, kv_bytes_per_token, kv_head_of, positive
from attention_engine.scales import divisor_breakers, own_divisor

LARGEST_DIVIDEND = 2**40
KERNEL_WIDTHS = (32, 64, 96, 128, 192, 256)
"""Head widths that FlashAttention-2 compiles (Dao-AILab/flash-attention, static_switch.h, 2026-11)."""


def divisors(*, n: int) -> list[int]:
    """Every divisor of n, ascending: 12 -> [1, 2, 3, 4, 6, 12]."""
    if not 1 <= n <= LARGEST_DIVIDEND:
        raise ValueError(f"n must lie between 1 and {LARGEST_DIVIDEND}, not {n}")
    low = [d for d in range(1, math.isqrt(n) + 1) if n % d == 0]
    return low + [n // d for d in reversed(low) if d * d != n]


def nearest_divisors(*, n: int, near: int) -> list[int]:
    """The largest divisor of n below `near` and the smallest above it: (768, 10) -> [8, 12]."""
    below = [d for d in divisors(n=n) if d < near]
    above = [d for d in divisors(n=n) if d > near]
    return below[-1:] + above[:1]


def smallest_divisor_above(*, n: int, above: int) -> int:
    """The first number greater than `above` that divides n."""
    larger = [d for d in divisors(n=n) if d > above]
    if not larger:
        raise ValueError(f"no divisor of {n} is above {above}; the largest is {n} itself")
    return larger[0]


def quotient(*, d_model: int, num_heads: int) -> int:
    """d_model // num_heads, the width a library derives."""
    positive(d_model=d_model, num_heads=num_heads)
    return d_model // num_heads


def remainder(*, d_model: int, num_heads: int) -> int:
    """The features that would belong to no head."""
    positive(d_model=d_model, num_heads=num_heads)
    return d_model % num_heads


def division_sentence(d_model: int, num_heads: int) -> str:
    """(768, 10) -> "768 = 10*76 + 8"; without a remainder "768 = 12*64"."""
    whole, rest = divmod(d_model, num_heads)
    return f"{d_model} = {num_heads}*{whole}" + (f" + {rest}" if rest else "")


def not_a_multiple(d_model: int, num_heads: int) -> str:
    """The sentence for a division that leaves features over, with the way out."""
    near = ", ".join(str(d) for d in nearest_divisors(n=d_model, near=num_heads))
    return (
        f"d_model {d_model} is not a multiple of num_heads {num_heads} "
        f"({division_sentence(d_model, num_heads)}); nearest that divide: {near}"
    )


def _derived(d_model: int, num_heads: int) -> int:
    positive(d_model=d_model, num_heads=num_heads)
    if d_model % num_heads:
        raise ValueError(not_a_multiple(d_model, num_heads))
    return d_model // num_heads


def d_head(*, model: str = "", d_model: int = 0, num_heads: int = 0) -> int:
    """The published head width of a model, or d_model / num_heads where it comes out whole."""
    return find_model(model).d_head if model else _derived(d_model, num_heads)


def heads_times_d_head(*, model: str) -> int:
    """The width W_O reads: num_heads * d_head of the published model."""
    config = find_model(model)
    return config.num_heads * config.d_head


def head_width(*, d_model: int, num_heads: int) -> Fraction:
    """d_model / num_heads exactly, whole or not: (768, 12) -> 64, (768, 10) -> 384/5."""
    positive(d_model=d_model, num_heads=num_heads)
    return Fraction(d_model, num_heads)


def inner_width(*, d_model: int, num_heads: int) -> int:
    """What code that floors d_head without a check projects to: num_heads * (d_model // num_heads)."""
    return num_heads * quotient(d_model=d_model, num_heads=num_heads)


def rule_breakers(*, models: Sequence[str]) -> list[str]:
    """Those of the named models whose num_heads * d_head is not d_model, in the order given."""
    return [slug for slug in models if heads_times_d_head(model=slug) != find_model(slug).d_model]


def scale_divisor(*, d_head: int) -> int | float:
    """sqrt(d_head), the usual divisor of scores (Vaswani et al. 2017, section 3.2.1); an int where whole."""
    positive(d_head=d_head)
    root = math.isqrt(d_head)
    return root if root * root == d_head else math.sqrt(d_head)


def score_variance(*, d_head: int) -> int:
    """Variance of q.k where components are independent, mean 0, variance 1 (Vaswani et al. 2017, note 4)."""
    positive(d_head=d_head)
    return d_head


def score_std(*, d_head: int) -> int | float:
    """Standard deviation of q.k under the same assumption: the root of its variance; an int where whole."""
    return scale_divisor(d_head=score_variance(d_head=d_head))


def largest_entropy(*, keys: int) -> float:
    """ln(keys) in nats: the entropy of a softmax row that weighs all keys alike."""
    positive(keys=keys)
    return math.log(keys)


def attention_parameters(
    *,
    model: str = "",
    d_model: int = 0,
    num_heads: int = 0,
    num_kv_heads: int = 0,
    d_head: int = 0,
    bias: bool = False,
) -> int:
    """Weights of W_Q, W_K, W_V, W_O of one layer (and their biases). num_kv_heads 0: as many as num_heads."""
    if model:
        config = find_model(model)
        if not config.num_kv_heads:
            raise ValueError(
                f"{config.name} ({config.attention}) compresses K and V: this closed form is not its own"
            )
        d_model, num_heads, num_kv_heads = config.d_model, config.num_heads, config.num_kv_heads
        d_head = config.d_head
    positive(d_model=d_model, num_heads=num_heads)
    width = d_head or _derived(d_model, num_heads)
    queries, keys = num_heads * width, (num_kv_heads or num_heads) * width
    return 2 * d_model * (queries + keys) + (queries + 2 * keys + d_model if bias else 0)


def twelve_l_d_squared(*, model: str) -> int:
    """12 * layers * d_model^2: rule of thumb for a decoder with feed-forward 4 wide, without embeddings."""
    config = find_model(model)
    return 12 * config.layers * config.d_model**2


def score_flops(*, d_model: int, tokens: int) -> int:
    """FLOPs of Q K^T and A V together over all heads of one layer, 2 per multiply-add, H*d_head = d_model."""
    positive(d_model=d_model, tokens=tokens)
    return 4 * tokens * tokens * d_model


def crossover_tokens(*, d_model: int) -> int:
    """Tokens at which 4*T^2*d (scores and mixing) reaches 8*T*d^2 (the four projections): 2*d_model."""
    positive(d_model=d_model)
    return 2 * d_model


def score_bytes(*, num_heads: int, tokens: int, batch: int = 1, bytes_per_value: int = 2) -> int:
    """Bytes of all score maps (B, H, T, T) of one layer where they are written out."""
    positive(num_heads=num_heads, tokens=tokens, batch=batch, bytes_per_value=bytes_per_value)
    return batch * num_heads * tokens * tokens * bytes_per_value


def kernel_width(*, d_head: int) -> int:
    """The compiled width that FlashAttention-2 runs a head in: 80 -> 96. Above 256 it refuses."""
    positive(d_head=d_head)
    fitting = [width for width in KERNEL_WIDTHS if width >= d_head]
    if not fitting:
        raise ValueError(f"d_head {d_head} is above {KERNEL_WIDTHS[-1]}, the widest compiled kernel")
    return fitting[0]


COMPUTABLE: Mapping[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        attention_parameters,
        crossover_tokens,
        d_head,
        divisor_breakers,
        divisors,
        head_width,
        heads_times_d_head,
        inner_width,
        kernel_width,
        kv_bytes,
        kv_bytes_per_token,
        kv_head_of,
        largest_entropy,
        nearest_divisors,
        own_divisor,
        quotient,
        remainder,
        rule_breakers,
        scale_divisor,
        score_bytes,
        score_flops,
        score_std,
        score_variance,
        smallest_divisor_above,
        twelve_l_d_squared,
    )
}
"""Names that a card's key may compute."""
