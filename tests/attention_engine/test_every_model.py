"""Every row of the table of published models, drawn from a terminal."""

import pytest

from attention_engine.__main__ import main
from attention_engine.configs import ModelConfig, all_models


@pytest.fixture(params=all_models(), ids=lambda config: config.slug)
def config(request: pytest.FixtureRequest) -> ModelConfig:
    found: ModelConfig = request.param
    return found


def test_its_split_is_drawn_to_w_o(config: ModelConfig, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["head_split", "--model", config.slug]) == 0
    told = capsys.readouterr().out
    inner = config.num_heads * config.d_head_v
    assert f"W_O, {inner:,} × {config.d_model:,}, mixes all heads of a token" in told
    assert f"shape (2, {config.num_heads}, 4, {config.d_head_v})" in told
    assert "error" not in told


def test_its_own_heads_run(config: ModelConfig, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["answer_executed", "--model", config.slug]) == 0
    told = capsys.readouterr().out
    assert f"q.view(2, 4, {config.num_heads}, {config.d_head})" in told
    assert "error" not in told


def test_one_head_more_meets_torchs_own_words_unless_it_divides(
    config: ModelConfig, capsys: pytest.CaptureFixture[str]
) -> None:
    heads, features = config.num_heads + 1, config.num_heads * config.d_head
    assert main(["answer_executed", "--model", config.slug, "--num-heads", str(heads)]) == 0
    told = capsys.readouterr().out
    assert ("RuntimeError: shape" in told) == (features % heads != 0)
