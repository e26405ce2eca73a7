"""Whether tables of published models say what the file of models says, read anew. Knows no closed form."""

import csv
import math
import re
from functools import lru_cache
from pathlib import Path

import pytest

from attention_engine.frames import Cell
from tests.attention_engine.twins_of_maps import Drawn, Rule

TABLE = Path(__file__).parents[2] / "attention_engine" / "model_configs.csv"


@lru_cache(maxsize=1)
def rows_by_name() -> dict[str, dict[str, str]]:
    """Every line of the file by the model's name."""
    with TABLE.open(encoding="utf-8", newline="") as lines:
        return {row["model"]: row for row in csv.DictReader(lines)}


def number(row: dict[str, str], column: str) -> int:
    return int(row[column] or 0)


def check_budget(drawn: Drawn) -> None:
    """Bytes follow from layers and numbers of a layer; GiB from bytes; weights from the four projections."""
    asked = drawn.spec.parameters
    each, span = asked["bytes_per_value"], asked["tokens"] * asked["batch"]
    assert [row[2] for row in drawn.rows] == list(drawn.frame.values)
    assert {row[0] for row in drawn.rows} == {
        name for name, row in rows_by_name().items() if row["kv_cache_elems_per_token_per_layer"]
    }
    for name, scheme, of_a_token, gib, mha, attention, _nominal, _whole, status, as_of in drawn.rows:
        row = rows_by_name()[str(name)]
        layers, heads, pairs = (number(row, column) for column in ("n_layers", "n_heads", "n_kv_heads"))
        both = number(row, "d_head_qk") + number(row, "d_head_v")
        assert of_a_token == layers * number(row, "kv_cache_elems_per_token_per_layer") * each
        assert float(gib) == pytest.approx(int(of_a_token) * span / 2**30, rel=1e-3)
        assert mha == layers * heads * both * each
        assert (status, as_of) == (row["status"], row["as_of"])
        assert (scheme == "MLA") == ("MLA" in row["attention"])
        weights = layers * number(row, "d_model") * (heads + pairs) * both
        told = "not in the table" if scheme == "MLA" else pytest.approx(2 * weights / 2**30, rel=1e-3)
        assert attention == told


def check_caches(drawn: Drawn) -> None:
    """Each product is the bytes beside it."""
    for _name, product, of_a_token, _memory in drawn.rows:
        factors = [int(factor.replace(",", "")) for factor in str(product).split(" × ") if factor]
        assert not factors or math.prod(factors) == of_a_token


def check_allocated(drawn: Drawn) -> None:
    """Bytes follow from each shape, the difference from both counts, the sum from the tensors."""
    width, held = drawn.spec.parameters["bytes_per_value"], 0
    for name, _axes, shape, formula, memory, difference in drawn.rows:
        assert int(memory) - int(formula) == difference
        if shape:
            sizes = [int(size) for size in re.findall(r"\d+", str(shape))]
            assert math.prod(sizes) * width == formula
            held += int(memory)
        elif name == "all":
            assert memory == held


def check_run(drawn: Drawn) -> None:
    """The second row is the first shared out among its tokens."""
    (tokens, formula, held, _), (_, each, one, _) = drawn.rows
    count = int(str(tokens).split()[0])
    assert (int(each) * count, int(one) * count) == (formula, held)
    assert all(int(row[2]) - int(row[1]) == row[3] for row in drawn.rows)


def check_factors(drawn: Drawn) -> None:
    """The factors kept make the bytes kept; those answered, where they are told, the answer."""
    *factors, (_, kept, answered) = drawn.rows
    assert math.prod(int(row[1]) for row in factors) == kept
    if all(row[2] != "not told" for row in factors):
        assert math.prod(int(row[2]) for row in factors) == answered


def check_museum(drawn: Drawn) -> None:
    """Each row is a line of the file: its widths, whether the rule holds, who says so."""
    assert [row[4] for row in drawn.rows] == list(drawn.frame.values)
    for name, d_model, heads, quotient, d_head, inner, rule, _scale, *said in drawn.rows:
        row = rows_by_name()[str(name)]
        told = [number(row, column) for column in ("d_model", "n_heads", "d_head_qk", "n_heads_x_d_head_qk")]
        assert [d_model, heads, d_head, inner] == told
        assert float(_plain(quotient)) == pytest.approx(float(row["d_model_div_n_heads"]), abs=0.01)
        assert rule == {"yes": "holds", "NO": "breaks"}[row["rule_holds"]]
        assert said == [row["status"], row["as_of"], row["source"], row["note"]]


def _plain(cell: Cell) -> str:
    return str(cell).replace(",", "")


def check_statements(drawn: Drawn) -> None:
    """Counts are the values of the frame, and no larger than what they are of."""
    assert [row[1] for row in drawn.rows] == list(drawn.frame.values)
    every = rows_by_name().values()
    broken = [row for row in every if row["rule_holds"] == "NO"]
    sure = [row for row in every if row["status"] != "unverified"]
    assert drawn.rows[0][1:3] == (len(broken), len(rows_by_name()))
    assert drawn.rows[1][1:3] == (sum(row in broken for row in sure), len(sure))
    assert all(0 <= int(row[1]) <= int(row[2]) for row in drawn.rows)


def check_widths(drawn: Drawn) -> None:
    """An answered width beside the model's own, each times the heads."""
    row = rows_by_name()[str(drawn.rows[1][0]).rpartition(", ")[0]]
    for said, product, d_model in drawn.rows:
        width = int(_plain(str(said).rpartition(", ")[2]))
        assert (product, d_model) == (number(row, "n_heads") * width, number(row, "d_model"))


CONFIGS: tuple[Rule, ...] = (
    (lambda columns: "bytes a token if MHA" in columns, check_budget),
    (lambda columns: columns[:3] == ("cache", "product", "bytes a token"), check_caches),
    (lambda columns: columns[0] == "tensor" and "bytes by formula" in columns, check_allocated),
    (lambda columns: columns[:2] == ("what", "bytes by formula"), check_run),
    (lambda columns: columns == ("factor", "kept", "answered"), check_factors),
    (lambda columns: "own score scale" in columns, check_museum),
    (lambda columns: columns == ("statement", "models", "of", "which"), check_statements),
    (lambda columns: columns[0] == "width of a head", check_widths),
)
