"""One thread inside an operation and passive waiting, unless the person who starts it says otherwise."""

import os
import subprocess
import sys

import pytest

from attention_engine import threads

SAYS = "import os, torch; print(torch.get_num_threads(), os.environ.get('OMP_WAIT_POLICY'))"
WORKER = f"from attention_engine import tasks; tasks.load(); {SAYS}"
COMMAND = f"from attention_engine.__main__ import main; main(['list']); {SAYS}"
LOADED = "import sys; from attention_engine import __main__, tasks, threads; print('torch' in sys.modules)"


def said(program: str, **environment: str) -> str:
    """The last line a fresh process prints, with these variables and no others about threads."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "MKL_"))}
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env=own | environment,
    )
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize("program", [WORKER, COMMAND])
def test_a_process_of_ours_has_one_thread_and_waits_passively(program: str) -> None:
    assert said(program) == "1 PASSIVE"


def test_what_was_configured_stays() -> None:
    assert said(COMMAND, OMP_NUM_THREADS="2", OMP_WAIT_POLICY="ACTIVE") == "2 ACTIVE"


@pytest.mark.parametrize("name", ["OMP_NUM_THREADS", "MKL_NUM_THREADS"])
def test_either_variable_says_how_many_threads_there_are(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for known in (*threads.DEFAULTS, "MKL_NUM_THREADS"):
        monkeypatch.delenv(known, raising=False)
    assert threads.unconfigured() == threads.DEFAULTS
    monkeypatch.setenv(name, "2")
    assert set(threads.DEFAULTS) - set(threads.unconfigured()) == {"OMP_NUM_THREADS"}


def test_nothing_loads_torch_before_it_is_prepared() -> None:
    assert said(LOADED) == "False"
