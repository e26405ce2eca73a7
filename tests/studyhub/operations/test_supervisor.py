"""The supervisor with small real processes: who falls gets up, who is stubborn is killed, nobody stays."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from studyhub.operations import supervisor
from studyhub.operations.supervisor import Child, Supervisor
from studyhub.operations.tied import tied

ROOT = Path(__file__).resolve().parents[3]
SLEEPS = "import time; time.sleep(60)"
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(60)"
)


def child(code: str, folder: Path, name: str = "child") -> Child:
    return Child(name, [sys.executable, "-c", code], folder)


def wait_until(condition: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_children_live_in_sessions_of_their_own(tmp_path: Path) -> None:
    one = child(SLEEPS, tmp_path)
    one.start()
    assert one.process is not None
    assert os.getsid(one.process.pid) != os.getsid(0)
    one.sweep()
    assert not one.alive


def test_a_fallen_child_is_started_again_with_growing_pauses(tmp_path: Path) -> None:
    said: list[str] = []
    watched = Supervisor([child("raise SystemExit(3)", tmp_path, "web")], say=said.append)
    watched.start()
    wait_until(lambda: watched.look() or len(said) >= 2)  # type: ignore[func-returns-value]
    watched.stop()
    assert said[0] == "web ended with status 3; starting it again in 0.5 s"
    assert said[1] == "web ended with status 3; starting it again in 1 s"


def test_a_child_that_ran_steadily_is_forgiven(tmp_path: Path) -> None:
    said: list[str] = []
    steady = child("pass", tmp_path, "web")
    watched = Supervisor([steady], say=said.append)
    watched.start()
    steady.falls, steady.began = 5, time.monotonic() - 60
    wait_until(lambda: not steady.alive)
    watched.look()
    assert said == ["web ended with status 0; starting it again in 0.5 s"]


def test_what_a_fallen_child_left_behind_is_ended_before_it_is_started_again(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys; "
        f"p = subprocess.Popen([sys.executable, '-c', {SLEEPS!r}]); open('orphan', 'w').write(str(p.pid))"
    )
    watched = Supervisor([child(code, tmp_path)], say=lambda line: None)
    watched.start()
    wait_until(lambda: not watched.children[0].alive)
    orphan = int((tmp_path / "orphan").read_text())
    watched.look()
    wait_until(lambda: not runs(orphan))


def test_the_end_reaches_all_children_at_once(tmp_path: Path) -> None:
    watched = Supervisor([child(SLEEPS, tmp_path) for _ in range(3)], say=lambda line: None)
    watched.start()
    began = time.monotonic()
    watched.stop()
    assert time.monotonic() - began < 10
    assert not any(one.alive for one in watched.children)


def test_a_stubborn_child_is_killed_when_its_grace_is_over(tmp_path: Path, monkeypatch: object) -> None:
    monkeypatch.setattr(supervisor, "GRACE", 0.3)  # type: ignore[attr-defined]
    stubborn = child(STUBBORN, tmp_path)
    watched = Supervisor([stubborn], say=lambda line: None)
    watched.start()
    time.sleep(0.3)  # until it has closed its ears
    watched.stop()
    assert stubborn.process is not None
    assert stubborn.process.returncode in (-9, -15)
    assert not stubborn.alive


def test_it_runs_until_it_is_told_to_stop(tmp_path: Path) -> None:
    watched = Supervisor([child(SLEEPS, tmp_path)], say=lambda line: None)
    watched.start()
    threading.Timer(0.2, watched.stopping.set).start()
    watched.run()
    watched.stop()
    assert not watched.children[0].alive


@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel of Linux")
def test_children_end_with_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    code = (
        "import pathlib, sys, time; from studyhub.operations.supervisor import Child, Supervisor; "
        "here = pathlib.Path('.'); "
        f"sleeper = Child('sleeper', [sys.executable, '-c', {SLEEPS!r}], here); "
        "Supervisor([sleeper], say=print).start(); "
        "here.joinpath('pid').write_text(str(sleeper.process.pid)); time.sleep(60)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    noted = tmp_path / "pid"
    wait_until(lambda: noted.exists() and noted.read_text() != "", 20)
    sleeper = int(noted.read_text())
    assert runs(sleeper)
    time.sleep(0.5)  # until the child has become the command
    parent.kill()
    parent.wait()
    wait_until(lambda: not runs(sleeper))


@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel of Linux")
def test_a_child_whose_parent_is_gone_already_does_not_begin(tmp_path: Path) -> None:
    made = tmp_path / "made"
    line = tied([sys.executable, "-c", f"open({str(made)!r}, 'w')"])
    gone = line[:4] + ["1"] + line[5:]
    assert subprocess.run(gone, check=False).returncode == 0
    assert not made.exists()
    assert subprocess.run(line, check=False).returncode == 0
    assert made.exists()


def runs(pid: int) -> bool:
    """The process exists and is no zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
