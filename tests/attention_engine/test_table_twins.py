"""Each frame's table is its frame in figures: the same numbers, offsets, counts and words, in every kind."""

from dataclasses import replace
from typing import Any

import pytest

from attention_engine.engine import render
from attention_engine.frames import Table
from attention_engine.spec import KINDS, facts, make_spec
from tests.attention_engine.table_twins import problems
from tests.attention_engine.twins_of_maps import Drawn

LONG = " ".join(f"word{n}" for n in range(180))
SPLIT = "q.view(B, T, H, D).transpose(1, 2)"
SPECS: dict[str, list[dict[str, Any]]] = {
    "answer_executed": [
        {"model": "bert-base", "num_heads": 12},
        {"model": "bert-base", "num_heads": 10},
        {"d_model": 100, "num_heads": 7, "line": "floor"},
        {"d_model": 768, "num_heads": 10, "line": "module"},
        {"model": "gpt-3-175b", "d_head": 96},
        {"answer_shape": [2, 12, 4, 64], "step": "transpose"},
        {"answer_shape": [2, 4, 12, 64], "step": "transpose"},
        {"answer_shape": [2, 4, 10, 76], "step": "view"},
        {"answer_shape": [8, 768], "step": "merge"},
        {"model": "bert-base", "answer_shape": [2, 12, 4, 64], "step": "view"},
        {"model": "gpt-3-175b", "tokens": 2048, "answer_shape": [2, 2048, 12288], "step": "output"},
        {"program": SPLIT, "reference": SPLIT},
        {"program": "q.view(B, H, T, D)", "reference": SPLIT},
        {"program": "q.transpose(1, 2).view(B, H, T, D)", "reference": SPLIT},
        {"program": "k.view(B, T, H_kv, D)", "model": "llama-3-70b"},
        {"program": "a = q @ k.mT\na / math.sqrt(D)", "reference": "q @ k.mT / D"},
    ],
    "head_split": [
        {"model": "bert-base"},
        {"d_model": 48, "num_heads": 6, "num_kv_heads": 2, "weights": "pinned"},
        {"model": "llama-3-70b"},
        {"model": "gemma-7b", "batch": 1},
        {"model": "deepseek-v3-r1-671b"},
        {"model": "deepseek-v2-lite-16b", "tokens": 3},
        {"d_model": 48, "num_heads": 3, "key_tokens": 9},
        {"model": "gpt-3-175b", "tokens": 2048, "batch": 64},
    ],
    "silent_mistake": [
        {"mistake": mistake, **more}
        for mistake in (
            "view_as_heads",
            "merge_without_transpose",
            "width_before_heads",
            "softmax_over_queries",
        )
        for more in (
            {},
            {"model": "llama-3-70b", "tokens": 600},
            {"num_heads": 3, "d_model": 24, "tokens": 1},
        )
    ],
    "memory_tape": [
        {},
        {"answer_strides": [3072, 256, 64, 1]},
        {"answer_strides": [3072, 64, 768, 1]},
        {"answer_strides": [3072, 0, 64, 1]},
        {"answer_strides": [9999, 64, 768, 1]},
        {"answer_strides": [3072, 64]},
        {"answer_strides": [768, 1], "answer_shape": [8, 768]},
        {"ops": "view(B, T, H, D).transpose(1, 2).view(B, T, H*D)", "dtype": "float16"},
        {"shape": [4, 6], "ops": "T.contiguous().narrow(1, 1, 2).select(0, 2).unsqueeze(0).expand(3, -1)"},
        {"model": "gpt-3-175b", "tokens": 2048, "answer_strides": [25165824, 128, 12288, 1]},
    ],
    "saturation": [
        {"divisor": "8"},
        {"divisor": "64"},
        {"keys": 4, "divisor": "none"},
        {"model": "gemma-2-27b", "keys": 512, "temperature_percent": 50},
        {"d_head": 40, "divisor": "11.31", "sentence": LONG},
    ],
    "attention_pattern": [
        {},
        {"layer": 2, "head": 7, "causal": 1},
        {"mask": "padding", "padding": 3},
        {"mask": "sliding_window", "window": 4, "scale": "none"},
        {"scale": "d_head", "rotary": "half"},
        {"sentence": "Heads read the whole input. " * 12},
        {"sentence": LONG, "mask": "causal"},
        {"sentence": LONG, "mask": "padding"},
        {"model": "random", "num_heads": 3, "d_model": 48, "causal": 1},
        {"model": "llama-3-70b", "head": 9},
        {"model": "deepseek-v3-r1-671b", "head": 3},
    ],
    "head_atlas": [
        {"sentence": LONG, "query": "word7", "key": "word9"},
        {"model": "random"},
        {"model": "llama-3-70b"},
        {"model": "deepseek-v3-r1-671b"},
    ],
    "kv_budget": [
        {"model": "deepseek-v3-r1-671b", "answer_bytes": 4_997_120},
        {"model": "smollm2", "tokens": 12, "bytes_per_value": 4},
        {"model": "gpt-oss-120b", "batch": 4, "tokens": 2**31 - 1, "bytes_per_value": 1},
        {"model": "", "layers": 3, "num_heads": 6, "num_kv_heads": 2, "d_head": 5, "d_head_v": 7},
        {"answer_bytes": 2_621_440},
        {"answer_bytes": 327_681},
    ],
    "config_museum": [
        {"model": "t5-11b", "answer_d_head": 8},
        {"model": "deepseek-v3-r1-671b", "answer_d_head": 128, "d_model": 768, "num_heads": 12},
        {"attention": "MQA", "rule": "breaks", "d_model": 512, "num_heads": 6, "d_head": 64},
    ],
    "roofline": [
        {"d_heads": [32, 64], "tokens": 16, "repeats": 2},
        {"d_heads": [48, 80], "tokens": 16, "repeats": 2},
        {"d_model": 100, "d_heads": [25, 120], "tokens": 16, "repeats": 1, "backend": "efficient"},
    ],
    "head_sharing": [
        {"model": "minilm", "layer": 2, "head": 7},
        {"model": "llama-3-70b", "answer_kv_heads": 5},
        {"model": "llama-3-8b", "answer_kv_heads": 16, "kv_rank": 3},
        {"model": "deepseek-v3-r1-671b"},
        {"model": "", "num_heads": 7, "d_head": 5, "d_model": 33, "sentence": LONG},
    ],
    "decode_cache": [
        {"model": "random", "keep": "sink_window", "window": 3},
        {"keep": "window", "window": 6, "new_tokens": 4},
        {"prompt": LONG, "new_tokens": 2, "model": "random"},
        {"model": "llama-3-70b", "keep": "window", "new_tokens": 3},
    ],
}


