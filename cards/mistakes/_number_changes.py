"""What a computed number becomes when one thing is mixed up, in the key's own unit. Knows no sentence."""

import math
from collections.abc import Iterator
from fractions import Fraction

from cards.expressions.units import is_size, unit_of
from cards.mistakes.number_cases import BYTES, ELEMENTS, WIDTHS, Case

_CACHE = frozenset({"kv_bytes", "kv_bytes_per_token"})
_TOTALS = frozenset({*BYTES, *ELEMENTS, "score_flops"})
_ROOTS = frozenset({"scale_divisor", "score_std"})
MOST_PLACES = 9


def inverted_division(case: Case) -> Iterator[Fraction]:
    """num_heads / d_model."""
    if case.name in WIDTHS and {"d_model", "num_heads"} <= set(case.counts):
        yield Fraction(case.counts["num_heads"], case.counts["d_model"])


def multiplied_for_divided(case: Case) -> Iterator[Fraction]:
    """d_model * num_heads."""
    if case.name in WIDTHS and {"d_model", "num_heads"} <= set(case.counts):
        yield Fraction(case.counts["num_heads"] * case.counts["d_model"])


def forgot_the_root(case: Case) -> Iterator[Fraction]:
    """d_head where its root is asked."""
    if case.name in _ROOTS and "d_head" in case.counts:
        yield Fraction(case.counts["d_head"])


def took_the_root(case: Case) -> Iterator[Fraction]:
    """The root where the number itself is asked."""
    if case.name == "score_variance":
        yield Fraction(str(math.sqrt(case.value)))


def squared(case: Case) -> Iterator[Fraction]:
    """The square of a variance or of a width."""
    if case.name == "score_variance" or case.name in WIDTHS:
        yield case.value**2


def not_squared(case: Case) -> Iterator[Fraction]:
    """The number of tokens once, where every token meets every token."""
    if case.name in ("score_flops", "score_bytes") and case.counts.get("tokens", 1) > 1:
        yield case.value / case.counts["tokens"]


def model_width_for_head_width(case: Case) -> Iterator[Fraction]:
    """d_model for d_head."""
    yield from case.replaced("d_head", "d_model")


def head_width_for_model_width(case: Case) -> Iterator[Fraction]:
    """d_head for d_model."""
    yield from case.replaced("d_model", "d_head")


def heads_for_width(case: Case) -> Iterator[Fraction]:
    """num_heads for d_head."""
    yield from case.replaced("d_head", "num_heads")


def width_for_heads(case: Case) -> Iterator[Fraction]:
    """d_head for num_heads."""
    yield from case.replaced("num_heads", "d_head")


def model_width_for_heads(case: Case) -> Iterator[Fraction]:
    """d_model for num_heads."""
    yield from case.replaced("num_heads", "d_model")


def query_heads_for_kv_heads(case: Case) -> Iterator[Fraction]:
    """As many K/V heads as query heads: the formula of ordinary attention for grouped."""
    heads, shared = case.counts.get("num_heads", 0), case.counts.get("num_kv_heads", 0)
    if not heads or not shared or heads == shared:
        return
    yield from case.replaced("num_kv_heads", "num_heads")
    if case.name in _CACHE and "num_kv_heads" not in case.key:
        yield from case.changed(num_kv_heads=heads)
    if case.name == "attention_parameters" and "model" in case.key:
        same = {name: case.counts[name] for name in ("d_model", "num_heads", "d_head")}
        yield from case.changed(model=None, num_kv_heads=heads, **same)


def kv_heads_for_query_heads(case: Case) -> Iterator[Fraction]:
    """The K/V heads where the query heads are meant: as a count, a divisor or a factor."""
    heads, shared = case.counts.get("num_heads", 0), case.counts.get("num_kv_heads", 0)
    if not heads or not shared or heads == shared:
        return
    yield from case.replaced("num_heads", "num_kv_heads")
    if case.name in WIDTHS and "d_model" in case.counts:
        yield Fraction(case.counts["d_model"], shared)
    if case.name == "heads_times_d_head":
        yield case.value * shared / heads


def kv_heads_for_width(case: Case) -> Iterator[Fraction]:
    """num_kv_heads for d_head."""
    if case.name in WIDTHS and case.counts.get("num_kv_heads") != case.counts.get("num_heads"):
        yield from case.replaced("d_head", "num_kv_heads")


def dealt_in_turn(case: Case) -> Iterator[Fraction]:
    """Query heads dealt to K/V heads in turn instead of in blocks."""
    if case.name == "kv_head_of":
        yield Fraction(case.key["query_head"] % case.key["num_kv_heads"])


