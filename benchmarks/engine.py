"""The engine's goals A1 to A5, each against its peers in the same rounds. Knows no goal's number."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from attention_engine import gaussian
from attention_engine.attention import attend_output, attention_weights, shown_weights
from attention_engine.device import Chance
from attention_engine.heads import merge_heads
from attention_engine.kernels import Linear
from attention_engine.pipeline import trace
from attention_engine.trained import encoder, seeded
from attention_engine.trained.encoder import Encoder, Scratch, SelfAttention, Sizes
from benchmarks import floor
from benchmarks.harness import Timing, Variant, calls_for, fastest, interleaved, ratio, steady
from benchmarks.peers import nn_mha, transformers
from benchmarks.rows import Row

CPU = torch.device("cpu")
OURS, FLOOR = "ours", "floor"
D_MODEL, NUM_HEADS, D_HEAD = 768, 12, 64
WIDE, WIDE_HEADS, WIDE_TOKENS = 12288, 96, 16
SAME_MAP = 5e-6
MIB = 2**20
NEEDED_KIB = 6 * 2**20
"""Free memory below which a layer with real GPT-3 matrices is not made."""


def rows(rounds: int, *, quick: bool) -> Iterator[Row]:
    """A1 to A5, in order."""
    for tokens in (32, 128, 512):
        yield all_stages(tokens, rounds if tokens < 512 else max(5, rounds // 2))
    for tokens in (32, 128):
        yield all_maps(tokens, max(5, rounds // 2))
    yield wide_layer(rounds, heavy=not quick)
    yield one_trace(rounds, checked=100 if quick else 1000)
    yield one_head_shown(max(5, rounds // 3))


def all_stages(tokens: int, rounds: int) -> Row:
    """A1: every stage of every head of one layer of BERT-base's width."""
    name, weights, x = f"engine/all-stages f32 T={tokens}", _layer_weights(), _rows(tokens, D_MODEL)
    ours, peers = _our_layer(x, weights), {nn_mha.NAME: nn_mha.attention(x, weights, NUM_HEADS)}
    missing = [] if transformers.installed() else [transformers.NAME]
    if not missing:
        peers[transformers.NAME] = transformers.attention(x, weights, NUM_HEADS)
    maps, output = ours()
    error = max(float((maps - theirs()[1]).abs().max()) for theirs in peers.values())
    apart = max(float((output - theirs()[0]).abs().max()) for theirs in peers.values())
    if error > SAME_MAP or apart > 1e-4:
        return Row(name, 0.0, wrong=f"maps differ by {error:.1e}, outputs by {apart:.1e}")
    flops = 8 * tokens * D_MODEL**2 + 4 * tokens**2 * D_MODEL
    timings, stable = _rounds({OURS: ours, **peers}, rounds, floor.best_product())
    return _row(
        name,
        timings,
        list(peers),
        share=floor.of_product(flops),
        values={"error": error},
        stable=stable,
        missing=missing,
    )


def all_maps(tokens: int, rounds: int) -> Row:
    """A2: 12 layers with all 144 maps, each layer's bytes kept as soon as they are ready."""
    name = f"engine/bert-base all maps T={tokens}"
    if not transformers.installed():
        return Row(name, 0.0, skipped="transformers is not installed: pip install '.[bench]'")
    sizes = Sizes()
    weights = encoder.random_weights(sizes, Chance(0, CPU))
    ours = Encoder(weights, sizes, rows=tokens)
    ids = torch.arange(tokens) * 31 % sizes.vocabulary
    theirs = transformers.encoder(ids, weights, num_heads=sizes.num_heads, layers=sizes.layers)
    exact = (attention_weights(heads.q, heads.k) for heads in ours.heads(ids))
    error = max(float((mine - other).abs().max()) for mine, other in zip(exact, theirs(), strict=True))
    if error > SAME_MAP:
        return Row(name, 0.0, wrong=f"maps differ by {error:.1e}")
    variants = {OURS: lambda: list(ours.maps(ids)), transformers.NAME: theirs}
    timings, stable = _rounds(variants, rounds, floor.best_product())
    layer = 24 * tokens * D_MODEL**2 + 4 * tokens**2 * D_MODEL
    values = {"error": error, "beyond_MiB": _beyond(ours, ids)}
    share = floor.of_product(sizes.layers * layer)
    return _row(name, timings, [transformers.NAME], share=share, values=values, stable=stable)


