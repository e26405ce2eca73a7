"""What a picture says on the page before a worker or a script has done anything."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.template.loader import render_to_string

from attention_engine.configs import all_models
from attention_engine.spec import KINDS, InvalidSpec, facts, make_spec
from studyhub.web.pictures import picture_view
from studyhub.web.plain.finding import edits_of, plain_of
from studyhub.web.plain.saying import Plain

pytestmark = pytest.mark.plain
FRONT_END = Path(__file__).parents[3] / "studyhub/web/frontend/src/pictures/kinds.ts"


def seen(kind: str, role: str = "right", **parameters: Any) -> dict[str, Any]:
    return picture_view({"role": role, "kind": kind, "parameters": parameters, "seed": 0})


def words(view: dict[str, Any]) -> str:
    html = render_to_string("web/_picture.html", {"picture": view})
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


@pytest.mark.parametrize(
    ("kind", "role", "parameters", "title"),
    [
        ("head_split", "right", {"model": "bert-base"}, "What the split does with 12 heads"),
        ("answer_executed", "right", {"model": "bert-base"}, "Running 12 heads"),
        ("answer_executed", "yours", {"program": "q.transpose(1, 2)"}, "Running a program"),
        ("attention_pattern", "right", {}, "Where each token looks: nothing hidden, scale 1/sqrt(32)"),
        (
            "attention_pattern",
            "yours",
            {"mask": "causal", "scale": "none"},
            "Where each token looks: later tokens hidden, undivided, as you answered",
        ),
        (
            "attention_pattern",
            "right",
            {"mask": "sliding_window", "scale": "d_head"},
            "Where each token looks: a window of 4 keys, scale 1/32",
        ),
        (
            "memory_tape",
            "right",
            {"shape": [2, 5, 4, 8], "ops": "transpose(1, 2)"},
            "What x.transpose(1, 2) does in memory",
        ),
        (
            "memory_tape",
            "right",
            {"ops": ".".join(["transpose(1, 2)"] * 6)},
            "What an operation does in memory",
        ),
        (
            "memory_tape",
            "yours",
            {"shape": [4, 8], "ops": "transpose(0, 1)", "answer_strides": [1, 8]},
            "Memory read with your strides (1, 8)",
        ),
        (
            "memory_tape",
            "right",
            {"shape": [4, 8], "ops": "transpose(0, 1)", "answer_strides": [1, 8]},
            "Memory read with the strides (1, 8)",
        ),
        ("silent_mistake", "right", {"model": "bert-base"}, "What a view without the transpose gets wrong"),
        ("silent_mistake", "right", {"tokens": 1}, "A line that runs without an error and is wrong"),
        ("saturation", "right", {"d_head": 64}, "Scores of heads of 64, divided by 8"),
        ("saturation", "right", {"model": "t5-11b"}, "Scores of heads of 128, undivided"),
        (
            "saturation",
            "yours",
            {"d_head": 64, "divisor": "11.31"},
            "Scores of heads of 64, divided by 11.31, as you answered",
        ),
        ("fireworks", "right", {}, "fireworks"),
    ],
)
def test_a_title_says_what_is_shown_and_whose_numbers_they_are(
    kind: str, role: str, parameters: dict[str, Any], title: str
) -> None:
    assert seen(kind, role, **parameters)["title"] == title


def test_each_operation_stands_in_a_table_with_what_it_copies() -> None:
    told = words(seen("memory_tape", model="bert-base", batch=2, tokens=4))
    assert "x.view(2, 4, 12, 64).transpose(1, 2) (2, 12, 4, 64) (3072, 64, 768, 1) same memory" in told
    assert "copied: 24,576 bytes, side by side again 24,576 1" in told
    assert "6,144 numbers of 4 bytes, float32" in told


def test_a_refused_operation_says_why_in_its_row() -> None:
    told = words(seen("memory_tape", shape=[2, 12, 4, 64], ops="transpose(1, 2).view(2, 4, 768)"))
    assert "x.transpose(1, 2).view(2, 4, 768) refused: (2, 4, 768) reads H and D as parts of one axis" in told


@pytest.mark.parametrize(
    ("stride", "said"),
    [
        (8, "(160, 8, 32, 1) reads what the tensor has at every index."),
        (
            7,
            "(160, 7, 32, 1) reads 30 cells of memory more than once and 30 never. The tensor has (160, 8",
        ),
        (40, "(160, 40, 32, 1) for (2, 4, 5, 8) is refused: the last number would lie at offset 415"),
    ],
)
def test_strides_that_were_tried_say_what_they_read(stride: int, said: str) -> None:
    tape = {"shape": [2, 5, 4, 8], "ops": "transpose(1, 2)", "answer_strides": [160, stride, 32, 1]}
    assert said in words(seen("memory_tape", "yours", **tape))


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        (
            {"answer_strides": [3072, 256, 64, 1], "ops": "view(B, T, H, D).transpose(1, 2)"},
            "(3072, 256, 64, 1) reads every cell of memory once, and in another order. The tensor has (3072,",
        ),
        ({"answer_strides": [768, 1], "answer_shape": [8, 768]}, "(768, 1) reads another tensor."),
        (
            {"shape": [2**20, 3], "answer_strides": [2, 3], "ops": "contiguous()"},
            "(2, 3) reads another tensor. The tensor has (3, 1).",
        ),
    ],
)
def test_strides_that_miss_no_cell_are_told_by_what_they_get_wrong(
    parameters: dict[str, Any], said: str
) -> None:
    assert said in words(seen("memory_tape", "yours", **parameters))


def test_a_silent_mistake_shows_both_lines_and_how_much_is_wrong() -> None:
    told = words(seen("silent_mistake", model="bert-base", batch=2, tokens=4))
    assert "5,888 of 6,144 numbers (95.8 %) stand in another place" in told
    assert "right q.view(2, 4, 12, 64).transpose(1, 2) (2, 12, 4, 64) (3072, 64, 768, 1)" in told
    assert "wrong q.view(2, 12, 4, 64) (2, 12, 4, 64) (3072, 256, 64, 1)" in told


def test_saturation_says_the_spread_the_usual_divisor_and_who_divides_otherwise() -> None:
    told = words(seen("saturation", "yours", d_head=64, divisor="64"))
    assert "standard deviation is 8; divided by 64, it is 0.125. The right divisor here is 8." in told
    assert "Models that divide otherwise: T5-small" in told
    assert "Gemma-2 27B: sqrt(144) = 12.00" in told


def test_a_head_of_a_grouped_model_says_how_many_keys_it_shares() -> None:
    told = words(seen("attention_pattern", model="llama-3-70b", sentence="One two three."))
    assert (
        "GQA: 64 query heads of 128, 8 for keys and values. Scale: 1/sqrt(128); later tokens are hidden."
        in told
    )


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_says_something_true_of_every_published_model(kind: str) -> None:
    told = 0
    for model in (config.slug for config in all_models()):
        try:
            known = facts(make_spec(kind, {"model": model}))
        except InvalidSpec:
            continue
        view = seen(kind, model=model)
        assert view["title"], model
        assert view["steps"] or words(view), model
        assert plain_of(kind, known) == view["plain"] or kind == "head_split", model
        told += 1
    assert told > 100


def test_what_no_picture_can_be_made_of_says_nothing() -> None:
    assert plain_of("saturation", {}) == Plain()
    view = seen("saturation", d_head=4096)
    assert (view["title"], words(view)) == (KINDS["saturation"].title, "")
    assert words(seen("saturation", model="no-such-model")) == ""


def test_what_may_be_changed_on_a_page_has_a_field_in_the_front_end() -> None:
    rows = re.split(r"^  (\w+): row\(", FRONT_END.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    fields = {
        kind: set(re.findall(r'name: "(\w+)"', text)) | ({"num_heads"} if "HEADS" in text else set())
        for kind, text in zip(rows[::2], rows[1::2], strict=True)
    }
    assert set(fields) == set(KINDS)
    for kind in KINDS:
        names = set(edits_of(kind).split())
        assert names <= fields[kind]
        assert names <= {parameter.name for parameter in KINDS[kind].parameters}


def test_a_tensor_of_its_own_has_no_heads_to_change() -> None:
    assert seen("memory_tape", model="bert-base")["edit"] == "num_heads ops"
    assert seen("memory_tape", shape=[4, 8], ops="transpose(0, 1)")["edit"] == "ops"
    assert seen("answer_executed", program="q.transpose(1, 2)")["edit"] == "program"
