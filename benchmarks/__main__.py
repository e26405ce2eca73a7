"""The command line of the benchmarks: names in one run, floor first. Measures nothing itself."""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from attention_engine import threads

JUDGED = ("floor", "engine", "payload", "model", "embed", "queue")
"""Modules whose `rows` are held to goals.toml, in one run that begins with the floor."""
Options = Callable[[argparse.Namespace], dict[str, Any]]
OTHERS: dict[str, Options] = {
    "latency": lambda given: {"jobs": given.jobs, "only": given.only},
    "cold": lambda given: {"rounds": 1 if given.quick else 3},
    "grading": lambda given: {"rounds": given.rounds or QUICK_ROUNDS},
    "ratings": lambda _given: {},
    "spread": lambda given: {"seeds": 1 if given.quick else 3},
    "fsrs": lambda given: {"long": given.long},
    "study": lambda given: {"scale": given.scale, "users": given.users},
    "gpu": lambda given: {"rounds": given.rounds},
}
"""Modules that print what they find themselves, with what each `main` is given."""
NAMES = (*JUDGED, *OTHERS)
ROUNDS, QUICK_ROUNDS = 15, 5
PACKAGES = (
    "torch", "numpy", "transformers", "sentence-transformers", "bertviz", "onnxruntime", "zstandard",
    "safetensors", "celery", "redis",
)  # fmt: skip


def main() -> int:
    """Runs the named benchmarks; 1 where a goal is missed, or with --strict one could not be judged."""
    arguments = _parser().parse_args()
    threads.prepare()
    failed = 0
    if measured := [name for name in JUDGED if name in arguments.names]:
        failed = _judged(measured, arguments)
    for name, options in OTHERS.items():
        if name in arguments.names:
            failed = max(failed, import_module(f"benchmarks.{name}").main(**options(arguments)))
    return failed


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("names", nargs="+", choices=NAMES, help="what to measure, in one run")
    parser.add_argument("--quick", action="store_true", help="5 rounds, margins 1.25x looser, no 3 GiB peer")
    parser.add_argument("--rounds", type=int, default=0, help=f"rounds of each row (default: {ROUNDS})")
    parser.add_argument(
        "--strict", action="store_true", help="fail too where something was skipped or unstable"
    )
    parser.add_argument("--json", type=Path, metavar="OUT", help="write what was found there")
    parser.add_argument("--against", type=Path, metavar="OLD", help="compare with what was written before")
    parser.add_argument("--jobs", type=int, default=20, help="latency: pictures of each kind (default: 20)")
    parser.add_argument("--only", choices=("sqlite", "redis"), help="latency: one of the two brokers")
    parser.add_argument("--long", action="store_true", help="fsrs: py-fsrs on 20,000 reviews, not 1,000")
    parser.add_argument("--scale", type=float, default=1.0, help="study: a share of its rows (default: all)")
    parser.add_argument("--users", type=int, default=0, help="study: so many learners answer at once, too")
    return parser


def _judged(names: list[str], arguments: argparse.Namespace) -> int:
    """Rows as they come, then how many goals held."""
    from benchmarks import floor
    from benchmarks.rows import judge

    print(_machine_line(), flush=True)
    old = _old_rows(arguments.against)
    quick, found = arguments.quick, []
    for row in _rows(names, arguments.rounds or (QUICK_ROUNDS if quick else ROUNDS), quick=quick):
        judged = judge(row, lead=floor.lead(), quick=quick)
        found.append(judged)
        print(judged.line + _change(row.name, row.ours_ms, old), flush=True)
    verdicts = [judged.verdict for judged in found if judged.verdict]
    counted = {verdict: verdicts.count(verdict) for verdict in ("PASS", "FAIL", "UNSTABLE", "SKIP")}
    print(", ".join(f"{count} {verdict}" for verdict, count in counted.items()))
    if arguments.json:
        arguments.json.write_text(json.dumps(_as_json(found), indent=1) + "\n")
    unjudged = counted["UNSTABLE"] + counted["SKIP"] + sum(bool(judged.row.missing) for judged in found)
    return int(counted["FAIL"] > 0 or (arguments.strict and unjudged > 0))


def _rows(names: list[str], rounds: int, *, quick: bool) -> Iterator[Any]:
    import torch

    from attention_engine.device import settle

    settle(torch.device("cpu"))
    for name in names:
        yield from import_module(f"benchmarks.{name}").rows(rounds, quick=quick)


def _machine() -> dict[str, Any]:
    """What a number depends on: processor, versions, load, threads."""
    import torch

    return {
        "processor": _processor(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "wait_policy": os.environ.get("OMP_WAIT_POLICY", ""),
        "load": round(os.getloadavg()[0], 2),
        "python": sys.version.split()[0],
        "packages": {name: _version(name) for name in PACKAGES},
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "seed": 0,
    }


def _machine_line() -> str:
    told = _machine()
    packages = ", ".join(f"{name} {number}" for name, number in told["packages"].items() if number)
    return (
        f"{told['processor']}, {told['instructions']}, {told['cores']} cores, {told['threads']} thread, "
        f"load {told['load']}; {packages}; CPU times, median of rounds, ratios with 90 % intervals"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return "processor unknown"
    return next(
        (line.split(":")[1].strip() for line in lines if line.startswith("model name")), "processor unknown"
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _as_json(found: list[Any]) -> dict[str, Any]:
    rows = [
        {"goal": judged.goal, "verdict": judged.verdict, "missed": list(judged.missed), "line": judged.line}
        | {name: _plain(value) for name, value in vars(judged.row).items()}
        for judged in found
    ]
    return {"machine": _machine(), "rows": rows}


def _plain(value: Any) -> Any:
    return vars(value) if hasattr(value, "__dataclass_fields__") else value


def _old_rows(path: Path | None) -> dict[str, float]:
    if path is None:
        return {}
    return {row["name"]: row["ours_ms"] for row in json.loads(path.read_text())["rows"]}


def _change(name: str, ours_ms: float, old: dict[str, float]) -> str:
    before = old.get(name, 0.0)
    return f" | x{ours_ms / before:.2f} of before" if before and ours_ms else ""


if __name__ == "__main__":
    raise SystemExit(main())
