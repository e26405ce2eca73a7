"""A chain of operations on the page at once by arithmetic, then run by torch: both say the same."""

import gzip
import json
import resource
import time
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_engine.admission import TooLarge, admit
from attention_engine.configs import all_models
from attention_engine.engine import render
from attention_engine.frames import Frame
from attention_engine.kinds import memory_tape as kind
from attention_engine.op_chain import written
from attention_engine.spec import InvalidSpec, facts, make_spec, spec_from_json
from tests.attention_engine.chains import ops, shapes
from tests.attention_engine.test_peak import assert_told_truly
from tests.sampling import tries

SPLIT = "view(B, T, H, D).transpose(1, 2)"
WIRE_BYTES = 4000
LONGEST = (
    "view(B,T,H,D).transpose(1,2).contiguous().transpose(1,2).reshape(B,T,H*D).permute(2,0,1)."
    "contiguous().mT.flatten(0,1).unsqueeze(0).expand(3,-1,-1).view(5,7)"
)


def drawn(**parameters: Any) -> list[Frame]:
    return list(render(make_spec("memory_tape", parameters)))


def told(**parameters: Any) -> dict[str, Any]:
    return facts(make_spec("memory_tape", parameters))


def assert_frames_are_the_facts(parameters: dict[str, Any]) -> None:
    frames, known = drawn(**parameters), told(**parameters)
    steps = [frame for frame in frames if frame.step != "answer"]
    assert [frame.step for frame in steps] == [step["step"] for step in known["steps"]]
    for frame, step in zip(steps, known["steps"], strict=True):
        assert frame.title == step["code"]
        assert bool(frame.error) == step["refused"]
        laid = {"axes": frame.axes, "shape": frame.shape, "strides": frame.strides}
        assert laid == {name: tuple(step[name]) for name in laid}
        assert frame.error or frame.contiguous == step["contiguous"]


@settings(max_examples=tries(120), deadline=None, suppress_health_check=list(HealthCheck))
@given(shape=shapes(), dtype=st.sampled_from(sorted(kind.BYTES)), data=st.data())
@pytest.mark.filterwarnings("ignore:.*deprecated")
def test_frames_of_a_random_chain_are_its_facts(shape: tuple[int, ...], dtype: str, data: Any) -> None:
    tensor, chain = torch.empty(shape, device="meta"), []
    for _ in range(data.draw(st.integers(1, 5))):
        chain.append(data.draw(ops(tensor)))
        if tensor.numel() > 2000:
            break
    parameters = {"shape": list(shape), "ops": written(chain), "dtype": dtype}
    assert_frames_are_the_facts(parameters)
    spec = make_spec("memory_tape", parameters)
    assert spec_from_json(json.loads(spec.canonical())).digest() == spec.digest()


@pytest.mark.parametrize("config", all_models(), ids=lambda config: config.slug)
def test_every_published_layer_is_drawn_at_any_length_and_costs_nothing(config: Any) -> None:
    parameters = {"model": config.slug, "tokens": 4096, "ops": f"{SPLIT}.reshape(B, T, H*D)"}
    spec = make_spec("memory_tape", parameters)
    assert admit(spec).peak_bytes <= 1024 * 1024
    assert_frames_are_the_facts(parameters)
    assert told(**parameters)["steps"][2]["strides"][1] == config.d_head


def test_the_default_chain_copies_once_and_says_how_many_bytes() -> None:
    known = told(model="bert-base")
    assert known["code"] == "x.view(2, 4, 12, 64).transpose(1, 2).contiguous()"
    assert (known["numbers"], known["bytes_per_number"], known["cache_line"]) == (6144, 4, 64)
    assert [step["copies"] for step in known["steps"]] == [False, False, False, True]
    assert [step["bytes_copied"] for step in known["steps"]] == [0, 0, 0, 24576]
    assert [step["run"] for step in known["steps"]] == [6144, 6144, 64, 6144]
    start, _, transposed, copied = drawn(model="bert-base")
    assert "6,144 numbers of 4 bytes side by side: 24,576 bytes, 384 cache lines" in start.sentence
    assert "64 numbers lie side by side, then comes a jump from offset 63 to 768" in transposed.sentence
    assert "6,144 numbers are copied, 24,576 bytes" in copied.sentence


def test_the_table_shows_where_the_first_runs_end_and_the_next_begin(draw: Any) -> None:
    table = draw("memory_tape")["transpose"].table
    assert table.columns == ("B", "H", "T", "D", "offset", "byte", "cache line")
    assert table.rows[4:7] == (
        (0, 0, 0, 63, 63, 252, 3),
        (0, 0, 1, 0, 768, 3072, 48),
        (0, 0, 1, 63, 831, 3324, 51),
    )
    assert len(table.rows) == 24


