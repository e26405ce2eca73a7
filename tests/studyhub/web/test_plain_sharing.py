"""What head_sharing says on the page before a worker or a script has done anything."""

import re
from typing import Any

import pytest
from django.template.loader import render_to_string

from studyhub.web.pictures import picture_view
from studyhub.web.plain.head_sharing import memory

pytestmark = pytest.mark.plain


def seen(role: str = "right", **parameters: Any) -> dict[str, Any]:
    return picture_view({"role": role, "kind": "head_sharing", "parameters": parameters, "seed": 0})


def words(view: dict[str, Any]) -> str:
    html = render_to_string("web/_picture.html", {"picture": view})
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def test_each_scheme_stands_in_a_table_with_its_arithmetic() -> None:
    told = words(seen(model="llama-3-70b"))
    assert "GQA 8 K/V heads 2 × 80 × 8 × 128 × 2 = 327,680 2.50 GiB" in told
    assert "MHA 64 K/V heads 2 × 80 × 64 × 128 × 2 = 2,621,440 20.00 GiB" in told
    assert "MLA one latent, one rotary key 80 × (512 + 64) × 2 = 92,160 720.00 MiB" in told
    assert "Llama-3 70B has GQA with 8 K/V heads. The other rows ask what it would cost." in told


def test_an_answer_that_leaves_heads_over_says_so_and_what_works() -> None:
    view = seen("yours", model="llama-3-70b", answer_kv_heads=5)
    assert view["title"] == "Sharing 5 K/V heads among 64 query heads"
    assert "5 does not divide num_heads 64 (64 = 5*12 + 4); nearest that divide: 4, 8." in words(view)


def test_a_prime_number_of_heads_has_no_groups_between() -> None:
    told = words(seen(model="falcon-7b"))
    assert "No number between 1 and 71 divides 71" in told


def test_an_encoder_is_said_to_keep_no_cache() -> None:
    assert "The table knows no cache of this model" in words(seen(model="bert-base"))


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (0, "0 bytes"),
        (1023, "1,023 bytes"),
        (1024, "1.00 KiB"),
        (2684354560, "2.50 GiB"),
        (2**50, "1.00 PiB"),
    ],
)
def test_memory_is_written_in_the_unit_it_fills(size: int, said: str) -> None:
    assert memory(size) == said
