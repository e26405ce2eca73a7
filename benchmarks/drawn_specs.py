"""Valid pictures of every kind with varied parameters, drawn from a seed. Knows what parameters look like."""

import random
from collections.abc import Iterator
from typing import Any

from attention_engine.admission import FAST_FLOPS, TooLarge, admit
from attention_engine.configs import all_models
from attention_engine.parameters import InvalidSpec, Parameter
from attention_engine.spec import KINDS, VisualizationSpec, make_spec

WORDS = ("the", "cat", "sat", "on", "a", "mat", "because", "it", "was", "tired", "bank", "Ünlaut", "猫", "42")
TRIES = 40
SWEEP = {"tokens": 16, "d_heads": [64], "repeats": 1}
HEAVY_SHARE = 0.02
"""Of the pictures that take seconds; the others come back within some ten ms."""
NUMBERS: dict[str, tuple[int, ...]] = {
    "d_model": (16, 48, 64, 96, 256, 512, 768, 1000, 1024),
    "num_heads": (1, 2, 3, 4, 6, 8, 10, 12, 16),
    "num_kv_heads": (0, 0, 1, 2, 4),
    "d_head": (0, 0, 4, 16, 32, 64, 76, 128),
    "d_head_v": (0, 0, 0, 32, 64),
    "batch": (1, 2, 3),
    "tokens": (1, 2, 4, 7, 16, 40, 3000),
    "key_tokens": (0, 0, 1, 9, 40),
    "layer": (0, 0, 1, 5),
    "head": (0, 0, 1, 3, 11),
    "keys": (2, 16, 64, 512),
    "temperature_percent": (10, 100, 300),
    "window": (0, 1, 3),
    "padding": (0, 1, 2),
    "causal": (0, 1),
    "q_width": (0, 0, 760, 768),
}
LISTS: dict[str, tuple[list[int], ...]] = {
    "answer_shape": ([], [2, 12, 4, 64], [2, 4, 768], [2, 4, -1]),
    "answer_strides": ([], [3072, 64, 768, 1], [3072, 256, 64, 1], [3072, 768, 768, 1], [5]),
    "shape": ([], [2, 4, 768], [6, 4], [3, 1, 5]),
}
TEXTS: dict[str, tuple[str, ...]] = {
    "ops": (
        "",
        "view(B, T, H, D).transpose(1, 2).view(B, T, H*D)",
        "flatten().unsqueeze(0).expand(3, -1)",
        "mT.contiguous().select(0, 0)",
        "narrow(1, 0, 1).squeeze()",
    ),
    "program": (
        "",
        "x",
        "q.transpose(1, 2)",
        "q @ k.transpose(-2, -1)",
        "x.view(B, T, H, D).transpose(1, 2)",
    ),
    "reference": ("", "x.view(B, T, H, D).transpose(1, 2)"),
    "divisor": ("sqrt", "none", "d_head", "8", "11.31"),
}


def drawn_specs(seed: int) -> Iterator[VisualizationSpec]:
    """Without an end, one of each kind in turn; few of them heavy."""
    chance = random.Random(seed)
    models = tuple(config.slug for config in all_models())
    while True:
        for kind in KINDS:
            yield _drawn(kind, chance, models)


def _drawn(kind: str, chance: random.Random, models: tuple[str, ...]) -> VisualizationSpec:
    """A spec that is valid and admitted; the kind's own default where no draw was.

    What measures the machine is always one small sweep: its device and its time are no matter of chance."""
    if kind == "roofline":
        return make_spec(kind, SWEEP)
    for _ in range(TRIES):
        given = {
            parameter.name: _value(parameter, chance, models)
            for parameter in KINDS[kind].parameters
            if chance.random() < 0.5
        }
        try:
            spec = make_spec(kind, given, chance.randrange(2**31))
            heavy = admit(spec).flops > FAST_FLOPS
        except (InvalidSpec, TooLarge):
            continue
        if not heavy or chance.random() < HEAVY_SHARE:
            return spec
    return make_spec(kind, {}, chance.randrange(2**31))


def _value(parameter: Parameter, chance: random.Random, models: tuple[str, ...]) -> Any:
    """A value that the parameter may take, now and then one that does not fit the others."""
    name = parameter.name
    if parameter.takes == "choice":
        return chance.choice(parameter.choices)
    if name == "model":
        return chance.choice((parameter.default, "random", *models))
    if name == "sentence":
        return " ".join(chance.choices(WORDS, k=chance.choice((1, 3, 8, 20, 60, 400))))
    pools: dict[str, dict[str, Any]] = {"int": NUMBERS, "ints": LISTS, "text": TEXTS}
    return chance.choice(pools[parameter.takes].get(name, (parameter.default,)))
