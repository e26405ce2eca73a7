"""`manage.py up` for real: processes, ports, signals, a picture from request to last byte."""

import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from datetime import date, timedelta
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from attention_engine.spec import make_spec
from attention_engine.store import open_store
from studyhub.operations.management.commands.up import Command
from tests.serving import ROOT, Service, answers, call, free_port, running_service

pytestmark = [pytest.mark.xdist_group("up")]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service of our own on SQLite, whatever the suite runs on."""
    with running_service(tmp_path_factory.mktemp("up"), DATABASE_URL="", REDIS_URL="") as running:
        yield running


def bearer(service: Service, name: str = "demo") -> dict[str, str]:
    user, password = service.account(name)
    status, body = call(
        f"{service.url}/_allauth/app/v1/auth/login", body={"username": user, "password": password}
    )
    assert status == 200, body
    return {"Authorization": f"Bearer {body['meta']['access_token']}"}  # type: ignore[index]


def opened(
    service: Service, path: str, headers: dict[str, str], *, method: str = "GET", body: object = None
) -> HTTPResponse:
    connection = HTTPConnection("127.0.0.1", service.port, timeout=20)
    content = None if body is None else json.dumps(body)
    connection.request(method, path, content, headers | {"Content-Type": "application/json"})
    return connection.getresponse()


def test_it_prints_where_to_go_and_as_whom(service: Service) -> None:
    printed = service.printed()
    assert service.url in printed
    for name in ("demo", "author"):
        assert re.search(rf"{name} / [0-9a-f]{{12}}", printed)


def test_the_printed_accounts_can_sign_in(service: Service) -> None:
    assert bearer(service, "demo")
    assert bearer(service, "author")


def test_everything_is_reported_ready(service: Service) -> None:
    deadline = time.monotonic() + 20
    while True:
        _, report = call(f"{service.url}/readyz")
        if report == {"ready": True, "database": "ok", "broker": "ok", "frames": "ok", "worker": "ok"}:
            return
        assert time.monotonic() < deadline, report
        time.sleep(0.1)


def test_a_picture_comes_from_a_celery_worker_through_the_stream(service: Service) -> None:
    headers = bearer(service)
    body = {"kind": "head_split", "parameters": {"d_model": 768, "num_heads": 12}}
    status, picture = call(f"{service.url}/api/v1/visualizations", body=body, headers=headers)
    assert status == 202
    assert isinstance(picture, dict)
    stream = opened(service, picture["stream"], headers | {"Accept": "text/event-stream"}).read().decode()
    frames = [json.loads(data) for data in re.findall(r"event: frame\ndata: (.*)\n", stream)]
    assert [frame["step"] for frame in frames] == [
        "input", "project", "view", "transpose", "attend", "merge", "output",
    ]  # fmt: skip
    assert 'event: done\ndata: {"frames":7}' in stream
    for tensor in (tensor for frame in frames for tensor in frame["tensors"]):
        answer = opened(service, f"/api/v1/tensors/{tensor['sha256']}", headers)
        assert len(answer.read()) == tensor["bytes"]


def test_a_plan_for_an_interview_comes_from_a_job_of_the_worker(service: Service) -> None:
    headers, day = bearer(service), date.today() + timedelta(days=14)
    asked = {"day": day.isoformat(), "minutes_per_day": 10}
    answer = opened(service, "/api/v1/study/interview", headers, method="PUT", body=asked)
    assert answer.status == 202
    job = json.loads(answer.read())["job"]["id"]
    wait_until(lambda: call(f"{service.url}/api/v1/jobs/{job}", headers=headers)[1]["state"] == "done")
    _, interview = call(f"{service.url}/api/v1/study/interview", headers=headers)
    assert isinstance(interview, dict)
    assert interview["plan"]["cards"] > 0
    assert interview["plan"]["made_on"]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="reads /proc")
def test_an_open_stream_holds_no_database_connection(service: Service) -> None:
    headers, stream = bearer(service), open_forever(service)
    with opened(service, stream, headers) as answer:
        assert answer.readline() == b"retry: 2000\n"
        time.sleep(0.3)
        assert database_files(service) == []


def open_forever(service: Service, seed: int = 1) -> str:
    """The stream of a picture that stays unfinished: we take its lease ourselves."""
    store = open_store(f"sqlite:///{service.var / 'frames.sqlite3'}")
    spec = make_spec("head_split", {"d_model": 768, "num_heads": 12}, seed)
    assert store.start(store.claim(spec, "test").digest)
    return f"/api/v1/streams/{spec.digest()}"


def database_files(service: Service) -> list[str]:
    """What the web processes hold open of the learners' database."""
    held = []
    for pid in service.children("granian") + service.children("multiprocessing"):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            try:
                held.append(os.readlink(link))
            except OSError:
                continue
    return [name for name in held if "studyhub.sqlite3" in name]


