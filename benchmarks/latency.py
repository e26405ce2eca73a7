"""From asking for a picture to its worker, and to its last frame, through a real worker on both brokers."""

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCAL_REDIS = "redis://127.0.0.1:6379/13"
LINE = "{:<8} {:<18} {:>9} {:>9} {:>9} {:>9}"
PATIENCE = 120.0  # seconds for one picture
EXECUTED = {"model": "bert-base", "num_heads": 10}
"""An answer torch refuses: 768 features do not split into 10 heads."""
WORDS_GOAL_MS = 150.0
"""p95 from the request to torch's own words, with a worker that is warm."""


@dataclass(frozen=True)
class Way:
    """Where messages and frames go; redis is "" for the two SQLite files in `var`."""

    name: str
    var: Path
    redis: str = ""

    @property
    def env(self) -> dict[str, str]:
        """What worker and web read."""
        return {"STUDYHUB_VAR": str(self.var), "REDIS_URL": self.redis, "DATABASE_URL": ""}


@dataclass(frozen=True)
class Times:
    """Of one picture, in ms from the request: a worker has it, a frame has torch's words, the last is there.

    Where torch has no word to say, its words are the last frame."""

    to_task: float
    to_words: float
    to_end: float


def main(*, jobs: int, only: str | None) -> int:
    """Prints a line for each broker and kind, and how soon torch's words are there; 1 where that is too late.

    A Redis that does not answer is skipped with one line."""
    late = False
    with tempfile.TemporaryDirectory() as folder:
        var = Path(folder)
        ways = {"sqlite": Way("SQLite", var), "redis": _redis_way(var)}
        set_up_django(var)
        print(f"{jobs} pictures of each kind, one after another; times in ms")
        print(LINE.format("broker", "kind", "to task", "p95", "to end", "p95"))
        for name, way in ways.items():
            if only in (None, name) and way is None:
                print("Redis: SKIPPED, nothing answers at REDIS_URL or on port 6379")
            elif only in (None, name) and way is not None:
                late |= _measure(way, jobs) > WORDS_GOAL_MS
    return int(late)


def p95(times: Sequence[float]) -> float:
    """The time that 95 of 100 do not exceed, by rank."""
    ranked = sorted(times)
    return ranked[max(0, -(-len(ranked) * 95 // 100) - 1)]


def set_up_django(var: Path) -> None:
    """Points this process at a folder of its own, with the trained models of the checkout."""
    os.environ |= {"DJANGO_SETTINGS_MODULE": "studyhub.settings", "STUDYHUB_VAR": str(var)}
    models = ROOT / "var" / "models"
    if models.is_dir():
        (var / "models").symlink_to(models)
    import django

    django.setup()


def _redis_way(var: Path) -> Way | None:
    import redis

    url = os.environ.pop("REDIS_URL", "") or LOCAL_REDIS
    try:
        with redis.Redis.from_url(url, socket_connect_timeout=1) as client:
            client.ping()
    except redis.RedisError:
        return None
    return Way("Redis", var, url)


def _measure(way: Way, jobs: int) -> float:
    """p95 in ms from asking for an answer's execution to torch's own words."""
    from attention_engine.spec import KINDS

    with _worker(way):
        for kind in KINDS:
            _drawn(kind, {}, seed=0)
        for kind in KINDS:
            times = [_drawn(kind, {}, seed=seed) for seed in range(1, jobs + 1)]
            print(_line(way, kind, times), flush=True)
        return _words(way, jobs)


def _words(way: Way, jobs: int) -> float:
    times = [_drawn("answer_executed", EXECUTED, seed=seed).to_words for seed in range(1, jobs + 1)]
    late = p95(times)
    told = f"median {statistics.median(times):.1f} ms, p95 {late:.1f} ms, goal {WORDS_GOAL_MS:g} ms"
    verdict = "PASS" if late <= WORDS_GOAL_MS else "FAIL"
    print(f"{way.name}: answer executed, request to torch's words, warm: {told}: {verdict}", flush=True)
    return late


def _line(way: Way, kind: str, times: Sequence[Times]) -> str:
    told = []
    for measured in ([one.to_task for one in times], [one.to_end for one in times]):
        told += [f"{statistics.median(measured):.1f}", f"{p95(measured):.1f}"]
    return LINE.format(way.name, kind, *told)


@contextmanager
def _worker(way: Way) -> Iterator[None]:
    """The worker as `manage.py up` starts it, and this process pointed at the same broker and store."""
    from django.conf import settings

    from studyhub.operations.management.commands.up import worker

    child = worker()
    settings.CELERY_BROKER_URL = way.redis or f"studyhubsqlite:///{way.var / 'broker.sqlite3'}"
    settings.FRAMES_URL = way.redis or f"sqlite:///{way.var / 'frames.sqlite3'}"
    process = subprocess.Popen(
        child.command,
        cwd=ROOT,
        env=os.environ | child.env | way.env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def _drawn(kind: str, parameters: Mapping[str, Any], *, seed: int) -> Times:
    """Asks for a picture nobody has asked for, and looks at it every ms."""
    from attention_engine.spec import make_spec
    from studyhub.delivery import read_frames, request_visualization

    run = int.from_bytes(os.urandom(3)) * 1000 + seed  # a seed no earlier run has used
    asked, taken, said = time.perf_counter(), 0.0, 0.0
    digest = request_visualization(make_spec(kind, dict(parameters), run % 2**31), "benchmark").digest
    while not (reading := read_frames(digest)).ended:
        now = time.perf_counter()
        taken = taken or (now if reading.state == "running" else 0.0)
        said = said or (now if any(_speaks(frame) for _, frame in reading.frames) else 0.0)
        if now - asked > PATIENCE:
            sys.exit(f"{kind} has not ended after {PATIENCE:g} s")
        time.sleep(0.001)
    ended = time.perf_counter()
    if reading.state != "done":
        sys.exit(f"{kind} failed: {reading.sentence}")
    return Times(*(1000 * ((at or ended) - asked) for at in (taken, said, ended)))


def _speaks(frame: Mapping[str, Any]) -> bool:
    """True of a frame that carries torch's own words."""
    return bool(frame["error"])
