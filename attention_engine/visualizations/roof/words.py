"""What a sweep says of its measurements, each number as it was taken. Knows no clock and no tensor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attention_engine.frames import Cell
from attention_engine.kinds import roofline as kind
from attention_engine.kinds.roofline import MIB, WAYS, Way
from attention_engine.visualizations.roof.clock import typical_spread
from attention_engine.visualizations.roof.floors import Floor
from attention_engine.visualizations.roof.runs import Measured

ABSENT = "not measured"
COLUMNS = (
    "d_head",
    "heads",
    *(f"GFLOP/s, {way}" for way in WAYS),
    *(f"latency ms, {way}" for way in WAYS),
    "score maps MiB, written out",
    *(f"spread %, {way}" for way in WAYS),
    "SDPA kernel",
    "padded to",
)
ROOF_COLUMNS = ("what", "d_head", "FLOP a byte", "GFLOP/s", "roof GFLOP/s", "share %")
BUSY_SPREAD, BUSY_WAITED, BUSY_MOVED = 0.25, 0.10, 0.10
"""Shares above which others had the machine: between passes, off the CPU, floor against floor."""


@dataclass(frozen=True)
class Machine:
    """The device, and its floors before and after the sweep."""

    name: str
    dtype: str
    first: Floor
    copied: Floor
    last: Floor | None = None

    @property
    def peak(self) -> float:
        """FLOP/s: the better of the two measurements of the product."""
        return max(self.first.rate, self.last.rate if self.last else 0.0)

    @property
    def moved(self) -> float:
        """By which share the product was slower before or after."""
        if not self.last:
            return 0.0
        return self.peak / min(self.first.rate, self.last.rate) - 1

    @property
    def ridge(self) -> float:
        """FLOPs a byte at which arithmetic and memory take equally long."""
        return self.peak / self.copied.rate

    def roof(self, intensity: float) -> float:
        """FLOP/s that can be reached at so many FLOPs a byte (Williams, Waterman and Patterson 2009)."""
        return min(self.peak, intensity * self.copied.rate)


def figure(number: float) -> str:
    """Three digits: 0.0936, 3.24, 12.5, 1,024."""
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.3g}"


def rounded(number: float) -> float:
    """The same number as a table keeps it: four digits."""
    return float(f"{number:.4g}")


def machine(found: Machine) -> str:
    """The floors, and what they mean."""
    product, copied = found.first, found.copied
    return (
        f"{found.name}, {found.dtype}: a product of {product.size:,} x {product.size:,} matrices runs at "
        f"{figure(product.rate / 1e9)} GFLOP/s by {product.by}, a copy of {copied.size // MIB} MiB moves "
        f"{figure(copied.rate / 1e9)} GB/s. Above {figure(found.ridge)} FLOPs a byte arithmetic is "
        "the limit, below it memory."
    )


def point(both: Sequence[Measured], parameters: Mapping[str, Any]) -> str:
    """One width: heads, maps, both ways."""
    first = both[0].point
    each = [_way(one) for one in both]
    left = kind.remainder(first, parameters["d_model"])
    heads = f"{first.num_heads:,} head{'s' if first.num_heads != 1 else ''} of {first.d_head}"
    return f"{heads}: {', '.join(each)}.{f' {left}.' if left else ''}"


def _way(one: Measured) -> str:
    if one.samples is None:
        return f"{one.way} {ABSENT} ({one.why})"
    by = f" by {one.kernel}" if one.kernel else f" with {figure(one.map_bytes / MIB)} MiB of maps"
    many = len(one.samples.wall)
    best = f", the best of {many}" if many > 1 else ", one pass"
    return f"{one.way}{by} {figure(one.gflops)} GFLOP/s, there after {figure(one.ms)} ms{best}"


def row(both: Sequence[Measured], *, padded: Cell) -> tuple[Cell, ...]:
    """The cells of COLUMNS for one width; what was not measured says so."""
    by = {one.way: one for one in both}
    first = both[0].point
    return (
        first.d_head,
        first.num_heads,
        *(_cell(by[way], lambda one: one.gflops) for way in WAYS),
        *(_cell(by[way], lambda one: one.ms) for way in WAYS),
        _cell(by["written out"], lambda one: one.map_bytes / MIB),
        *(_cell(by[way], lambda one: 100 * one.samples.spread if one.samples else 0.0) for way in WAYS),
        by["SDPA"].kernel or ABSENT,
        padded,
    )


def _cell(one: Measured, number: Any) -> Cell:
    return rounded(number(one)) if one.samples else ABSENT


def measured(all_: Sequence[Measured], way: Way) -> list[Measured]:
    """What was measured in this way."""
    return [one for one in all_ if one.way == way and one.samples]


def sweep(all_: Sequence[Measured], found: Machine, parameters: Mapping[str, Any]) -> str:
    """Slowest against fastest width in each way, the kernel, what is absent, how quiet it was."""
    flops = 4 * parameters["tokens"] ** 2 * parameters["d_model"]
    said = [f"{flops:,} FLOPs at every width that divides d_model {parameters['d_model']:,}."]
    said += [_range(measured(all_, way), way) for way in WAYS]
    left = (kind.remainder(one.point, parameters["d_model"]) for one in all_[::2])
    said += [*(f"{one}." for one in left if one), absent(all_), quiet(all_, found)]
    return " ".join(one for one in said if one)


def _range(taken: Sequence[Measured], way: Way) -> str:
    if not taken:
        return ""
    fast, slow = max(taken, key=lambda one: one.gflops), min(taken, key=lambda one: one.gflops)
    name = "Written out" if way == "written out" else f"SDPA by {taken[0].kernel}"
    if fast is slow:
        return f"{name}: {figure(fast.gflops)} GFLOP/s at d_head {fast.point.d_head}."
    maps = (
        f", {_maps(slow)} against {_maps(fast)}" if way == "written out" else ", no map kept"
        if slow.kernel != "math" else ", maps made too"
    )  # fmt: skip
    return (
        f"{name}: {figure(slow.gflops)} GFLOP/s at d_head {slow.point.d_head}, "
        f"{figure(fast.gflops)} at {fast.point.d_head}{maps}."
    )


def _maps(one: Measured) -> str:
    many = one.point.num_heads
    return f"{many:,} map{'s' if many != 1 else ''} in {figure(one.map_bytes / MIB)} MiB"


def padding(points: Sequence[kind.Point], kernel: str, *, cuda: bool) -> str:
    """Which widths run in a wider kernel: on CUDA's flash; of a CPU none is known, and none is claimed."""
    wider = {p.d_head: kind.padded(p.d_head) for p in points if kind.padded(p.d_head) not in {0, p.d_head}}
    told = ", ".join(f"{width} as {padded}" for width, padded in wider.items())
    if cuda and kernel == "flash":
        return f"FlashAttention-2 runs {told} (its compiled widths)." if told else ""
    if cuda:
        return ""
    here = "No padding of heads is known of this CPU kernel"
    return f"{here}; on CUDA FlashAttention-2 would run {told}." if told else f"{here}."


