"""Which workers `manage.py up` starts: one, or one process for a GPU and one for jobs."""

import pytest

from attention_engine import gpus
from studyhub.operations.management.commands import up

pytestmark = pytest.mark.plain


def started(
    monkeypatch: pytest.MonkeyPatch, *, device: str, seen: int
) -> dict[str, tuple[str, dict[str, str]]]:
    monkeypatch.setenv("STUDYHUB_DEVICE", device)
    monkeypatch.setattr(gpus, "seen", lambda: seen)
    return {child.name: (" ".join(child.command), child.env) for child in up.workers()}


@pytest.mark.parametrize(("device", "seen"), [("auto", 0), ("cpu", 0), ("cpu", 2)])
def test_without_a_gpu_to_use_one_worker_does_all(
    monkeypatch: pytest.MonkeyPatch, device: str, seen: int
) -> None:
    told = started(monkeypatch, device=device, seen=seen)
    command, env = told.pop("worker")
    assert told == {}
    assert "-P threads -c 3 -Q renders.fast,renders.heavy,jobs" in command
    assert env["STUDYHUB_BEAT"] == "1"


@pytest.mark.parametrize(("device", "seen"), [("auto", 1), ("cuda", 1), ("cuda", 0)])
def test_a_gpu_has_one_process_of_its_own_and_jobs_have_another(
    monkeypatch: pytest.MonkeyPatch, device: str, seen: int
) -> None:
    told = started(monkeypatch, device=device, seen=seen)
    assert set(told) == {"renders", "jobs"}
    command, env = told["renders"]
    assert "-P solo -Q renders.fast,renders.heavy -n renders@%h" in command
    assert "STUDYHUB_BEAT" not in env
    assert "STUDYHUB_DEVICE" not in env, "what was asked stays"
    command, env = told["jobs"]
    assert "-P threads -c 1 -Q jobs -n jobs@%h" in command
    assert (env["STUDYHUB_BEAT"], env["STUDYHUB_DEVICE"]) == ("1", "cpu")
