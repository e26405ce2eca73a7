"""The Makefile's promises, read from what make would run."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder in which nothing has been installed yet."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def would_run(folder: Path, *arguments: str) -> str:
    """The commands make prints instead of running; every line must be one a shell can read."""
    done = subprocess.run(["make", "-n", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for command in done.stdout.replace("\\\n", " ").splitlines():
        check = subprocess.run(["sh", "-n", "-c", command], capture_output=True, text=True, check=False)
        assert check.returncode == 0, f"{command}\n{check.stderr}"
    return done.stdout


@pytest.mark.parametrize(
    "target", ["run", "test", "thorough", "setup", "e2e", "chaos", "bench", "lint", "check", "help"]
)
def test_every_target_works_from_a_clean_clone(clone: Path, target: str) -> None:
    would_run(clone, target)


def test_the_torch_index_is_handed_to_pip_with_the_whole_range(clone: Path) -> None:
    commands = would_run(clone, "run", "TORCH_INDEX_URL=https://example.org/cpu")
    assert '"torch>=2.9,<2.14" --index-url "https://example.org/cpu"' in commands


def test_port_and_host_reach_the_supervisor(clone: Path) -> None:
    assert "manage.py up --host 0.0.0.0 --port 9000" in would_run(clone, "run", "PORT=9000", "HOST=0.0.0.0")
