"""One measured row, the goal it is held to, and its line. Measures nothing."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchmarks.harness import Ratio

GOALS = Path(__file__).with_name("goals.toml")
QUICK_MARGIN = 1.25
LEAD = 2.0
"""How much faster than torch's own product a path must be for goals that build on it."""


@dataclass(frozen=True)
class Row:
    """What one benchmark found. Times are CPU milliseconds; `values` are what a goal may name besides."""

    name: str
    ours_ms: float
    peer: str = ""
    peer_ms: float = 0.0
    to_peer: Ratio | None = None
    floor_ms: float = 0.0
    to_floor: Ratio | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    notes: Sequence[str] = ()
    stable: bool = True
    missing: Sequence[str] = ()
    """Peers that are not installed."""
    skipped: str = ""
    """Why nothing was measured, or ""."""
    wrong: str = ""
    """Why ours was not timed: it does not compute what its peer computes."""


@dataclass(frozen=True)
class Judged:
    """A row with its verdict: PASS, FAIL, UNSTABLE, SKIP, or "" where no goal names it."""

    row: Row
    goal: str
    verdict: str
    missed: Sequence[str]
    line: str


@lru_cache(maxsize=1)
def goals() -> dict[str, dict[str, Any]]:
    """Goals by the row they name."""
    return {goal["row"]: goal for goal in tomllib.loads(GOALS.read_text())["goal"]}


def judge(row: Row, *, lead: float, quick: bool) -> Judged:
    """Holds a row to its goal; `lead` is how many times the best path beats torch's own product here."""
    goal = goals().get(row.name, {})
    bounds = _bounds(goal, lead=lead, margin=QUICK_MARGIN if quick else 1.0)
    missed = [name for name, (sign, bound) in bounds.items() if not _holds(row, name, sign, bound)]
    verdict = _verdict(row, bool(goal), missed)
    return Judged(row, goal.get("id", ""), verdict, missed, _line(row, goal, bounds, missed, verdict))


def _verdict(row: Row, asked: bool, missed: Sequence[str]) -> str:
    if row.skipped:
        return "SKIP"
    if row.wrong:
        return "FAIL"
    if not asked:
        return ""
    if not row.stable:
        return "UNSTABLE"
    return "FAIL" if missed else "PASS"


def _bounds(goal: Mapping[str, Any], *, lead: float, margin: float) -> dict[str, tuple[str, float]]:
    """Name -> ("<=" or ">=", number)."""
    asked = dict(goal)
    if lead < LEAD and "to_peer_without_lead" in asked:
        asked["to_peer"] = asked["to_peer_without_lead"]
    bounds = {name: ("<=", asked[name] * margin) for name in ("to_peer", "to_floor") if name in asked}
    bounds |= {name: ("<=", number * margin) for name, number in asked.get("at_most", {}).items()}
    return bounds | {name: (">=", number / margin) for name, number in asked.get("at_least", {}).items()}


def _holds(row: Row, name: str, sign: str, bound: float) -> bool:
    value = _value(row, name)
    if value is None:
        return True  # nothing measured: a peer is missing, and the row says so
    return value <= bound if sign == "<=" else value >= bound


def _value(row: Row, name: str) -> float | None:
    if name in {"to_peer", "to_floor"}:
        found: Ratio | None = getattr(row, name)
        return found.median if found else None
    return row.values.get(name)


def _line(
    row: Row,
    goal: Mapping[str, Any],
    bounds: Mapping[str, tuple[str, float]],
    missed: Sequence[str],
    verdict: str,
) -> str:
    if row.skipped or row.wrong:
        return f"{goal.get('id', '  '):<2} {row.name} | {verdict}: {row.skipped or row.wrong}"
    parts = [f"{goal.get('id', '  '):<2} {row.name}", *_timed(row, bounds)]
    parts += [_valued(row, name, bounds) for name in row.values]
    parts += [*row.notes, *(f"SKIP peer {peer}: not installed" for peer in row.missing)]
    told = f"{verdict} ({', '.join(missed)})" if verdict == "FAIL" else verdict
    return " | ".join(part for part in [*parts, told] if part)


def _timed(row: Row, bounds: Mapping[str, tuple[str, float]]) -> Iterator[str]:
    if row.ours_ms:
        yield f"ours {_ms(row.ours_ms)}"
    for title, ms, ratio, name in (
        (f"best peer {row.peer}", row.peer_ms, row.to_peer, "to_peer"),
        ("floor", row.floor_ms, row.to_floor, "to_floor"),
    ):
        if ratio:
            yield f"{title} {_ms(ms)}"
            yield f"{ratio}{_goal(name, bounds)}"


def _valued(row: Row, name: str, bounds: Mapping[str, tuple[str, float]]) -> str:
    return f"{name} {row.values[name]:.3g}{_goal(name, bounds)}"


def _goal(name: str, bounds: Mapping[str, tuple[str, float]]) -> str:
    return f" goal {bounds[name][0]} {bounds[name][1]:.3g}" if name in bounds else ""


def _ms(ms: float) -> str:
    return f"{1000 * ms:.1f} us" if ms < 0.1 else f"{ms:.3g} ms" if ms < 1000 else f"{ms:.0f} ms"
