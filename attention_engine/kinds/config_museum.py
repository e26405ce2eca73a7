"""config_museum without tensors: every row as a point, one model explained. Has no values."""

from collections.abc import Mapping
from typing import Any

from attention_engine import arithmetic
from attention_engine.kinds import layer
from attention_engine.kinds.museum import words as told
from attention_engine.kinds.museum.points import (
    Point,
    distance,
    matches,
    nearest,
    points,
    schemes,
    statements,
    statuses,
)
from attention_engine.kinds.work import Work
from attention_engine.parameters import InvalidSpec, Parameter

MOST_HEADS, MOST_WIDTH = 4096, 2**20
BREAKS, DISPUTED, SCALED, ASKED = 1, 2, 4, 8
"""Bits of a point in the facts."""
OWN = ("d_model", "num_heads", "d_head")

TITLE = "Where d_head is not d_model / num_heads"
PARAMETERS = (
    Parameter("model", "text", "gemma-7b", "the model explained, by slug", maximum=80),
    Parameter(
        "attention",
        "choice",
        "any",
        "models that share K and V so",
        choices=("any", "MHA", "GQA", "MQA", "MLA"),
    ),
    Parameter(
        "status",
        "choice",
        "any",
        "models known so well",
        choices=("any", "primary", "two sources", "secondary", "partly verified", "unverified"),
    ),
    Parameter(
        "rule",
        "choice",
        "any",
        "models where d_head is d_model / num_heads",
        choices=("any", "holds", "breaks"),
    ),
    Parameter("multiple", "choice", "any", "d_head a multiple of", choices=("any", "8", "64", "128")),
    Parameter("find", "text", "", "part of a name", minimum=0, maximum=40),
    Parameter("d_model", "int", 0, "width of one's own config; 0: none", minimum=0, maximum=MOST_WIDTH),
    Parameter("num_heads", "int", 0, "its heads; 0: the model's", minimum=0, maximum=MOST_HEADS),
    Parameter("d_head", "int", 0, "its width of a head; 0: derived", minimum=0, maximum=MOST_WIDTH),
    Parameter("answer_d_head", "int", 0, "d_head answered; 0: none", minimum=0, maximum=MOST_WIDTH),
)


def by_chance(_parameters: Mapping[str, Any]) -> bool:
    """Nothing here is drawn."""
    return False


def complete(given: Mapping[str, Any]) -> dict[str, Any]:
    """The config of one's own written out where any of its numbers is given. Raises InvalidSpec."""
    filled = {parameter.name: parameter.default for parameter in PARAMETERS} | dict(given)
    config = layer.published(filled["model"])
    filled["find"] = " ".join(filled["find"].split())
    if not any(filled[name] for name in OWN):
        return filled
    filled["d_model"] = filled["d_model"] or config.d_model
    filled["num_heads"] = filled["num_heads"] or config.num_heads
    if not filled["d_head"] and filled["d_model"] % filled["num_heads"]:
        message = arithmetic.not_a_multiple(filled["d_model"], filled["num_heads"])
        raise InvalidSpec(f"{message}; or give d_head", field="num_heads")
    return filled | {"d_head": filled["d_head"] or filled["d_model"] // filled["num_heads"]}


def picked(parameters: Mapping[str, Any]) -> Point:
    """The model that is explained."""
    return next(point for point in points() if point.config.slug == parameters["model"])


def facts(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Every point with its bits, the counts of the table, the model explained, one's own and the answer."""
    kept = [point for point in points() if matches(point, parameters)]
    own, answer = own_of(parameters), answer_of(parameters)
    more = {"own": own} if own else {}
    return {
        "schemes": list(schemes()),
        "statuses": list(statuses()),
        "dates": sorted({point.config.as_of for point in points()}),
        "points": [_point(point, parameters) for point in points()],
        "asked": len(kept),
        "asked_sentence": asked_sentence(parameters),
        "statements": [[one.says, len(one.models), one.of] for one in statements()],
        "picked": explained(picked(parameters)),
        "opens": "answer" if answer else "own" if own else "why",
        "steps": [_step(name, note) for name, note in _notes(parameters)],
        **more,
        **({"answer": answer} if answer else {}),
    }


def _point(point: Point, parameters: Mapping[str, Any]) -> list[Any]:
    """[slug, name, d_model, num_heads, d_head, d_head_v, scheme, status, bits]."""
    config = point.config
    asked = ASKED if matches(point, parameters) else 0
    bits = asked | (0 if point.holds else BREAKS) | (DISPUTED if point.disputed else 0)
    places = schemes().index(point.scheme), statuses().index(config.status)
    widths = (config.d_model, config.num_heads, config.d_head, config.d_head_v)
    return [config.slug, config.name, *widths, *places, bits | (SCALED if point.scaled_otherwise else 0)]


def explained(point: Point) -> dict[str, Any]:
    """One model: why its heads are as wide as they are, and who says so."""
    config = point.config
    return {
        "slug": config.slug,
        "name": config.name,
        "sentence": told.why(point),
        "provenance": told.provenance(point),
    }


def asked_sentence(parameters: Mapping[str, Any]) -> str:
    """How many models are shown, and how many of them break the rule."""
    kept = [point for point in points() if matches(point, parameters)]
    broken = sum(not point.holds for point in kept)
    every = "" if len(kept) == len(points()) else f" of {len(points())}"
    if not kept:
        return f"None of {len(points())} models is like that: loosen a filter."
    models = f"{len(kept)}{every} model{'' if len(kept) == 1 and not every else 's'}"
    return f"{models}: in {broken} of them d_head is not d_model / num_heads."


def own_of(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The config of one's own with its neighbours; {} where none is asked for."""
    if not parameters["d_model"]:
        return {}
    numbers = {name: parameters[name] for name in OWN}
    near = nearest(**numbers)
    return {
        **numbers,
        "sentence": told.own(numbers),
        "nearest": [point.config.slug for point in near],
        "same_place": sum(
            distance(
                arithmetic.head_width(d_model=numbers["d_model"], num_heads=numbers["num_heads"]),
                numbers["d_head"],
                point,
            )
            < 1e-9
            for point in points()
        ),
    }


def answer_of(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The answered width beside the real one; {} where none was given."""
    given, point = parameters["answer_d_head"], picked(parameters)
    if not given:
        return {}
    mistake, sentence = told.answered(given, point)
    return {
        "d_head": given,
        "right": point.config.d_head,
        "works": given == point.config.d_head,
        "mistake": mistake,
        "sentence": sentence,
    }


def _notes(parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
    answer, own = answer_of(parameters), own_of(parameters)
    return [
        *([("answer", answer["sentence"])] if answer else []),
        *([("own", own["sentence"])] if own else []),
        ("why", told.why(picked(parameters))),
        *((name.lower(), asked_sentence(parameters)) for name in schemes()),
        ("statements", asked_sentence(parameters)),
    ]


def _step(name: str, note: str) -> dict[str, Any]:
    return {"step": name, "axes": [], "shape": [], "strides": [], "contiguous": True, "note": note}


def work(_parameters: Mapping[str, Any]) -> Work:
    """Words and numbers of the table; nothing is allocated."""
    return Work(values="never", largest=len(points()))