def drawings(kind: str, parameters: dict[str, Any]) -> list[Drawn]:
    """Every frame of a picture, really rendered."""
    spec = make_spec(kind, parameters)
    frames = {frame.step: frame for frame in render(spec)}
    return [Drawn(spec, facts(spec), frames, frame) for frame in frames.values()]


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [(kind, parameters) for kind in KINDS for parameters in [{}, *SPECS.get(kind, [])]],
)
@pytest.mark.usefixtures("minilm")
def test_the_table_of_each_frame_says_what_the_frame_holds(kind: str, parameters: dict[str, Any]) -> None:
    for drawn in drawings(kind, parameters):
        assert list(problems(drawn)) == []


def changed(cell: Any) -> Any:
    """A cell with another number in it."""
    if isinstance(cell, int | float):
        return cell + 3
    return next(
        (str(cell).replace(digit, str((int(digit) + 1) % 10)) for digit in "123456789" if digit in str(cell)),
        f"{cell}7",
    )


def noticed(drawn: Drawn, row: int, column: int) -> bool:
    """Whether another number in one cell is found."""
    cells = [list(told) for told in drawn.rows]
    cells[row][column] = changed(cells[row][column])
    wrong = Table(drawn.columns, tuple(tuple(told) for told in cells))
    try:
        return list(problems(replace(drawn, frame=replace(drawn.frame, table=wrong)))) != []
    except (AssertionError, ValueError):
        return True


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("minilm")
def test_another_number_in_a_table_is_found(kind: str) -> None:
    for drawn in drawings(kind, SPECS.get(kind, [{}])[1]):
        places = [(n, column) for n, row in enumerate(drawn.rows[:8]) for column in range(1, len(row))]
        assert any(noticed(drawn, *place) for place in places), drawn.frame.step


def test_a_table_headed_in_a_way_of_its_own_needs_a_rule() -> None:
    drawn = drawings("memory_tape", {})[0]
    odd = Table(("cell of memory", "number"), ((0, 1),))
    assert list(problems(replace(drawn, frame=replace(drawn.frame, table=odd)))) == [
        "start: no rule of table_twins knows a table headed ('cell of memory', 'number')"
    ]
