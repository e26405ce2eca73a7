"""Keys are computed from what an author states."""

import pytest

from attention_engine.arithmetic import COMPUTABLE as ARITHMETIC
from attention_engine.shapes import COMPUTABLE as SHAPES
from cards.keys import AnyOf, KeyProblem, computable_names, compute

pytestmark = pytest.mark.plain


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ({"compute": "num_heads", "model": "bert-base"}, 12),
        ({"compute": "d_head", "model": "gemma-7b"}, 256),
        ({"compute": "heads_times_d_head", "model": "gemma-7b"}, 4096),
        (
            {"compute": "quotient", "d_model": {"compute": "d_model", "model": "bert-base"}, "num_heads": 8},
            96,
        ),
        (
            {"compute": "shape_after", "step": "split", "batch": 2, "tokens": 4, "num_heads": 3, "d_head": 5},
            (2, 4, 3, 5),
        ),
        ({"any_of": {"compute": "divisors", "n": 6}}, AnyOf((1, 2, 3, 6))),
    ],
)
def test_a_key_is_computed(key, value):
    assert compute(key) == value


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        (64, "a key is"), (None, "a key is"), ({}, "needs `compute"), ({"compute": 5}, "needs `compute"),
        ({"compute": "d_haed", "model": "bert-base"}, "nothing computes 'd_haed'; there are: .*d_head"),
        ({"compute": "num_heads", "model": "bert-bsae"}, "bert-base"), ({"compute": "num_heads"},
        "does not compute"),
        ({"compute": "num_heads", "model": "bert-base", "n": 1}, "does not compute"),
        ({"compute": "divisors", "n": "many"}, "n is a number, not 'many'"), ({"compute": "divisors", "n": 0},
        "does not compute"),
        ({"any_of": {"compute": "quotient", "d_model": 768, "num_heads": 8}}, "needs a list"),
        ({"any_of": {"compute": "divisors", "n": 6}, "n": 6}, "stands alone"),
        ({"compute": "__import__", "name": "os"}, "nothing computes"), ({"compute": "__class__"},
        "nothing computes"),
        ({"compute": "num_kv_heads", "model": "deepseek-v3-r1-671b"}, "has no num_kv_heads"),
    ],
)  # fmt: skip
def test_a_key_that_does_not_compute_says_why(key, reason):
    with pytest.raises(KeyProblem, match=reason):
        compute(key)


def test_a_key_nested_without_end_is_refused():
    key = {"compute": "divisors", "n": 6}
    for _ in range(50):
        key = {"compute": "divisors", "n": key}
    with pytest.raises(KeyProblem, match="at most 4 deep"):
        compute(key)


def test_closed_forms_shapes_and_model_fields_can_all_be_named():
    assert {*ARITHMETIC, *SHAPES, "num_kv_heads", "layers"} <= set(computable_names())