@pytest.mark.parametrize(
    "parameters", [{}, {"shape": [3, 5], "ops": "T"}, {"ops": f"{SPLIT}.select(1, 3).mT"}]
)
def test_every_row_of_a_table_is_where_torch_finds_that_number(parameters: dict[str, Any]) -> None:
    spec = make_spec("memory_tape", parameters)
    tensor = torch.arange(spec.parameters["shape"][0] * 10_000)[: told(**parameters)["numbers"]]
    tensor = tensor.view(*spec.parameters["shape"])
    for frame, step in zip(drawn(**parameters), kind.chain(spec.parameters), strict=True):
        tensor = tensor if step.op is None else _on_values(tensor, step.op)
        axes = len(frame.axes)
        for row in frame.table.rows:
            lies = int(tensor[row[:axes]]) if frame.step != "contiguous" else row[axes]
            assert row[axes:] == (lies, lies * 4, lies * 4 // 64)


def _on_values(tensor: torch.Tensor, op: Any) -> torch.Tensor:
    found = getattr(tensor, op.name)
    return found if isinstance(found, torch.Tensor) else found(*op.arguments)


def test_a_view_after_transpose_is_refused_in_torchs_words_with_the_numbers_and_the_way_out() -> None:
    *_, refused = drawn(ops=f"{SPLIT}.view(B, T, H*D)")
    with pytest.raises(RuntimeError) as words:
        torch.empty(2, 12, 4, 64).transpose(1, 2).transpose(1, 2).transpose(1, 2).view(2, 4, 768)
    assert refused.error == f"RuntimeError: {words.value}"
    assert refused.step == "view-2"
    assert "the next T would have to lie 64 numbers on, and it lies 768 on" in refused.sentence
    assert "reshape(2, 4, 768) copies 24,576 bytes instead" in refused.sentence
    assert "keeps the order of B, H, T, D, so transpose back first" in refused.sentence
    assert [row[2] for row in refused.table.rows] == [0, 24576, 24576]


def test_a_shape_of_other_numbers_is_refused_and_a_copy_is_not_offered() -> None:
    *_, refused = drawn(ops="view(2, 4, 10, 76)")
    assert "(2, 4, 10, 76) asks for 6,080 numbers, and there are 6,144" in refused.sentence
    assert "copies" not in refused.sentence
    assert len(refused.table.rows) == 1


def test_two_bytes_a_number_halve_the_copy_and_the_cache_lines() -> None:
    wide, narrow = (told(dtype=dtype, ops=f"{SPLIT}.mT.contiguous()") for dtype in ("float32", "bfloat16"))
    assert [step["bytes_copied"] for step in (wide["steps"][-1], narrow["steps"][-1])] == [24576, 12288]
    assert [step["lines"] for step in (wide["steps"][0], narrow["steps"][0])] == [1, 1]
    every_16th = {"shape": [16, 16], "ops": "T"}
    assert [told(dtype=dtype, **every_16th)["steps"][1]["lines"] for dtype in ("float32", "float16")] == [
        16,
        8,
    ]


def test_steps_of_one_name_are_numbered() -> None:
    steps = [frame.step for frame in drawn(ops="transpose(1, 2).transpose(1, 2).transpose(0, 1)")]
    assert steps == ["start", "transpose", "transpose-2", "transpose-3"]


def test_an_expanded_axis_is_copied_into_more_bytes_than_there_were() -> None:
    copied = drawn(shape=[1, 8], ops="expand(4, 8).contiguous()")[-1]
    assert "32 numbers are copied, 128 bytes from the 8 there are" in copied.sentence


def answer(strides: list[int], **more: Any) -> tuple[dict[str, Any], Frame]:
    parameters = {"ops": SPLIT, "answer_strides": strides, **more}
    frame = drawn(**parameters)[-1]
    assert frame.step == "answer"
    return told(**parameters)["answer"], frame


def test_the_right_strides_read_every_number_in_its_place() -> None:
    known, frame = answer([3072, 64, 768, 1])
    assert known == {
        "strides": [3072, 64, 768, 1],
        "shape": [2, 12, 4, 64],
        "right_strides": [3072, 64, 768, 1],
        "runs": True,
        "note": "",
        "read_twice": 0,
        "never_read": 0,
        "works": True,
    }
    assert "Every index gets the number that the tensor has there." in frame.sentence
    assert frame.table.columns == ("B", "H", "T", "D", "offset", "byte", "cache line")


def test_strides_that_read_the_memory_in_another_order_run_and_their_wrong_places_are_counted() -> None:
    known, frame = answer([3072, 256, 64, 1])
    assert (known["runs"], known["works"], known["read_twice"], known["never_read"]) == (True, False, 0, 0)
    right = torch.arange(6144).view(2, 4, 12, 64).transpose(1, 2)
    wrong = int((torch.arange(6144).view(2, 12, 4, 64) != right).sum())
    assert f"with yours {wrong:,} of 6,144 indices get another number" in frame.sentence
    assert frame.sentence.startswith(
        "(3072, 256, 64, 1) reads every cell of memory once, and in another order."
    )
    assert frame.strides == (3072, 256, 64, 1)
    assert frame.table.columns[-1] == "right offset"
    assert not frame.error


def test_strides_that_overlap_read_some_cells_twice_and_others_never() -> None:
    known, frame = answer([3072, 64, 64, 1])
    times = torch.bincount(
        torch.arange(6144).as_strided((2, 12, 4, 64), (3072, 64, 64, 1)).flatten(), minlength=6144
    )
    twice, never = int((times > 1).sum()), int((times == 0).sum())
    assert (known["read_twice"], known["never_read"]) == (twice, never)
    assert f"{twice:,} are read more than once and {never:,} never" in frame.sentence


@pytest.mark.parametrize(
    ("strides", "more", "says"),
    [
        ([3072, 768, 64, 1], {}, "the last number would lie at offset 11,775, and the memory ends at 6,143"),
        ([768, 64, 1], {}, "3 strides are given for 4 axes"),
        ([3072, 64, 768, -1], {}, "a stride is negative, which torch does not have"),
        ([2**31 - 1, 1], {"answer_shape": [2**31 - 1, 2]}, "and the memory ends at 6,143"),
        ([2, 1], {"answer_shape": [3, 2], "model": "gpt-3-175b", "tokens": 2**20, "ops": "select(0, 1)"}, ""),
        (
            [2**30, 1],
            {"answer_shape": [97, 2], "model": "gpt-3-175b", "tokens": 2**20, "ops": "mT"},
            "ends at",
        ),
    ],
)
def test_strides_that_torch_refuses_are_refused_by_arithmetic_and_in_torchs_own_words(
    strides: list[int], more: dict[str, Any], says: str
) -> None:
    known, frame = answer(strides, **more)
    assert (known["runs"], known["works"]) == (not says, False)
    assert frame.error.startswith("RuntimeError: ") == bool(says)
    assert says in known["note"]
    assert says in frame.sentence


def test_the_words_about_a_memory_too_small_are_those_of_a_tensor_in_memory() -> None:
    _, frame = answer([3072, 768, 64, 1], dtype="float16")
    with pytest.raises(RuntimeError) as words:
        torch.zeros(2, 4, 768, dtype=torch.float16).as_strided((2, 12, 4, 64), (3072, 768, 64, 1))
    assert frame.error == f"RuntimeError: {words.value}"


@settings(max_examples=tries(100), deadline=None)
@given(data=st.data(), shape=shapes())
def test_what_strides_read_is_counted_by_torch_as_by_arithmetic(data: Any, shape: tuple[int, ...]) -> None:
    strides = data.draw(st.lists(st.integers(-1, 9), min_size=1, max_size=4))
    read = data.draw(st.lists(st.integers(0, 4), min_size=len(strides), max_size=len(strides)))
    parameters = {"shape": list(shape), "ops": "T", "answer_strides": strides, "answer_shape": read}
    known, frame = told(**parameters)["answer"], drawn(**parameters)[-1]
    assert known["runs"] == (not frame.error)
    if known["runs"]:
        are = "is" if known["read_twice"] == 1 else "are"
        counted = f"{known['read_twice']:,} {are} read more than once and {known['never_read']:,} never"
        assert counted in frame.sentence


@pytest.mark.parametrize(
    ("shape", "ops", "says"),
    [
        ([4, 1], "expand(4, 3)", "Read in order, the number at offset 0 comes again at once"),
        ([2, 3], "T", "(2, 3) becomes (3, 2), and the strides (3, 1) become (1, 3)"),
        ([2, 3], "T", "the first 6 numbers touch 1 cache line of 64 bytes."),
        ([32, 32], "T", "the first 16 numbers touch 16 cache lines of 64 bytes instead of 1."),
        ([1], "expand(5)", "so 5 are read where 1 lies"),
    ],
)
def test_a_step_is_told_as_it_is_read(shape: list[int], ops: str, says: str) -> None:
    assert says in drawn(shape=shape, ops=ops)[-1].sentence


def test_beyond_what_is_counted_cell_by_cell_arithmetic_counts() -> None:
    known, frame = answer([12288, 128, 128, 1], model="gpt-3-175b", tokens=2**20)
    assert known["runs"]
    assert f"{known['read_twice']:,} are read more than once" in frame.sentence


def test_axes_of_size_1_have_no_stride_that_matters() -> None:
    assert answer([5, 64, 768, 1], batch=1)[0]["works"]


def test_a_picture_is_4_kb_at_most_and_a_page_of_facts_less() -> None:
    strides = {"answer_strides": [3072, 256, 64, 1], "answer_shape": [2, 12, 4, 64]}
    for parameters in (
        {},
        {"model": "gpt-3-175b", "tokens": 2**20},
        {"ops": LONGEST},
        {"ops": LONGEST, **strides},
    ):
        wire = b"\n".join(frame.as_bytes() for frame in drawn(**parameters))
        assert len(gzip.compress(wire, 6)) <= WIRE_BYTES
        assert len(gzip.compress(json.dumps(told(**parameters)).encode(), 6)) <= WIRE_BYTES


def test_the_first_frame_comes_within_60_ms_and_a_busy_machine_has_ten_times_as_long() -> None:
    spec = make_spec("memory_tape", {"model": "gpt-3-175b", "tokens": 4096})
    started = time.perf_counter()
    next(iter(render(spec)))
    assert time.perf_counter() - started < 0.6


def test_ten_heads_are_tried_on_a_given_shape_though_they_do_not_divide_it() -> None:
    known = told(num_heads=10, shape=[2, 4, 768], ops="view(2, 4, 10, 76)")
    assert known["steps"][1]["note"] == "refused: (2, 4, 10, 76) asks for 6,080 numbers, and there are 6,144"
    with pytest.raises(InvalidSpec, match="nearest that divide: 8, 12"):
        make_spec("memory_tape", {"num_heads": 10})


@pytest.mark.parametrize(
    ("parameters", "field", "says"),
    [
        ({"ops": "view(2,"}, "ops", "ops at the end: a whole number or one of B, T, H, D"),
        ({"ops": "sort()"}, "ops", "an operation belongs here (expand, permute, reshape, view, contiguous"),
        ({"shape": [1, 2, 3, 4, 5]}, "shape", "shape has 5 axes; x has at most 4"),
        (
            {"answer_strides": [1], "shape": [2**31 - 1, 2**15], "ops": "T"},
            "answer_strides",
            "take fewer tokens",
        ),
    ],
)
def test_what_cannot_be_drawn_is_told_by_field(parameters: dict[str, Any], field: str, says: str) -> None:
    with pytest.raises(InvalidSpec) as refused:
        make_spec("memory_tape", parameters)
    assert refused.value.field == field
    assert says in str(refused.value)


def test_a_tensor_that_no_memory_can_address_is_refused() -> None:
    with pytest.raises(TooLarge, match="above 2\\^63 - 1"):
        admit(make_spec("memory_tape", {"shape": [2**31 - 1, 2**31 - 1], "ops": "T"}))
    with pytest.raises(TooLarge, match="above 2\\^63 - 1"):
        admit(
            make_spec("memory_tape", {"shape": [1, 2**31 - 1], "ops": "expand(2147483647, -1).contiguous()"})
        )


def test_names_and_blanks_do_not_change_the_digest() -> None:
    one, other = ({"ops": ops} for ops in ("x.view(B,T, H,D).T", "view((2, 4, 12, 64)).T"))
    assert make_spec("memory_tape", one).digest() == make_spec("memory_tape", other).digest()


def test_a_shape_without_strides_is_no_answer() -> None:
    assert make_spec("memory_tape", {"answer_shape": [2]}).digest() == make_spec("memory_tape", {}).digest()


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"model": "gpt-3-175b", "tokens": 4096},
        {"shape": [1024, 1024], "ops": "T", "answer_strides": [1024, 1]},
        {"shape": [2], "ops": "T", "answer_strides": [0, 1], "answer_shape": [2**19, 2]},
        {"shape": [1024, 1024], "ops": "T", "answer_strides": [1], "answer_shape": [5]},
        {"shape": [1024, 1024], "ops": "T", "answer_strides": [1024, 1], "dtype": "bfloat16"},
    ],
)
def test_a_tape_holds_what_was_admitted(parameters: dict[str, Any]) -> None:
    assert_told_truly("memory_tape", parameters)


def test_addresses_of_a_tensor_larger_than_any_memory_take_none() -> None:
    far = {"model": "gpt-3-175b", "tokens": 2**26, "ops": f"{SPLIT}.view(5)", "answer_strides": [2**30, 1]}
    drawn(**far)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    *_, refused, tried = drawn(**far, answer_shape=[2**20, 2])
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 4 * 1024
    assert "RuntimeError: shape '[5]' is invalid for input of size" in refused.error
    assert "requiring a storage size of" in tried.error
