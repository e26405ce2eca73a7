"""What the frames of head_atlas say, from their own numbers. Knows no weights."""

from collections import Counter

import torch

from attention_engine import configs
from attention_engine.kinds import head_atlas as kind
from attention_engine.kinds.operations import many
from attention_engine.visualizations._names import quoted, weighed
from attention_engine.visualizations.atlas.heads import AllHeads

MEANT = {
    "entropy": "How evenly a head weighs its keys: entropy of a row in nats, mean over all queries",
    "sink": "What queries send to the first token, {first}, mean over the queries after it",
    "locality": "How far a head looks: |i - j| by weight, mean over the queries after the first",
    "previous": "What queries send to the token before them, mean over the queries after the first",
    "own": "What queries send to their own token, mean over the queries after the first",
    "next": "What queries send to the token after them, mean over the queries before the last",
    "separator": "What queries send to {marks}, mean over the queries after the first",
}
TITLES = {
    "maps": "all heads by layer",
    "entropy": "sorted by entropy",
    "sink": "sorted by weight on the first token",
    "locality": "sorted by distance",
    "previous": "sorted by weight on the token before",
    "own": "sorted by weight on the token itself",
    "next": "sorted by weight on the token after",
    "separator": "sorted by weight on separators",
    "pair": "sorted by the weight of one pair",
    "heads": "heads by layer",
    "groups": "who reads which K and V",
}


def label(place: int, num_heads: int) -> str:
    """ "L3 H1": a head as tables name it."""
    return f"L{place // num_heads} H{place % num_heads}"


def _which(place: int, num_heads: int) -> str:
    return f"layer {place // num_heads}, head {place % num_heads}"


def maps(heads: AllHeads, patterns: torch.Tensor, side: int) -> str:
    """How many maps there are, how small, and how many heads of each pattern."""
    tokens, all_of = len(heads.tokens), heads.layers * heads.num_heads
    small = f", made {side} x {side} by the largest weight of each bin" if side < tokens else ""
    layers = many(heads.layers, "layer")
    size = (
        f"{heads.title} on {many(tokens, 'token')}: {layers} of {many(heads.num_heads, 'head')}, counted "
        f"from 0, {many(all_of, 'map')} of {tokens} x {tokens} weights{small}."
    )
    return f"{size} {_counted(patterns)}"


def _counted(patterns: torch.Tensor) -> str:
    """ "Named: 31 sink, 11 broad; 30 have no name." """
    count = Counter(kind.PATTERNS[code] for code in patterns.flatten().tolist())
    unnamed = count.pop(kind.NO_PATTERN, 0)
    named = ", ".join(f"{number} {name}" for name, number in count.most_common())
    rest = f"{unnamed} {'has' if unnamed == 1 else 'have'} no name"
    parts = "; ".join(part for part in (named, rest if unnamed else "") if part)
    return f"By this picture's rule: {parts}."


def measure(name: str, values: torch.Tensor, heads: AllHeads, of_even: float) -> str:
    """What was measured, the two ends, the mean, and what even weights would give."""
    names, flat = quoted(heads.tokens), values.flatten()
    marks = "[SEP] and marks of punctuation" if heads.tokens[-1] == "[SEP]" else "marks of punctuation"
    meant = MEANT[name].format(first=names[0], marks=marks)
    high, low = int(flat.argmax()), int(flat.argmin())
    told = (lambda value: f"{value:.2f}") if name in {"entropy", "locality"} else weighed
    if len(heads.tokens) == 1:
        return f"One token sees itself alone, so no head differs: each has {told(float(flat[0]))}."
    if flat[high] == flat[low]:
        every = " in every head" if len(flat) > 1 else ""
        return f"{meant}: {told(float(flat[0]))}{every}. Even weights would give {told(of_even)}."
    return (
        f"{meant}: from {told(float(flat[high]))} in {_which(high, heads.num_heads)} down to "
        f"{told(float(flat[low]))} in {_which(low, heads.num_heads)}, {told(float(flat.mean()))} on average. "
        f"Even weights would give {told(of_even)}."
    )


def pair(heads: AllHeads, query: int, key: int, weights: torch.Tensor, note: str) -> str:
    """Which heads send most from one token to another."""
    names, flat = quoted(heads.tokens), weights.flatten()
    between = f"From {names[query]} to {names[key]}" if query != key else f"From {names[query]} to itself"
    if heads.causal and key > query:
        hidden = f"{between}: the key comes after the query, a causal model hides it, so no head sends any."
        return f"{note} {hidden}".strip()
    if len(flat) > 1 and flat.min() == flat.max():
        return f"{note} {between} every head sends {weighed(float(flat[0]))}.".strip()
    best = flat.topk(min(3, len(flat)))
    first, *more = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    after = " and ".join(f"{_which(at, heads.num_heads)} with {weighed(value)}" for at, value in more)
    seen = query + 1 if heads.causal else len(heads.tokens)
    parts = (
        note,
        f"{between}, {_which(first[0], heads.num_heads)} sends most, {weighed(first[1])}"
        f"{f', then {after}' if after else ''}.",
        f"The mean of {many(len(flat), 'head')} is {weighed(float(flat.mean()))}; even weights over "
        f"{many(seen, 'key')} would give {weighed(1 / seen)}.",
    )
    return " ".join(part for part in parts if part)


def heads(config: configs.ModelConfig) -> str:
    """How many heads a model has, and why none is drawn."""
    all_of = config.layers * config.num_heads
    return (
        f"{config.name}: {many(config.layers, 'layer')} of {many(config.num_heads, 'query head')} make "
        f"{many(all_of, 'head')}. {sharing(config)} Its weights are not here, so there are no maps to draw."
    )


def sharing(config: configs.ModelConfig) -> str:
    """Who reads which K and V, in counts."""
    heads, shared = config.num_heads, config.num_kv_heads
    if not shared:
        rank = f", {config.kv_rank} numbers wide" if config.kv_rank else ""
        return f"K and V of all {heads} are unpacked from one latent a layer{rank}."
    if shared == heads:
        return "Each has K and V of its own."
    pairs = f"{many(shared, 'pair')} of K and V a layer, {many(config.layers * shared, 'pair')} in all"
    return f"{pairs}, {many(heads // shared, 'query head')} to each."


def groups(config: configs.ModelConfig) -> str:
    """What the table of groups says, and that it is told for all layers at once."""
    rows = f"The table of models has one row for all layers of {config.name}: {config.attention}."
    return f"{sharing(config)} {rows}"
