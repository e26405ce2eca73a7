"""Hand-off and floods through real workers, ours against bare Celery: Q1 to Q3. Knows no goal's number.

Wall clock, not processor time: what is measured is how long somebody waits."""

import statistics
import tempfile
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.latency import set_up_django
from benchmarks.peers import bare_celery
from benchmarks.queue_workers import POOLS, Bare, Broker, Ours, held, redis_server, worker
from benchmarks.rows import Row

WAITING, SINGLE = 300, 150
TINY = {"d_model": 8, "num_heads": 2, "tokens": 1}
WORDS = "the animal did not cross the street because it was too tired and the road was far too wide"
INLINE = "the web process never imports torch: a small picture is drawn by a worker too, whatever it takes"


@dataclass(frozen=True)
class Handed:
    """Of lone requests one after another, in ms."""

    p50: float
    p99: float


def rows(rounds: int, *, quick: bool) -> Iterator[Row]:
    """Q1 as a line, then Q2 and Q3 on Redis and on SQLite. `rounds` is not asked for: jobs are counted."""
    del rounds
    yield Row("queue/inline", 0.0, skipped=f"does not apply: {INLINE}")
    with tempfile.TemporaryDirectory() as folder, redis_server() as redis:
        set_up_django(Path(folder))
        _room_for_all()
        for broker in (Broker("Redis", Path(folder), redis), Broker("SQLite", Path(folder))):
            if broker.name == "Redis" and not redis:
                yield Row("queue/Redis", 0.0, skipped="no redis-server or valkey-server to start")
            else:
                yield from _on(broker, pools=["threads"] if quick else list(POOLS), quick=quick)


def _room_for_all() -> None:
    """The product refuses the 201st unfinished picture; here 300 are to wait."""
    from attention_engine.store import contract

    contract.MAX_IN_ALL = 10 * WAITING


