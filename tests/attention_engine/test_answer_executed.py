"""What a learner's answer does: torch's own words, taken from the torch that runs."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_engine.admission import TooLarge
from attention_engine.engine import render
from attention_engine.spec import make_spec


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
    assert run.sentence.startswith("768 = 10*76 + 8: 8 features would belong to no head")


def test_the_words_are_passed_on_whatever_torch_says(draw: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_tensor: torch.Tensor, *_shape: Any) -> torch.Tensor:
        raise RuntimeError("another wording\nof a later torch")

    monkeypatch.setattr(torch.Tensor, "view", refuse)
    monkeypatch.setattr("attention_engine.outcomes.numbered", lambda shape: torch.zeros(tuple(shape)))
    monkeypatch.setattr(
        "attention_engine.visualizations.answer_executed.numbered", lambda shape: torch.zeros(tuple(shape))
    )
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
    assert frames["run"].sentence.startswith("10 = 3*3 + 1")
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
    assert "W_Q is 3072 x 4096 and W_O 4096 x 3072" in run.sentence


def test_a_width_too_large_for_memory_is_run_on_meta_with_the_same_form_of_words(draw: Any) -> None:
    run = draw("answer_executed", d_model=1_000_000_007, num_heads=10)["run"]
    assert run.error.endswith("is invalid for input of size 8000000056")


def test_the_silent_mistake_runs_and_its_wrong_cells_are_counted(draw: Any) -> None:
    run = draw("answer_executed", num_heads=12, d_model=768, answer_shape=[2, 12, 4, 64])["run"]
    q = torch.arange(2 * 4 * 768).view(2, 4, 768)
    wrong = int((q.view(2, 12, 4, 64) != q.view(2, 4, 12, 64).transpose(1, 2)).sum())
    assert (run.error, run.shape, run.axes) == ("", (2, 12, 4, 64), ())
    assert f"{wrong} of 6144 cells (95.8 %) hold another number" in run.sentence


def test_the_right_shape_is_said_to_be_right(draw: Any) -> None:
    frames = draw("answer_executed", answer_shape=[2, 12, 4, 64], step="transpose")
    assert frames["run"].sentence == "(2, 12, 4, 64) is the shape after transpose."
    assert (frames["right"].shape, frames["right"].strides) == ((2, 12, 4, 64), (3072, 64, 768, 1))
    assert not frames["right"].contiguous
    assert [row[1:] for row in frames["compare"].table.rows] == [(2, 2), (12, 12), (4, 4), (64, 64)]


def test_a_view_over_strides_that_do_not_allow_it_says_so_and_reshape_runs(draw: Any) -> None:
    run = draw("answer_executed", answer_shape=[2, 4, 768], step="transpose")["run"]
    heads = torch.zeros(2, 4, 12, 64).transpose(1, 2)
    assert run.error == words(lambda: heads.view(2, 4, 768))
    assert dict(run.table.rows)["heads.reshape(2, 4, 768)"] == "runs: shape (2, 4, 768)"


@pytest.mark.parametrize("step", ["project", "split", "transpose", "scores", "attend", "merge", "output"])
@settings(deadline=None, max_examples=20)
@given(shape=st.lists(st.integers(-1, 5), min_size=1, max_size=5))
def test_any_shape_at_any_step_ends_in_torchs_verdict(step: str, shape: list[int]) -> None:
    numbers = {"batch": 1, "tokens": 2, "d_model": 12, "num_heads": 3, "answer_shape": shape, "step": step}
    run, right, compare = render(make_spec("answer_executed", numbers))
    count = torch.Size(right.shape).numel()
    fits = shape.count(-1) <= 1 and _filled(shape, count)
    assert bool(run.error) != fits or step in {"transpose"}
    assert (tuple(run.shape) == right.shape) == (run.axes == right.axes and not run.error)
    assert len(compare.table.rows) == max(len(shape), len(right.shape))


def _filled(shape: list[int], count: int) -> bool:
    known = torch.Size([size for size in shape if size >= 0]).numel()
    return known == count if -1 not in shape else known > 0 and count % known == 0


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
