"""A prompt continued behind a cache: what is held, weighed, counted and evicted, computed another way."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attention_engine import configs, kv_cache
from attention_engine.admission import admit
from attention_engine.attention import attention_weights
from attention_engine.engine import render
from attention_engine.frames import Frame
from attention_engine.kinds import decode_cache
from attention_engine.kinds.kv import cache_bytes
from attention_engine.spec import InvalidSpec, facts, make_spec
from attention_engine.trained import models
from attention_engine.visualizations.decode.run import Step, decode
from attention_engine.visualizations.decode.source import StandIn, Trained
from tests.attention_engine.conftest import Draw
from tests.attention_engine.decoding import decode as decoded
from tests.attention_engine.tiny_models import write_llama

CPU = torch.device("cpu")
CACHED = [config for config in configs.all_models() if config.kv_elements]
UNCACHED = [config for config in configs.all_models() if not config.kv_elements]


def counters(frame: Frame) -> dict[str, float]:
    return dict(zip(decode_cache.COUNTERS, frame.values, strict=False))


def weights(frame: Frame) -> np.ndarray[Any, Any]:
    return decoded(frame.tensors[0], frame.blobs[0])


def complete(**given: Any) -> dict[str, Any]:
    return dict(make_spec("decode_cache", given).parameters)


# What is kept.


@pytest.mark.parametrize(
    ("keep", "position", "held"),
    [
        ("all", 4, [0, 1, 2, 3, 4]),
        ("window", 4, [2, 3, 4]),
        ("window", 1, [0, 1]),
        ("sink_window", 9, [0, 1, 7, 8, 9]),
        ("sink_window", 4, [0, 1, 2, 3, 4]),
        ("sink_window", 3, [0, 1, 2, 3]),
    ],
)
def test_a_cache_keeps_the_first_and_the_newest_and_no_position_twice(
    keep: str, position: int, held: list[int]
) -> None:
    sinks = 2 if keep == "sink_window" else 0
    assert list(decode_cache.kept({"keep": keep, "window": 3, "sinks": sinks}, position)) == held


@pytest.mark.parametrize("given", [{"keep": "all"}, {"keep": "window"}, {"keep": "sink_window", "sinks": 3}])
def test_eviction_leaves_exactly_the_positions_that_were_asked_for(given: dict[str, Any]) -> None:
    numbers = complete(model="random", new_tokens=12, window=5, **given)
    source = StandIn(numbers, decode_cache.cached_sizes(numbers), seed=0, device=CPU)
    for step in decode(source, numbers):
        expected = range(len(step.ids)) if step.n == 0 else decode_cache.kept(numbers, step.position)
        assert step.held == tuple(expected)
        assert step.cache.k[0].shape[1] == len(step.held)


def test_a_window_that_holds_everything_draws_the_same_as_keeping_all(draw: Draw) -> None:
    every, wide = (draw("decode_cache", model="random", keep=keep, window=512) for keep in ("all", "window"))
    assert [every[step].blobs for step in every] == [wide[step].blobs for step in every]


def test_what_keep_does_not_use_changes_no_digest() -> None:
    same: list[dict[str, Any]] = [{}, {"keep": "all", "window": 3}, {"sinks": 7}]
    assert len({make_spec("decode_cache", given).digest() for given in same}) == 1
    alone: list[dict[str, Any]] = [
        {"keep": "window"},
        {"keep": "window", "sinks": 2},
        {"keep": "sink_window", "sinks": 0},
    ]
    assert len({make_spec("decode_cache", given).digest() for given in alone}) == 1


# What is counted.


def test_bytes_of_every_model_with_a_cache_are_its_storage_the_formula_and_the_tables(draw: Draw) -> None:
    for config in CACHED:
        frames = draw("decode_cache", model=config.slug, prompt="one two three", new_tokens=2)
        frames.pop("whole", None)  # compares, where the weights of this model are here
        for tokens, frame in enumerate(frames.values(), start=3):
            told = counters(frame)
            assert told["bytes held"] == told["bytes by formula"], config.slug
            assert told["bytes held"] == kv_cache.kv_bytes(model=config.slug, tokens=tokens), config.slug
            assert f"{tokens:,} × " in frame.sentence


def test_storage_too_large_for_a_picture_is_counted_where_no_memory_is_taken(draw: Draw) -> None:
    frames = draw("decode_cache", model="gpt-3-175b", prompt="word " * 340, new_tokens=1)
    assert counters(frames["t1"])["bytes held"] == 341 * 96 * 12288 * 2 * 2
    assert "meta device" in frames["t1"].sentence


def test_a_latent_is_counted_by_its_own_formula() -> None:
    told = facts(make_spec("decode_cache", {"model": "deepseek-v3-r1-671b"}))
    assert (told["factors"], told["bytes_per_token"]) == ("61 × 576 × 2", 70272)


def test_a_model_that_keeps_nothing_is_refused_with_the_way_out() -> None:
    for config in UNCACHED:
        with pytest.raises(InvalidSpec, match=r'take model "smollm2"') as refused:
            make_spec("decode_cache", {"model": config.slug})
        assert refused.value.field == "model"
    with pytest.raises(InvalidSpec, match="is an encoder: every token sees every other"):
        make_spec("decode_cache", {"model": "minilm"})


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"prompt": " \n "}, "prompt"),
        ({"layer": 30}, "layer"),
        ({"head": 9}, "head"),
        ({"new_tokens": 33}, "new_tokens"),
        ({"keep": "sinks"}, "keep"),
        ({"model": "no-such"}, "model"),
        ({"window": 513}, "window"),
    ],
)
def test_what_cannot_be_is_refused_by_its_field(given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidSpec) as refused:
        make_spec("decode_cache", given)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("answer", "mistake"),
    [
        (20 * 131_072, "right"),
        (20 * 65_536, "K only"),
        (20 * 524_288, "query heads"),
        (20 * 4096, "one layer"),
        (131_072, "one token"),
        (50 * 131_072, "nothing evicted"),
        (20 * 262_144, "4 bytes a number"),
        (12345, ""),
    ],
)
def test_a_wrong_count_is_explained_by_the_mistake_that_gives_it(answer: int, mistake: str) -> None:
    sizes = cache_bytes.of_config(configs.model("llama-3-8b"))
    assert cache_bytes.mistake_of(answer, sizes, held=20, seen=50) == mistake


def test_bytes_that_were_answered_stand_beside_those_that_are_held(draw: Draw) -> None:
    given = {"model": "llama-3-8b", "prompt": "one two", "new_tokens": 3}
    right, wrong = (draw("decode_cache", answer_bytes=answer, **given) for answer in (655_360, 327_680))
    assert right["t3"].sentence.endswith("Your 655,360 bytes are what is held.")
    assert "They count K and leave V out." in wrong["t3"].sentence
    assert "bytes are" not in wrong["t2"].sentence


# What is weighed.


@pytest.mark.parametrize("keep", decode_cache.KEEPS)
def test_weights_sum_to_1_and_the_sink_share_is_that_of_the_first_token(draw: Draw, keep: str) -> None:
    frames = draw("decode_cache", model="random", keep=keep, window=6, new_tokens=10, head=2)
    for frame in (one for one in frames.values() if one.layout == "grid"):
        rows, told = weights(frame), counters(frame)
        assert rows.shape == (2, told["held"])
        assert np.abs(rows.sum(axis=1) - 1).max() < 0.01
        sunk = rows[:, 0] if keep != "window" or frame.step == "prompt" else np.zeros(2)
        assert (told["sink share, mean"], told["sink share, head"]) == pytest.approx(sunk, abs=0.006)


def test_the_row_of_a_step_is_softmax_over_what_is_held_and_nothing_else() -> None:
    numbers = complete(model="random", keep="sink_window", window=3, sinks=2, new_tokens=6, head=3)
    source = StandIn(numbers, decode_cache.cached_sizes(numbers), seed=5, device=CPU)
    *_, last = decode(source, numbers)
    heads = source._layers[0]
    held = list(last.held)
    keys = heads.k[:, held].bfloat16().float()
    own = attention_weights(heads.q[:, [last.position]], keys)[:, 0]
    assert torch.allclose(last.weights, torch.stack([own.mean(dim=0), own[3]]), atol=1e-6)


def test_random_layers_say_that_they_are_and_have_no_text(draw: Draw) -> None:
    frames = draw("decode_cache", model="random", new_tokens=2, seed=3)
    assert "Random layers of these sizes, seed 3: they learned nothing" in frames["prompt"].sentence
    assert list(frames) == ["prompt", "t1", "t2"]
    assert all("token_ms" not in frame.stamp for frame in frames.values())


@pytest.mark.usefixtures("no_minilm")
def test_absent_weights_are_replaced_by_random_layers_of_the_same_sizes(draw: Draw) -> None:
    frames = draw("decode_cache", new_tokens=2, keep="window", window=4)
    assert "SmolLM2" in frames["prompt"].sentence
    assert "they learned nothing" in frames["prompt"].sentence
    assert frames["prompt"].shape[::2] == (3, 64)
    assert counters(frames["t2"])["bytes held"] == 4 * 23_040
    assert frames["evicted"].table.columns == ("step", "token", "weight on evicted")


# A trained model.


@pytest.fixture
def source(smollm2: None) -> Trained:
    return Trained("smollm2", prompt=decode_cache.PROMPT, layer=20, device=CPU)


def run(source: Trained, **given: Any) -> list[Step]:
    return list(decode(source, complete(new_tokens=5, **given)))


def whole_pass(ids: tuple[int, ...], mask: torch.Tensor | None = None) -> torch.Tensor:
    """(T, vocabulary) log-probabilities without any cache."""
    decoder, _ = models.decoder("smollm2", CPU)
    return decoder.logits(decoder.run(torch.tensor(ids), mask=mask)).log_softmax(dim=-1)


def test_decoding_behind_the_cache_equals_one_pass_without(source: Trained) -> None:
    steps = run(source)
    whole = whole_pass(steps[-1].ids)[len(steps[0].ids) - 1 : -1]
    cached = torch.stack([step.before for step in steps[1:]])
    assert float((whole - cached).abs().max()) < 0.25  # K and V are rounded to bfloat16 in the cache
    assert torch.equal(whole.argmax(dim=-1), cached.argmax(dim=-1))


def test_evicting_equals_one_pass_whose_mask_hides_what_is_evicted(source: Trained) -> None:
    """Keys keep their positions; tokens of the prompt were read whole, before anything was evicted."""
    steps = run(source, keep="sink_window", window=4, sinks=2)
    ids, prompt = steps[-1].ids, len(steps[0].ids)
    mask = torch.ones(len(ids), len(ids), dtype=torch.bool).tril()
    for step in steps[1:]:
        mask[step.position] = False
        mask[step.position, list(step.held)] = True
    masked = whole_pass(ids, mask)[prompt - 1 : -1]
    evicting = torch.stack([step.before for step in steps[1:]])
    divergence = (masked.exp() * (masked - evicting)).sum(dim=-1)
    assert float(divergence.max()) < 2e-3
    assert counters_of(steps) == [prompt, *[6] * 5]


def counters_of(steps: list[Step]) -> list[int]:
    return [len(step.held) for step in steps]


def test_the_comparison_is_that_of_an_independent_whole_pass(source: Trained, draw: Draw) -> None:
    frame = draw("decode_cache", keep="window", window=4, new_tokens=5)["evicted"]
    steps = run(source, keep="window", window=4)
    whole = whole_pass(steps[-1].ids)[len(steps[0].ids) - 1 : -1]
    for step, other, row in zip(steps[1:], whole, frame.table.rows, strict=True):
        told = dict(zip(frame.table.columns, row, strict=True))
        assert told["log p, this cache"] == pytest.approx(step.log_p, abs=1e-3, rel=1e-3)
        assert told["log p, whole cache"] == pytest.approx(float(other[step.ids[-1]]), abs=0.1)
        divergence = float((other.exp() * (other - step.before)).sum())
        assert told["KL"] == pytest.approx(divergence, abs=0.05, rel=0.05)
        entropy = float(-(other.exp() * other).sum())
        assert told["entropy, whole cache"] == pytest.approx(entropy, abs=0.05)


def test_evicting_the_first_token_costs_more_than_evicting_as_many_others(draw: Draw) -> None:
    """As StreamingLLM found: 8 tokens are held both times, told is what this model does with this text."""
    sinks, window = (
        draw("decode_cache", new_tokens=8, **given)["evicted"]
        for given in ({"keep": "sink_window", "window": 4, "sinks": 4}, {"keep": "window", "window": 8})
    )
    kept, lost = (sum(float(row[4]) for row in frame.table.rows) for frame in (sinks, window))
    assert lost > 2 * kept
    told = "On 7 tokens of the whole cache's text perplexity is"
    assert told in window.sentence
    own = [float(row[-2]) for row in window.table.rows[1:]]
    perplexity = math.exp(-sum(own) / len(own))
    assert f"{told} {perplexity:.3g} with this cache" in window.sentence


def test_a_trained_picture_is_the_same_twice_but_for_its_times(smollm2: None) -> None:
    spec = make_spec("decode_cache", {"new_tokens": 2, "keep": "window", "prompt": "One, two, three,"})
    one, other = ([frame.as_json() | {"stamp": {}} for frame in render(spec)] for _ in range(2))
    assert one == other


@pytest.mark.parametrize(
    "prompt",
    ["Hi", "naïve 👩‍🚀 emoji 😀😀", "مرحبا بالعالم", "def f(x):\n    return x * 2\n\n", "a" * 50],
)
def test_the_tokens_of_a_prompt_spell_it(smollm2: None, prompt: str) -> None:
    source = Trained("smollm2", prompt=prompt, layer=0, device=CPU)
    assert "".join(source.text(source.prompt)) == prompt


def test_a_prompt_of_one_token_is_continued(smollm2: None) -> None:
    one = list(render(make_spec("decode_cache", {"prompt": "Hi", "new_tokens": 1})))
    assert (one[0].shape[1], one[-1].step) == (1, "whole")


def test_a_text_that_the_model_ends_is_not_driven_on(smollm2: None, draw: Draw) -> None:
    asked = "<|im_start|>user\nSay yes.<|im_end|>\n<|im_start|>assistant\nYes"
    frames = draw("decode_cache", prompt=asked, new_tokens=3)
    assert list(frames) == ["prompt", "t1", "whole"]
    assert frames["t1"].sentence.endswith("Here the model ends its text.")


@pytest.mark.thorough
def test_a_prompt_that_is_too_long_is_cut_and_told_in_parts(smollm2: None) -> None:
    spec = make_spec("decode_cache", {"prompt": "so it goes " * 181, "new_tokens": 1, "keep": "window"})
    long = list(render(spec))
    assert f"Only its first {decode_cache.MOST_PROMPT} tokens are read." in long[0].sentence
    assert long[0].table.rows[-1][0] == "others"
    assert admit(spec).flops < 1.2e11


def test_a_prompt_is_cut_to_the_positions_that_the_added_tokens_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("transformers")
    write_llama(tmp_path / "few", max_position_embeddings=20)
    monkeypatch.setenv("STUDYHUB_MODEL_DIR", str(tmp_path / "few"))
    frames = list(render(make_spec("decode_cache", {"model": "local", "new_tokens": 4})))
    assert "Only its first 16 tokens are read." in frames[0].sentence
    with pytest.raises(InvalidSpec, match="few has 20 positions, so 20 new tokens leave none") as refused:
        make_spec("decode_cache", {"model": "local", "new_tokens": 20})
    assert refused.value.field == "new_tokens"


def test_an_answer_of_one_byte_is_told_in_the_singular(draw: Draw) -> None:
    last = draw("decode_cache", model="random", prompt="a b", new_tokens=1, answer_bytes=1)["t1"]
    assert "Your 1 byte is not the 384 held." in last.sentence


@pytest.mark.thorough
def test_32_tokens_take_at_most_60_kb(smollm2: None) -> None:
    frames = render(make_spec("decode_cache", {"new_tokens": 32, "keep": "sink_window"}))
    assert sum(len(frame.as_bytes()) + sum(map(len, frame.blobs)) for frame in frames) <= 60_000
