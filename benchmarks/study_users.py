"""Many learners who answer at once, through a real server of one process, as `manage.py up` starts it.

Each fetches a card, answers and rates it, then thinks for about five seconds, so that fifty of them are some
ten answers a second. What is timed is an answer as the learner waits for it: attempt and rating, one by one.
"""

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client

from benchmarks.study import Found, Goal
from benchmarks.study_rows import RIGHT, ZONE
from studyhub.operations.management.commands.up import web

GOAL = Goal(p95=120, anki="Anki has one user")
THINKS = 5.0  # seconds, on average
ANSWERS = 10  # of each learner
PATIENCE = 90.0
TOKEN = "t" * 32


def row(users: int) -> Found:
    """Answers of `users` learners, each with cards of its own to meet; the server's CPU is not known here."""
    cookies = [_signed_in(number) for number in range(users)]
    taken: list[float] = []
    wrong: list[str] = []
    began = time.perf_counter()
    with _server() as port:
        learners = [
            threading.Thread(target=_studies, args=(port, cookie, number, taken, wrong))
            for number, cookie in enumerate(cookies)
        ]
        for learner in learners:
            learner.start()
        for learner in learners:
            learner.join()
    told = f"{len(taken)} answers, {len(taken) / (time.perf_counter() - began):.1f} a second"
    name = f"answer, {users} learners at once, server"
    return Found(name, GOAL, taken or [0.0], (), notes=told, wrong="; ".join(wrong[:1]))


def _signed_in(number: int) -> str:
    user, client = get_user_model().objects.create(username=f"one of many {number}"), Client()
    client.force_login(user)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


def _studies(port: int, cookie: str, seed: int, taken: list[float], wrong: list[str]) -> None:
    """One learner; stops at the first answer that is not stored."""
    chance, line = random.Random(seed), http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {
        "Cookie": f"{cookie}; csrftoken={TOKEN}",
        "X-CSRFToken": TOKEN,
        "Content-Type": "application/json",
    }

    def asked(method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        line.request(method, f"/api/v1/{path}", json.dumps(body) if body else None, headers)
        answer = line.getresponse()
        told = answer.read()
        if answer.status not in (200, 201):
            raise RuntimeError(f"{method} {path}: {answer.status} {told[:200]!r}")
        return json.loads(told)

    try:
        time.sleep(chance.random() * THINKS)
        for _ in range(ANSWERS):
            taken.append(_answered(asked))
            time.sleep(chance.uniform(0.5, 1.5) * THINKS)
    except (RuntimeError, OSError, http.client.HTTPException) as error:
        wrong.append(str(error))


def _answered(asked: Any) -> float:
    """Seconds of attempt and rating together."""
    item = asked("GET", "study/queue?limit=1")[0]
    shown = {name: item[name] for name in ("card", "card_version", "variant_seed")}
    attempt, at = str(uuid.uuid4()), datetime.now(UTC).isoformat()
    began = time.perf_counter()
    asked("POST", "attempts", {**shown, "id": attempt, "response": {"text": RIGHT}, "elapsed_ms": 4000})
    rated = {"attempt": attempt, "rating": "good", "draw": item["draw"], "time_zone": ZONE, "answered_at": at}
    asked("POST", "reviews", {"id": str(uuid.uuid4()), **rated})
    return time.perf_counter() - began


@contextmanager
def _server() -> Iterator[int]:
    """The web process over the database of this run, on a port that was free."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    child = web("127.0.0.1", port)
    env = {**os.environ, **child.env, "DATABASE_URL": _address(), "REDIS_URL": ""}
    process = subprocess.Popen(child.command, cwd=child.folder, env=env, start_new_session=True)
    try:
        _wait_for(port)
        yield port
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _address() -> str:
    """DATABASE_URL of the database this process is connected to."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    given = urlsplit(os.environ["DATABASE_URL"])
    return urlunsplit(given._replace(path=f"/{name}"))


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        with suppress(OSError, http.client.HTTPException):
            line.request("GET", "/healthz")
            if line.getresponse().status < 500:
                return
        time.sleep(0.1)
    raise RuntimeError(f"the server did not answer within {PATIENCE:g} s")
