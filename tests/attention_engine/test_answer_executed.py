"""What a learner's answer does: torch's own words, taken from the torch that runs."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_engine.admission import TooLarge
from attention_engine.engine import render
from attention_engine.spec import facts, make_spec
from attention_engine.visualizations import answer_executed


def words(run: Any) -> str:
    """What this torch says, as a terminal shows it."""
    try:
        run()
    except (RuntimeError, AssertionError) as error:
        return f"{type(error).__name__}: {error}"
    raise AssertionError("torch did not refuse")


def test_ten_heads_for_768_meet_the_words_of_a_real_tensor(draw: Any) -> None:
    run = draw("answer_executed", model="bert-base", num_heads=10)["run"]
    assert run.error == words(lambda: torch.zeros(2, 4, 768).view(2, 4, 10, 76))
    assert "invalid for input of size 6144" in run.error
    assert (run.title, run.shape) == ("q.view(2, 4, 10, 76)", ())
    assert run.sentence.startswith("768 = 10 × 76 + 8: 8 features would belong to no head")


def test_the_words_are_passed_on_whatever_torch_says(draw: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_tensor: torch.Tensor, *_shape: Any) -> torch.Tensor:
        raise RuntimeError("another wording\nof a later torch")

    monkeypatch.setattr(torch.Tensor, "view", refuse)
    # Where it is used, not where it is defined: a module first imported now would keep the stand-in for ever.
    monkeypatch.setattr(answer_executed, "numbered", lambda shape: torch.zeros(tuple(shape)))
    frame = next(iter(render(make_spec("answer_executed", {"num_heads": 10}))))
    assert frame.error == "RuntimeError: another wording\nof a later torch"


def test_the_same_heads_meet_checks_and_silence_in_other_lines(draw: Any) -> None:
    rows = dict(draw("answer_executed", d_model=768, num_heads=10)["elsewhere"].table.rows)
    x = torch.zeros(2, 4, 768)
    assert rows["q.unflatten(-1, (10, 76))"] == words(lambda: x.unflatten(-1, (10, 76)))
    assert rows["nn.MultiheadAttention(768, 10)"] == words(lambda: torch.nn.MultiheadAttention(768, 10))
    assert rows["Linear(768, 10*76)(x).view(2, 4, 10, 76)"] == "runs: shape (2, 4, 10, 76)"
    narrow = torch.nn.Linear(768, 768)
    assert rows["Linear(768, 768) on those 760 numbers"] == words(lambda: narrow(torch.zeros(2, 4, 760)))
    assert rows["x.chunk(10, -1)"] == "runs: 10 pieces, widths 77 and last 75"


def test_three_heads_of_ten_floor_to_an_inner_width_of_nine(draw: Any) -> None:
    frames = draw("answer_executed", d_model=10, num_heads=3)
    assert frames["run"].sentence.startswith("10 = 3 × 3 + 1")
    assert dict(frames["elsewhere"].table.rows)["x.chunk(3, -1)"] == "runs: 3 pieces, widths 4 and last 2"


def test_the_nearest_values_are_run_and_work(draw: Any) -> None:
    table = draw("answer_executed", d_model=768, num_heads=10)["nearest"].table
    assert table.rows == (
        (8, 96, "q.view(2, 4, 8, 96)", "runs: shape (2, 4, 8, 96)"),
        (12, 64, "q.view(2, 4, 12, 64)", "runs: shape (2, 4, 12, 64)"),
    )


def test_a_number_that_divides_runs_with_its_strides(draw: Any) -> None:
    run = draw("answer_executed", model="bert-base", num_heads=12)["run"]
    assert (run.error, run.shape, run.strides) == ("", (2, 4, 12, 64), (3072, 768, 64, 1))
    assert run.axes == ("B", "T", "H", "D")


def test_gemmas_heads_run_although_they_are_wider_than_d_model(draw: Any) -> None:
    run = draw("answer_executed", model="gemma-7b")["run"]
    assert (run.error, run.shape) == ("", (2, 4, 16, 256))
    assert "16 × 256 = 4,096 features of q, which is not d_model 3,072. W_Q is 3,072 × 4,096." in run.sentence


def test_a_width_too_large_for_memory_is_run_on_meta_with_the_same_form_of_words(draw: Any) -> None:
    run = draw("answer_executed", d_model=1_000_000_007, num_heads=10)["run"]
    assert run.error.endswith("is invalid for input of size 8000000056")


@pytest.mark.parametrize(
    ("numbers", "q", "view", "told"),
    [
        ({"model": "bert-base", "d_head": 12}, (2, 4, 768), (2, 4, 12, 12), "12 × 12 = 144, but q has 768 f"),
        (
            {"model": "bert-large", "d_head": 85},
            (2, 4, 1024),
            (2, 4, 16, 85),
            "16 × 85 = 1,360, but q has 1,024 f",
        ),
        (
            {"model": "llama-3-70b", "d_head": 64},
            (2, 4, 8192),
            (2, 4, 64, 64),
            "64 × 64 = 4,096, but q has 8,192 f",
        ),
        (
            {"model": "gemma-7b", "d_head": 192},
            (2, 4, 4096),
            (2, 4, 16, 192),
            "16 × 192 = 3,072, but q has 4,096 f",
        ),
        (
            {"d_model": 1536, "num_heads": 16, "d_head": 64, "q_width": 1536},
            (2, 4, 1536),
            (2, 4, 16, 64),
            "16 × 64 = 1,024, but q has 1,536 f",
        ),
        (
            {"d_model": 5140, "q_width": 5140, "num_heads": 40, "d_head": 128, "batch": 1},
            (1, 4, 5140),
            (1, 4, 40, 128),
            "40 × 128 = 5,120, but q has 5,140 f",
        ),
    ],
)
def test_a_width_meets_the_q_there_is(draw: Any, numbers: Any, q: Any, view: Any, told: str) -> None:
    frames = draw("answer_executed", **numbers)
    run = frames["run"]
    assert (run.error, run.title) == (words(lambda: torch.zeros(q).view(view)), f"q.view{view}")
    assert run.sentence.startswith(told)
    assert "nearest" not in frames
    assert "nearest" not in facts(make_spec("answer_executed", numbers))


def test_q_is_as_wide_as_the_model_else_as_the_stated_heads_else_as_d_model() -> None:
    def q_width(**given: Any) -> int:
        return int(make_spec("answer_executed", given).parameters["q_width"])

    assert q_width(model="gemma-7b", d_head=3) == 4096
    assert q_width(model="gemma-7b", num_heads=10) == 4096
    assert q_width(d_model=256, num_heads=6, d_head=32) == 192
    assert q_width(d_model=256, num_heads=6) == 256
    assert q_width(d_model=256, num_heads=6, d_head=32, q_width=5) == 5


def test_heads_of_a_model_whose_q_is_not_d_model_share_out_q(draw: Any) -> None:
    frames = draw("answer_executed", model="gemma-7b", num_heads=10)
    assert frames["run"].sentence.startswith("4,096 = 10 × 409 + 6")
    assert [row[0] for row in frames["nearest"].table.rows] == [8, 16]
    assert all("runs: shape" in str(row[3]) for row in frames["nearest"].table.rows)


def test_code_that_floors_the_width_runs_until_w_o_refuses_it(draw: Any) -> None:
    frames = draw("answer_executed", d_model=10, num_heads=3, line="floor", q_width=9)
    assert frames["run"].title == "Linear(10, 3 * (10 // 3))(x).view(2, 4, 3, 3)"
    assert (frames["run"].error, frames["run"].shape) == ("", (2, 4, 3, 3))
    narrow = torch.nn.Linear(10, 10)
    assert frames["output"].error == words(lambda: narrow(torch.zeros(8, 9)))
    assert "mat1 and mat2 shapes cannot be multiplied" in frames["output"].error
    assert "nearest" not in frames


@pytest.mark.parametrize("width", [1, 3, 4, 8, 10, 30])
def test_another_width_than_the_floored_one_is_refused_by_the_view(draw: Any, width: int) -> None:
    frames = draw("answer_executed", d_model=10, num_heads=3, line="floor", q_width=width)
    assert frames["run"].title == f"Linear(10, {width})(x).view(2, 4, 3, 3)"
    assert frames["run"].error == words(lambda: torch.zeros(2, 4, width).view(2, 4, 3, 3))
    assert "output" not in frames


def test_the_layer_of_torch_refuses_while_it_is_built(draw: Any) -> None:
    run = draw("answer_executed", d_model=10, num_heads=3, line="module")["run"]
    assert run.error == words(lambda: torch.nn.MultiheadAttention(10, 3))
    assert run.sentence == "10 = 3 × 3 + 1: the constructor refuses, before any input."
    built = draw("answer_executed", d_model=12, num_heads=3, line="module")["run"]
    assert (built.error, built.sentence) == ("", "12 = 3 × 4: the layer is built, 3 heads of 4.")


def test_the_silent_mistake_runs_and_its_wrong_cells_are_counted(draw: Any) -> None:
    run = draw("answer_executed", num_heads=12, d_model=768, answer_shape=[2, 12, 4, 64])["run"]
    q = torch.arange(2 * 4 * 768).view(2, 4, 768)
    wrong = int((q.view(2, 12, 4, 64) != q.view(2, 4, 12, 64).transpose(1, 2)).sum())
    assert (run.error, run.shape, run.title) == ("", (2, 12, 4, 64), "q.view(2, 12, 4, 64)")
    assert f"It runs, and it is wrong: {wrong:,} of 6,144 cells hold another number" in run.sentence


LAYER = {"batch": 2, "tokens": 5, "d_model": 32, "num_heads": 4, "d_head": 8}


@pytest.mark.parametrize(
    ("step", "answer", "says"),
    [
        (
            "view",
            [2, 5, 8, 4],
            "with every number in its place, but its axes would mean 8 heads of 4 in each",
        ),
        (
            "project",
            [2, 5, 4, 8],
            "with every number in its place, but its axes would mean 4 heads of 8 in each",
        ),
        (
            "transpose",
            [2, 5, 4, 8],
            "wrong: 288 of 320 cells hold another number than 4 heads of 8 in each token",
        ),
        (
            "transpose",
            [2, 8, 5, 4],
            "wrong: 256 of 320 cells hold another number than 8 heads of 4 with 5 tokens",
        ),
        (
            "attend",
            [2, 5, 32],
            "wrong: 288 of 320 cells hold another number than one row of 32 numbers for each",
        ),
        ("scores", [2, 5, 4, 5], "wrong: 180 of 200 cells hold another number than its axes in that order"),
        ("view", [10, 4, 8], "the same 320 numbers in the same order, but 10 would be B × T."),
        ("project", [2, 5, 33], "(2, 5, 33) asks for 330 numbers, but x @ W_Q gives 320."),
    ],
)
def test_a_wrong_shape_is_told_by_what_it_would_hold(draw: Any, step: str, answer: Any, says: str) -> None:
    run = draw("answer_executed", **LAYER, step=step, answer_shape=answer)["run"]
    assert says in run.sentence


def test_sizes_that_belong_to_an_axis_are_named_and_others_are_not(draw: Any) -> None:
    run = draw("answer_executed", **LAYER, step="view", answer_shape=[2, 4, 5, 8])["run"]
    assert run.axes == ("B", "H", "T", "D")
    assert draw("answer_executed", **LAYER, step="view", answer_shape=[10, 4, 8])["run"].axes == (
        "",
        "H",
        "D",
    )


def test_scores_between_two_texts_have_a_token_axis_of_each(draw: Any) -> None:
    numbers = {"d_model": 256, "num_heads": 8, "d_head": 32, "tokens": 3, "key_tokens": 9, "step": "scores"}
    frames = draw("answer_executed", **numbers, answer_shape=[2, 8, 9, 3])
    assert frames["run"].sentence.startswith("It runs, and it is wrong: 384 of 432 cells")
    assert (frames["right"].shape, frames["right"].axes) == ((2, 8, 3, 9), ("B", "H", "T_q", "T_k"))


def test_the_right_shape_is_the_step_itself_and_nothing_beside_it(draw: Any) -> None:
    frames = draw("answer_executed", answer_shape=[2, 12, 4, 64], step="transpose")
    assert frames["run"].sentence == "(2, 12, 4, 64) is the shape after transpose: 6,144 numbers."
    assert frames["run"].title == "q.view(2, 4, 12, 64).transpose(1, 2)"
    assert (frames["run"].shape, frames["run"].strides) == ((2, 12, 4, 64), (3072, 64, 768, 1))
    assert not frames["run"].contiguous
    assert set(frames) == {"run", "right"}


@pytest.mark.parametrize("step", ["project", "split", "transpose", "scores", "attend", "merge", "output"])
@settings(deadline=None, max_examples=20)
@given(shape=st.lists(st.integers(-1, 5), min_size=1, max_size=5))
def test_any_shape_at_any_step_ends_in_torchs_verdict(step: str, shape: list[int]) -> None:
    numbers = {"batch": 1, "tokens": 2, "d_model": 12, "num_heads": 3, "answer_shape": shape, "step": step}
    spec = make_spec("answer_executed", numbers)
    run, right, *compare = render(spec)
    assert bool(run.error) != facts(spec)["runs"]
    assert (tuple(run.shape) == right.shape) == (not compare)
    assert all(len(frame.table.rows) == max(len(shape), len(right.shape)) for frame in compare)


@settings(deadline=None, max_examples=60)
@given(
    numbers=st.fixed_dictionaries(
        {"d_model": st.integers(1, 20), "num_heads": st.integers(1, 24)},
        optional={
            "d_head": st.integers(0, 9),
            "q_width": st.integers(0, 40),
            "line": st.sampled_from(["view", "floor", "module"]),
            "answer_shape": st.lists(st.integers(1, 9), max_size=4),
        },
    )
)
def test_what_runs_is_known_without_torch(numbers: dict[str, Any]) -> None:
    spec = make_spec("answer_executed", numbers)
    assert bool(next(iter(render(spec))).error) != facts(spec)["runs"]
    assert make_spec("answer_executed", spec.parameters).digest() == spec.digest()


def test_a_shape_for_heads_that_do_not_divide_still_meets_torch(draw: Any) -> None:
    frames = draw("answer_executed", num_heads=10, answer_shape=[2, 4, 10, 76])
    assert frames["run"].error == words(lambda: torch.zeros(2, 4, 768).view(2, 4, 10, 76))
    assert set(frames) == {"run", "elsewhere", "nearest"}
    fitting = draw("answer_executed", num_heads=10, answer_shape=[8, 768])["run"]
    assert "the shape runs, but 8 features would belong to no head" in fitting.sentence


@pytest.mark.parametrize("heads", [1, 7, 768, 769, 100_000, 2**31 - 1])
@pytest.mark.parametrize("d_model", [1, 768])
def test_any_number_of_heads_ends_in_three_frames(heads: int, d_model: int) -> None:
    frames = list(render(make_spec("answer_executed", {"d_model": d_model, "num_heads": heads})))
    assert [frame.step for frame in frames] == ["run", "elsewhere", "nearest"]
    assert bool(frames[0].error) == bool(d_model % heads)


def test_too_large_is_refused_before_the_first_frame() -> None:
    with pytest.raises(TooLarge):
        next(render(make_spec("answer_executed", {"d_model": 2**31 - 1, "num_heads": 1, "batch": 2**31 - 1})))