def test_a_second_service_on_the_same_port_says_what_to_do(service: Service) -> None:
    second = subprocess.run(
        [sys.executable, "manage.py", "up", "--port", str(service.port)],
        cwd=ROOT, env=service.env, capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert second.returncode == 1
    assert f"make run PORT={service.port + 1}" in second.stderr


# ---- trouble and the end; each with a service of its own


def alive(pids: list[int]) -> list[int]:
    """Those of the processes that still run (a zombie does not)."""
    table = subprocess.run(["ps", "-eo", "pid,stat"], capture_output=True, text=True, check=True).stdout
    rows = (line.split() for line in table.splitlines()[1:])
    running = {int(pid) for pid, state in rows if not state.startswith("Z")}
    return [pid for pid in pids if pid in running]


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_with_an_open_stream_ends_everything(tmp_path: Path, how: signal.Signals) -> None:
    with running_service(tmp_path / "var", DATABASE_URL="", REDIS_URL="") as service:
        answer = opened(service, open_forever(service), bearer(service))
        assert answer.readline() == b"retry: 2000\n"
        family = service.children("")
        assert len(family) >= 2
        asked = time.monotonic()
        service.process.send_signal(how)
        status = service.process.wait(30)
        took = time.monotonic() - asked
        print(f"{how.name}: everything had ended after {took:.2f} s")  # noqa: T201
        assert status == 0
        assert took < 20  # under 2 s where nothing else runs; promised: 5
        assert alive(family) == []
        assert "StudyHub has ended." in service.printed()


@pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel of Linux")
def test_killing_the_supervisor_leaves_nobody_behind(tmp_path: Path) -> None:
    with running_service(tmp_path / "var", DATABASE_URL="", REDIS_URL="") as service:
        family = service.children("")
        assert len(family) >= 2
        service.process.kill()
        service.process.wait()
        wait_until(lambda: alive(family) == [])


def test_whoever_is_killed_comes_back_and_accounts_stay(tmp_path: Path) -> None:
    with running_service(tmp_path / "var", DATABASE_URL="", REDIS_URL="") as service:
        first = service.account("demo")
        assert service.kill("celery")
        assert service.kill("granian")
        wait_until(lambda: "web ended" in service.printed() and "worker ended" in service.printed())
        wait_until(lambda: answers(f"{service.url}/healthz") and bool(service.children("celery")))
    with running_service(tmp_path / "var", DATABASE_URL="", REDIS_URL="") as service:
        assert service.account("demo") == first


def test_a_taken_port_is_found_before_anything_is_started(tmp_path: Path) -> None:
    with socket.socket() as taken:
        port = free_port()
        taken.bind(("127.0.0.1", port))
        taken.listen()
        env = os.environ | {"STUDYHUB_VAR": str(tmp_path), "DATABASE_URL": "", "REDIS_URL": ""}
        done = subprocess.run(
            [sys.executable, "manage.py", "up", "--port", str(port)],
            cwd=ROOT, env=env, capture_output=True, text=True, timeout=30, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert "cannot listen" in done.stderr
    assert not (tmp_path / "studyhub.sqlite3").exists()


def wait_until(condition: object, seconds: float = 20) -> None:
    assert callable(condition)
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_probes_answer_quickly(service: Service) -> None:
    took = []
    for _ in range(20):
        began = time.monotonic()
        with urllib.request.urlopen(f"{service.url}/healthz", timeout=5) as answer:
            assert answer.read() == b"ok\n"
        took.append(time.monotonic() - began)
    assert sorted(took)[10] < 1  # 2 ms where nothing else runs


def test_where_no_demo_accounts_are_made_it_says_how_to_get_in() -> None:
    out = io.StringIO()
    Command(stdout=out)._greet("127.0.0.1", 8000, [])
    assert "http://127.0.0.1:8000/" in out.getvalue()
    assert "createsuperuser" in out.getvalue()
