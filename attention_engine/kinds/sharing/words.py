"""What is said of four ways of sharing K and V before a tensor is made. Knows no sentence and no worker."""

from collections.abc import Mapping
from typing import Any

from attention_engine import arithmetic
from attention_engine.kinds.kv.schemes import LATENT_RANK, LATENT_ROPE, Scheme
from attention_engine.kinds.operations import many
from attention_engine.kinds.sharing.source import Source

NAMES = {"mha": "MHA", "gqa": "GQA", "mqa": "MQA", "mla": "MLA"}
Numbers = Mapping[str, Any]


def sentence(scheme: Scheme, numbers: Numbers) -> str:
    """Who reads what under a scheme, with its bytes."""
    said = {"mha": _each, "gqa": _grouped, "mqa": _one, "mla": _latent}[scheme.name]
    return f"{said(scheme, numbers)} {cost(scheme, numbers)}"


def _each(scheme: Scheme, numbers: Numbers) -> str:
    head = numbers["head"]
    others = f"; so does each of the {scheme.kv_heads:,}" if scheme.kv_heads > 1 else ""
    return f"MHA: query head {head} reads a K/V pair of its own, pair {head}{others}."


def _grouped(scheme: Scheme, numbers: Numbers) -> str:
    heads, pairs = numbers["num_heads"], scheme.kv_heads
    if pairs in {1, heads}:
        why = (
            no_third_way(heads) or f"GQA with {many(pairs, 'K/V head')} is {'MQA' if pairs == 1 else 'MHA'}."
        )
        return why if heads > 1 else "GQA: one query head reads one K/V pair."
    size, pair = heads // pairs, numbers["head"] * pairs // heads
    readers = heads_read(pair * size, (pair + 1) * size - 1)
    return f"GQA: {size:,} query heads share each of {pairs:,} K/V pairs; {readers} pair {pair}."


def heads_read(first: int, last: int) -> str:
    """ "query head 3 reads", "query heads 4 and 5 read", "query heads 16 to 23 read"."""
    if first == last:
        return f"query head {first} reads"
    return f"query heads {first} {'and' if last == first + 1 else 'to'} {last} read"


def _one(_scheme: Scheme, numbers: Numbers) -> str:
    heads = numbers["num_heads"]
    who = "the one query head reads" if heads == 1 else f"all {heads:,} query heads read"
    return f"MQA: {who} one K/V pair."


def _latent(_scheme: Scheme, numbers: Numbers) -> str:
    return (
        f"MLA: a token leaves one latent of {many(numbers['kv_rank'], 'number')} and one rotary key of "
        f"{numbers['d_head_rope']:,} for all heads; K and V of every head are rebuilt from the latent."
    )


def cost(scheme: Scheme, numbers: Numbers) -> str:
    """The bytes of a token with the arithmetic they come from."""
    size = scheme.bytes_per_token(layers=numbers["layers"], bytes_per_value=numbers["bytes_per_value"])
    return f"A token takes {' × '.join(formula(scheme, numbers))} = {size:,} bytes."


def formula(scheme: Scheme, numbers: Numbers) -> list[str]:
    """The factors of the bytes of one token, with their numbers: 2, 80, 8, 128, 2."""
    layers, width, value = (f"{numbers[name]:,}" for name in ("layers", "d_head", "bytes_per_value"))
    if scheme.name == "mla":
        return [layers, f"({numbers['kv_rank']:,} + {numbers['d_head_rope']:,})", value]
    if numbers["d_head"] == numbers["d_head_v"]:
        return ["2", layers, f"{scheme.kv_heads:,}", width, value]
    return [layers, f"{scheme.kv_heads:,}", f"({width} + {numbers['d_head_v']:,})", value]


def ships(source: Source, numbers: Numbers) -> str:
    """Which scheme is the model's own, where the latent's widths come from, and what is not taken off."""
    told = [_whose(source)]
    if source.scheme == "mla":
        told.append(f"Its latent is {source.kv_rank:,} + {source.d_head_rope:,} wide.")
    elif (numbers["kv_rank"], numbers["d_head_rope"]) == (LATENT_RANK, LATENT_ROPE):
        told.append("MLA takes DeepSeek's 512 latent and 64 rotary numbers per layer, by convention.")
    else:
        told.append(
            f"MLA takes {numbers['kv_rank']:,} latent, DeepSeek's {numbers['d_head_rope']:,} rotary numbers."
        )
    if not source.caches:
        told.append("The table knows no cache of this model, so every row asks what one would cost.")
    elif source.left_out:
        told.append(f"Every layer counts in full; the model is “{source.left_out}”.")
    return " ".join(told)


def _whose(source: Source) -> str:
    if not source.title:
        return "These are numbers of no published model."
    pairs = f" with {source.num_kv_heads:,} K/V heads" if source.scheme == "gqa" else ""
    return f"{source.title} has {NAMES[source.scheme]}{pairs}. The other rows ask what it would cost."


def no_third_way(num_heads: int) -> str:
    """Why there is no grouped scheme between all and one; "" where there is one."""
    between = arithmetic.divisors(n=num_heads)[1:-1]
    if between:
        return ""
    if num_heads == 1:
        return "One query head reads one K/V pair: MQA, GQA and MHA are the same."
    between_two = "no equal groups lie between MQA and MHA"
    return f"No number between 1 and {num_heads:,} divides {num_heads:,}: {between_two}."
