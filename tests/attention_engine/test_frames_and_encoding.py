import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_engine.encoding import compact, encode, sampled, thumbnail
from attention_engine.frames import Frame, Table, TensorRef
from tests.attention_engine.decoding import decode

MAPS = arrays(
    np.float32, st.tuples(st.integers(1, 12), st.integers(1, 12)), elements=st.floats(0, 1, width=32)
)
ANY = arrays(
    np.float32, st.tuples(st.integers(1, 9), st.integers(1, 9)), elements=st.floats(-6e4, 6e4, width=32)
)


def softmax_rows(tokens: int, *, sharpness: float, seed: int = 0) -> np.ndarray:
    logits = np.random.default_rng(seed).normal(size=(tokens, tokens)) * sharpness
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return (weights / weights.sum(axis=-1, keepdims=True)).astype(np.float32)


def there_and_back(values: np.ndarray, encoding: str, *, tril: bool = False) -> np.ndarray:
    reference, body = encode(values, role="weights", axes=("T", "T"), encoding=encoding, tril=tril)
    assert reference.bytes == len(body)
    assert reference.sha256 == hashlib.sha256(body).hexdigest()
    return decode(reference, body)


@settings(deadline=None)
@given(values=MAPS)
def test_u8sqrt_is_wrong_by_at_most_half_a_step_of_the_root(values: np.ndarray) -> None:
    back = there_and_back(values, "u8sqrt")
    assert np.abs(np.sqrt(back) - np.sqrt(values)).max() <= 0.5 / 255 + 1e-6


@pytest.mark.parametrize("sharpness", [0.5, 1.0, 5.0])
@pytest.mark.parametrize("tokens", [16, 128, 512])
def test_rows_of_unlike_weights_still_sum_to_one_within_a_percent(tokens: int, sharpness: float) -> None:
    back = there_and_back(softmax_rows(tokens, sharpness=sharpness), "u8sqrt")
    assert np.abs(back.sum(axis=-1) - 1).mean() < 0.01


def test_a_uniform_row_of_512_survives_u8sqrt_but_not_linear_steps() -> None:
    uniform = np.full((1, 512), 1 / 512, dtype=np.float32)
    assert there_and_back(uniform, "u8sqrt").sum() == pytest.approx(1, abs=0.05)
    row_with_peak = np.append(uniform, [[1.0]], axis=1)
    assert there_and_back(row_with_peak, "u8")[0, 0] == pytest.approx(1 / 512, abs=0.5 / 255)


@settings(deadline=None)
@given(values=ANY)
def test_f16_keeps_eleven_bits(values: np.ndarray) -> None:
    assert np.allclose(there_and_back(values, "f16"), values, rtol=2**-11, atol=2**-24)


@settings(deadline=None)
@given(values=ANY)
def test_u8_is_wrong_by_at_most_half_a_step_of_its_span(values: np.ndarray) -> None:
    span = float(values.max() - values.min())
    assert np.abs(there_and_back(values, "u8") - values).max() <= span * 0.5 / 255 + span * 1e-5 + 1e-2


@pytest.mark.parametrize("largest", [1e-30, 1.1754944e-38, 1e-45])
def test_u8_keeps_the_ends_of_the_narrowest_span(largest: float) -> None:
    values = np.array([[largest, 0.0]], dtype=np.float32)
    assert there_and_back(values, "u8").tolist() == [[pytest.approx(float(values[0, 0])), 0.0]]


def test_f32_is_exact_and_little_endian_in_c_order() -> None:
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    _, body = encode(values.T, role="values", axes=("a", "b"), encoding="f32")
    assert body == np.array([0, 3, 1, 4, 2, 5], dtype="<f4").tobytes()


def test_a_mask_stays_infinite_and_out_of_the_extent() -> None:
    reference, body = encode([[1.0, -np.inf], [2.0, 3.0]], role="scores", axes=("T", "T"), encoding="f16")
    assert (reference.minimum, reference.maximum) == (1.0, 3.0)
    assert decode(reference, body)[0, 1] == -np.inf


