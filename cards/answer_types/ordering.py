"""Items to be put in order, with partial credit for pairs that are. Knows no card file and no learner.

answer:   {type: ordering, items: ["first", "second", ...] or [{id, text}, ...]}     in the right order
mistakes: [{name, before: [ID, ID], says}]     made when the first of the two is put before the second
An item given as text gets an id from its hash; write {id, text} to name it in mistakes.
"""

import hashlib
from collections.abc import Mapping
from itertools import combinations
from typing import Any

from cards.answer_types._options import shown_order
from cards.grading import Example, Grade, Question, Response, Unreadable, fill, mistake_title
from cards.keys import KeyProblem
from cards.markdown import plain_text, render_inline

PARTLY = 0.5
OFFLINE = True


def grade(question: Question, response: Response) -> Grade:
    """Correct in order; partial where most pairs are; the first wrong place and its mistake are named."""
    items = items_of(question)
    right, given = [item["id"] for item in items], _given(items, response)
    score = _score(right, given)
    mistake = _mistake(question, given) if score < 1 else {}
    place = next(
        (i for i, pair in enumerate(zip(right, given, strict=True)) if pair[0] != pair[1]), len(right)
    )
    texts = {item["id"]: item["text"] for item in items}
    values = {"key": " → ".join(texts.values()), "answer": " → ".join(texts[one] for one in given)}
    return Grade(
        outcome=_outcome(score),
        score=round(score, 4),
        mistake=str(mistake.get("name", "")),
        title=_title(mistake, values, place, len(right)),
        feedback=" ".join(
            part
            for part in (fill(str(mistake.get("says", "")), values), _where(texts, right, given, place))
            if part
        ),
        read_as=f"{len(given)} of {len(right)} placed",
        key_text=plain_text(render_inline(values["key"])),
        facts={"first_wrong": place if score < 1 else -1, "key_order": right},
        value=given,
        key=right,
    )


def question_input(question: Question) -> dict[str, Any]:
    """The items shuffled by the seed, never in the right order already."""
    items = items_of(question)
    seeds = range(question.seed * 1000, question.seed * 1000 + 1000)
    shuffled = next(order for seed in seeds if (order := shown_order(items, seed)) != items)
    return {"items": [dict(item) for item in shuffled]}


def examples(question: Question) -> list[Example]:
    """The right order, and for each mistake the right order with its two items exchanged."""
    right = [item["id"] for item in items_of(question)]
    wrong = [
        Example({"order": _moved(right, _before(m, right))}, str(m.get("name", "")))
        for m in question.mistakes
    ]
    return [Example({"order": right}), *wrong]


def problems(question: Question) -> list[str]:
    """Mistakes that are right, or about items that are not there."""
    right = [item["id"] for item in items_of(question)]
    pairs = {str(m.get("name")): _before(m, right) for m in question.mistakes}
    return [
        f"mistake {name}: {first} before {second} is the right order"
        for name, (first, second) in pairs.items()
        if right.index(first) < right.index(second)
    ]


def items_of(question: Question) -> list[dict[str, str]]:
    """The items in the right order. Raises KeyProblem unless there are two or more different ones."""
    items = question.answer.get("items")
    if not isinstance(items, list | tuple):
        raise KeyProblem("an ordering needs items in the right order")
    read = [_item(item) for item in items]
    if len(read) < 2 or len({item["id"] for item in read}) < len(read):
        raise KeyProblem("an ordering needs two or more items, all different")
    return read


def _item(item: Any) -> dict[str, str]:
    if isinstance(item, str) and item:
        return {"id": f"i-{hashlib.sha256(item.encode()).hexdigest()[:8]}", "text": item}
    if isinstance(item, Mapping) and isinstance(item.get("id"), str) and isinstance(item.get("text"), str):
        return {"id": item["id"], "text": item["text"]}
    raise KeyProblem(f"an item is text or {{id, text}}, not {item!r}")


def _given(items: list[dict[str, str]], response: Response) -> list[str]:
    """The learner's order: every item once."""
    known = {item["id"] for item in items}
    if not response.order:
        raise Unreadable("Put the items in order.", field="order")
    if not set(response.order) <= known:
        raise Unreadable("An item is not of this question; load the question again.", field="order")
    if len(set(response.order)) < len(response.order):
        raise Unreadable("An item is placed twice.", field="order")
    if len(response.order) < len(known):
        raise Unreadable(f"{len(response.order)} of {len(known)} placed; place them all.", field="order")
    return list(response.order)


def _score(right: list[str], given: list[str]) -> float:
    """1 in order, 0 for chance or worse: twice the share of pairs in the right order, minus 1."""
    place = {one: i for i, one in enumerate(given)}
    pairs = [place[a] < place[b] for a, b in combinations(right, 2)]
    return max(0.0, 2 * sum(pairs) / len(pairs) - 1)


def _outcome(score: float) -> str:
    if score == 1:
        return "correct"
    return "partial" if score >= PARTLY else "incorrect"


def _mistake(question: Question, given: list[str]) -> Mapping[str, Any]:
    """The first named mistake this order makes."""
    pairs = ((mistake, _before(mistake, given)) for mistake in question.mistakes)
    return next((m for m, (first, second) in pairs if given.index(first) < given.index(second)), {})


def _before(mistake: Mapping[str, Any], ids: list[str]) -> tuple[str, str]:
    """The two items of a mistake. Raises KeyProblem."""
    pair = mistake.get("before")
    if not isinstance(pair, list | tuple) or len(pair) != 2 or not set(pair) <= set(ids):
        raise KeyProblem(
            f"mistake {mistake.get('name')}: before needs two of the ids {', '.join(ids)}, not {pair!r}"
        )
    return pair[0], pair[1]


def _moved(right: list[str], pair: tuple[str, str]) -> list[str]:
    """The right order with the first of the pair taken to just before the second."""
    first, second = pair
    rest = [one for one in right if one != first]
    at = rest.index(second)
    return [*rest[:at], first, *rest[at:]]


def _title(mistake: Mapping[str, Any], values: Mapping[str, str], place: int, count: int) -> str:
    if place == count:
        return "all in order"
    return mistake_title(
        mistake, values, default="" if mistake else f"place {place + 1} is the first wrong one"
    )


def _where(texts: Mapping[str, str], right: list[str], given: list[str], place: int) -> str:
    """The first wrong place in words."""
    if place == len(right):
        return ""
    return f"Place {place + 1} is {texts[right[place]]}; you put {texts[given[place]]} there."