def absent(all_: Sequence[Measured]) -> str:
    """What is missing and why, widths of one reason together."""
    why: dict[tuple[str, str], list[str]] = {}
    for one in all_:
        if one.samples is None:
            why.setdefault((one.way, one.why), []).append(str(one.point.d_head))
    return " ".join(
        f"{way[0].upper()}{way[1:]} at d_head {', '.join(widths)} is {ABSENT}: {reason}."
        for (way, reason), widths in why.items()
    )


def quiet(all_: Sequence[Measured], found: Machine) -> str:
    """Whether others had the machine meanwhile: passes that differ, time off the CPU, a floor that moved."""
    samples = [one.samples for one in all_ if one.samples]
    spread, waited = typical_spread(samples), max((one.waited for one in samples), default=0.0)
    signs = [
        f"passes of one point differ by {100 * spread:.0f}%" if spread > BUSY_SPREAD else "",
        f"a pass waited {100 * waited:.0f}% of its time for the CPU" if waited > BUSY_WAITED else "",
        f"the product changed by {100 * found.moved:.0f}% meanwhile" if found.moved > BUSY_MOVED else "",
    ]
    told = ", ".join(sign for sign in signs if sign)
    if not told:
        return ""
    return (
        f"The machine is busy: {told}. Throughput counts this thread's time alone; measure again for better."
    )


def roof_rows(all_: Sequence[Measured], found: Machine) -> tuple[tuple[Cell, ...], ...]:
    """The two floors, then every point that was measured, with its share of the roof above it."""
    floors: tuple[tuple[Cell, ...], ...] = (
        ("matmul peak", "", "", rounded(found.peak / 1e9), "", ""),
        ("copy, GB/s", "", "", rounded(found.copied.rate / 1e9), "", ""),
    )
    return floors + tuple(_roof_row(one, found) for way in WAYS for one in measured(all_, way))


def _roof_row(one: Measured, found: Machine) -> tuple[Cell, ...]:
    intensity = one.point.intensity(one.way)
    roof = found.roof(intensity) / 1e9
    cells = (intensity, one.gflops, roof, 100 * one.gflops / roof)
    return (one.way, one.point.d_head, *(rounded(cell) for cell in cells))


def roofline(all_: Sequence[Measured], found: Machine) -> str:
    """The best share of each way, which side of the ridge it lies on, and what lies above the roof."""
    said = [
        f"Roof: {figure(found.peak / 1e9)} GFLOP/s, and {figure(found.copied.rate / 1e9)} GB/s left of "
        f"{figure(found.ridge)} FLOPs a byte."
    ]
    said += [_share(measured(all_, way), found) for way in WAYS]
    over = [one for one in all_ if one.samples and _part(one, found) > 1]
    if over:
        why = "caches hold what a copy of main memory does not find there, or the floor had a worse moment"
        said.append(f"Above the roof: {_at(over)} ({why}).")
    return " ".join(one for one in said if one)


def _at(some: Sequence[Measured]) -> str:
    """ "written out at d_head 16, 32; SDPA at d_head 64"."""
    widths = {way: [str(one.point.d_head) for one in some if one.way == way] for way in WAYS}
    return "; ".join(f"{way} at d_head {', '.join(found)}" for way, found in widths.items() if found)


def _part(one: Measured, found: Machine) -> float:
    return one.gflops * 1e9 / found.roof(one.point.intensity(one.way))


def _share(taken: Sequence[Measured], found: Machine) -> str:
    if not taken:
        return ""
    best, worst = (choose(taken, key=lambda one: _part(one, found)) for choose in (max, min))
    under = sum(one.point.intensity(one.way) < found.ridge for one in taken)
    side = {0: "limited by arithmetic", len(taken): "limited by memory"}.get(under, "on both sides")
    at = f"{100 * _part(worst, found):.0f}% of its roof at d_head {worst.point.d_head}"
    top = f", {100 * _part(best, found):.0f}% at {best.point.d_head}" if best is not worst else ""
    return f"{taken[0].way[0].upper()}{taken[0].way[1:]}: {at}{top}, {side}."
