"""What the pictures of the table of models say on a page before a worker or a script has done anything."""

import re
from typing import Any

import pytest
from django.template.loader import render_to_string

from attention_engine.configs import all_models
from studyhub.web.pictures import picture_view

pytestmark = pytest.mark.plain


def seen(kind: str, role: str = "right", **parameters: Any) -> dict[str, Any]:
    return picture_view({"role": role, "kind": kind, "parameters": parameters, "seed": 0})


def words(view: dict[str, Any]) -> str:
    html = render_to_string("web/_picture.html", {"picture": view})
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


@pytest.mark.parametrize(
    ("kind", "role", "parameters", "title"),
    [
        ("kv_budget", "right", {}, "What the KV cache of Llama-3 70B weighs"),
        ("kv_budget", "right", {"model": "", "layers": 3}, "What the KV cache of Your numbers weighs"),
        ("kv_budget", "yours", {"answer_bytes": 163_840}, "163,840 bytes a token, factor by factor"),
        ("config_museum", "right", {}, "How wide heads are: Gemma-7B among 116 models"),
        ("config_museum", "yours", {"answer_d_head": 192}, "Heads of 192 in Gemma-7B, as you answered"),
    ],
)
def test_a_title_says_whose_numbers_they_are(
    kind: str, role: str, parameters: dict[str, Any], title: str
) -> None:
    assert seen(kind, role, **parameters)["title"] == title


def test_a_budget_stands_between_its_neighbours_with_bytes_and_memory() -> None:
    told = words(seen("kv_budget", model="llama-3-70b"))
    assert "2 × 80 × 8 × 128 × 2 = 327,680 bytes" in told
    assert "it would leave 2,621,440: 8 times as much" in told
    assert "Llama-3 70B GQA 327,680 2.50 GiB" in told
    assert told.index("OpenLLaMA-3B") < told.index("Llama-3 70B GQA") < told.index("Llama-2 70B")


def test_a_budget_says_which_mistake_made_the_answer() -> None:
    told = words(seen("kv_budget", "yours", answer_bytes=2_621_440))
    assert "It counts 64 query heads; the cache keeps 8 K/V heads." in told


def test_a_model_without_a_cache_has_no_budget() -> None:
    assert words(seen("kv_budget", model="bert-base")) == ""


def test_the_museum_says_why_and_from_where_and_lists_who_breaks_the_rule() -> None:
    told = words(seen("config_museum", model="gemma-7b"))
    row = next(config for config in all_models() if config.slug == "gemma-7b")
    assert "16 × 256 = 4,096, wider than d_model 3,072" in told
    assert f"Source: {row.source}; two sources, 2026-11-30." in told
    assert "in 34 of them d_head is not d_model / num_heads" in told
    assert "gpt-oss-120b 2,880 / 64 = 45 64 4,096 two sources" in told
    assert "Llama-3 70B" not in told


def test_the_museum_lists_what_was_asked_for_where_none_of_it_breaks_the_rule() -> None:
    told = words(seen("config_museum", find="llama-3"))
    assert "Models asked for" in told
    assert "Llama-3 70B 8,192 / 64 = 128 128 8,192 two sources" in told
    assert "None of 116 models is like that" in words(seen("config_museum", find="no such"))
