"""Directives of a topic: the table of published models, and pictures."""

import pytest

from attention_engine.configs import UnknownModel
from cards.directives import expand, named_models, named_pictures, without_models

pytestmark = pytest.mark.plain


def test_a_models_directive_becomes_a_table_of_the_configurations() -> None:
    text = expand("Before.\n\n{{ models: bert-base, gemma-7b }}\n\nAfter.")
    assert "| BERT-base | 768 | 12 | 12 | 64 | 768 | primary |" in text
    assert "| Gemma-7B | 3,072 | 16 | 16 | 256 | 4,096 | two sources |" in text
    assert text.startswith("Before.\n\n| Model ")
    assert text.endswith("|\n\nAfter.")


def test_a_model_with_a_cached_latent_has_no_key_heads() -> None:
    assert "| 7,168 | 128 | none | 192 | 24,576 |" in expand("{{ models: deepseek-v3-r1-671b }}")


def test_a_secondary_figure_says_so() -> None:
    assert "| secondary |" in expand("{{ models: palm-540b }}")


def test_an_unknown_model_is_refused_with_close_slugs() -> None:
    with pytest.raises(UnknownModel, match="bert-base"):
        expand("{{ models: bert-bas }}")


def test_other_text_is_left_alone() -> None:
    text = "`{{ models: x }}` in a sentence, and {{ other: bert-base }}"
    assert expand(text) == text


def test_a_page_gets_the_models_and_the_text_apart() -> None:
    text = "Before.\n\n{{ models: bert-base, gemma-7b }}\n\nAfter."
    assert [(one.name, one.status) for one in named_models(text)] == [
        ("BERT-base", "primary"),
        ("Gemma-7B", "two sources"),
    ]
    assert without_models(text).split() == ["Before.", "After."]
    assert named_models("nothing here") == []


PATTERN = "{{ picture: {kind: attention_pattern, parameters: {model: random, head: 1}, seed: 3} }}"


def test_a_picture_is_read_as_a_card_writes_it_and_left_to_the_page() -> None:
    text = f"Before.\n\n{PATTERN}\n\nAfter."
    parameters = {"model": "random", "head": 1}
    assert named_pictures(text) == [
        {"role": "right", "kind": "attention_pattern", "parameters": parameters, "seed": 3}
    ]
    assert expand(text).split() == without_models(text).split() == ["Before.", "After."]
    assert named_pictures("`{{ picture: {kind: x} }}` in a sentence") == []


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("{kind: fireworks}", "kind must be one of"),
        ("{kind: [head_split]}", "kind must be one of"),
        ("{parameters: {}}", "kind must be one of"),
        ("{kind: head_split, parameters: [1]}", "a picture is {kind: ..., parameters: {...}}"),
        ("{kind: head_split, parameters: {d_model: 768, num_heads: 10}}", "768 = 10\\*76 \\+ 8"),
        ("{kind: head_split, parameters: {model: bert-bas}}", "bert-base"),
        ("{kind: head_split, speed: 2}", "no field speed in a picture"),
        ("{kind: head_split, seed: -1}", "seed must be"),
        ("{kind: saturation, parameters: {divisor: $answer}}", "nobody has answered on a page"),
        ("{kind: head_split, kind: head_split}", "given twice"),
        ("{kind: *a}", "aliases"),
    ],
)
def test_a_picture_that_cannot_be_drawn_is_refused_when_the_text_is_read(row: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        expand(f"{{{{ picture: {row} }}}}")
