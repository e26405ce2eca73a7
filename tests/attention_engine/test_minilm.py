"""Where the trained weights and what reads them are looked for."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from attention_engine.trained import models


def test_packages_fetched_beside_the_weights_can_be_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "only_beside_the_weights.py").write_text("here = True\n")
    monkeypatch.setenv("STUDYHUB_VAR", str(tmp_path))
    monkeypatch.setattr(sys, "path", [*sys.path])
    models.why_missing("minilm")
    assert find_spec("only_beside_the_weights") is not None