def test_a_number_too_large_for_f16_ends_at_its_edge_and_is_not_taken_for_a_mask() -> None:
    assert there_and_back(np.array([[1e6, -1e6]]), "f16").tolist() == [[65504.0, -65504.0]]


@pytest.mark.parametrize(("encoding", "left_out"), [("u8sqrt", 0.0), ("f16", np.nan)])
def test_a_packed_triangle_carries_half_and_tells_the_extent_of_it(encoding: str, left_out: float) -> None:
    causal = np.tril(softmax_rows(9, sharpness=1.0))
    reference, body = encode(causal, role="weights", axes=("T", "T"), encoding=encoding, tril=True)
    assert len(body) == 45 * (1 if encoding == "u8sqrt" else 2)
    assert reference.minimum == causal[causal > 0].min()
    expected = np.where(np.tri(9) > 0, causal, left_out)
    assert np.allclose(decode(reference, body), expected, atol=4e-3, equal_nan=True)


@pytest.mark.parametrize("tokens", [1, 5, 32, 33, 100, 512])
def test_a_thumbnail_is_at_most_32_wide_and_keeps_every_peak(tokens: int) -> None:
    weights = softmax_rows(tokens, sharpness=3.0)
    small = thumbnail(np.stack([weights, weights]))
    assert small.shape == (2, min(tokens, 32), min(tokens, 32))
    assert small.max() == weights.max()
    assert tokens > 32 or np.array_equal(small[0], weights)


def frame() -> Frame:
    tensor = TensorRef(
        role="weights", axes=("T", "T"), shape=(2, 2), encoding="u8sqrt", minimum=0.0, maximum=1.0,
        sha256="ab" * 32, bytes=4,
    )  # fmt: skip
    table = Table(("query", "é"), (("it", 0.5), ("cat", 1)))
    return Frame(
        step="weights", layout="grid", title="softmax", sentence="Rows sum to 1.", n=3, axes=("T", "T"),
        shape=(2, 2), strides=(2, 1), values=(0.25,), table=table, tensors=(tensor,),
        stamp={"engine": "1", "ms": 0.5}, blobs=(b"1234",),
    )  # fmt: skip


def test_the_json_of_a_frame_has_exactly_the_fields_of_the_contract() -> None:
    told = frame().as_json()
    assert list(told) == [
        "n", "step", "layout", "title", "sentence", "axes", "shape", "strides", "contiguous", "dtype",
        "values", "table", "error", "tensors", "stamp",
    ]  # fmt: skip
    assert set(told["tensors"][0]) == {
        "role", "axes", "shape", "encoding", "minimum", "maximum", "packed", "sha256", "bytes",
    }  # fmt: skip
    assert b"1234" not in frame().as_bytes()


@pytest.mark.parametrize(
    ("bytes_given", "encoding", "shape"),
    [(960, "f32", (4, 3, 20)), (480, "f16", (4, 3, 20)), (240, "u8", (4, 3, 20)), (120, "u8", (4, 3, 10))],
)
def test_numbers_are_sent_as_exactly_as_their_bytes_allow(
    bytes_given: int, encoding: str, shape: tuple[int, ...]
) -> None:
    values = np.random.default_rng(0).normal(size=(4, 3, 20)).astype(np.float32)
    kept, chosen = compact(values, bytes_given)
    assert (chosen, kept.shape) == (encoding, shape)
    assert shape != values.shape or np.array_equal(kept, values)


@given(values=ANY, bins=st.integers(1, 12))
def test_a_sample_is_the_number_of_greatest_size_of_each_bin(values: np.ndarray, bins: int) -> None:
    width, count = values.shape[1], min(values.shape[1], bins)
    for at, kept in enumerate(sampled(values, bins).T):
        part = values[:, at * width // count : (at + 1) * width // count]
        assert np.array_equal(np.abs(kept), np.abs(part).max(axis=1))
        assert all(number in row for number, row in zip(kept, part, strict=True))
