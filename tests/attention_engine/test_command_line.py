"""Pictures in a terminal, with no service: run as a person would run them."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping

import pytest

from attention_engine.engine import render
from attention_engine.spec import KINDS, make_spec


def run(*words: str, extra: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DJANGO")}
    return subprocess.run(
        [sys.executable, "-m", "attention_engine", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**environment, **(extra or {})},
    )


def test_list_names_every_kind_and_its_parameters() -> None:
    done = run("list")
    assert (done.returncode, done.stderr) == (0, "")
    for kind in KINDS.values():
        assert f"{kind.name}  {kind.title}" in done.stdout
        assert all(f"--{p.name.replace('_', '-')}" in done.stdout for p in kind.parameters)


def test_help_and_list_name_what_may_be_chosen() -> None:
    listed = run("list").stdout
    for kind in KINDS.values():
        told = " ".join(run(kind.name, "--help").stdout.split())
        for choice in (choice for parameter in kind.parameters for choice in parameter.choices):
            assert choice in told
            assert choice in listed


def test_head_split_of_bert_base_is_readable() -> None:
    done = run("head_split", "--model", "bert-base")
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        "shape (2, 12, 4, 64)  B 2, H 12, T 4, D 64  strides (3072, 64, 768, 1), not contiguous"
        in done.stdout
    )
    assert "Element t 2, h 6, d 5 stays at 2 × 768 + 6 × 64 + 5 = 1,925" in done.stdout


def test_json_prints_the_frames_of_the_wire_one_a_line() -> None:
    done = run("answer_executed", "--num-heads", "10", "--json")
    printed = [json.loads(line) for line in done.stdout.splitlines()]
    drawn = [frame.as_json() for frame in render(make_spec("answer_executed", {"num_heads": 10}))]
    for frame in (*printed, *drawn):
        del frame["stamp"]["ms"]
    assert printed == drawn


def test_the_header_names_the_width_that_is_run() -> None:
    header = run("answer_executed", "--num-heads", "10").stdout.splitlines()[1]
    assert "d_head 76" in header
    assert "q_width 768" in header


def test_device_tells_what_pictures_are_computed_with() -> None:
    done = run("device", extra={"STUDYHUB_DEVICE": "cpu"})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("device    CPU, torch ")
    assert "inside an operation, waiting" in done.stdout
    assert done.stdout.count("<- taken") == 1
    assert "GFLOP/s, error" in done.stdout


def test_a_shape_may_be_given_with_commas_and_facts_alone_asked_for() -> None:
    done = run("answer_executed", "--answer_shape", "(2, 12, 4, 64)", "--facts")
    assert json.loads(done.stdout)["answer_shape"] == [2, 12, 4, 64]


def test_a_pattern_of_a_random_layer_is_readable() -> None:
    done = run("attention_pattern", "--model", "random", "--sentence", "it sees “it”")
    assert done.returncode == 0
    assert "Random layer, seed 0." in done.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("head_split", "--num-heads", "10"), "768 = 10*76 + 8); nearest that divide: 8, 12"),
        (("head_split", "--model", "bert"), "close to it: bert-base"),
        (
            ("head_split", "--num-heads", "ten"),
            "num_heads must be a whole number from 1 to 2147483647, not 'ten'",
        ),
        (
            ("answer_executed", "--d-model", "1e9"),
            "d_model must be a whole number from 1 to 2147483647, not '1e9'",
        ),
        (
            ("answer_executed", "--q-width", "-1"),
            "q_width must be a whole number from 0 to 2147483647, not -1",
        ),
        (("attention_pattern", "--seed", "x"), "seed must be a whole number from 0 to 2147483647, not 'x'"),
        (("answer_executed", "--answer-shape", "2,x"), "is not a shape such as 2,4,12,64"),
        (("attention_pattern", "--model", "random", "--num-heads", "257", "--d-head", "1"), "above 256"),
        (("drawing",), "invalid choice: 'drawing'"),
        ((), "required"),
    ],
)
def test_what_cannot_be_drawn_is_one_clear_line_and_exit_2(words: tuple[str, ...], says: str) -> None:
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_device_that_is_not_there_is_one_clear_line() -> None:
    done = run("head_split", extra={"STUDYHUB_DEVICE": "abacus"})
    assert done.returncode == 2
    assert done.stderr == "attention_engine: STUDYHUB_DEVICE must be one of auto, cpu, cuda, not abacus\n"
