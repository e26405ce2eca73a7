"""Items to be put in order, with partial credit for pairs that are. Knows no card file and no learner.

answer:   {type: ordering, items: ["first", "second", ...] or [{id, text, group, missed}, ...],
           before: [[ID, ID], ...], distractors: [{id, text, mistake, says}, ...]}
mistakes: [{name, before: [ID, ID], says}]     made when the first of the two is put before the second
          [{name, says}]     made by a distractor that names it, or by leaving out an item that says `missed`
Without `before` the order of `items` is the only one; with it every order that keeps the pairs is right.
Items of one `group` stand side by side in any right order. With distractors items may be left out, which is
wrong. An item given as text gets an id from its hash; write {id, text} to name it elsewhere.

Credit: twice the share of what every right order has in common (pairs, neighbours in a group), less 1, so
that chance earns 0; times the share of items placed, a distractor put in counting against one of them and
halving the rest: as a wrong option that is picked, it is never partly right.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from cards.answer_types._options import shown_order
from cards.answer_types._order_parts import parts_of, where
from cards.answer_types._orders import first_wrong, nearest, share_kept
from cards.answer_types._sequencing import Sequencing, pair_of, sequencing
from cards.grading import Example, Grade, Question, Response, Unreadable, fill, mistake_title
from cards.markdown import plain_text, render_inline

PARTLY = 0.5
HALF = 0.5
OFFLINE = True
FIELDS = ("type", "items", "before", "distractors")


def grade(question: Question, response: Response) -> Grade:
    """Correct in a right order, partial where most pairs are; the first wrong place and mistake are named.

    What is shown as right is the right order nearest to the learner's.
    """
    asked = sequencing(question)
    given = _given(asked, response)
    placed = [one for one in given if one in asked.texts]
    right = nearest(asked.order, placed)
    score = _score(asked, given, placed)
    mistake = {} if score == 1 else _mistake(question, asked, given)
    place = first_wrong(asked.order, given)
    values = {"key": asked.joined(right), "answer": asked.joined(given)}
    says = fill(str(mistake.get("says", "")), values)
    return Grade(
        outcome=_outcome(score),
        score=round(score, 4),
        mistake=str(mistake.get("name", "")),
        title=_title(mistake, values, score=score, default=_place_title(asked, given, place)),
        feedback="" if score == 1 else " ".join(filter(None, (says, where(asked, given, right, place)))),
        read_as=f"{len(given)} of {len(asked.order.items)} placed"
        if not asked.distractors
        else _counted(given),
        key_text=plain_text(render_inline(values["key"])),
        facts={"first_wrong": place if score < 1 else -1, "key_order": right},
        value=given,
        key=right,
        parts=parts_of(question, asked, given),
    )


def question_input(question: Question) -> dict[str, Any]:
    """The items, distractors among them, shuffled by the seed and never in a right order already.

    Unless every order is right.
    """
    asked = sequencing(question)
    rows = [{"id": one, "text": text} for one, text in asked.all_texts.items()]
    seeds = range(question.seed * 1000, question.seed * 1000 + 1000)
    shuffled = (shown_order(rows, seed) for seed in seeds)
    wrong = (order for order in shuffled if not _in_order(asked, [row["id"] for row in order]))
    shown = next(wrong, None) if asked.order.is_asked() else None
    shown = shown or shown_order(rows, question.seed)
    return {"items": [dict(row) for row in shown], "distractors": bool(asked.distractors)}


def examples(question: Question) -> list[Example]:
    """The right order, the right one farthest from it, and for each mistake an order that makes it."""
    asked = sequencing(question)
    right = nearest(asked.order, asked.order.items)
    other = nearest(asked.order, right[::-1])
    wrong = [(str(m.get("name", "")), _wrong_order(question, asked, m)) for m in question.mistakes]
    rights = [Example({"order": one}) for one in ([right] if other == right else [right, other])]
    return rights + [Example({"order": order}, name) for name, order in wrong if order]


def problems(question: Question) -> list[str]:
    """Mistakes that are right or that nothing leads to, and fields that are none."""
    asked = sequencing(question)
    found = list(asked.problems)
    named = {str(m.get("name")) for m in question.mistakes}
    led = {**asked.missed, **{one: str(row.get("mistake", "")) for one, row in asked.distractors.items()}}
    found += [
        f"item {one}: its mistake {name!r} is not among the mistakes"
        for one, name in led.items()
        if name not in named
    ]
    for mistake in question.mistakes:
        if "before" not in mistake and mistake.get("name") not in led.values():
            found.append(
                f"mistake {mistake.get('name')}: give it before: [ID, ID], or a distractor that names it"
            )
        elif "before" in mistake:
            found += _pair_problems(asked, mistake)
    return found


def _pair_problems(asked: Sequencing, mistake: Mapping[str, Any]) -> list[str]:
    """A pair that may stand so in a right order."""
    first, second = pair_of(mistake, asked.order.items)
    if asked.order.precedes(second, first):
        return []
    return [f"mistake {mistake.get('name')}: {first} before {second} is the right order, or may be"]


def _given(asked: Sequencing, response: Response) -> list[str]:
    """The learner's order. Raises Unreadable for a foreign or doubled item, and where one has no place.

    With distractors an item without a place was left out, which is an answer.
    """
    order, count = response.order, len(asked.order.items)
    if not order:
        raise Unreadable("Put the items in order.", field="order")
    if not set(order) <= set(asked.all_texts):
        raise Unreadable("An item is not of this question; load the question again.", field="order")
    if len(set(order)) < len(order):
        raise Unreadable("An item is placed twice.", field="order")
    if len(order) < count and not asked.distractors:
        raise Unreadable(f"{len(order)} of {count} placed; place them all.", field="order")
    return list(order)


def _score(asked: Sequencing, given: Sequence[str], placed: Sequence[str]) -> float:
    """1 in a right order, 0 for chance or worse; an item left out and a distractor put in always cost."""
    extra = len(given) - len(placed)
    in_order = max(0.0, 2 * share_kept(asked.order, placed) - 1)
    spared = max(0.0, (len(placed) - extra) / len(asked.order.items))
    return in_order * spared * (HALF if extra else 1)


def _outcome(score: float) -> str:
    if score == 1:
        return "correct"
    return "partial" if score >= PARTLY else "incorrect"


def _in_order(asked: Sequencing, shown: Sequence[str]) -> bool:
    """Whether the items among some rows stand in a right order."""
    items = [one for one in shown if one in asked.texts]
    return nearest(asked.order, items) == items


def _mistake(question: Question, asked: Sequencing, given: Sequence[str]) -> Mapping[str, Any]:
    """The first of the card's mistakes that this order makes; {} for none."""
    put_in = {str(row.get("mistake", "")) for one, row in asked.distractors.items() if one in given}
    left_out = {name for one, name in asked.missed.items() if one not in given}
    named = (put_in | left_out) - {""}
    return next(
        (m for m in question.mistakes if _makes(m, asked, given) or str(m.get("name", "")) in named), {}
    )


