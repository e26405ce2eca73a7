"""Bytes of a KV cache: the published figures, memory really allocated, and the learner's number explained."""

import csv
import json
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_engine.admission import admit
from attention_engine.configs import all_models
from attention_engine.engine import render
from attention_engine.frames import Frame
from attention_engine.kinds.kv.allocation import MOST_BYTES, scaled_down
from attention_engine.kinds.kv.cache_bytes import CacheSizes
from attention_engine.kinds.kv.rows import left_out, nominal_weights, rows
from attention_engine.kinds.kv_budget import BYTES
from attention_engine.spec import InvalidSpec, facts, make_spec
from attention_engine.visualizations.kv.measured import DTYPES, allocated
from tests.attention_engine.tiny_models import write_bert, write_llama

CACHING = [config.slug for config in all_models() if config.kv_elements]
CPU = torch.device("cpu")
GIB = 2**30


def known(**parameters: Any) -> dict[str, Any]:
    return facts(make_spec("kv_budget", parameters))


def drawn(**parameters: Any) -> dict[str, Frame]:
    return {frame.step: frame for frame in render(make_spec("kv_budget", parameters))}


@pytest.mark.parametrize(
    ("model", "of_a_token", "at_8k", "at_128k"),
    [
        ("gpt-3-175b", 4_718_592, 36.0, 576),
        ("llama-2-7b", 524_288, 4.0, 64),
        ("llama-3-8b", 131_072, 1.0, 16),
        ("llama-3-70b", 327_680, 2.5, 40),
        ("llama-3.1-405b", 516_096, 3.94, 63),
        ("qwen3-235b-a22b", 192_512, 1.47, 23.5),
        ("gpt-oss-120b", 73_728, 0.56, 9.0),
        ("glm-4.5-355b", 376_832, 2.88, 46),
        ("palm-540b", 120_832, 0.92, 14.8),
        ("falcon-7b", 8_192, 0.06, 1.0),
        ("deepseek-v3-r1-671b", 70_272, 0.54, 8.6),
    ],
)
def test_the_published_figures_come_out(model: str, of_a_token: int, at_8k: float, at_128k: float) -> None:
    assert known(model=model)["bytes_per_token"] == of_a_token
    for tokens, gib in ((8192, at_8k), (131_072, at_128k)):
        whole = {row[0]: row[3] for row in drawn(model=model, tokens=tokens)["models"].table.rows}
        name = next(config.name for config in all_models() if config.slug == model)
        assert whole[name] == pytest.approx(gib, abs=0.051 if gib > 1 else 0.0051)


@pytest.mark.parametrize(
    ("model", "as_mha", "times"),
    [("llama-3-70b", 2_621_440, 8), ("deepseek-v3-r1-671b", 4_997_120, 71.1), ("gpt-3-175b", 4_718_592, 1)],
)
def test_the_same_model_as_mha_keeps_k_and_v_of_every_query_head(
    model: str, as_mha: int, times: float
) -> None:
    told = known(model=model)
    assert told["mha"] == as_mha
    assert told["mha"] / told["bytes_per_token"] == pytest.approx(times, abs=0.05)
    assert ("As MHA" in told["sentence"]) == (times > 1)


@pytest.mark.parametrize("slug", CACHING)
def test_every_cache_of_the_table_takes_its_bytes_in_memory_to_the_byte(slug: str) -> None:
    spec = make_spec("kv_budget", {"model": slug, "tokens": 131_072})
    frame = next(frame for frame in render(spec) if frame.step == "allocated")
    assert frame.verdict == {"equal": 1}
    assert "equal to the byte" in frame.sentence
    table = {row[0]: row[3:5] for row in frame.table.rows}
    assert table["a token"] == (facts(spec)["bytes_per_token"],) * 2
    assert table["all"][1] <= max(MOST_BYTES, facts(spec)["bytes_per_token"])


@given(
    layers=st.integers(1, 40),
    heads=st.integers(1, 12),
    groups=st.integers(1, 12),
    widths=st.tuples(st.integers(1, 96), st.integers(1, 96)),
    latent=st.tuples(st.integers(0, 300), st.integers(0, 64)),
    context=st.tuples(st.integers(1, 5), st.integers(1, 2**31 - 1)),
    each=st.sampled_from(BYTES),
)
@settings(max_examples=60, deadline=None)
def test_any_config_takes_what_the_formula_says(
    layers: int,
    heads: int,
    groups: int,
    widths: tuple[int, int],
    latent: tuple[int, int],
    context: tuple[int, int],
    each: int,
) -> None:
    own = {"layers": layers, "num_heads": heads * groups, "d_head": widths[0], "d_head_v": widths[1]}
    shared = {"kv_rank": latent[0], "d_head_rope": latent[1]} if latent[0] else {"num_kv_heads": heads}
    batch, tokens = context
    spec = make_spec(
        "kv_budget",
        {"model": "", "bytes_per_value": each, "batch": batch, "tokens": tokens, **own, **shared},
    )
    numbers = sum(latent) if latent[0] else heads * sum(widths)
    assert facts(spec)["bytes_per_token"] == layers * numbers * each
    frame = next(frame for frame in render(spec) if frame.step == "allocated")
    assert frame.verdict == {"equal": 1}
    admit(spec)


