"""The kinds of picture and what each takes, in lines for an author. Knows no form."""

from collections.abc import Iterator

from attention_engine.parameters import Parameter
from attention_engine.spec import KINDS, Kind

GROUPS = (("int", "Whole numbers"), ("ints", "lists"), ("text", "texts"))


def picture_lines() -> Iterator[str]:
    """For each kind: its name, its title, and its parameters by what they take, with what is usual."""
    for kind in KINDS.values():
        yield f"`{kind.name}`: {kind.title}. {'; '.join(_groups(kind))}."


def _groups(kind: Kind) -> Iterator[str]:
    for takes, title in GROUPS:
        names = [_named(one) for one in kind.parameters if one.takes == takes]
        if names:
            yield f"{title} {', '.join(names)}"
    for one in kind.parameters:
        if one.choices:
            yield f"`{one.name}`: {', '.join(one.choices)}"


def _named(parameter: Parameter) -> str:
    """A parameter, and what a whole number is where it is left out and that is not 0."""
    usual = parameter.default if parameter.takes == "int" else 0
    return f"`{parameter.name}` ({usual})" if usual else f"`{parameter.name}`"
