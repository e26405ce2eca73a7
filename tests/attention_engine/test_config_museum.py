"""The museum says what the file of models says: counts, sources, neighbours, an answered width explained."""

import csv
import json
import math
import time
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_engine.admission import admit
from attention_engine.configs import all_models, slug_of
from attention_engine.engine import render
from attention_engine.frames import Frame
from attention_engine.kinds.museum.points import nearest, points, statuses
from attention_engine.spec import InvalidSpec, facts, make_spec

ROWS = list(
    csv.DictReader(
        files("attention_engine").joinpath("model_configs.csv").read_text(encoding="utf-8").splitlines()
    )
)
BREAKS, DISPUTED, SCALED, ASKED = 1, 2, 4, 8


def known(**parameters: Any) -> dict[str, Any]:
    return facts(make_spec("config_museum", parameters))


def drawn(**parameters: Any) -> dict[str, Frame]:
    return {frame.step: frame for frame in render(make_spec("config_museum", parameters))}


def with_bit(told: dict[str, Any], bit: int) -> set[str]:
    return {point[1] for point in told["points"] if point[8] & bit}


def test_the_counts_are_those_of_the_file_read_anew() -> None:
    broken = [row for row in ROWS if row["rule_holds"] == "NO"]
    sure = [row for row in broken if row["status"] != "unverified"]
    told = known()
    assert with_bit(told, BREAKS) == {row["model"] for row in broken}
    assert told["statements"][0][1:] == [len(broken), len(ROWS)] == [34, 116]
    assert told["statements"][1][1] == len(sure) == 30
    assert with_bit(told, SCALED) == {row["model"] for row in ROWS if row["score_scale"] != "1/sqrt(d_head)"}


def test_the_statements_follow_from_the_widths_of_the_rows() -> None:
    widths = [(int(row["d_model"]), int(row["n_heads"]), int(row["d_head_qk"])) for row in ROWS]
    told = {says: many for says, many, _ in known()["statements"]}
    assert told["d_model / num_heads is no whole number"] == sum(d % h != 0 for d, h, _ in widths)
    assert told["num_heads × d_head is above d_model"] == sum(h * w > d for d, h, w in widths)
    assert told["num_heads × d_head is below d_model"] == sum(h * w < d for d, h, w in widths)
    assert told["d_head is no multiple of 8"] == sum(w % 8 != 0 for _, _, w in widths)
    assert told["d_head is 64 or 128"] == sum(w in {64, 128} for _, _, w in widths)
    outside = sum(h * w == d and not 64 <= w <= 128 for d, h, w in widths)
    assert told["the rule holds and d_head is outside 64 to 128"] == outside


def test_every_row_has_a_source_a_status_and_a_date_in_the_tables() -> None:
    found: dict[Any, Any] = {}
    frames = drawn()
    for step in ("mha", "gqa", "mqa", "mla"):
        table = frames[step].table
        at = [table.columns.index(name) for name in ("status", "as of", "source")]
        found |= {row[0]: [row[place] for place in at] for row in table.rows}
    assert found == {row["model"]: [row["status"], row["as_of"], row["source"]] for row in ROWS}
    assert all(all(said) for said in found.values())


def test_disputed_rows_are_those_whose_note_tells_of_another_source() -> None:
    marked = with_bit(known(), DISPUTED)
    assert {row["model"] for row in ROWS if "CONFLICT" in row["note"]} <= marked
    assert {"Llama-2 7B", "GPT-3 13B", "PaLM 540B", "Kimi K2"} <= marked
    assert "Gemma-7B" not in marked


@pytest.mark.parametrize("config", all_models(), ids=lambda config: config.slug)
def test_every_model_is_explained_by_its_own_numbers(config: Any) -> None:
    told = known(model=config.slug)["picked"]
    inner = config.num_heads * config.d_head
    assert f"{config.num_heads:,} × {config.d_head:,} = {inner:,}" in told["sentence"]
    assert ("the convention holds" in told["sentence"]) == (inner == config.d_model)
    assert config.source in told["provenance"]
    assert config.status in told["provenance"]
    if inner != config.d_model:
        assert f"W_O reads {config.num_heads * config.d_head_v:,}" in told["sentence"]


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ({"attention": "MLA"}, lambda row: "MLA" in row["attention"]),
        ({"status": "unverified"}, lambda row: row["status"] == "unverified"),
        ({"rule": "holds"}, lambda row: row["rule_holds"] == "yes"),
        ({"rule": "breaks"}, lambda row: row["rule_holds"] == "NO"),
        ({"multiple": "128"}, lambda row: int(row["d_head_qk"]) % 128 == 0),
        ({"find": "GEMMA"}, lambda row: "gemma" in row["model"].lower()),
        ({"find": "no such"}, lambda _row: False),
        (
            {"rule": "breaks", "attention": "MHA"},
            lambda row: row["rule_holds"] == "NO" and row["n_kv_heads"] == row["n_heads"],
        ),
    ],
)
def test_a_filter_keeps_what_it_says(filters: dict[str, str], wanted: Any) -> None:
    told = known(**filters)
    assert with_bit(told, ASKED) == {row["model"] for row in ROWS if wanted(row)}
    assert told["asked"] == len(with_bit(told, ASKED))


