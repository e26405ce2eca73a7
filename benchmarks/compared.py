"""A row of ours beside its peers and the floor of the same rounds. Knows no model and no goal's number."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks import floor
from benchmarks.harness import Timing, Variant, calls_for, fastest, ratio, steady
from benchmarks.rows import Row

OURS, FLOOR = "ours", "floor"


def compared(
    name: str,
    ours: Callable[[], Any],
    peers: Mapping[str, Callable[[], Any]],
    *,
    flops: float,
    rounds: int,
    held_to: Sequence[str] = (),
    **more: Any,
) -> tuple[Row, dict[str, Timing]]:
    """The row, and what every variant took. `flops` are those of the job; `held_to` names the peers among
    which the best is looked for, all of them unless said."""
    runs = {OURS: ours, **peers}
    variants = {called: Variant(run, calls_for(run)) for called, run in runs.items()}
    timings, stable = steady(variants | {FLOOR: floor.best_product()}, rounds, floor=FLOOR)
    best, share = fastest(timings, list(held_to) or list(peers)), floor.of_product(flops)
    row = Row(
        name=name,
        ours_ms=timings[OURS].ms,
        peer=best,
        peer_ms=timings[best].ms if best else 0.0,
        to_peer=ratio(timings[OURS], timings[best]) if best else None,
        floor_ms=timings[FLOOR].ms * share,
        to_floor=ratio(timings[OURS], timings[FLOOR], of_other=share),
        stable=stable,
        **more,
    )
    return row, timings
