"""What the frames of attention_pattern say, from their own numbers. Knows no weights."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from attention_engine.attention import Stages, entropy
from attention_engine.kinds import attention_pattern as kind
from attention_engine.kinds.operations import many
from attention_engine.kinds.pattern_layer import own_masking
from attention_engine.visualizations._names import quoted, weighed
from attention_engine.visualizations.pattern.heads import sharing
from attention_engine.visualizations.pattern.pairs import sinking, telling_pair

Rank = Callable[[int, int, float], tuple[int, int]]
Numbers = Mapping[str, Any]


def _where(numbers: Numbers) -> str:
    return f"Layer {numbers['layer']}, head {numbers['head']}"


def _extent(values: torch.Tensor) -> str:
    return f"{float(values.min()):.2f} to {float(values.max()):.2f}"


def scores(stages: Stages, numbers: Numbers) -> str:
    """What q times k gives, whose k it is, and how both were turned before."""
    tokens = stages.scores.shape[-1]
    made = f"{tokens} x {tokens} scores from {_extent(stages.scores)}"
    if tokens == 1:
        made = f"1 score of {float(stages.scores):.2f}"
    product = f"{_where(numbers)}, counted from 0: q of each token times k of each, {made}."
    return " ".join(part for part in (product, sharing(numbers), _turning(numbers)) if part)


def _turning(numbers: Numbers) -> str:
    pairing, config, d_head = numbers["rotary"], kind.mla(numbers), numbers["d_head"]
    if pairing == "none":
        return ""
    width = config.d_head_rope if config else d_head
    pairs = f"feature i with i + {width // 2}" if pairing == "half" else "feature 2i with 2i + 1"
    which = f"the last {width} of {d_head} features of q and k are" if config else "q and k are"
    return f"Before that {which} turned by position in {pairing} pairs, {pairs}.{_trained_turning(numbers)}"


def _trained_turning(numbers: Numbers) -> str:
    model = kind.of_trained(numbers)
    if model is None:
        return ""
    if model.causal:
        return f" {model.short} was trained so, base {model.rope_base:,.0f}."
    return f" {model.short} was not trained with this."


def scaled(stages: Stages, numbers: Numbers) -> str:
    """What the division does, and whether it is the layer's own."""
    own, asked = kind.own_rule(numbers), kind.scale_text(numbers)
    own_text = kind.scale_text(dict(numbers) | {"scale": "own"})
    changed = "" if asked == own_text else f" This layer's own rule is {own_text}."
    model = kind.of_trained(numbers)
    if model and changed:
        changed = f" {model.short} was trained with {own_text}; only this layer is changed."
    by = _divided(numbers["scale"] if asked != own_text else own.name, numbers)
    return f"{by}: from {_extent(stages.scaled)}.{changed}"


def _divided(rule: str, numbers: Numbers) -> str:
    own, d_head = kind.own_rule(numbers), numbers["d_head"]
    divisor = f"sqrt({own.root_of}) / {own.mscale:.4f}^2 = {own.divisor:.2f}"
    return {
        "sqrt": f"Divided by sqrt({d_head}) = {math.sqrt(d_head):.2f}",
        "none": _undivided(numbers),
        "d_head": f"Divided by {d_head}, the width itself",
        "query_pre_attn_scalar": (
            f"Divided by sqrt({own.root_of}) = {own.divisor:.2f}, a number of the model's own where d_head "
            f"is {d_head}"
        ),
        "mla": f"Divided by {divisor}, YaRN's factor squared",
    }[rule]


def _undivided(numbers: Numbers) -> str:
    """T5 leaves the division to the weights it starts from (Raffel et al. 2020)."""
    if kind.own_rule(numbers).name != "none":
        return "Not divided"
    return f"Not divided, for W_Q starts smaller by sqrt({numbers['d_head']}) instead, here as in the model"


def title(numbers: Numbers) -> str:
    """Of the scaled frame."""
    text = kind.scale_text(numbers)
    if numbers["scale"] == "d_head":
        return "divided by d_head"
    if text == "no division":
        return "not divided"
    plain = text == f"1/sqrt({numbers['d_head']})"
    return "divided by sqrt(d_head)" if plain else f"times {text.replace(' times ', ' x ')}"


def masked(mask: torch.Tensor | None, numbers: Numbers) -> str:
    """What the mask hides, in cells."""
    model = kind.of_trained(numbers)
    if mask is None:
        encoder = "Encoder: nothing" if model and not model.causal else "Nothing"
        return f"{encoder} is masked, every token sees every other.{_in_this_layer(numbers)}"
    tokens, hidden, only = len(mask), int((~mask).sum()), _in_this_layer(numbers)
    cells = f"{hidden:,} of {tokens * tokens:,} scores are set to minus infinity."
    return f"{_hides(numbers, tokens)} {cells}{only}"