def _beyond(model: Encoder, ids: torch.Tensor) -> float:
    """MiB at the peak past the pass without maps, the bytes of all maps and one layer of them in float32."""
    without, asked = _peak(lambda: model.run(ids)), _peak(lambda: list(model.maps(ids)))
    maps = model.sizes.num_heads * len(ids) ** 2
    return (asked - without - maps * (model.sizes.layers + 4)) / MIB


def wide_layer(rounds: int, *, heavy: bool) -> Row:
    """A3: 96 heads and the output of a layer of GPT-3's width, against layers that make their matrices."""
    x = _rows(WIDE_TOKENS, WIDE)
    root = gaussian.root(x).double()
    error = float((root @ root.T - x.double() @ x.double().T / WIDE).abs().max())
    normals = torch.empty(4 * WIDE_TOKENS * WIDE)
    variants = {OURS: Variant(lambda: _by_law(x), 3), FLOOR: _times(floor.normals(normals), 3)}
    timings, stable = steady(variants, rounds, floor=FLOOR)
    peak = (_peak(lambda: _by_law(x)) - 4 * x.numel()) / MIB
    values = {"ms": timings[OURS].ms, "peak_MiB": peak, "error": error}
    heavy = heavy and _free_kib() > NEEDED_KIB
    notes = () if heavy else ("peers left out: --quick, or less than 6 GiB free",)
    peers: dict[str, Timing] = {}
    if heavy:
        made = {nn_mha.NAME: lambda: nn_mha.fresh(x, WIDE_HEADS), "streamed matrices": lambda: _streamed(x)}
        peers = interleaved({name: Variant(run) for name, run in made.items()}, 2)
    row = _row(
        "engine/gpt-3 layer by law T=16", timings, [], share=1.0, values=values, stable=stable, notes=notes
    )
    return _with_peers(row, timings[OURS], peers)


def _with_peers(row: Row, ours: Timing, peers: Mapping[str, Timing]) -> Row:
    """The row with peers too slow to run in every round: two of theirs against the first two of ours."""
    best = fastest(peers, list(peers))
    if not best:
        return row
    first = Timing(ours.cpu[: len(peers[best].cpu)], ours.wall[: len(peers[best].cpu)])
    return Row(**vars(row) | {"peer": best, "peer_ms": peers[best].ms, "to_peer": ratio(first, peers[best])})


def one_trace(rounds: int, *, checked: int) -> Row:
    """A4: every shape, stride and contiguity of one layer, against running it without memory."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    from tests.attention_engine.test_pipeline import drawn, made_by_torch, told

    name, chance = "engine/trace of one layer", random.Random(0)
    layers = [drawn(chance) for _ in range(checked)]
    unequal = sum(trace(**sizes) != told(sizes) for sizes in layers)
    if unequal:
        return Row(name, 0.0, wrong=f"{unequal} of {checked} layers differ from the meta device")
    bert = {"batch": 2, "tokens": 32, "d_model": D_MODEL, "num_heads": NUM_HEADS, "d_head": D_HEAD}

    def faked() -> None:
        with FakeTensorMode(allow_non_fake_inputs=True):
            made_by_torch(bert)

    runs = {OURS: lambda: trace(**bert), "meta device": lambda: told(bert), "FakeTensorMode": faked}
    timings, stable = _rounds(runs, rounds, floor.best_product())
    fake = ratio(timings[OURS], timings["FakeTensorMode"])
    values = {"us": 1000 * timings[OURS].ms, "unequal": unequal, "share_of_fake_tensors": fake.median}
    return _row(name, timings, ["meta device"], share=0.0, values=values, stable=stable)


def one_head_shown(rounds: int) -> Row:
    """A5: 2,048 tokens, the output of all heads and the map of one, against the maps of all."""
    tokens, name = 2048, "engine/one head shown T=2048"
    q, k, v = (Chance(n, CPU).normal((NUM_HEADS, tokens, D_HEAD)) for n in range(3))

    def shown() -> tuple[torch.Tensor, torch.Tensor]:
        return attend_output(q, k, v), shown_weights(q, k, head=5)

    def every() -> tuple[torch.Tensor, torch.Tensor]:
        maps = attention_weights(q, k)
        return maps @ v, maps

    (output, one), (wanted, maps) = shown(), every()
    error = max(float((output - wanted).abs().max()), float((one - maps[5]).abs().max()))
    memory = one.numel() / maps.numel()
    del output, wanted, one, maps
    timings, stable = _rounds({OURS: shown, "all maps": every}, rounds, floor.best_product())
    values = {"error": error, "memory": memory}
    share = floor.of_product(4 * tokens**2 * NUM_HEADS * D_HEAD)
    return _row(name, timings, ["all maps"], share=share, values=values, stable=stable)


def _rounds(
    runs: Mapping[str, Callable[[], Any]], rounds: int, best: Variant
) -> tuple[dict[str, Timing], bool]:
    variants = {name: Variant(run, calls_for(run)) for name, run in runs.items()}
    return steady({**variants, FLOOR: best}, rounds, floor=FLOOR)


def _row(
    name: str,
    timings: Mapping[str, Timing],
    peers: Sequence[str],
    *,
    share: float,
    values: Mapping[str, float],
    stable: bool,
    missing: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Row:
    """`share` is what part of the floor's work this job is; 0 where no floor applies."""
    ours, best = timings[OURS], fastest(timings, peers)
    return Row(
        name=name,
        ours_ms=ours.ms,
        peer=best,
        peer_ms=timings[best].ms if best else 0.0,
        to_peer=ratio(ours, timings[best]) if best else None,
        floor_ms=timings[FLOOR].ms * share,
        to_floor=ratio(ours, timings[FLOOR], of_other=share) if share else None,
        values=values,
        stable=stable,
        missing=missing,
        notes=notes,
    )


