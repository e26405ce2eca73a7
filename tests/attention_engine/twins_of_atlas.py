"""Rules of table_twins for heads: a row is its own head, a sorted step is in order. Knows no model."""

import re
from itertools import pairwise
from typing import Any

from attention_engine import configs
from attention_engine.kinds.head_atlas import MEASURES, PATTERNS
from tests.attention_engine.twins_of_maps import Drawn, Rule

COLUMNS = {measure.column: place for place, measure in enumerate(MEASURES)}


def place_of(label: Any) -> tuple[int, int]:
    """ "L3 H1" -> (3, 1)."""
    found = re.fullmatch(r"L(\d+) H(\d+)", str(label))
    assert found, label
    return int(found[1]), int(found[2])


def check_heads(drawn: Drawn) -> None:
    """Every head stands in one row, with its own measures and name; what is sorted falls."""
    layers, heads = drawn.frame.shape[:2]
    places = [place_of(row[0]) for row in drawn.rows]
    assert len(set(places)) == len(places) == layers * heads
    maps = next(iter(drawn.frames.values()))
    of_maps = Drawn(drawn.spec, drawn.facts, drawn.frames, maps)
    _, codes = of_maps.tensor("patterns")
    for column, name in enumerate(drawn.columns[1:], 1):
        told = [row[column] for row in drawn.rows]
        if name == "pattern":
            assert told == [PATTERNS[int(codes[place])] for place in places]
            continue
        _, sent = drawn.tensor("pair" if name == "weight" else "measures")
        of_one = sent if name == "weight" else sent[COLUMNS[name]]
        assert all(abs(float(cell) - of_one[at]) <= 6e-4 for cell, at in zip(told, places, strict=True)), name
        if column == 1:
            assert all(float(one) >= float(other) for one, other in pairwise(told)), name
    if drawn.columns[1] == "pattern":
        assert places == sorted(places)


def check_counts(drawn: Drawn) -> None:
    """Numbers of the model's row in the table of models; how many heads there are is their product."""
    config, told = configs.model(drawn.spec.parameters["model"]), dict(drawn.rows)
    assert drawn.frame.shape == (config.layers, config.num_heads)
    assert (told["layers"], told["query heads a layer"]) == drawn.frame.shape
    assert told["query heads in all"] == drawn.facts["heads"] == config.layers * config.num_heads
    shared = config.num_kv_heads
    assert told["pairs of K and V a layer"] == (shared or "none, a latent")
    assert told["pairs of K and V in all"] == (shared * config.layers or "none, a latent")
    assert told["width of a query head"] == config.d_head
    assert (told["source"], told["as of"]) == (config.source, config.as_of)


def check_groups(drawn: Drawn) -> None:
    """The groups follow one another and hold every query head once."""
    heads = configs.model(drawn.spec.parameters["model"]).num_heads
    held = [head for _, first, last, _ in drawn.rows for head in range(int(first), int(last) + 1)]
    assert held == list(range(heads))
    assert sum(int(size) for *_, size in drawn.rows) == heads


ATLAS: tuple[Rule, ...] = (
    (lambda columns: columns[0] == "head", check_heads),
    (lambda columns: columns == ("what", "in the table of models"), check_counts),
    (lambda columns: columns[0] == "K and V", check_groups),
)