def test_every_status_of_the_table_can_be_filtered_by() -> None:
    for status in statuses():
        assert known(status=status)["asked"] == sum(row["status"] == status for row in ROWS)


@given(st.integers(64, 20_000), st.integers(1, 200), st.integers(8, 600))
@settings(max_examples=40, deadline=None)
def test_no_model_lies_nearer_than_those_named(d_model: int, heads: int, d_head: int) -> None:
    def away(row: Any) -> float:
        across = math.log2(row.d_model / row.num_heads / (d_model / heads))
        return math.hypot(across, math.log2(row.d_head / d_head))

    named = nearest(d_model=d_model, num_heads=heads, d_head=d_head)
    farthest = max(away(point.config) for point in named)
    others = [point.config for point in points() if point not in named]
    assert len(named) == 3
    assert min(map(away, others)) >= farthest - 1e-6


def test_a_published_config_is_its_own_nearest() -> None:
    told = known(d_model=2880, num_heads=64, d_head=64)
    assert set(told["own"]["nearest"][:2]) == {"gpt-oss-20b", "gpt-oss-120b"}
    assert "64 × 64 = 4,096" in told["own"]["sentence"]
    assert "off the diagonal" in told["own"]["sentence"]


def test_an_own_config_without_d_head_is_placed_on_the_diagonal_or_refused() -> None:
    spec = make_spec("config_museum", {"d_model": 768, "num_heads": 12})
    assert spec.parameters["d_head"] == 64
    with pytest.raises(InvalidSpec, match=r"768 = 10\*76 \+ 8.*or give d_head") as refused:
        make_spec("config_museum", {"d_model": 768, "num_heads": 10})
    assert refused.value.field == "num_heads"
    with pytest.raises(InvalidSpec):
        make_spec("config_museum", {"model": "no-such"})


@pytest.mark.parametrize(
    ("model", "answer", "mistake"),
    [
        ("gemma-7b", 256, ""),
        ("gemma-7b", 192, "d_model / num_heads in place of d_head"),
        ("gpt-oss-120b", 45, "d_model / num_heads in place of d_head"),
        ("deepseek-v3-r1-671b", 128, "rotary part forgotten"),
        ("glm-5", 96, "d_model / num_heads in place of d_head"),
        ("glm-5", 192, "rotary part forgotten"),
        ("t5-11b", 64, ""),
    ],
)
def test_an_answered_width_is_run_beside_the_models_own(model: str, answer: int, mistake: str) -> None:
    told = known(model=model, answer_d_head=answer)
    row = next(row for row in ROWS if slug_of(row["model"]) == model)
    right, heads = int(row["d_head_qk"]), int(row["n_heads"])
    assert (told["answer"]["mistake"], told["answer"]["right"]) == (mistake, right)
    assert told["answer"]["works"] == (answer == right)
    assert [cells[1] for cells in drawn(model=model, answer_d_head=answer)["answer"].table.rows] == [
        heads * answer,
        heads * right,
    ]


@pytest.mark.parametrize("model", ["gemma-7b", "deepseek-v3-r1-671b", "transformer-base-vaswani-2017"])
def test_all_of_it_is_small_and_there_at_once(model: str) -> None:
    spec = make_spec("config_museum", {"model": model, "d_model": 4096, "num_heads": 24, "d_head": 128})
    assert admit(spec).queue == "renders.fast"
    began = time.perf_counter()
    told = json.dumps(facts(spec), ensure_ascii=False, separators=(",", ":")).encode()
    frames = [len(frame.as_bytes()) for frame in render(spec)]
    assert time.perf_counter() - began <= 0.15
    assert max(frames) <= 16 * 1024
    assert len(told) + sum(frames) <= 40_000
