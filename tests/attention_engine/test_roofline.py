"""The sweep over head widths: what it counts, what it times, and that it shows no time it did not take."""

import gzip
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from attention_engine import configs
from attention_engine.admission import MOST_FLOPS, PEAK_BYTES, TooLarge, admit
from attention_engine.drawing import draw
from attention_engine.engine import render
from attention_engine.frames import Frame
from attention_engine.kinds import roofline as kind
from attention_engine.parameters import InvalidSpec
from attention_engine.spec import facts, make_spec
from attention_engine.store.embedded import SqliteFrameStore
from attention_engine.visualizations import roofline
from attention_engine.visualizations.roof import floors, runs
from attention_engine.visualizations.roof import words as told
from attention_engine.visualizations.roof.clock import HostClock, Samples, clock_for

CPU = torch.device("cpu")
SMALL: dict[str, Any] = {"d_heads": [32, 64], "tokens": 16, "repeats": 2}
ABSENT = told.ABSENT


def numbers(**given: Any) -> dict[str, Any]:
    return dict(make_spec("roofline", given).parameters)


def swept(**given: Any) -> dict[str, Frame]:
    return {frame.step: frame for frame in render(make_spec("roofline", given))}


def column(frame: Frame, name: str) -> list[Any]:
    at = frame.table.columns.index(name)
    return [row[at] for row in frame.table.rows]


# ---- what is counted


@pytest.mark.parametrize("d_model", [64, 96, 768, 1600, 12288])
def test_flops_are_the_same_at_every_width_that_divides(d_model: int) -> None:
    every = [width for width in range(1, 513) if d_model % width == 0]
    some = numbers(d_model=d_model, d_heads=every[:8], tokens=64)
    assert {point.flops for point in kind.points(some)} == {4 * 64**2 * d_model}
    assert facts(make_spec("roofline", some))["flops"] == 4 * 64**2 * d_model


def test_maps_are_as_many_as_heads_and_twice_the_width_halves_them() -> None:
    held = [point.map_bytes for point in kind.points(numbers(d_heads=[16, 32, 64, 128]))]
    assert held == [48 * 256**2 * 4, 24 * 256**2 * 4, 12 * 256**2 * 4, 6 * 256**2 * 4]


@pytest.mark.parametrize("dtype", kind.BYTES)
@pytest.mark.parametrize("d_head", [8, 24, 80])
def test_the_memory_told_is_what_torch_allocates_for_the_weights(dtype: str, d_head: int) -> None:
    (point,) = kind.points(numbers(d_model=240, d_heads=[d_head], tokens=33, dtype=dtype))
    q = torch.ones(1, point.num_heads, 33, d_head, dtype=getattr(torch, dtype))
    assert runs.allocated_maps(q, q) == point.map_bytes
    weights = (q @ q.mT).softmax(dim=-1)
    assert weights.numel() * weights.element_size() == point.map_bytes


def test_intensity_written_out_grows_with_the_width_and_of_a_fused_kernel_does_not() -> None:
    drawn = kind.points(numbers(d_heads=[16, 32, 64, 128, 256]))
    out = [point.intensity("written out") for point in drawn]
    assert out == sorted(out)
    assert len(set(out)) == 5
    assert {point.intensity("SDPA") for point in drawn} == {256 / 4}


def test_a_width_that_leaves_a_remainder_says_what_becomes_of_it() -> None:
    told_ = facts(make_spec("roofline", {"d_head": 80}))
    (width,) = [one for one in told_["widths"] if one["d_head"] == 80]
    assert width["num_heads"] == 9
    assert width["remainder"].startswith(
        "768 = 9 x 80 + 48: 9 heads take 720 features and 48 belong to no head"
    )
    assert "64, 96" in width["remainder"]
    assert width["padded_on_cuda"] == 96
    assert not any("remainder" in one for one in told_["widths"] if one["d_head"] != 80)


def test_a_width_with_a_remainder_is_measured_with_the_heads_that_fit() -> None:
    frame = swept(d_heads=[64], d_head=80, tokens=16, repeats=1)["sweep"]
    assert column(frame, "heads") == [12, 9]
    assert all(isinstance(rate, float) for rate in column(frame, "GFLOP/s, SDPA"))


def test_widths_that_nothing_can_be_measured_of_are_refused_with_the_way_out() -> None:
    with pytest.raises(InvalidSpec, match="no head of 96 fits into d_model 64: take a width of at most 64"):
        make_spec("roofline", {"d_model": 64, "d_heads": [96, 128]})
    with pytest.raises(InvalidSpec, match="9 widths are asked for; at most 8"):
        make_spec("roofline", {"d_heads": [1, 2, 3, 4, 6, 8, 12, 16], "d_head": 24})


