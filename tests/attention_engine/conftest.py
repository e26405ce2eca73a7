"""Builders for specs and frames, and the trained model where it is installed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from attention_engine.engine import render
from attention_engine.frames import Frame
from attention_engine.spec import make_spec

Draw = Callable[..., dict[str, Frame]]


@pytest.fixture(autouse=True)
def _device(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """The CPU; for a test marked gpu the GPU, where torch finds one, and elsewhere a skip that says so."""
    gpu = request.node.get_closest_marker("gpu") is not None
    monkeypatch.setenv("STUDYHUB_DEVICE", "cuda" if gpu else "cpu")
    if gpu:
        import torch

        if not torch.cuda.is_available():
            pytest.skip(f"no CUDA device: torch {torch.__version__} finds none")


@pytest.fixture
def draw() -> Draw:
    """draw(kind, seed=0, **parameters) -> frames by step, really rendered."""

    def drawn(kind: str, seed: int = 0, **parameters: Any) -> dict[str, Frame]:
        return {frame.step: frame for frame in render(make_spec(kind, parameters, seed))}

    return drawn


@pytest.fixture
def no_minilm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine on which no trained model is installed."""
    from attention_engine.trained import places

    monkeypatch.setenv("STUDYHUB_VAR", str(tmp_path))
    monkeypatch.setattr(places, "places", lambda: iter([tmp_path]))


@pytest.fixture
def minilm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real MiniLM of var/models, or a skip that says how to get it."""
    from attention_engine.trained import minilm as model

    monkeypatch.setenv("STUDYHUB_VAR", str(Path(__file__).parents[2] / "var"))
    if model.why_missing():
        pytest.skip("MiniLM is not installed: make models")


@pytest.fixture
def smollm2(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real SmolLM2 of var/models, or a skip that says how to get it."""
    from attention_engine.trained import models

    monkeypatch.setenv("STUDYHUB_VAR", str(Path(__file__).parents[2] / "var"))
    if models.why_missing("smollm2"):
        pytest.skip("SmolLM2 is not installed: make models")
