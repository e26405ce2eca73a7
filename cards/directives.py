"""`{{ models: slug, slug }}` in a topic becomes a table of published models. Knows no card and no page."""

import re

from attention_engine.configs import ModelConfig, model

_MODELS = re.compile(r"^\{\{ *models: *(?P<slugs>[a-z0-9., -]+?) *\}\}$", re.MULTILINE)
_HEAD = "| Model | d_model | H | H_kv | d_head | H × d_head | Confirmed by |\n|---|--:|--:|--:|--:|--:|---|"


def expand(markdown: str) -> str:
    """The text with each directive replaced. Raises UnknownModel (ValueError) naming close slugs."""
    return _MODELS.sub(lambda found: model_table(_slugs(found)), markdown)


def _slugs(found: re.Match[str]) -> list[str]:
    return re.split(r" *, *", found["slugs"])


def named_models(markdown: str) -> list[ModelConfig]:
    """The models a text asks a table of, in order. Raises UnknownModel naming close slugs."""
    return [model(slug) for found in _MODELS.finditer(markdown) for slug in _slugs(found)]


def without_models(markdown: str) -> str:
    """The text without its tables of models, for a page that draws its own."""
    return _MODELS.sub("", markdown)


def model_table(slugs: list[str]) -> str:
    """A Markdown table of models with the status of each row, read from the table that keys come from."""
    return "\n".join([_HEAD, *(_row(model(slug)) for slug in slugs)])


def _row(config: ModelConfig) -> str:
    """One model; 0 K/V heads means that a latent is cached instead."""
    inner = config.num_heads * config.d_head
    numbers = (config.d_model, config.num_heads, config.num_kv_heads, config.d_head, inner)
    cells = [config.name, *(f"{number:,}" if number else "none" for number in numbers), config.status]
    return f"| {' | '.join(cells)} |"
