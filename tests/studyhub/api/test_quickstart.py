"""The commands of docs/api-quickstart.md, run in order against the whole service."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "api-quickstart.md"
START, RUN = 90, 150  # seconds at most

needs_tools = pytest.mark.skipif(
    not (shutil.which("bash") and shutil.which("curl")), reason="the page's commands need bash and curl"
)


def blocks() -> list[str]:
    """The page's commands, block by block."""
    return re.findall(r"^```bash\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def service(tmp_path):
    """`manage.py up` with folders of its own: (address, password of the demo learner)."""
    port, var = free_port(), tmp_path / "var"
    unset = ("DATABASE_URL", "REDIS_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    environment |= {"STUDYHUB_VAR": str(var), "STUDYHUB_FETCH_MODELS": "0"}
    command = [sys.executable, str(ROOT / "manage.py"), "up", "--port", str(port)]
    with (tmp_path / "up.log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            wait_for(f"http://127.0.0.1:{port}/healthz", process, tmp_path / "up.log")
            password = json.loads((var / "demo_accounts.json").read_text())["demo"]
            yield f"http://127.0.0.1:{port}", password
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def wait_for(address: str, process: subprocess.Popen, log: Path) -> None:
    """Until the web process answers."""
    deadline = time.monotonic() + START
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=1):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"the service did not start:\n{log.read_text()[-3000:]}")


def run(address: str, password: str, folder: Path) -> list[str]:
    """What each block printed."""
    folder.mkdir()
    script = "\n".join(f"echo '@@ {n}'\n{block}" for n, block in enumerate(blocks()))
    environment = {"PATH": os.environ["PATH"], "BASE": address, "NAME": "demo", "PASSWORD": password}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        check=False,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=RUN,
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return re.split(r"^@@ \d+\n", done.stdout, flags=re.MULTILINE)[1:]


@needs_tools
def test_the_page_does_the_whole_job(service, tmp_path):
    said = dict(zip(range(len(blocks())), run(*service, tmp_path / "shell"), strict=True))
    queue, grade, unreadable, events, error, tensor, due, again, void, goodbye = (
        said[n] for n in (2, 4, 5, 6, 7, 8, 9, 10, 11, 16)
    )
    events_of_a_device, written, reading, own = (said[n] for n in (12, 13, 14, 15))
    assert re.match(r"\d+ cards, the first: \S", queue)
    assert "incorrect" in grade
    assert re.search(r"768 = 10 ?[*×] ?76 \+ 8", grade)
    assert "\nagain " in grade
    assert "/problems/unreadable-answer" in unreadable
    assert "'response.text'" in unreadable
    assert events.rstrip().endswith("event: done")
    assert "event: frame" in events
    assert "invalid for input of size" in error  # torch's words
    assert re.search(r"^\d+ \(-?\d", tensor, re.MULTILINE)
    assert re.search(r"learning \d{4}-\d\d-\d\dT", due)
    assert again.strip() == "200"
    assert void.strip() == "new None"
    assert events_of_a_device.splitlines()[-1] == "unsuspend new"
    assert re.match(r"ticks \['kernels', ", written)
    assert "partial 0.8333 Suggested: Hard, 83 of 100 right" in written
    assert "12" in reading
    assert "incorrect heads_for_width" in own
    assert re.search(r"^\d+ vectors of choice$", own, re.MULTILINE)
    assert "'answer_type': 'numeric'" not in own  # the only rating was taken back
    assert goodbye.strip() == "401 Unauthorized"


def test_the_page_names_every_problem_type():
    from studyhub.api.problems.types import PROBLEM_TYPES

    named = set(re.findall(r"`/problems/([a-z-]+)`", PAGE.read_text()))
    assert named == set(PROBLEM_TYPES)
