"""What a line of its own asks for in a topic. Knows no card and no page.

{{ models: slug, slug }}                                          a table of published models
{{ picture: {kind: memory_tape, parameters: {model: bert-base}} }}    a picture, drawn below the section
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attention_engine.configs import ModelConfig, model
from attention_engine.spec import make_spec
from cards.frontmatter import parse_yaml
from cards.placing import PICTURE_FIELDS, has_place, picture_of

_MODELS = re.compile(r"^\{\{ *models: *(?P<slugs>[a-z0-9., -]+?) *\}\}$", re.MULTILINE)
_PICTURE = re.compile(r"^\{\{ *picture: *(?P<row>\{.*\}) *\}\}$\n?", re.MULTILINE)
_HEAD = "| Model | d_model | H | H_kv | d_head | H × d_head | Confirmed by |\n|---|--:|--:|--:|--:|--:|---|"


def expand(markdown: str) -> str:
    """The text with tables for models and without pictures, which a page draws.

    Raises ValueError: a model that is not there (naming close slugs), a picture that cannot be drawn."""
    named_pictures(markdown)
    return _MODELS.sub(lambda found: model_table(_slugs(found)), _PICTURE.sub("", markdown))


def _slugs(found: re.Match[str]) -> list[str]:
    return re.split(r" *, *", found["slugs"])


def named_models(markdown: str) -> list[ModelConfig]:
    """The models a text asks a table of, in order. Raises UnknownModel naming close slugs."""
    return [model(slug) for found in _MODELS.finditer(markdown) for slug in _slugs(found)]


def named_pictures(markdown: str) -> list[dict[str, Any]]:
    """The pictures a text asks for, in order: {role, kind, parameters, seed}. Raises ValueError."""
    return [_picture(found["row"]) for found in _PICTURE.finditer(markdown)]


def _picture(text: str) -> dict[str, Any]:
    """One picture as a content file writes it, made once to see that it can be."""
    row = parse_yaml(Path("picture"), text, 1)
    if not isinstance(row, Mapping) or not isinstance(row.get("parameters", {}), Mapping):
        raise ValueError(f"a picture is {{kind: ..., parameters: {{...}}}}, not {text[:60]}")
    if unknown := [name for name in row if name not in PICTURE_FIELDS]:
        raise ValueError(f"no field {unknown[0]} in a picture; there are: {', '.join(PICTURE_FIELDS)}")
    if has_place(row):
        raise ValueError("nobody has answered on a page: a picture in a text has no $answer")
    made = make_spec(row.get("kind", ""), row.get("parameters", {}), row.get("seed", 0))
    return picture_of("right", {**row, "seed": made.seed}, None)


def without_models(markdown: str) -> str:
    """The text without its tables of models, for a page that draws its own."""
    return _MODELS.sub("", _PICTURE.sub("", markdown))


def model_table(slugs: list[str]) -> str:
    """A Markdown table of models with the status of each row, read from the table that keys come from."""
    return "\n".join([_HEAD, *(_row(model(slug)) for slug in slugs)])


def _row(config: ModelConfig) -> str:
    """One model; 0 K/V heads means that a latent is cached instead."""
    inner = config.num_heads * config.d_head
    numbers = (config.d_model, config.num_heads, config.num_kv_heads, config.d_head, inner)
    cells = [config.name, *(f"{number:,}" if number else "none" for number in numbers), config.status]
    return f"| {' | '.join(cells)} |"
