"""What maps weigh on the wire and cost to make, against JSON lists: P1 to P3. Knows no goal's number."""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from attention_engine import encoding
from attention_engine.attention import attention_weights
from attention_engine.device import Chance
from attention_engine.trained import encoder, minilm
from attention_engine.trained.encoder import Encoder, Sizes
from benchmarks import floor
from benchmarks.harness import Variant, calls_for, interleaved, ratio, steady
from benchmarks.peers import json_lists
from benchmarks.rows import Row

CPU = torch.device("cpu")
Maps = npt.NDArray[np.float32]
OURS, FLOOR, COMPANDED = "ours", "floor", "u8sqrt as frames carry it"
WORDS = (
    "A question is a computation: the answer is executed and the picture shows what its numbers really do, "
    "head by head and token by token, from the first layer of the model to the last one that reads it. "
)
DECODER = Path(__file__).with_name("decode.mjs")


def rows(rounds: int, *, quick: bool) -> Iterator[Row]:
    """P1 to P3, in order."""
    for tokens in (32, 128) if quick else (32, 128, 512):
        yield encoded(tokens, rounds if tokens < 512 else 3)
    for tokens in (32, 128):
        yield compressed(tokens, rounds)
    yield first_layer(max(5, rounds // 2))


def maps_of(tokens: int) -> Maps | None:
    """(72, T, T): every map of MiniLM on a text of so many tokens; None where it is not installed.

    Past 128 tokens (12, T, T), the first layer: as JSON all of them would be 434 MB."""
    if minilm.why_missing():
        return None
    layers = minilm.read(WORDS * 20, CPU, most=tokens).layers
    layers = layers if tokens <= 128 else layers[:1]
    return torch.cat([attention_weights(heads.q, heads.k) for heads in layers]).numpy()


def linear_bytes(maps: Maps) -> bytes:
    """Weights in 256 even steps from the smallest to the largest, the wire's encoding u8."""
    return encoding.ENCODERS["u8"](maps)


def as_frames(maps: Maps) -> bytes:
    """What pictures of maps send: u8sqrt, with its extent and the name its bytes are asked for by."""
    return encoding.encode(maps, role="weights", axes=("H", "T", "T"), encoding="u8sqrt")[1]


def encoded(tokens: int, rounds: int) -> Row:
    """P1: all 72 maps as bytes against JSON lists."""
    name, maps = f"payload/u8 T={tokens}", maps_of(tokens)
    if maps is None:
        return Row(name, 0.0, skipped=minilm.why_missing())
    body, text = linear_bytes(maps), json_lists.encode(maps)
    low, high = encoding.extent(maps)
    back = low + np.frombuffer(body, np.uint8).reshape(maps.shape) / np.float32(255) * (high - low)
    error = float(np.abs(back - maps).max())
    runs = {OURS: lambda: linear_bytes(maps), COMPANDED: lambda: as_frames(maps)}
    variants = {called: Variant(run, calls_for(run)) for called, run in runs.items()}
    variants |= {json_lists.NAME: Variant(lambda: json_lists.encode(maps)), FLOOR: floor.best_product()}
    timings, stable = steady(variants, rounds, floor=FLOOR)
    decoding, how = _decoded(body, text, maps.shape)
    companded = ratio(timings[COMPANDED], timings[json_lists.NAME])
    return Row(
        name=name,
        ours_ms=timings[OURS].ms,
        peer=json_lists.NAME,
        peer_ms=timings[json_lists.NAME].ms,
        to_peer=ratio(timings[OURS], timings[json_lists.NAME]),
        values={"smaller": len(text) / len(body), "faster_to_decode": decoding, "error": error},
        notes=(how, f"{COMPANDED}: {timings[COMPANDED].ms:.3g} ms, {companded} of JSON"),
        stable=stable,
    )


def _decoded(body: bytes, text: bytes, shape: tuple[int, ...]) -> tuple[float, str]:
    """How many times sooner the bytes are numbers than the text is, and by what it was measured."""
    if len(text) > 256 * 2**20:
        return float("inf"), "decoding not measured: the text is above 256 MiB"
    if shutil.which("node"):
        return _decoded_by_node(body, text), "decoded in node"
    runs: dict[str, Callable[[], Any]] = {
        OURS: lambda: np.frombuffer(body, np.uint8).reshape(shape).astype(np.float32) / np.float32(255),
        json_lists.NAME: lambda: json_lists.decode(text),
    }
    timings = interleaved({name: Variant(run, calls_for(run)) for name, run in runs.items()}, 5)
    return 1 / ratio(timings[OURS], timings[json_lists.NAME]).median, "decoded by numpy: no node here"


def _decoded_by_node(body: bytes, text: bytes) -> float:
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder, "maps.bin"), Path(folder, "maps.json")
        files[0].write_bytes(body)
        files[1].write_bytes(text)
        command = ["node", str(DECODER), *map(str, files)]
        told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    times = json.loads(told)
    return float(times["json"] / times["bytes"])


def compressed(tokens: int, rounds: int) -> Row:
    """P2: bytes a value and values a second once compressed."""
    name, maps = f"payload/zstd1 T={tokens}", maps_of(tokens)
    if maps is None or find_spec("zstandard") is None:
        why = minilm.why_missing() or "zstandard is not installed: pip install '.[bench]'"
        return Row(name, 0.0, skipped=why)
    import zstandard

    packer = zstandard.ZstdCompressor(level=1)
    body, companded = linear_bytes(maps), as_frames(maps)
    if zstandard.ZstdDecompressor().decompress(packer.compress(body)) != body:
        return Row(name, 0.0, wrong="what was compressed does not come back")
    variant = Variant(lambda: packer.compress(body), calls_for(lambda: packer.compress(body)))
    timings, stable = steady({OURS: variant, FLOOR: floor.best_product()}, rounds, floor=FLOOR)
    return Row(
        name=name,
        ours_ms=timings[OURS].ms,
        values={
            "bytes_a_value": len(packer.compress(body)) / maps.size,
            "Mvalues_a_second": maps.size / timings[OURS].ms / 1000,
            "bytes_a_value_u8sqrt": len(packer.compress(companded)) / maps.size,
        },
        stable=stable,
    )


def first_layer(rounds: int) -> Row:
    """P3: how soon the first of 12 layers is bytes, and how soon all are."""
    sizes, tokens = Sizes(), 128
    model = Encoder(encoder.random_weights(sizes, Chance(0, CPU)), sizes, rows=tokens)
    ids = torch.arange(tokens) * 31 % sizes.vocabulary

    def sent(layers: int) -> int:
        return sum(len(maps.numpy().tobytes()) for maps in islice(model.maps(ids), layers))

    if sent(1) != sizes.num_heads * tokens**2:
        return Row("payload/first layer sent T=128", 0.0, wrong="more than the first layer was sent")
    variants = {
        "first": Variant(lambda: sent(1)),
        "all": Variant(lambda: sent(12)),
        FLOOR: floor.best_product(),
    }
    timings, stable = steady(variants, rounds, floor=FLOOR)
    late = timings["first"].ms - timings["all"].ms / sizes.layers
    values = {"ms_late": late, "ms_all": timings["all"].ms}
    return Row("payload/first layer sent T=128", timings["first"].ms, values=values, stable=stable)
