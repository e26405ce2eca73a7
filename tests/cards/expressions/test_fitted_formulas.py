"""Formulas made to look like the key: at the points that are tried, in the field, or near 1 only."""

import pytest

from cards.expressions.maths import Rules, Vocabulary, equal, parse
from cards.expressions.maths.points import points
from cards.expressions.maths.residues import field_point

pytestmark = pytest.mark.plain

NAMES = ("x", "y", "n")
VOCABULARY = Vocabulary(dict.fromkeys(NAMES, ()))
REAL = dict.fromkeys(NAMES, "real")
WHOLE = dict.fromkeys(NAMES, "integer")


def compared(one, other, domain=None):
    return equal(parse(one, VOCABULARY), parse(other, VOCABULARY), Rules(domain or {}))


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("x", "2^127 x"),
        ("x", "x * 170141183460469231731687303715884105728"),
        ("x", "x (1 + (2^127-1) y)"),
        ("x", "x (1 + (2^127-1)(2^107-1))"),
        ("1/x", "2^127/x"),
        ("y = x", "y = 2^127 x"),
        ("y < x", "y < 2^127 x"),
    ],
)
def test_what_is_the_key_only_in_the_field_is_wrong(key, text):
    assert compared(key, text) is not True
    assert compared(text, key) is not True


@pytest.mark.parametrize(
    "text", ["x^(2^127-1)", "x x^(2^127-2)", "(x^(2^100))^(2^100)", "x^(2^64) x^(2^63)", "x^(2^4000)"]
)
def test_powers_beyond_what_the_field_can_tell_prove_nothing(text):
    assert compared("x", text) is not True


def test_a_formula_with_its_roots_at_the_fields_own_points_is_wrong():
    first, second = (field_point(frozenset("x"), number)["x"] for number in (0, 1))
    for scale in ("1", "10^-80"):
        assert compared("x", f"x + {scale}(x-{first})(x-{second})") is False


def test_a_formula_with_its_roots_at_all_points_is_wrong():
    roots = "".join(f"(x-{point['x']:.3f})" for point in points(("x",), ("positive",))[:24])
    text = f"sqrt(x) + ({roots})^9/10^30"
    assert len(text) <= 400
    assert compared("sqrt(x)", text) is False


@pytest.mark.parametrize(
    ("key", "text", "domain"),
    [
        ("x", "min(x, 4096)", None),
        ("x", "max(x, 0.1)", None),
        ("x", "max(x, 1/500)", None),
        ("x", "x + max(0, x-64)", None),
        ("x", "x (1 + floor(x/50))", None),
        ("x", "-x |x-40|/(x-40)", None),
        ("x", "max(x, -1000)", REAL),
        ("n", "min(n, 100)", WHOLE),
        ("n", "n + floor(n/4096)", WHOLE),
        ("sqrt(x)", "sqrt(min(x, 64))", None),
        ("sqrt(x)", "sqrt(x) + floor(x/1000)", None),
        ("sqrt(x)", "sqrt(x) + max(0, x-7.5) max(0, 7.6-x)", None),
        ("sqrt(x)", "sqrt(x) + max(0, x-8^3) max(0, 8^3+1/2-x)", None),
        ("sqrt(x)", "sqrt(x) + 10^-30 x^30", None),
        ("min(2, 1/4)", "min(2y, 1/4)", None),
    ],
)
def test_what_is_the_key_near_one_only_is_wrong(key, text, domain):
    assert compared(key, text, domain) is False


@pytest.mark.parametrize(
    ("key", "text", "domain"),
    [
        ("10^-12 sqrt(x)", "1e-12 sqrt(x)", None),
        ("10^-12 sqrt(x)", "0.000000000001 sqrt(x)", None),
        ("sqrt(x)/2^34", "0.00000000005820766091346740722656250 sqrt(x)", None),
        ("0", "0 sqrt(x)", None),
        ("(y-y) (x+2)", "(y-y) sqrt(x+2)", REAL),
        ("0", "sin(pi) sqrt(x)", None),
        ("log2(max(x, n!)^0)", "2 log2(max(x, n!)^0)", None),
        ("10^20 x + y", "y + 10^20 x", None),
        ("min(x, 64)", "(x + 64 - |x-64|)/2", REAL),
        ("max(x, y)", "-min(-x, -y)", REAL),
        ("floor(n/2) + ceil(n/2)", "n", WHOLE),
        ("9^9^9 x", "x 9^(9^9)", None),
        ("x^100000", "x x^99999", None),
    ],
)
def test_what_is_the_key_everywhere_is_right(key, text, domain):
    assert compared(key, text, domain) is True


@pytest.mark.parametrize(
    ("key", "text", "domain"),
    [
        ("y = x", "y = min(x, 4096)", None),
        ("y = x", "y = max(x, 1/1000)", None),
        ("y = x", "min(y, 5000) = min(x, 5000)", None),
        ("y < x", "y < min(x, 4096)", None),
        ("y = sqrt(x)", "y = sqrt(x) + floor(x/1000)", None),
        ("y = |x|", "y = max(x, -x) + max(0, x-200)", REAL),
        ("n = x/y", "n = min(x/y, 300)", None),
    ],
)
def test_a_relation_that_is_the_key_near_one_only_is_not_right(key, text, domain):
    assert compared(key, text, domain) is not True
    assert compared(text, key, domain) is not True


@pytest.mark.parametrize(
    ("key", "text", "domain"),
    [
        ("y = |x|", "max(x, -x) = y", REAL),
        ("y = ceil(n/12)", "y = floor((n+11)/12)", WHOLE),
        ("y = min(x, 64)", "2y = x + 64 - |x-64|", None),
        ("y < max(x, 3)", "3y < 3 max(3, x)", None),
        ("y = floor(x)", "y + 1 = floor(x + 1)", None),
    ],
)
def test_a_relation_of_pieces_is_right_however_it_is_written(key, text, domain):
    assert compared(key, text, domain) is True