def test_one_more_width_and_a_given_list_make_one_picture_each_and_read_back_alike() -> None:
    for given in ({}, {"d_head": 80}, {"model": "phi-2"}, {"model": "gemma-7b", "tokens": 32}):
        once = make_spec("roofline", given)
        assert make_spec("roofline", once.parameters).digest() == once.digest()
    assert make_spec("roofline", {"again": 1}).digest() != make_spec("roofline", {}).digest()
    assert make_spec("roofline", {}, seed=7).digest() == make_spec("roofline", {}).digest()


# ---- models


def test_every_published_width_is_admitted_by_taking_fewer_tokens() -> None:
    for config in configs.all_models():
        spec = make_spec("roofline", {"model": config.slug})
        cost = admit(spec)
        assert cost.flops <= MOST_FLOPS, config.slug
        assert cost.peak_bytes <= PEAK_BYTES, config.slug
        assert cost.queue == "renders.heavy"
        assert spec.parameters["d_model"] == config.d_model
        assert spec.parameters["tokens"] in kind.AUTO_TOKENS, config.slug
        drawn = {point.d_head: point for point in kind.points(spec.parameters)}
        assert drawn[config.d_head].num_heads == config.d_model // config.d_head, config.slug


@pytest.mark.parametrize("slug", ["gpt-3-175b", "gemma-7b", "phi-2", "deepseek-v3-r1-671b"])
def test_a_models_own_width_is_measured_at_its_d_model(slug: str) -> None:
    config = configs.model(slug)
    frame = swept(model=slug, tokens=16, repeats=1, d_heads=[config.d_head])["sweep"]
    assert column(frame, "d_head") == [config.d_head]
    assert column(frame, "heads") == [config.d_model // config.d_head]
    assert all(isinstance(rate, float) for rate in column(frame, "GFLOP/s, SDPA"))


def test_what_is_too_much_is_refused_before_anything_is_allocated() -> None:
    with pytest.raises(TooLarge, match=r"it would take .* FLOPs"):
        render(make_spec("roofline", {"d_model": 2048, "tokens": 2048}))


def test_maps_beyond_the_limit_leave_their_point_out_and_the_fused_kernel_in() -> None:
    spec = make_spec("roofline", {"d_heads": [4], "tokens": 512, "repeats": 1})
    assert admit(spec).peak_bytes <= PEAK_BYTES
    frame = {one.step: one for one in render(spec)}["sweep"]
    assert column(frame, "GFLOP/s, written out") == [ABSENT]
    assert isinstance(column(frame, "GFLOP/s, SDPA")[0], float)
    why = "two sets of 192 maps of 512 x 512 would hold 384 MiB at once, above 224"
    assert f"Written out at d_head 4 is not measured: {why}" in frame.sentence


# ---- what is timed


def test_both_ways_compute_the_same_attention() -> None:
    q, k, v = torch.randn(3, 1, 4, 24, 16, generator=torch.Generator().manual_seed(0)).unbind()
    right = scaled_dot_product_attention(q.double(), k.double(), v.double())
    for attend in (runs.written_out, *(runs.sdpa(name, CPU) for name in ("auto", "flash", "math"))):
        assert float((attend(q, k, v) - right).abs().max()) < 1e-5


@pytest.mark.parametrize("backend", [SDPBackend.MATH, SDPBackend.FLASH_ATTENTION])
def test_the_kernel_named_is_the_one_torch_chooses_in_that_context(backend: SDPBackend) -> None:
    q = torch.randn(1, 2, 16, 32)
    with sdpa_kernel(backend):
        assert runs.chosen_kernel(q, q, q) == runs.NAMES[backend]


def test_left_to_torch_the_frame_names_what_torch_chose() -> None:
    q = torch.randn(1, 12, 16, 64)
    chosen = runs.NAMES[SDPBackend(torch._fused_sdp_choice(q, q, q))]  # type: ignore[attr-defined]
    frame = swept(**SMALL)["sweep"]
    assert column(frame, "SDPA kernel") == [chosen, chosen]
    assert f"SDPA by {chosen}" in frame.sentence


def test_a_kernel_that_torch_refuses_leaves_no_point_and_torchs_own_words() -> None:
    frames = swept(**SMALL, backend="efficient")
    for step in ("d_head 32", "sweep"):
        assert set(column(frames[step], "GFLOP/s, SDPA")) == {ABSENT}
        assert "Could not run 'aten::_scaled_dot_product_efficient_attention'" in frames[step].error
    assert "SDPA at d_head 32, 64 is not measured: the kernel efficient refused" in frames["sweep"].sentence
    assert "SDPA" not in column(frames["roofline"], "what")
    assert all(isinstance(rate, float) for rate in column(frames["sweep"], "GFLOP/s, written out"))


def test_refusing_a_kernel_holds_no_other_thread_to_one() -> None:
    swept(**SMALL, backend="math")
    q = torch.randn(1, 2, 16, 32)
    assert runs.chosen_kernel(q, q, q) == "flash"


@dataclass
class Ticking:
    """A clock by which every sample takes one ms more than the last, and the whole what it is told."""

    passes: list[int] = field(default_factory=list)
    each: float = 0.0

    def sample(self, run: Any, calls: int) -> tuple[float, float]:
        run()
        self.passes.append(calls)
        return len(self.passes) / 1000, len(self.passes) / 1000

    def calls_for(self, run: Any) -> int:
        run()
        return 1

    def spent(self) -> float:
        return self.each * len(self.passes)


def test_every_figure_of_time_is_one_that_the_clock_gave() -> None:
    clock = Ticking()
    frames = {frame.step: frame for frame in roofline.measuring(numbers(**SMALL), CPU, clock=clock)}
    given = {n / 1 for n in range(1, len(clock.passes) + 1)}
    for way in kind.WAYS:
        assert set(column(frames["sweep"], f"latency ms, {way}")) <= given
    assert min(column(frames["sweep"], "latency ms, written out")) > floors_of(frames)


def floors_of(frames: dict[str, Frame]) -> float:
    """ms of the copy, the last sample before attention begins."""
    bandwidth = frames["machine"].values[1]
    return 2 * kind.COPIED / bandwidth / 1e6


def test_what_the_budget_does_not_reach_is_absent_and_nothing_is_made_up_for_it() -> None:
    clock = Ticking(each=0.3)
    spec = numbers(d_heads=[16, 32, 64, 128], tokens=16, repeats=1)
    frames = {frame.step: frame for frame in roofline.measuring(spec, CPU, clock=clock)}
    rates = column(frames["sweep"], "GFLOP/s, SDPA")
    passes = sum(isinstance(rate, float) for rate in rates)
    assert 0 < passes < 4
    assert rates[passes:] == [ABSENT] * (4 - passes)
    assert f"{runs.SPENT}." in frames["sweep"].sentence
    assert len(column(frames["roofline"], "what")) == 2 + 2 * passes


def test_repeats_stop_at_the_budget_and_the_words_count_those_taken() -> None:
    spec = numbers(d_heads=[64], tokens=16, repeats=9)
    (point,) = kind.points(spec)
    both = list(runs.attention(point, spec, CPU, clock=Ticking(each=0.9)))
    assert [len(one.samples.wall) for one in both if one.samples] == [2, 2]
    assert told.point(both, spec).count("the best of 2") == 2


def test_a_busy_machine_is_told_and_a_quiet_one_is_not() -> None:
    point = kind.points(numbers(d_heads=[64]))[0]
    floor = floors.Floor(1e11, "torch", 768, Samples((1.0,), (1.0,)))
    found = told.Machine("CPU", "float32", floor, floor, floor)

    def said(wall: tuple[float, ...], cpu: tuple[float, ...]) -> str:
        return told.quiet([runs.Measured(point, "SDPA", Samples(wall, cpu))], found)

    assert said((0.0100, 0.0104), (0.0100, 0.0104)) == ""
    assert "passes of one point differ by 50%" in said((0.010, 0.015), (0.010, 0.015))
    assert "waited 30% of its time" in said((0.010, 0.011), (0.007, 0.008))
    moved = told.Machine("CPU", "float32", floor, floor, floors.Floor(8e10, "torch", 768, floor.samples))
    assert "the product changed by 25%" in told.quiet([], moved)


def test_padding_is_claimed_of_cudas_flash_kernel_alone() -> None:
    drawn = kind.points(numbers(d_heads=[64, 80]))
    assert told.padding(drawn, "flash", cuda=True) == "FlashAttention-2 runs 80 as 96 (its compiled widths)."
    assert told.padding(drawn, "cudnn", cuda=True) == ""
    here = told.padding(drawn, "flash", cuda=False)
    assert here.startswith("No padding of heads is known of this CPU kernel")
    assert "on CUDA FlashAttention-2 would run 80 as 96" in here
    assert set(column(swept(**SMALL)["sweep"], "padded to")) == {"none known"}


# ---- devices


def test_a_gpu_asked_of_a_cpu_worker_ends_the_picture_with_a_sentence(tmp_path: Path) -> None:
    store = SqliteFrameStore(str(tmp_path / "frames.sqlite3"))
    digest = store.claim(make_spec("roofline", {"device": "cuda"}), "ben").digest
    draw(store, digest)
    reading = store.read(digest)
    assert (reading.state, reading.code) == ("failed", "not-measurable")
    assert "computes on a CPU; ask for device any or cpu" in reading.sentence


def test_a_worker_with_a_gpu_measures_there_or_on_its_cpu() -> None:
    here = torch.device("cuda")
    assert roofline.device_asked("any", here).type == "cuda"
    assert roofline.device_asked("cuda", here).type == "cuda"
    assert roofline.device_asked("cpu", here).type == "cpu"


def test_float16_is_swept_where_its_products_keep_up_and_refused_with_figures_where_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    halves = numbers(**SMALL, dtype="float16")
    monkeypatch.setattr(floors, "halves_against_singles", lambda **_: (60.0, 120.0))
    assert [f.step for f in roofline.measuring(halves, CPU, clock=HostClock())][-1] == "roofline"
    monkeypatch.setattr(floors, "halves_against_singles", lambda **_: (1.0, 120.0))
    with pytest.raises(
        roofline.NotMeasurable, match="at 1 GFLOP/s in float16 and at 120 in float32, 120 times"
    ):
        list(roofline.measuring(halves, CPU, clock=HostClock()))


def test_bfloat16_is_measured_in_bfloat16() -> None:
    frames = swept(**SMALL, dtype="bfloat16")
    assert "bfloat16" in frames["machine"].sentence
    assert column(frames["sweep"], "score maps MiB, written out") == pytest.approx(
        [24 * 16 * 16 * 2 / 2**20, 12 * 16 * 16 * 2 / 2**20], rel=1e-3
    )


def test_the_stamp_tells_device_threads_and_when() -> None:
    before = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    stamp = swept(**SMALL)["sweep"].stamp
    assert stamp["device"] == "CPU"
    assert stamp["torch"] == torch.__version__
    assert stamp["threads"] == torch.get_num_threads()
    assert before <= str(stamp["measured"]) <= time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


# ---- the whole


def test_a_frame_comes_for_each_width_before_the_next_is_measured() -> None:
    clock, spec = Ticking(), numbers(**SMALL)
    counts = [
        (frame.step, len(clock.passes), len(frame.table.rows))
        for frame in roofline.measuring(spec, CPU, clock=clock)
    ]
    steps, passes, rows = zip(*counts, strict=True)
    assert list(steps) == ["machine", "d_head 32", "d_head 64", "sweep", "roofline"]
    assert steps == kind.steps(spec)
    assert passes[1] - passes[0] == passes[2] - passes[1] == 4
    assert rows[1:3] == (1, 2)


def test_the_default_sweep_is_small_on_the_wire_and_takes_less_than_ten_times_two_seconds() -> None:
    begun = time.process_time()
    frames = list(render(make_spec("roofline", {})))
    assert time.process_time() - begun < 20
    body = json.dumps([frame.as_json() for frame in frames]).encode()
    assert len(gzip.compress(body, 6)) <= 6_000
    assert [frame.n for frame in frames] == list(range(len(frames)))


def test_clocks_repeat_what_is_too_short_for_them() -> None:
    clock = clock_for(CPU)
    assert clock.calls_for(lambda: None) > 1
    assert clock.calls_for(lambda: time.sleep(0.005)) == 1
    wall, cpu = clock.sample(lambda: time.sleep(0.01), 1)
    assert wall >= 0.01
    assert cpu < wall
    assert Samples((wall,), (cpu,)).waited > 0.3


@pytest.mark.gpu
def test_a_gpu_is_timed_by_events_and_names_its_kernel() -> None:
    frames = swept(d_heads=[64, 80, 128], dtype="bfloat16", tokens=512)
    assert frames["sweep"].stamp["device"] == torch.cuda.get_device_name()
    assert set(column(frames["sweep"], "SDPA kernel")) <= set(runs.BACKENDS)
    assert all(isinstance(rate, float) for rate in column(frames["sweep"], "GFLOP/s, SDPA"))


@pytest.mark.gpu
def test_flash_refuses_a_head_of_512_on_cuda_in_torchs_words() -> None:
    frames = swept(d_heads=[64, 384], dtype="bfloat16", tokens=128, backend="flash")
    assert column(frames["sweep"], "GFLOP/s, SDPA")[1] == ABSENT
    assert frames["sweep"].error
    assert column(frames["sweep"], "padded to")[0] == 64


def test_one_token_and_one_width_are_told_in_the_singular() -> None:
    frames = swept(d_model=16, d_heads=[16, 32], tokens=1, repeats=1)
    assert frames["sweep"].title == "d_model 16, 1 token, float32"
    assert "Written out at d_head 32 is not measured: no head of 32 fits" in frames["sweep"].sentence
    assert frames["roofline"].sentence.count("at d_head 16") == 2  # once for each way
    assert ", 0% at 16" not in frames["roofline"].sentence