def _is_of_a_pair(mistake: Mapping[str, Any], asked: Sequencing) -> bool:
    """Whether a mistake is two items the wrong way round; without distractors it can be nothing else."""
    return "before" in mistake or not (asked.distractors or asked.missed)


def _makes(mistake: Mapping[str, Any], asked: Sequencing, given: Sequence[str]) -> bool:
    """Whether the pair of a mistake stands the wrong way round."""
    if not _is_of_a_pair(mistake, asked):
        return False
    first, second = pair_of(mistake, asked.order.items)
    return first in given and second in given and given.index(first) < given.index(second)


def _wrong_order(question: Question, asked: Sequencing, mistake: Mapping[str, Any]) -> list[str]:
    """An order that makes this mistake and, where that can be, no other; [] where none is known."""
    right = nearest(asked.order, asked.order.items)
    name = mistake.get("name")
    made = [[*right, one] for one, row in asked.distractors.items() if row.get("mistake") == name]
    made += [[one for one in right if one != gone] for gone, missed in asked.missed.items() if missed == name]
    if _is_of_a_pair(mistake, asked):
        made = _moved(right, pair_of(mistake, asked.order.items))
    named = (order for order in made if _mistake(question, asked, order).get("name") == name)
    return next(named, made[0] if made else [])


def _moved(right: Sequence[str], pair: tuple[str, str]) -> list[list[str]]:
    """The right order with the first of the pair taken to just before the second, or the second after it."""
    first, second = pair
    without_first = [one for one in right if one != first]
    without_second = [one for one in right if one != second]
    at, after = without_first.index(second), without_second.index(first) + 1
    return [
        [*without_first[:at], first, *without_first[at:]],
        [*without_second[:after], second, *without_second[after:]],
    ]


def _title(mistake: Mapping[str, Any], values: Mapping[str, str], *, score: float, default: str) -> str:
    if score == 1:
        return "all in order"
    return mistake_title(mistake, values, default="" if mistake else default)


def _place_title(asked: Sequencing, given: Sequence[str], place: int) -> str:
    """Where the order goes wrong, in few words."""
    if place < len(given):
        return f"place {place + 1} is the first wrong one"
    missing = len(asked.order.items) - len(given)
    return f"{missing} {'item is' if missing == 1 else 'items are'} left out"


def _counted(given: Sequence[str]) -> str:
    return f"{len(given)} {'item' if len(given) == 1 else 'items'} in order"