def _on(broker: Broker, *, pools: Sequence[str], quick: bool) -> Iterator[Row]:
    jobs, waiting = (SINGLE // 3, WAITING // 3) if quick else (SINGLE, WAITING)
    ours, bare, floods, bare_floods = {}, {}, {}, {}
    for pool in pools:
        ours[pool], floods[pool] = _ours(broker, pool, jobs, waiting)
        bare[pool], bare_floods[pool] = _bare(broker, pool, jobs, waiting)
    yield _handed(broker, ours, bare)
    yield _flooded(broker, floods, bare_floods, waiting)


def sentences(run: str, count: int) -> list[Any]:
    """Specs of MiniLM on sentences of 9 words that no other run has drawn, each another head."""
    return [_sentence(f"{run}{n}", n) for n in range(count)]


def _sentence(first: str, n: int) -> Any:
    from attention_engine.spec import make_spec

    text = " ".join([first, *WORDS.split()[n % 9 : n % 9 + 8]])
    numbers = {"model": "minilm", "sentence": text, "layer": n % 6, "head": n % 12}
    return make_spec("attention_pattern", numbers)


def _ours(broker: Broker, pool: str, jobs: int, waiting: int) -> tuple[Handed, float]:
    """Lone hand-offs, and pictures a second of a flood."""
    from attention_engine.spec import make_spec

    asks, run = Ours(broker), f"{broker.name}{pool}"
    with worker(broker, pool) as process:
        asks.wait([asks.ask(spec, "warm") for spec in sentences(f"warm{run}", 2)], 0.01)
        _settled(asks, run)
        times = []
        for n in range(jobs):
            spec = make_spec("head_split", TINY, 100_000 * (list(POOLS).index(pool) + 1) + n)
            started = time.perf_counter()
            asks.wait([asks.ask(spec, "lone")])
            times.append(time.perf_counter() - started)
        with held(process):
            digests = [asks.ask(spec, str(n // 3)) for n, spec in enumerate(sentences(run, waiting))]
            started = time.perf_counter()
        asks.wait(digests, 0.005)
        return _summed(times), waiting / (time.perf_counter() - started)


def _settled(asks: Ours, run: str) -> None:
    """Until the warm-up beside the first pictures is over: ten of them in a row take little."""
    from attention_engine.spec import make_spec

    quick = 0
    for n in range(400):
        seed, started = 10_000_000 + zlib.crc32(f"{run}{n}".encode()) % 10**8, time.perf_counter()
        asks.wait([asks.ask(make_spec("head_split", TINY, seed), "settle")], 0.001)
        quick = quick + 1 if time.perf_counter() - started < 0.05 else 0
        if quick == 10:
            return
        time.sleep(0.05)


def _bare(broker: Broker, pool: str, jobs: int, waiting: int) -> tuple[Handed, float]:
    asks = Bare(broker)
    with worker(broker, pool, bare=True) as process:
        specs = [spec.as_json() for spec in sentences(f"bare{broker.name}{pool}", waiting)]
        asks.wait([asks.ask("bare.draw", spec) for spec in specs[:4]])
        times = []
        for _ in range(jobs):
            started = time.perf_counter()
            asks.wait([asks.ask("bare.noop")])
            times.append(time.perf_counter() - started)
        with held(process):
            results = [asks.ask("bare.draw", spec) for spec in specs]
            started = time.perf_counter()
        asks.wait(results, 0.005)
        taken = time.perf_counter() - started
    asks.close()
    return _summed(times), waiting / taken


def _summed(seconds: Sequence[float]) -> Handed:
    ranked = sorted(1000 * one for one in seconds)
    return Handed(statistics.median(ranked), ranked[int(0.99 * (len(ranked) - 1))])


def _handed(broker: Broker, ours: Mapping[str, Handed], bare: Mapping[str, Handed]) -> Row:
    """Q2: what a request costs past the drawing itself, of the best pool; the others are told."""
    best = min(ours, key=lambda pool: ours[pool].p50)
    parts = _parts(broker)
    over = max(0.001, ours[best].p50 - parts["drawing"])
    values = {"p50_ms": over, "p99_ms": ours[best].p99 - parts["drawing"], "us_to_look": parts.pop("look")}
    values |= {f"of_{pool}": bare[pool].p50 / over for pool in bare}
    told = [f"{pool} {one.p50:.2f} ms, bare {bare[pool].p50:.2f} ms" for pool, one in ours.items()]
    split = ", ".join(f"{name} {ms:.2f} ms" for name, ms in parts.items())
    rest = ours[best].p50 - sum(parts.values())
    cause = f"of {ours[best].p50:.2f} ms by {best}: {split}, through Celery and broker {rest:.2f} ms"
    return Row(f"queue/hand-off {broker.name}", 0.0, values=values, notes=(*told, cause))


def _parts(broker: Broker) -> dict[str, float]:
    """Median ms of what a lone tiny picture is made of, each alone in this process; `look` in us."""
    from attention_engine import drawing, engine
    from attention_engine.spec import make_spec

    asks, taken = Ours(broker), []
    store = asks.store
    for n in range(60):
        spec = make_spec("head_split", TINY, 200_000_000 + n)
        at = [time.perf_counter()]
        digest = store.claim(spec, "parts").digest
        at.append(time.perf_counter())
        list(engine.render(spec))
        at.append(time.perf_counter())
        drawing.draw(store, digest)
        at.append(time.perf_counter())
        _look(broker)
        at.append(time.perf_counter())
        taken.append([1000 * (later - sooner) for sooner, later in pairwise(at)])
    claim, render, drawn, look = (statistics.median(column) for column in zip(*taken, strict=True))
    return {"claim": claim, "drawing": render, "store": drawn - render, "look": 1000 * look}


def _look(broker: Broker) -> None:
    """What a lone picture pays for batching: whether anything waits."""
    from celery import Celery

    from attention_engine import draining

    if broker.name not in _LOOKS:
        _LOOKS[broker.name] = Celery("looks", broker=broker.messages, set_as_current=False)
        draining._forget()
    list(draining.waiting(_LOOKS[broker.name], "none", flops=0, share=1, queue="nothing-waits"))


_LOOKS: dict[str, Any] = {}


def _flooded(broker: Broker, floods: Mapping[str, float], bare: Mapping[str, float], waiting: int) -> Row:
    """Q3: pictures a second of a worker under a flood, against this process alone and bare Celery."""
    alone, together = _in_process(broker, waiting // 3)
    best, best_bare = max(floods.values()), max(bare.values())
    one = floods.get("solo", best)
    values = {"a_second": best, "of_in_process": one / together, "of_bare": best / best_bare}
    told = [f"{pool} {floods[pool]:.0f}/s, {bare_celery.NAME} {bare[pool]:.0f}/s" for pool in floods]
    split = f"in this process {together:.0f}/s stored together, {alone:.0f}/s drawn one by one and not stored"
    return Row(f"queue/{WAITING} waiting {broker.name}", 0.0, values=values, notes=(*told, split))


def _in_process(broker: Broker, count: int) -> tuple[float, float]:
    """Pictures a second of this process on one thread: alone and given away, together and stored."""
    from attention_engine import drawing, engine
    from attention_engine.draining import MOST_TOGETHER

    store = Ours(broker).store
    started = time.perf_counter()
    for spec in sentences(f"alone{broker.name}", count):
        list(engine.render(spec))
    alone = count / (time.perf_counter() - started)
    digests = [
        store.claim(spec, str(n // 3)).digest for n, spec in enumerate(sentences(f"in{broker.name}", count))
    ]
    started = time.perf_counter()
    for first in range(0, count, MOST_TOGETHER):
        drawing.draw_together(store, digests[first : first + MOST_TOGETHER])
    return alone, count / (time.perf_counter() - started)
