"""A learner's order told item by item: which stand well, and which pair is broken. Knows no credit."""

from collections.abc import Mapping, Sequence
from typing import Any

from cards.answer_types._options import stated
from cards.answer_types._orders import Pair
from cards.answer_types._sequencing import Sequencing
from cards.grading import Part, Question, fill

MOST_NAMED = 2
"""Broken pairs that are said about one item; the others follow from them as a rule."""


def where(asked: Sequencing, given: Sequence[str], right: Sequence[str], place: int) -> str:
    """The first wrong place in words, with what breaks there."""
    texts = asked.all_texts
    if place == len(given):
        return f"{_listed(asked, [one for one in right if one not in given])} left out."
    here = given[place]
    if here in asked.distractors:
        return f"Place {place + 1} holds {texts[here]}, which is no step of this."
    if not asked.partial and right[place] in given:
        return f"Place {place + 1} is {texts[right[place]]}; you put {texts[here]} there."
    broken = _needed_before(asked, given, here)
    if broken:
        return f"You put {texts[here]} at place {place + 1}; {texts[broken[0]]} comes before it."
    return f"You put {texts[here]} at place {place + 1}, between items that stand side by side."


def parts_of(question: Question, asked: Sequencing, given: Sequence[str]) -> tuple[Part, ...]:
    """One row for each item put in, in the learner's order, then one for each that was left out."""
    places = {one: place for place, one in enumerate(given)}
    last = len(asked.all_texts)
    broken: dict[str, list[Pair]] = {one: [] for one in asked.all_texts}
    sizes = dict.fromkeys(asked.all_texts, 0)
    for pair in asked.order.pairs():
        first, second = (places.get(one, last) for one in pair)
        for one in pair:
            sizes[one] += 1
            broken[one] += [] if first < second else [pair]
    left_out = (one for one in asked.order.items if one not in places)
    placed = [
        _stray(question, asked, one=one, place=place)
        if one in asked.distractors
        else _placed(
            asked, broken[one], one=one, place=place, size=sizes[one], split=_split(asked, places, one)
        )
        for one, place in places.items()
    ]
    return (*placed, *(_left_out(question, asked, one) for one in left_out))


def _placed(
    asked: Sequencing, broken: Sequence[Pair], *, one: str, place: int, size: int, split: bool | None
) -> Part:
    """An item, with the share of its pairs (and of its group's standing together) that hold."""
    asked_for, lost = size + (split is not None), len(broken) + bool(split)
    outcome = "correct" if not lost else "incorrect" if lost == asked_for else "partial"
    said = [*_sentences(asked, broken, one), *(["Its group stands side by side."] if split else [])]
    score = round(1 - lost / asked_for, 4) if lost else 1.0
    return Part(one, outcome, score, title=f"place {place + 1}", feedback=" ".join(said))


def _stray(question: Question, asked: Sequencing, *, one: str, place: int) -> Part:
    """A distractor that was put in."""
    row = asked.distractors[one]
    title = f"place {place + 1}, where it does not belong"
    return _wrong(one, title=title, mistake=stated(question, row.get("mistake")), says=row.get("says"))


def _left_out(question: Question, asked: Sequencing, one: str) -> Part:
    return _wrong(one, title="left out", mistake=stated(question, asked.missed.get(one)), says=None)


def _wrong(one: str, *, title: str, mistake: Mapping[str, Any], says: object) -> Part:
    """An item that should not be there, or is not."""
    words = fill(str(says or mistake.get("says", "")), {})
    return Part(one, "incorrect", 0.0, title, mistake=str(mistake.get("name", "")), feedback=words)


def _sentences(asked: Sequencing, broken: Sequence[Pair], one: str) -> list[str]:
    """The pairs of an item that are broken, the nearest ones first."""
    texts = asked.texts
    return [
        f"{texts[first]} comes before it." if second == one else f"{texts[second]} comes after it."
        for first, second in broken[:MOST_NAMED]
    ]


def _needed_before(asked: Sequencing, given: Sequence[str], one: str) -> list[str]:
    """What has to come before an item and does not, in the author's order."""
    earlier = given[: list(given).index(one)]
    return [first for first, second in asked.order.pairs() if second == one and first not in earlier]


def _split(asked: Sequencing, places: Mapping[str, int], one: str) -> bool | None:
    """Whether something stands between the items of its group; None for an item of no group."""
    group = dict(zip(asked.order.items, asked.order.groups, strict=True))
    if not group[one]:
        return None
    held = [place for other, place in places.items() if group.get(other) == group[one]]
    return held[-1] - held[0] >= len(held)


def _listed(asked: Sequencing, ids: Sequence[str]) -> str:
    """ "project and view are"."""
    texts = [asked.texts[one] for one in ids]
    return f"{' and '.join(texts)} {'are' if len(texts) > 1 else 'is'}"
