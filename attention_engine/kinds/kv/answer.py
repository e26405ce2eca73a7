"""A learner's bytes of a token, and the named mistakes whose product they are. Knows no card and no grade."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from attention_engine.kinds.kv.cache_bytes import CacheSizes, Factor

MOST_OTHERS = 3


@dataclass(frozen=True)
class Slip:
    """A named mistake: one factor taken as another number."""

    name: str
    factor: str
    value: int
    says: str


def slips(sizes: CacheSizes, *, d_model: int, tokens: int) -> list[Slip]:
    """Every named mistake that changes a factor of these sizes, the likeliest first."""
    found = [*_of_heads(sizes, d_model), *_of_the_rest(sizes, tokens)]
    right = {factor.name: factor.value for factor in sizes.factors} | {"tokens": 1}
    return [slip for slip in found if slip.value != right[slip.factor]]


def _of_heads(sizes: CacheSizes, d_model: int) -> Iterator[Slip]:
    heads, both = sizes.num_heads, sizes.d_head + sizes.d_head_v
    if sizes.kv_rank:
        name, rank, rope = "latent + rotary key", sizes.kv_rank, sizes.d_head_rope
        kept = f"MLA keeps one latent of {rank:,} and one rotary key of {rope:,} for all heads"
        yield Slip("MLA counted as MHA", name, heads * both, f"It counts K and V of {heads:,} heads; {kept}.")
        yield Slip("rotary key forgotten", name, rank, f"It counts the latent of {rank:,} alone; {kept}.")
        twice = "It counts the latent twice, for K and for V; both are made from the one."
        yield Slip("latent counted twice", name, 2 * (rank + rope), twice)
        return
    if sizes.d_head == sizes.d_head_v:
        yield Slip("V forgotten", "K and V", 1, "It counts K alone; V is kept beside it.")
    else:
        says = f"It counts K alone, {sizes.d_head:,} wide; V of {sizes.d_head_v:,} is kept beside it."
        yield Slip("V forgotten", "d_head of K + of V", sizes.d_head, says)
    kept = f"the cache keeps {sizes.num_kv_heads:,} K/V head{'s' * (sizes.num_kv_heads != 1)}"
    says = f"It counts {heads:,} query heads; {kept}."
    yield Slip("query heads in place of K/V heads", "K/V heads", heads, says)
    yield Slip("K/V heads forgotten", "K/V heads", 1, f"It counts one K/V head; {kept}.")
    if d_model and d_model % heads == 0 and sizes.d_head == sizes.d_head_v:
        width = d_model // heads
        says = f"It takes {d_model:,} / {heads:,} = {width:,} for d_head; the model's is {sizes.d_head:,}."
        yield Slip("d_model / num_heads in place of d_head", "d_head", width, says)


def _of_the_rest(sizes: CacheSizes, tokens: int) -> Iterator[Slip]:
    each = sizes.bytes_per_value
    yield Slip("layers forgotten", "layers", 1, f"It counts one layer of {sizes.layers:,}.")
    yield Slip("numbers, not bytes", "bytes", 1, f"It counts numbers; each takes {each} bytes.")
    yield Slip("bits, not bytes", "bytes", 8 * each, f"It counts {8 * each} bits for each number, not bytes.")
    for width in (2, 4):
        says = f"It counts {width} bytes a number; here a number takes {each}."
        yield Slip(f"{width} bytes a number", "bytes", width, says)
    yield Slip("all tokens counted", "tokens", tokens, f"It is the cache of {tokens:,} tokens, not of one.")


def explanations(answer: int, sizes: CacheSizes, *, d_model: int, tokens: int) -> list[tuple[Slip, ...]]:
    """Every way that one named mistake, or else two together, give this number; [()] where it is right."""
    right = sizes.bytes_per_token
    if answer == right:
        return [()]
    known = slips(sizes, d_model=d_model, tokens=tokens)
    values = {factor.name: factor.value for factor in sizes.factors} | {"tokens": 1}

    def gives(tried: Sequence[Slip]) -> bool:
        ratio = Fraction(1)
        for slip in tried:
            ratio *= Fraction(slip.value, values[slip.factor])
        return right * ratio == answer

    single = [(slip,) for slip in known if gives((slip,))]
    pairs = [pair for pair in combinations(known, 2) if pair[0].factor != pair[1].factor and gives(pair)]
    return [*single] or [*pairs]


def answered(answer: int, sizes: CacheSizes, *, d_model: int, tokens: int) -> dict[str, Any]:
    """What the answer counted, factor by factor beside what is kept, and in a sentence."""
    found = explanations(answer, sizes, d_model=d_model, tokens=tokens)
    slipped = found[0] if found else ()
    taken = {slip.factor: slip.value for slip in slipped}
    listed = sizes.factors + ((Factor("tokens", 1),) if "tokens" in taken else ())
    return {
        "bytes": answer,
        "right": sizes.bytes_per_token,
        "works": answer == sizes.bytes_per_token,
        "mistakes": [slip.name for slip in slipped],
        "factors": [[one.name, one.value, taken.get(one.name, one.value) if found else 0] for one in listed],
        "sentence": _said(answer, sizes, found),
    }


def _said(answer: int, sizes: CacheSizes, found: Sequence[tuple[Slip, ...]]) -> str:
    product = f"{sizes.formula} = {sizes.bytes_per_token:,}"
    if not found:
        share = _share(answer, sizes.bytes_per_token)
        return f"{share}; no named mistake makes it. It is {product} bytes a token."
    if not found[0]:
        return f"{answer:,} bytes a token: {product}."
    says = " ".join(slip.says for slip in found[0])
    others = [" and ".join(slip.name for slip in one) for one in found[1 : 1 + MOST_OTHERS]]
    also = f" The same number comes of: {'; '.join(others)}." if others else ""
    return f"{says}{also} It is {product} bytes a token, not {answer:,}."


def _share(answer: int, right: int) -> str:
    """ "163,841 is 0.5 times what is kept"; far from it "123 is 2,664 times too small"."""
    times = answer / right
    if 0.01 <= times < 1000:
        return f"{answer:,} is {times:,.3g} times what is kept"
    return f"{answer:,} is {max(times, 1 / times):,.0f} times too {'large' if times > 1 else 'small'}"