def forgot_k_and_v(case: Case) -> Iterator[Fraction]:
    """One of K and V where both are kept; the queries' and the output's weights alone."""
    keeps_both = "num_kv_heads" in case.counts or "num_kv_heads" in case.key
    if case.name in _CACHE and keeps_both:
        yield case.value / 2
    if case.name == "attention_parameters" and {"d_model", "num_heads", "d_head"} <= set(case.counts):
        yield Fraction(2 * case.counts["d_model"] * case.counts["num_heads"] * case.counts["d_head"])


def bits_for_bytes(case: Case) -> Iterator[Fraction]:
    """Eight times a number of bytes, or bits an eighth."""
    if case.name in BYTES or is_size(case.unit):
        in_bits = (found := unit_of(case.unit)) is not None and found.family == "bit"
        yield case.value / 8 if in_bits else case.value * 8


def elements_for_bytes(case: Case) -> Iterator[Fraction]:
    """How many numbers there are, where their bytes are asked."""
    if case.name in BYTES:
        yield from case.changed(bytes_per_value=1)


def other_precision(case: Case) -> Iterator[Fraction]:
    """Numbers of 4, 2 or 1 bytes where they have another size."""
    if case.name in BYTES:
        for width in (4, 2, 8):
            yield from case.changed(bytes_per_value=width)


def bytes_for_elements(case: Case) -> Iterator[Fraction]:
    """Bytes, at 2 or 4 a number, where a count is asked."""
    if case.name in ELEMENTS:
        yield from (case.value * width for width in (2, 4))


def one_layer_only(case: Case) -> Iterator[Fraction]:
    """The cache of one layer."""
    if case.name in (*_CACHE, "twelve_l_d_squared") and case.counts.get("layers", 1) > 1:
        yield case.value / case.counts["layers"]


def all_layers(case: Case) -> Iterator[Fraction]:
    """All layers where one is asked."""
    if case.name == "attention_parameters" and "layers" in case.counts:
        yield case.value * case.counts["layers"]


def one_token_only(case: Case) -> Iterator[Fraction]:
    """The cache of one token."""
    if case.name == "kv_bytes":
        yield from case.changed(tokens=1)


def one_head_only(case: Case) -> Iterator[Fraction]:
    """One head where all are asked."""
    if case.name in _CACHE and case.counts.get("num_kv_heads", 1) > 1:
        yield case.value / case.counts["num_kv_heads"]
    if case.name == "score_bytes":
        yield from case.changed(num_heads=1)
    if case.name in ("heads_times_d_head", "inner_width") and "num_heads" in case.counts:
        yield case.value / case.counts["num_heads"]


def one_sequence_only(case: Case) -> Iterator[Fraction]:
    """One sequence where a batch is asked."""
    if case.name == "score_bytes" and case.counts.get("batch", 1) > 1:
        yield from case.changed(batch=1)


def counted_twice(case: Case) -> Iterator[Fraction]:
    """Twice a total."""
    if case.name in _TOTALS:
        yield case.value * 2


def multiply_add_as_one(case: Case) -> Iterator[Fraction]:
    """A multiply-add counted as one operation, or one of the two products."""
    if case.name == "score_flops":
        yield case.value / 2


def gib_for_gb(case: Case) -> Iterator[Fraction]:
    """2^30 bytes where 10^9 are a unit, or the other way round."""
    yield from _powers_of_1024(case, frozenset({3}))


def thousand_for_1024(case: Case) -> Iterator[Fraction]:
    """1,000 for 1,024 in a unit, or in a number of tokens such as 8k."""
    yield from _powers_of_1024(case, frozenset({1, 2, 4}))
    tokens = case.counts.get("tokens", 0)
    if "tokens" in case.key and tokens and tokens % 1024 == 0:
        yield from case.changed(tokens=tokens // 1024 * 1000)
    elif "tokens" in case.key and tokens and tokens % 1000 == 0:
        yield from case.changed(tokens=tokens // 1000 * 1024)


def _powers_of_1024(case: Case, powers: frozenset[int]) -> Iterator[Fraction]:
    """The value in the decimal unit for the binary, or the other way round."""
    unit = unit_of(case.unit)
    if unit is None or not is_size(case.unit):
        return
    for power in powers:
        ratio = Fraction(1024**power, 1000**power)
        if unit.size == 1024**power:
            yield case.value * ratio
        elif unit.size == 1000**power:
            yield case.value / ratio


def percent_for_fraction(case: Case) -> Iterator[Fraction]:
    """100 times a fraction; or a per cent sign where a number is asked."""
    if 0 < case.value < 1:
        yield case.value * 100
    if case.per_cent:
        yield case.value / 100


def power_of_ten(case: Case) -> Iterator[Fraction]:
    """The decimal point moved."""
    if case.value:
        for places in range(1, MOST_PLACES + 1):
            yield case.value * 10**places
            yield case.value / 10**places


def off_by_one(case: Case) -> Iterator[Fraction]:
    """One more or one less of what is counted."""
    if case.value.denominator == 1:
        yield case.value + 1
        yield case.value - 1
