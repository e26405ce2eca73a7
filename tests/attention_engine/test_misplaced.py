"""The arithmetic of a silent mistake is what torch does: shapes, strides, cells held, share wrong."""

from fractions import Fraction
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_engine.device import META
from attention_engine.kinds import misplaced, silent_mistake
from attention_engine.kinds.misplaced import MERGE, MISTAKES, SOFTMAX, VIEW, WIDTH, Held
from attention_engine.spec import make_spec
from attention_engine.visualizations.silent.runs import PAIRS, run

MOVED = (VIEW, MERGE, WIDTH)
AXIS = st.integers(1, 9)


def layer_of(mistake: str, batch: int, tokens: int, *, heads: int, width: int) -> dict[str, Any]:
    sizes = {"batch": batch, "tokens": tokens, "num_heads": heads, "d_head": width}
    return dict(make_spec("silent_mistake", {"mistake": mistake, **sizes}).parameters)


@settings(deadline=None)
@given(mistake=st.sampled_from(MOVED), batch=st.integers(1, 3), tokens=AXIS, heads=AXIS, width=AXIS)
def test_the_share_wrong_strides_and_cells_are_those_of_really_moved_numbers(
    mistake: str, batch: int, tokens: int, heads: int, width: int
) -> None:
    numbers = layer_of(mistake, batch, tokens, heads=heads, width=width)
    right, wrong = run(numbers, PAIRS[mistake])
    assert tuple(right.tensor.shape) == tuple(wrong.tensor.shape) == misplaced.shape(numbers)
    assert (right.tensor.stride(), wrong.tensor.stride()) == misplaced.strides(numbers)
    assert int((right.tensor != wrong.tensor).sum()) == misplaced.wrong_cells(numbers)
    for head in range(heads):
        for token in range(tokens):
            assert right.held[head][token] == Held(token, head)
            assert wrong.held[head][token] == misplaced.held(numbers, head, token)


@settings(deadline=None)
@given(tokens=AXIS, heads=AXIS, width=AXIS, data=st.data())
def test_each_cell_holds_the_numbers_it_is_told_to_hold(
    tokens: int, heads: int, width: int, data: st.DataObject
) -> None:
    """Not by our provenance but number by number: q[t, h, d] is a triple that says its own place."""
    mistake = data.draw(st.sampled_from(MOVED))
    head, token = data.draw(st.integers(0, heads - 1)), data.draw(st.integers(0, tokens - 1))
    places = [(t, h, d) for t in range(tokens) for h in range(heads) for d in range(width)]
    index = torch.arange(len(places)).view(1, tokens, heads * width)
    if mistake == MERGE:
        mixed = index.view(tokens, heads, width).permute(1, 0, 2)[None].contiguous()
        found = mixed.reshape(1, tokens, heads, width)[0, token, head]
    elif mistake == VIEW:
        found = index.view(1, heads, tokens, width)[0, head, token]
    else:
        found = index.view(1, tokens, width, heads).permute(0, 3, 1, 2)[0, head, token]
    held = misplaced.held(layer_of(mistake, 1, tokens, heads=heads, width=width), head, token)
    triples = [places[n] for n in found.tolist()]
    assert triples[0][:2] == (held.token, held.head)
    assert len({triple[:2] for triple in triples}) == held.parts
    assert {t for t, _, _ in triples} == {held.token}


def test_twelve_heads_and_four_tokens_are_wrong_by_95_8_per_cent() -> None:
    numbers = layer_of(VIEW, 2, 4, heads=12, width=64)
    assert misplaced.strides(numbers) == ((3072, 64, 768, 1), (3072, 256, 64, 1))
    assert [misplaced.held(numbers, 0, token) for token in range(4)] == [Held(0, head) for head in range(4)]
    for mistake in (VIEW, MERGE):
        numbers = layer_of(mistake, 2, 4, heads=12, width=64)
        wrong, of = misplaced.wrong_cells(numbers), misplaced.cells(numbers)
        assert (Fraction(wrong, of), misplaced.share(wrong, of)) == (Fraction(46, 48), "95.8 %")


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize(("tokens", "heads", "width"), [(1, 5, 3), (4, 1, 3), (4, 5, 1), (1, 1, 1)])
def test_a_mistake_is_harmless_only_where_its_own_axis_has_length_one(
    mistake: str, tokens: int, heads: int, width: int
) -> None:
    numbers = layer_of(mistake, 2, tokens, heads=heads, width=width)
    harmless = {
        VIEW: 1 in (tokens, heads),
        MERGE: 1 in (tokens, heads),
        WIDTH: 1 in (heads, width),
        SOFTMAX: tokens == 1,
    }
    assert (misplaced.wrong_cells(numbers) == 0) == harmless[mistake]
    assert ("harmless" in silent_mistake.sentence(numbers)) == harmless[mistake]


@settings(deadline=None)
@given(tokens=st.integers(2, 22), seed=st.integers(0, 2**31 - 1))
def test_a_softmax_over_queries_changes_every_weight_but_that_of_a_single_token(
    tokens: int, seed: int
) -> None:
    scores = torch.randn(tokens, tokens, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    pair = PAIRS[SOFTMAX]
    assert bool((pair.right(scores, 1) != pair.wrong(scores, 1)).all())
    assert pair.right(scores[:1, :1], 1) == pair.wrong(scores[:1, :1], 1)


@pytest.mark.parametrize("mistake", MOVED)
@pytest.mark.parametrize("slug", ["gpt-3-175b", "gemma-7b", "llama-3-70b", "deepseek-v3-r1-671b"])
def test_what_is_too_large_to_move_has_the_strides_of_the_meta_device_and_the_cells_of_arithmetic(
    mistake: str, slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = dict(make_spec("silent_mistake", {"mistake": mistake, "model": slug}).parameters)
    moved = run(small, PAIRS[mistake])
    large = small | {"tokens": 2**20, "batch": 4}
    for result, strides in zip(run(large, PAIRS[mistake]), misplaced.strides(large), strict=True):
        assert result.tensor.device == META
        assert (tuple(result.tensor.shape), result.tensor.stride()) == (misplaced.shape(large), strides)
    monkeypatch.setattr(silent_mistake, "MOST_MOVED", 1)
    assert [result.held for result in run(small, PAIRS[mistake])] == [result.held for result in moved]


@pytest.mark.parametrize(
    ("wrong", "of", "told"),
    [
        (0, 6, "0 %"),
        (6, 6, "100 %"),
        (46, 48, "95.8 %"),
        (1, 2, "50.0 %"),
        (9999, 10_000, "over 99.9 %"),
        (2**62 - 1, 2**62, "over 99.9 %"),
        (9994, 10_000, "99.9 %"),
    ],
)
def test_a_share_is_told_to_a_tenth_and_what_is_not_all_is_never_all(wrong: int, of: int, told: str) -> None:
    assert misplaced.share(wrong, of) == told


@settings(deadline=None)
@given(tokens=st.integers(1, 2**31 - 1), heads=st.integers(1, 2**20))
def test_at_most_512_cells_are_shown(tokens: int, heads: int) -> None:
    down, across = misplaced.window({"tokens": tokens, "num_heads": heads, "batch": 1, "d_head": 1})
    assert 1 <= down * across <= 512
    assert down <= heads
    assert across <= tokens