def _times(variant: Variant, calls: int) -> Variant:
    return Variant(variant.run, calls)


def _rows(tokens: int, d_model: int) -> torch.Tensor:
    return Chance(1, CPU).normal((tokens, d_model))


def _layer_weights() -> dict[str, torch.Tensor]:
    chance = Chance(2, CPU)
    made = {
        name: chance.normal((D_MODEL, D_MODEL), deviation=D_MODEL**-0.5) for name in ("q", "k", "v", "out")
    }
    return made | {f"{name}_bias": chance.normal((D_MODEL,), deviation=0.1) for name in list(made)}


def _our_layer(
    x: torch.Tensor, weights: Mapping[str, torch.Tensor]
) -> Callable[[], tuple[torch.Tensor, torch.Tensor]]:
    packed = torch.cat([weights[name] for name in "qkv"]), torch.cat([weights[f"{n}_bias"] for n in "qkv"])
    out = Linear(weights["out"], weights["out_bias"], rows=len(x))
    attention, scratch = SelfAttention(Linear(*packed, rows=len(x)), out, NUM_HEADS), Scratch()

    def run() -> tuple[torch.Tensor, torch.Tensor]:
        _, stages, output = attention.stages(x, scratch)
        return stages.weights, output

    return run


def _by_law(x: torch.Tensor) -> torch.Tensor:
    chance = Chance(0, CPU)
    heads = seeded.by_law(x, chance, seeded.Widths(WIDE, WIDE_HEADS, WIDE // WIDE_HEADS))
    mixed = attend_output(heads.q, heads.k, heads.v)
    (output,) = gaussian.project(merge_heads(mixed[None])[0], [WIDE], chance)
    return output


def _streamed(x: torch.Tensor) -> torch.Tensor:
    """The same layer with each of its four matrices drawn, used and given up."""
    chance = Chance(0, CPU)
    q, k, v = (
        (x @ chance.normal((WIDE, WIDE), deviation=WIDE**-0.5)).view(len(x), WIDE_HEADS, -1).transpose(0, 1)
        for _ in range(3)
    )
    merged = attend_output(q, k, v).transpose(0, 1).reshape(len(x), WIDE)
    return merged @ chance.normal((WIDE, WIDE), deviation=WIDE**-0.5)


def _peak(run: Callable[[], Any]) -> int:
    """Bytes held at once, tensors and numpy arrays, by the meter of the tests."""
    from tests.attention_engine.memory import measured

    run()
    with measured() as meter:
        run()
    return meter.peak


def _free_kib() -> int:
    """Kibibytes this machine can still lend; 0 where it does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
