"""The variants of a card gone through one by one, and what is wrong with drawing them. Knows no grade.

A card with at most `MOST` variants is looked at in all of them, one with more in its corners (each name at
its first and its last value) and in what the first seeds draw: the same ones on every machine.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from cards.draw_values import DrawProblem
from cards.filling import unfilled
from cards.generators import (
    NO_REPEAT,
    Concrete,
    is_parametrised,
    sample,
    seed_of,
    share_that_fits,
    with_values,
)

MOST, FEW = 200, 8
LEAST_SHARE = 0.05
SHOWN = 3
FIELDS = ("prompt", "answer", "mistakes", "picture", "hints", "explanation")
Found = tuple[str, str, bool]
"""The rule, what is wrong, and whether it is only worth a look."""
_NUMBERS = re.compile(r"\d[\d.,]*")


def variants_of(version: Any, most: int = MOST) -> list[Any]:
    """The questions that a version makes, at most so many, spread over all that were found.

    The version itself where nothing is drawn. Raises DrawProblem."""
    if not is_parametrised(version):
        return [version]
    found, _ = sample(version, MOST)
    return [with_values(version, values) for values in found[:: -(-len(found) // most)]]


def draw_faults(version: Any) -> Iterator[tuple[str, str]]:
    """(field, why) of what keeps a version's places from being filled."""
    if not is_parametrised(version):
        if (version.parameters or {}).get("where"):
            yield "where", "where needs variants: there is nothing drawn that a rule could hold of"
        for name in FIELDS:
            if place := unfilled(getattr(version, name)):
                yield name, f"nothing fills {place}; give its values under variants"
        return
    try:
        variants_of(version, FEW)
    except DrawProblem as problem:
        yield ("where" if str(problem).startswith("where") else "variants"), str(problem)


def over_variants(version: Any, check: Callable[[Any], Iterable[Found]], most: int = MOST) -> list[Found]:
    """What a check finds in any variant; one thing found in many is said once, with a seed and its values."""
    questions = variants_of(version, most)
    found: dict[tuple[str, str, bool], list[tuple[Any, str]]] = {}
    for asked in questions:
        for rule, message, warning in check(asked):
            found.setdefault((rule, _NUMBERS.sub("#", message), warning), []).append((asked, message))
    return [
        (rule, _told(version, cases, of=len(questions)), warning)
        for (rule, _, warning), cases in found.items()
    ]


def drawing_problems(version: Any) -> Iterator[Found]:
    """Variants that are hardly ever drawn, or too few for a fresh one each time."""
    if not is_parametrised(version):
        return
    share = share_that_fits(version)
    if share < LEAST_SHARE:
        yield (
            "where",
            f"only {share:.1%} of plain draws fit; write the lists so that one in twenty does",
            False,
        )
    found, all_of_them = sample(version, NO_REPEAT)
    if all_of_them:
        yield "variants", f"{len(found)} variants; with fewer than {NO_REPEAT + 1} one comes again soon", True


def values_in_words(values: Any) -> str:
    """ "d_model 768, num_heads 12"."""
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _told(version: Any, cases: list[tuple[Any, str]], *, of: int) -> str:
    """A finding; of a drawn question with the first variant that shows it, and in how many of those tried."""
    asked, message = cases[0]
    if not isinstance(asked, Concrete):
        return message
    seed = seed_of(version, asked.values)
    where = f"seed {seed}" if seed is not None else "no small seed"
    return f"{message} ({where}: {values_in_words(asked.values)}; {len(cases)} of {of} variants)"
