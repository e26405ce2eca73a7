"""The models that a kind of picture takes by name, as a list to choose from. Knows no page."""

from dataclasses import dataclass
from functools import lru_cache

from attention_engine import configs
from attention_engine.kinds import trained
from attention_engine.spec import KINDS, InvalidSpec, make_spec

RANDOM = "random"


@dataclass(frozen=True)
class Choice:
    """One model: the value of the parameter, what it is called, and its layers, 0 where they are not told."""

    value: str
    name: str
    layers: int = 0


@dataclass(frozen=True)
class Group:
    """Models of one sort under its name."""

    title: str
    choices: tuple[Choice, ...]


def model_groups(kind: str) -> tuple[Group, ...]:
    """What the parameter `model` of a kind may be: none for a kind without it, else by group."""
    if not any(one.name == "model" for one in KINDS[kind].parameters):
        return ()
    groups = (
        Group("No model", _of_no_model(kind)),
        Group("Trained", tuple(_trained(kind))),
        Group("Published sizes", _published(kind)),
    )
    return tuple(group for group in groups if group.choices)


def named(model: str) -> Choice | None:
    """A model by its value: trained, published, or random; None for any other."""
    try:
        return _trained_choice(model) if model in trained.NAMES else _row(configs.model(model))
    except (InvalidSpec, configs.UnknownModel):
        return Choice(RANDOM, "A random layer") if model == RANDOM else None


def _trained(kind: str) -> list[Choice]:
    return [_trained_choice(name) for name in trained.NAMES if _takes(kind, name)]


def _trained_choice(name: str) -> Choice:
    model = trained.trained(name)
    return Choice(name, f"{model.title}, a trained {'decoder' if model.causal else 'encoder'}", model.layers)


@lru_cache(maxsize=64)
def _of_no_model(kind: str) -> tuple[Choice, ...]:
    """Random weights of one's own widths, or, where the parameter may be left empty, no model."""
    default = next(one.default for one in KINDS[kind].parameters if one.name == "model")
    own = (Choice("", "Widths of your own"),) if default == "" else ()
    return own + ((Choice(RANDOM, "A random layer"),) if _takes(kind, RANDOM) else ())


@lru_cache(maxsize=64)
def _published(kind: str) -> tuple[Choice, ...]:
    """Every row of the table that a picture of this kind can be made of, in the table's order."""
    return tuple(_row(config) for config in configs.all_models() if _takes(kind, config.slug))


def _row(config: configs.ModelConfig) -> Choice:
    return Choice(config.slug, config.name, config.layers)


def _takes(kind: str, model: str) -> bool:
    try:
        make_spec(kind, {"model": model})
    except (InvalidSpec, configs.UnknownModel):
        return False
    return True
