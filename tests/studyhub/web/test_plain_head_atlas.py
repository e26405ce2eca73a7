"""What the page says of all heads of a model before a worker or a script has done anything."""

from typing import Any

import pytest

from attention_engine.configs import all_models
from attention_engine.spec import facts, make_spec
from studyhub.web.plain.finding import plain_of, question_of, title_of

pytestmark = pytest.mark.plain


def told(**parameters: Any) -> tuple[str, str]:
    """Title and sentence."""
    numbers = facts(make_spec("head_atlas", parameters))
    return title_of("head_atlas", numbers, role="right"), plain_of("head_atlas", numbers).sentence


@pytest.mark.parametrize(
    ("parameters", "title"),
    [
        ({}, "All 72 heads of MiniLM-L6 on one sentence"),
        ({"model": "smollm2"}, "All 270 heads of SmolLM2-135M on one sentence"),
        ({"model": "random"}, "All 4 heads of a random layer"),
        ({"model": "llama-3-70b"}, "All 5,120 heads of Llama-3 70B, counted"),
    ],
)
def test_a_title_says_how_many_heads_of_which_model(parameters: dict[str, Any], title: str) -> None:
    assert told(**parameters)[0] == title


def test_the_rule_of_the_names_is_told_as_a_convention_with_its_thresholds() -> None:
    _, sentence = told()
    assert "MiniLM-L6: 6 layers of 12 heads, 72 in all." in sentence
    assert "A pattern is a convention of this picture" in sentence
    assert "0.4 or more, and at least 2 times" in sentence
    assert "9 heads" not in sentence
    assert "3 query heads to each of 3 K/V heads" in told(model="smollm2")[1]


def test_every_published_model_says_who_shares_k_and_v_and_where_that_stands() -> None:
    for config in all_models():
        if config.slug in {"all-minilm-l6-v2", "smollm2-135m"}:
            continue
        _, sentence = told(model=config.slug)
        assert f"{config.layers * config.num_heads:,} in all" in sentence
        assert "no map is drawn" in sentence
        assert config.source in sentence
        assert ("latent of" in sentence) == (config.num_kv_heads == 0)


def test_the_lab_asks_it_as_a_question() -> None:
    assert question_of("head_atlas").endswith("?")