def test_a_cache_that_is_too_large_loses_tokens_then_sequences_then_layers() -> None:
    sizes = CacheSizes("own", layers=10, num_heads=4, num_kv_heads=4, d_head=8, d_head_v=8)
    whole = scaled_down(sizes, batch=2, tokens=3, most=10_000)
    assert (whole.layers, whole.batch, whole.tokens, whole.whole) == (10, 2, 3, True)
    fewer = scaled_down(sizes, batch=2, tokens=100, most=10_000)
    assert (fewer.layers, fewer.batch, fewer.tokens, fewer.whole) == (10, 2, 3, False)
    one = scaled_down(sizes, batch=50, tokens=100, most=3_000)
    assert (one.layers, one.batch, one.tokens) == (10, 2, 1)
    thin = scaled_down(sizes, batch=50, tokens=100, most=500)
    assert (thin.layers, thin.batch, thin.tokens, thin.bytes) == (3, 1, 1, 384)


@pytest.mark.parametrize("each", BYTES)
def test_storage_is_read_and_not_computed(each: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wider type than was asked for shows as a difference: nothing is equal by construction."""
    assert allocated({"K": (2, 3)}, bytes_per_value=each, device=CPU).bytes == 6 * each
    monkeypatch.setitem(DTYPES, each, torch.float64)
    frame = drawn(model="smollm2-1.7b", tokens=3, bytes_per_value=each)["allocated"]
    assert frame.verdict == {"equal": 0}
    assert "more, not equal" in frame.sentence


@pytest.mark.usefixtures("smollm2")
@pytest.mark.parametrize(("each", "held"), [(2, 23_040 * 8), (4, 46_080 * 8)])
def test_the_cache_of_a_real_run_takes_what_the_formula_says(each: int, held: int) -> None:
    frame = drawn(model="smollm2", bytes_per_value=each)["run"]
    assert frame.verdict == {"equal": 1}
    assert frame.table.rows[0] == ("8 tokens", held, held, 0)


@pytest.mark.usefixtures("no_minilm")
def test_without_its_weights_a_model_is_not_run_and_that_is_said() -> None:
    frame = drawn(model="smollm2", tokens=4)["run"]
    assert "is not on this machine" in frame.sentence
    assert frame.table.rows == ()


@pytest.mark.parametrize(
    ("model", "answer", "mistakes"),
    [
        ("llama-3-70b", 327_680, []),
        ("llama-3-70b", 163_840, ["V forgotten"]),
        ("llama-3-70b", 2_621_440, ["query heads in place of K/V heads"]),
        ("llama-3-70b", 40_960, ["K/V heads forgotten"]),
        ("llama-3-70b", 4_096, ["layers forgotten"]),
        ("llama-3-70b", 655_360, ["4 bytes a number"]),
        ("llama-3-70b", 327_680 * 8_192, ["all tokens counted"]),
        ("llama-3-70b", 2_048, ["V forgotten", "layers forgotten"]),
        ("llama-3-70b", 327_681, []),
        ("falcon-7b", 65_536, ["bits, not bytes"]),
        ("gemma-7b", 344_064, ["d_model / num_heads in place of d_head"]),
        ("deepseek-v3-r1-671b", 4_997_120, ["MLA counted as MHA"]),
        ("deepseek-v3-r1-671b", 62_464, ["rotary key forgotten"]),
        ("deepseek-v3-r1-671b", 35_136, ["numbers, not bytes"]),
        ("glm-5", 78 * 64 * 512 * 2, ["MLA counted as MHA"]),
    ],
)
def test_a_wrong_number_is_named_by_the_mistake_it_was_made_by(
    model: str, answer: int, mistakes: list[str]
) -> None:
    told = known(model=model, answer_bytes=answer)["answer"]
    assert told["mistakes"] == mistakes
    assert told["works"] == (answer == told["right"])
    if told["works"] or mistakes:
        product = 1
        for _name, _kept, yours in told["factors"]:
            product *= yours
        assert product == answer


def test_a_number_that_no_mistake_makes_has_no_factors_made_up_for_it() -> None:
    told = known(answer_bytes=327_681)["answer"]
    assert [yours for _name, _kept, yours in told["factors"]] == [0] * 5
    assert "no named mistake makes it" in told["sentence"]
    assert {row[2] for row in drawn(answer_bytes=327_681)["answer"].table.rows[:-1]} == {"not told"}


def test_rows_without_a_cache_are_refused_with_a_sentence_and_counted() -> None:
    table = files("attention_engine").joinpath("model_configs.csv").read_text(encoding="utf-8")
    without = [
        row["model"]
        for row in csv.DictReader(table.splitlines())
        if not row["kv_cache_elems_per_token_per_layer"]
    ]
    assert sorted(left_out()) == sorted(without)
    for config in all_models():
        if config.name in without:
            with pytest.raises(InvalidSpec, match=r"no decoder|no cache size") as refused:
                make_spec("kv_budget", {"model": config.slug})
            assert refused.value.field == "model"
    assert len(rows()) + len(without) == len(all_models())


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"bytes_per_value": 3}, "bytes_per_value"),
        ({"num_kv_heads": 7}, "num_kv_heads"),
        ({"model": "no-such-model"}, "model"),
        ({"tokens": 2**31}, "tokens"),
    ],
)
def test_what_cannot_be_says_which_number(parameters: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidSpec) as refused:
        make_spec("kv_budget", parameters)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("name", "weights"),
    [
        ("Llama-3 70B", 70_000_000_000),
        ("SmolLM2-135M", 135_000_000),
        ("Pythia-2.8b", 2_800_000_000),
        ("Qwen3-235B-A22B", 235_000_000_000),
        ("Gemma-2 2B", 2_000_000_000),
        ("Mixtral-8x7B", 0),
        ("Llama-4 Scout 17B-16E", 0),
        ("Gemma-4 e2b-class (default)", 0),
        ("GPT-2 small", 0),
    ],
)
def test_a_size_is_read_from_a_name_only_where_it_is_that_of_the_whole_model(name: str, weights: int) -> None:
    assert nominal_weights(name) == weights


def test_a_window_is_counted_where_the_row_names_its_width_and_told_where_it_does_not() -> None:
    mistral = known(model="mistral-7b-v0.1", tokens=8192)
    assert mistral["windowed"] == 4096 * 131_072
    alternating = known(model="gpt-oss-120b", tokens=8192)
    assert alternating["windowed"] == 18 * (128 + 8192) * 1024 * 2
    gemma = known(model="gemma-3-27b")
    assert gemma["windowed"] == 0
    assert "as if every layer held every token" in gemma["sentence"]


def test_changed_numbers_are_told_as_changed_and_carry_no_source() -> None:
    told = known(model="llama-3-70b", num_kv_heads=1)
    assert (told["title"], told["scheme"], told["source"]) == ("Llama-3 70B, changed", "MQA", "")
    assert told["bytes_per_token"] == told["mqa"] == 40_960
    plain = known(model="deepseek-v3-r1-671b", num_kv_heads=128)
    assert plain["bytes_per_token"] == 4_997_120


def test_a_latent_in_place_of_heads_is_asked_for_by_its_rank_alone() -> None:
    told = known(model="llama-3-70b", kv_rank=9)
    assert (told["scheme"], told["num_kv_heads"], told["bytes_per_token"]) == ("MLA", 0, 80 * 9 * 2)
    assert "a token leaves a latent of 9 in each of 80 layers" in told["sentence"]
    one = known(model="", layers=1, kv_rank=4, d_head_rope=2)
    assert "a latent of 4 and a rotary key of 2 in its one layer" in one["sentence"]


def test_a_window_wider_than_the_text_is_said_to_hide_nothing() -> None:
    assert "hides none of them yet" in known(model="mistral-7b-v0.1", tokens=4096)["sentence"]
    assert "hides none" not in known(model="mistral-7b-v0.1", tokens=4097)["sentence"]


def test_a_card_holds_what_is_left_beside_the_weights() -> None:
    told = known(model="llama-3-8b", card_gib=24)["beside"]
    left = 24 * GIB - 2 * 8_000_000_000
    assert f"{left // 131_072:,} tokens beside these weights" in told
    assert "does not hold these weights" in known(card_gib=80)["beside"]


def test_all_of_it_is_small_and_its_facts_are_there_at_once() -> None:
    spec = make_spec("kv_budget", {"model": "smollm2", "answer_bytes": 69_120})
    began = time.perf_counter()
    told = json.dumps(facts(spec), ensure_ascii=False, separators=(",", ":")).encode()
    took = time.perf_counter() - began
    sent = sum(len(frame.as_bytes()) for frame in render(spec))
    assert len(told) + sent <= 30_000
    assert took <= 0.1


@pytest.mark.gpu
def test_a_gpus_allocator_counts_the_tensors_and_at_most_the_rest_of_its_blocks() -> None:
    found = allocated({"K": (3, 5, 7), "V": (3, 5, 9)}, bytes_per_value=2, device=torch.device("cuda"))
    assert found.bytes == 3 * 5 * 16 * 2
    assert found.bytes <= found.allocator <= found.bytes + 2 * 512


@pytest.mark.thorough
def test_a_folder_of_ones_own_is_counted_and_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("transformers")
    write_llama(tmp_path / "llama")
    monkeypatch.setenv("STUDYHUB_MODEL_DIR", str(tmp_path / "llama"))
    frames = drawn(model="local", bytes_per_value=4)
    assert known(model="local", bytes_per_value=4)["bytes_per_token"] == 2 * 3 * 2 * 10 * 4
    assert [frames[step].verdict for step in ("allocated", "run")] == [{"equal": 1}] * 2
    write_bert(tmp_path / "bert")
    monkeypatch.setenv("STUDYHUB_MODEL_DIR", str(tmp_path / "bert"))
    with pytest.raises(InvalidSpec, match="is an encoder: it keeps no cache"):
        make_spec("kv_budget", {"model": "local"})
