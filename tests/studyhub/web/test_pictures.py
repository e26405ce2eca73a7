"""A picture as the page asks for it: what a reader may change in it, and from which values."""

import json

from studyhub.web.pictures import picture_view


def view(kind: str, edit: bool = True, **parameters: object) -> dict[str, object]:
    return picture_view({"role": "right", "kind": kind, "parameters": parameters, "seed": 0}, edit=edit)


def test_the_fields_of_a_picture_begin_with_what_it_is_asked_for_left_out_or_not() -> None:
    saturation = view("saturation", d_head=128)
    assert saturation["edit"] == "d_head keys temperature_percent divisor"
    values = json.loads(str(saturation["values"]))
    assert values == {"d_head": 128, "keys": 64, "temperature_percent": 100, "divisor": "sqrt"}


def test_of_a_program_the_program_may_be_changed_and_of_an_answer_the_heads() -> None:
    program = view("answer_executed", model="bert-base", program="q.view(B, T, H, D)")
    heads = view("answer_executed", model="bert-base", num_heads=10)
    assert (program["edit"], heads["edit"]) == ("program", "num_heads")
    assert json.loads(str(program["values"])) == {"program": "q.view(B, T, H, D)"}


def test_a_picture_that_is_not_to_be_changed_has_no_fields() -> None:
    fixed = view("saturation", edit=False)
    assert (fixed["edit"], fixed["values"]) == ("", "")


def test_a_picture_that_cannot_be_drawn_gives_its_fields_no_values() -> None:
    assert view("answer_executed", model="bert-base", num_heads=0)["values"] == ""
