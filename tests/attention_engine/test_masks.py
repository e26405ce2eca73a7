"""Masks equal their slow twins, and torch's own triangle where torch has one."""

import pytest
import torch
from torch.nn.attention.bias import causal_lower_right, causal_upper_left

from attention_engine.masks import causal, combine, padding, sliding_window
from tests.attention_engine import reference

SIZES = [(tokens, keys) for tokens in (1, 2, 3, 7) for keys in (1, 2, 3, 7)]


@pytest.mark.parametrize(("tokens", "keys"), SIZES)
@pytest.mark.parametrize("align", ["top_left", "bottom_right"])
@pytest.mark.filterwarnings("ignore:Lower right causal bias will produce NaNs")
def test_a_causal_mask_equals_its_twin_and_torchs(tokens: int, keys: int, align: str) -> None:
    ours = causal(tokens, keys, align=align)  # type: ignore[arg-type]
    assert ours.tolist() == reference.causal(tokens, keys, last_is_last=align == "bottom_right")
    torchs = causal_lower_right if align == "bottom_right" else causal_upper_left
    assert torch.equal(ours, torchs(tokens, keys)._materialize())


@pytest.mark.parametrize(("tokens", "keys"), SIZES)
@pytest.mark.parametrize("window", [1, 2, 5, 100])
@pytest.mark.parametrize("align", ["top_left", "bottom_right"])
def test_a_sliding_window_equals_its_twin(tokens: int, keys: int, window: int, align: str) -> None:
    ours = sliding_window(tokens, keys, window=window, align=align)  # type: ignore[arg-type]
    twin = reference.sliding_window(tokens, keys, window=window, last_is_last=align == "bottom_right")
    assert ours.tolist() == twin


def test_a_window_of_one_sees_itself_and_a_wide_one_is_causal() -> None:
    assert torch.equal(sliding_window(5, 5, window=1), torch.eye(5, dtype=torch.bool))
    assert torch.equal(sliding_window(5, 9, window=9), causal(5, 9, align="bottom_right"))


def test_where_keys_are_fewer_the_first_bottom_right_rows_see_nothing() -> None:
    assert causal(5, 2, align="bottom_right").sum(dim=-1).tolist() == [0, 0, 0, 1, 2]
    assert causal(5, 2, align="top_left").sum(dim=-1).tolist() == [1, 2, 2, 2, 2]


def test_padding_hides_what_comes_after_each_sequence() -> None:
    mask = padding([3, 0, 4], 4)
    assert mask.shape == (3, 1, 1, 4)
    assert mask[:, 0, 0].tolist() == [[True, True, True, False], [False] * 4, [True] * 4]


def test_masks_together_show_what_each_of_them_shows() -> None:
    both = combine(causal(3, 3), padding([2, 3], 3))
    assert both.shape == (2, 1, 3, 3)
    assert both[0, 0].tolist() == [[True, False, False], [True, True, False], [True, True, False]]
    assert torch.equal(both[1, 0], causal(3, 3))
    assert torch.equal(combine(causal(3, 3)), causal(3, 3))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: causal(2, 2, align="centre"), 'top_left or bottom_right, not "centre"'),  # type: ignore[arg-type]
        (lambda: sliding_window(2, 2, window=0), "a window of 0 keys sees nothing"),
        (lambda: padding([2, 5], 4), "5 tokens does not fit 4 keys: 0 to 4"),
        (lambda: padding([-1], 4), "-1 tokens does not fit"),
    ],
)
def test_what_cannot_be_masked_is_told_with_its_numbers(call: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()  # type: ignore[operator]
