"""A row is held to the goal of its name, and its line says both numbers."""

from typing import Any

import pytest

from benchmarks.__main__ import JUDGED
from benchmarks.harness import Ratio
from benchmarks.rows import Row, goals, judge

NAME = "engine/all-stages f32 T=128"


def row(**changed: Any) -> Row:
    told = {
        "name": NAME,
        "ours_ms": 3.1,
        "peer": "nn.MultiheadAttention",
        "peer_ms": 7.2,
        "to_peer": Ratio(0.43, 0.42, 0.45),
        "floor_ms": 2.75,
        "to_floor": Ratio(1.13, 1.1, 1.2),
        "values": {"error": 4e-7},
    }
    return Row(**told | changed)


def verdict(found: Row, *, lead: float = 2.1, quick: bool = False) -> tuple[str, list[str]]:
    judged = judge(found, lead=lead, quick=quick)
    return judged.verdict, list(judged.missed)


def test_a_line_says_ours_the_peer_the_floor_and_what_was_asked() -> None:
    assert judge(row(), lead=2.1, quick=False).line == (
        "A1 engine/all-stages f32 T=128 | ours 3.1 ms | best peer nn.MultiheadAttention 7.2 ms "
        "| x0.43 [0.42-0.45] goal <= 0.44 | floor 2.75 ms | x1.13 [1.1-1.2] goal <= 1.15 "
        "| error 4e-07 goal <= 1e-06 | PASS"
    )


@pytest.mark.parametrize(
    ("changed", "missed"),
    [
        ({"to_peer": Ratio(0.5, 0.4, 0.6)}, ["to_peer"]),
        ({"to_floor": Ratio(1.2, 1.1, 1.3)}, ["to_floor"]),
        ({"values": {"error": 2e-6}}, ["error"]),
    ],
)
def test_each_missed_number_fails_and_is_named(changed: dict[str, Any], missed: list[str]) -> None:
    assert verdict(row(**changed)) == ("FAIL", missed)
    assert judge(row(**changed), lead=2.1, quick=False).line.endswith(f"FAIL ({missed[0]})")


def test_where_no_product_is_twice_as_fast_as_torchs_own_the_other_goal_holds() -> None:
    slower = row(to_peer=Ratio(0.85, 0.8, 0.9))
    assert verdict(slower, lead=2.1) == ("FAIL", ["to_peer"])
    assert verdict(slower, lead=1.2) == ("PASS", [])


def test_a_quick_run_has_a_margin_of_a_quarter() -> None:
    near = row(to_peer=Ratio(0.54, 0.5, 0.6))
    assert verdict(near, quick=False)[0] == "FAIL"
    assert verdict(near, quick=True)[0] == "PASS"


def test_a_least_number_fails_from_below() -> None:
    found = Row("payload/zstd1 T=32", 0.3, values={"bytes_a_value": 0.5, "Mvalues_a_second": 100.0})
    assert verdict(found) == ("FAIL", ["Mvalues_a_second"])


def test_an_unsteady_floor_gives_no_verdict_of_its_own() -> None:
    assert verdict(row(stable=False, to_peer=Ratio(9, 9, 9)))[0] == "UNSTABLE"


def test_what_computes_something_else_fails_untimed() -> None:
    judged = judge(Row(NAME, 0.0, wrong="maps differ by 1.0e-01"), lead=1.0, quick=False)
    assert (judged.verdict, judged.line) == ("FAIL", f"A1 {NAME} | FAIL: maps differ by 1.0e-01")


def test_what_is_not_installed_is_skipped_with_its_reason() -> None:
    judged = judge(Row(NAME, 0.0, skipped="no weights"), lead=1.0, quick=False)
    assert (judged.verdict, judged.line) == ("SKIP", f"A1 {NAME} | SKIP: no weights")


def test_a_missing_peer_is_told_in_the_line() -> None:
    line = judge(row(missing=("transformers eager",)), lead=2.1, quick=False).line
    assert "SKIP peer transformers eager: not installed" in line


def test_every_goal_of_the_judged_modules_has_its_rows() -> None:
    asked = [goal["id"] for goal in goals().values() if goal["row"].split("/")[0] in JUDGED]
    assert asked == [
        *["A1"] * 3, *["A2"] * 2, "A3", "A4", "A5", *["P1"] * 3, *["P2"] * 2, "P3",
        "M1", "M2", "M3", "E1", "E2", *["Q2"] * 2, *["Q3"] * 2,
    ]  # fmt: skip