def _in_this_layer(numbers: Numbers) -> str:
    """What the layers below a trained one saw, where it is masked in another way than they are."""
    model = kind.of_trained(numbers)
    if model is None or numbers["mask"] == own_masking(numbers)[0]:
        return ""
    below = "hid later tokens, as in training" if model.causal else "ran unmasked"
    return f" In this layer only: the ones below it {below}."


def _hides(numbers: Numbers, tokens: int) -> str:
    window, filler = numbers["window"], min(numbers["padding"], tokens)
    if numbers["mask"] == "causal":
        return "Causal: a token sees itself and what came before, keys after the query are hidden."
    if numbers["mask"] == "padding":
        later = " Keys after the query are hidden too." if numbers["causal"] else ""
        counts = "counts" if filler == 1 else "count"
        return (
            f"Padding: the last {filler:,} of {many(tokens, 'token')} {counts} as filler, which no query "
            f"sees.{later}"
        )
    held = f"Sliding window of {many(window, 'key')}"
    if window >= tokens:
        return f"{held}, and no more than {many(tokens, 'token')}: it hides what causal hides."
    return f"{held}: a token sees itself {'alone' if window == 1 else f'and the {window - 1:,} before it'}."


def weights(
    values: torch.Tensor,
    tokens: Sequence[str],
    *,
    numbers: Numbers,
    rank: Rank | None,
    mask: torch.Tensor | None,
) -> str:
    """The telling pair of this head, and whether any other head of the model gives it more."""
    if not bool(values.any()):
        return "Every key is hidden: no row sends anything, its weights are 0 and not NaN."
    spread = f"Mean entropy {float(entropy(values).mean()):.2f} of at most {_most(mask, len(tokens))}."
    sinks = sinking(values, tokens, numbers)
    pair = telling_pair(values, tokens, first=1 if sinks else 0)
    if pair is None:
        return " ".join(part for part in ("Each row sums to 1.", sinks, spread) if part)
    query, key = pair
    weight, names = float(values[query, key]), quoted(tokens)
    chance = "" if kind.of_trained(numbers) else ", by chance,"
    sent = f"{_where(numbers)} sends{chance} {weighed(weight)} of {names[query]} to {names[key]}."
    ranked = _ranked(rank, query, key, weight=weight)
    return " ".join(part for part in (sent, ranked, sinks, spread) if part)


def _most(mask: torch.Tensor | None, tokens: int) -> str:
    """The mean entropy of rows that weigh all they see alike: ln T, less where keys are hidden."""
    if mask is None:
        return f"{math.log(tokens):.2f} nats"
    seen = mask.sum(dim=-1).clamp(min=1).log().mean()
    return f"{float(seen):.2f} nats, the mean of ln(keys a query sees)"


def _ranked(rank: Rank | None, query: int, key: int, *, weight: float) -> str:
    if rank is None:
        return ""
    larger, heads = rank(query, key, weight)
    if larger == 0:
        return f"Of the model's {heads} heads it gives this pair the most."
    return f"Of the model's {heads} heads {larger} {'gives' if larger == 1 else 'give'} this pair more."


def with_own_scale(weights: torch.Tensor, own: torch.Tensor, numbers: Numbers) -> str:
    """How the weights differ from those by the layer's own scale."""
    text = kind.scale_text(dict(numbers) | {"scale": "own"})
    here, there = (float(one.max(dim=-1).values.mean()) for one in (weights, own))
    return (
        f"A row's largest weight is {here:.2f} on average; by {text} it would be {there:.2f}, and the mean "
        f"entropy {float(entropy(own).mean()):.2f}."
    )


def output(stages: Stages, parts: torch.Tensor, tokens: Sequence[str], *, row: int) -> str:
    """What mixing values gives, and what the told row is made of."""
    count, width = stages.output.shape
    mixed = (
        f"Each row mixes {many(count, 'value')} of width {width} by its weights: "
        f"{many(count * width, 'new number')}."
    )
    if not bool(parts[row].any()):
        return f"{mixed} All weights of a row being 0, its output is 0."
    names, best = quoted(tokens), parts[row].topk(min(2, count))
    made = " and ".join(
        f"{_percent(part)} from {names[key]} (weight {weighed(float(stages.weights[row, key]))})"
        for part, key in zip(best.values.tolist(), best.indices.tolist(), strict=True)
        if part >= 0.005
    )
    against = ", of which some are negative," if bool((parts[row] < 0).any()) else ""
    return (
        f"{mixed} What {names[row]} becomes is {made}: a part is weight times value, measured along the "
        f"sum, and all parts{against} make 100%."
    )


def _percent(part: float) -> str:
    """ "41%"; what is nearly all is not called all."""
    return "nearly 100%" if round(100 * part) == 100 and abs(part - 1) > 1e-6 else f"{part:.0%}"
