"""How a shape that runs regroups the axes of the right one."""

from typing import Any

from attention_engine.visualizations.answers.readings import grouping


def test_axes_that_are_joined_or_cut_are_named() -> None:
    assert grouping(("B", "T", "H*D"), (2, 5, 32), (10, 32)) == "10 would be B × T"
    assert grouping(("B", "T", "H*D"), (2, 5, 32), (2, 5, 4, 8)) == "4 × 8 would be H*D"


def test_more_heads_than_features_leave_nothing_to_regroup(draw: Any) -> None:
    floor = {"line": "floor", "step": "project", "d_model": 16, "num_heads": 48, "batch": 3}
    run = draw("answer_executed", **floor, answer_shape=[2, 4, -1])["run"]
    assert "the same 0 numbers in the same order, but there is none to regroup" in run.sentence
