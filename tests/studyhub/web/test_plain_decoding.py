"""What a growing cache says on the page before a worker or a script has done anything."""

from typing import Any

import pytest

from attention_engine.kinds.decode_cache import cached_sizes
from attention_engine.kinds.kv.cache_bytes import mistake_of
from attention_engine.spec import facts, make_spec
from studyhub.web.pictures import picture_view
from studyhub.web.plain import decode_cache
from studyhub.web.plain.finding import plain_of

pytestmark = pytest.mark.plain
LLAMA = {"model": "llama-3-8b", "prompt": "one two three four", "new_tokens": 6}


def said(**parameters: Any) -> str:
    spec = make_spec("decode_cache", parameters)
    return plain_of("decode_cache", facts(spec)).sentence


@pytest.mark.parametrize(
    ("parameters", "title"),
    [
        ({}, "SmolLM2-135M continues a text: every token is kept"),
        (
            {"keep": "sink_window", "window": 6},
            "SmolLM2-135M continues a text: the first 4 and the newest 6 tokens are kept",
        ),
        (
            {"model": "llama-3-8b", "keep": "window"},
            "Llama-3 8B continues a text: the newest 8 tokens are kept",
        ),
    ],
)
def test_the_title_says_who_continues_and_what_is_kept(parameters: dict[str, Any], title: str) -> None:
    view = picture_view({"role": "right", "kind": "decode_cache", "parameters": parameters, "seed": 0})
    assert view["title"] == title


def test_bytes_of_a_token_are_said_as_a_formula_with_its_numbers() -> None:
    assert "One token leaves 2 × 30 × 3 × 64 × 2 = 23,040 bytes in the cache" in said()
    assert "61 × 576 × 2 = 70,272 bytes" in said(model="deepseek-v3-r1-671b")


def test_without_a_tokenizer_the_bytes_at_the_end_are_known_beforehand() -> None:
    assert "At the end 10 of 10 tokens are held: 1,310,720 bytes." in said(**LLAMA)
    assert "At the end 3 of 10 tokens are held: 393,216 bytes." in said(**LLAMA, keep="window", window=3)


@pytest.mark.parametrize("name", decode_cache.WHY)
def test_every_mistake_has_its_words_beside_the_learners_bytes(name: str) -> None:
    given = {**LLAMA, "keep": "window", "window": 3}
    sizes = cached_sizes(make_spec("decode_cache", given).parameters)
    answers = (sizes.bytes_per_token * held // part for held in (1, 3, 6, 10, 12) for part in (1, 2, 32))
    found = next(a for a in answers if mistake_of(a, sizes, held=3, seen=10) == name)
    assert f"Your {found:,} bytes" in said(**given, answer_bytes=found)


def test_layers_that_do_not_hold_every_token_are_told_of() -> None:
    assert "Gemma-2 27B is listed as GQA, local/global" in said(model="gemma-2-27b")
    assert "encoder's tokens are kept beside it" in said(model="t5-base")
