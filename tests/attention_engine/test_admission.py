import tracemalloc
from typing import Any

import pytest

from attention_engine.admission import TooLarge, admit
from attention_engine.spec import make_spec


def test_bert_base_carries_values_and_is_drawn_at_once() -> None:
    cost = admit(make_spec("head_split", {"model": "bert-base"}))
    assert (cost.queue, cost.carries_values) == ("renders.fast", True)
    root = 2 * 8 * 8 * 768 + 8**3 // 3  # the law of 8 rows, in place of weights 768 wide
    drawn = 100 * 8 * 768  # the time of the normal numbers, as FLOPs
    assert cost.flops == 4 * (root + 2 * 8 * 8 * 768 + drawn) + 4 * 2 * 12 * 4 * 4 * 64


def test_drawing_many_weights_for_few_tokens_is_no_fast_picture() -> None:
    one_token = {"model": "gpt-3-175b", "batch": 1, "tokens": 1}
    queues = [admit(make_spec("head_split", one_token | {"weights": how})).queue for how in ("law", "pinned")]
    assert queues == ["renders.fast", "renders.heavy"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"model": "gpt-3-175b", "tokens": 512},
        {"model": "gpt-3-175b", "weights": "pinned", "tokens": 128},
        {"batch": 5},
        {"tokens": 513},
        {"d_model": 514, "num_heads": 257},
        {"d_model": 513, "num_heads": 1},
        {"batch": 4, "tokens": 512, "num_heads": 48},
    ],
)
def test_a_head_split_beyond_the_limits_shows_shapes_alone_and_costs_nothing(
    parameters: dict[str, object],
) -> None:
    cost = admit(make_spec("head_split", parameters))
    assert (cost.carries_values, cost.flops, cost.peak_bytes, cost.queue) == (False, 0, 0, "renders.fast")


def test_a_long_sentence_goes_to_the_heavy_queue_and_a_short_one_does_not() -> None:
    queues = [admit(make_spec("attention_pattern", {"sentence": "so " * words})).queue for words in (10, 500)]
    assert queues == ["renders.fast", "renders.heavy"]


def test_more_than_512_tokens_are_not_admitted_as_more_than_512() -> None:
    costs = [
        admit(make_spec("attention_pattern", {"sentence": "a " * words, "model": "random"}))
        for words in (512, 1000)
    ]
    assert costs[0] == costs[1]
    assert costs[0].flops >= 6 * 64 * 64 * 512 + 4 * 512 * 512 * 16


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"num_heads": 257, "d_head": 1}, "num_heads 257 is above 256"),
        ({"num_heads": 1, "d_head": 513}, "d_head 513 is above 512"),
        ({"d_head_v": 513}, "d_head_v 513 is above 512"),
        ({"num_heads": 2048, "d_head": 1}, "num_heads 2,048 is above 256"),
        ({"d_model": 2**20, "num_heads": 1, "d_head": 512, "weights": "pinned"}, "MiB at once, above 256"),
    ],
)
def test_a_pattern_beyond_the_limits_is_refused_with_the_numbers_and_the_way_out(
    parameters: dict[str, Any], says: str
) -> None:
    with pytest.raises(TooLarge, match=says) as refused:
        admit(make_spec("attention_pattern", {"model": "random", **parameters}))
    assert "take less" in str(refused.value)


@pytest.mark.parametrize("kind", ["head_split", "answer_executed"])
def test_a_tensor_that_no_memory_can_address_is_refused_without_allocating(kind: str) -> None:
    spec = make_spec(kind, {"d_model": 2**31 - 1, "num_heads": 1, "tokens": 2**31 - 1})
    tracemalloc.start()
    with pytest.raises(TooLarge, match=r"above 2\^63 - 1"):
        admit(spec)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000


def test_the_largest_admitted_shapes_are_drawn_as_shapes(draw: object) -> None:
    frames = draw("head_split", d_model=2**20, num_heads=2**10, tokens=2**20, batch=1)  # type: ignore[operator]
    assert frames["attend"].shape == (1, 2**10, 2**20, 2**10)
    assert not frames["attend"].tensors
