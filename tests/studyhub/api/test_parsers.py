"""Bodies are read within bounds, and a refusal names the field."""

import io
import json
import time

import pytest

from studyhub.api.problems.problem import Problem
from studyhub.api.reading.parsers import MAX_BYTES, BoundedJSONParser


def parse(raw: bytes, media_type: str = "application/json"):
    return BoundedJSONParser().parse(io.BytesIO(raw), media_type)


def refusal(raw: bytes, media_type: str = "application/json") -> tuple[int, str, str]:
    with pytest.raises(Problem) as caught:
        parse(raw, media_type)
    [error] = caught.value.errors
    return caught.value.status_code, error.field, error.reason


def test_an_ordinary_body_is_read_as_json_reads_it():
    body = {"text": "d_k = 64, naïve 注意 🙂", "n": [1, -2.5, True, None, 2**63 - 1], "deep": {"a": {}}}
    assert parse(json.dumps(body).encode()) == body
    assert parse(json.dumps(body, ensure_ascii=False).encode(), "application/json; charset=UTF-8") == body


@pytest.mark.parametrize(
    ("raw", "field", "words"),
    [
        (b'{"a": {"b": ["x", "\\u0000"]}}', "a.b.1", "NUL"),
        (b'{"a": "\\ud800"}', "a", "surrogate"),
        (b'{"a": {"\\udfff": 1}}', "a.\ufffd", "surrogate"),
        (b'{"a\\u0000": 1}', "a\ufffd", "NUL"),
        (b'{"a": NaN}', "a", "NaN"),
        (b'{"a": [-Infinity]}', "a.0", "-Infinity"),
        (b'{"a": 1e400}', "a", "beyond the largest"),
        (b'{"a": 1000000000000000000000000000000}', "a", "beyond 64 bits"),
        (b'{"a": -9223372036854775809}', "a", "beyond 64 bits"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a", "beyond 64 bits"),
        (b'{"a": 1, "b": 2, "a": 1}', "a", "given twice"),
        (b'{"a": ' + b"[" * 40 + b"]" * 40 + b"}", "a.0.0.0.0.0.0.0.…", "deeper than 32"),
        (b"[" * 100_000, "body", "deeper than 32"),
        (b"\xff\xfe", "body", "UTF-8 at byte 0"),
        (b'\xef\xbb\xbf{"a": 1}', "body", "not JSON"),
        (b'{"a": 1', "body", "not JSON"),
        (b"", "body", "not JSON"),
        (b"{'a': 1}", "body", "not JSON"),
    ],
)
def test_a_refused_value_is_a_400_with_its_path(raw, field, words):
    status, path, reason = refusal(raw)
    assert (status, path) == (400, field)
    assert words in reason


def test_depth_32_is_taken_and_33_is_not():
    assert parse(b"[" * 32 + b"]" * 32)
    assert refusal(b"[" * 33 + b"]" * 33)[2] == "is nested deeper than 32 levels"


def test_a_body_of_exactly_one_mebibyte_is_taken_and_one_byte_more_is_413():
    assert parse(b'"' + b"x" * (MAX_BYTES - 2) + b'"')
    assert refusal(b'"' + b"x" * (MAX_BYTES - 1) + b'"')[:2] == (413, "body")


def test_only_utf8_is_taken():
    assert refusal(b"{}", "application/json; charset=latin-1")[:2] == (415, "Content-Type")


def test_a_mebibyte_of_small_values_is_judged_in_no_time():
    raw = b"[" + b"0," * (MAX_BYTES // 2 - 2) + b"0]"
    begun = time.perf_counter()
    parse(raw)
    assert time.perf_counter() - begun < 5  # 0.4 s on a quiet machine
