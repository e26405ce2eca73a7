"""Partial orders, groups and distractors: every right order is right, and everything else costs."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import pytest

from cards.answer_types import ordering
from cards.answer_types._orders import first_wrong, nearest, partial_order, share_kept
from cards.answering import grade, key_text, question_input
from cards.grading import Question, Response
from cards.keys import KeyProblem
from cards.lint import lint_card
from tests.sampling import tries

pytestmark = pytest.mark.plain

ITEMS = [
    {"id": "q", "text": "project q"},
    {"id": "k", "text": "project k"},
    {"id": "scores", "text": "multiply q with k"},
    {"id": "softmax", "text": "softmax", "missed": "weights_forgotten"},
    {"id": "mix", "text": "mix the values"},
]
BEFORE = [["q", "scores"], ["k", "scores", "softmax", "mix"]]
MEAN = {
    "id": "mean",
    "text": "average the heads",
    "mistake": "heads_averaged",
    "says": "Heads are laid side by side.",
}
MISTAKES = [
    {"name": "softmax_first", "before": ["softmax", "scores"], "says": "There is nothing to weigh yet."},
    {"name": "heads_averaged", "says": "Nobody averages heads here."},
    {"name": "weights_forgotten", "says": "Scores are no weights."},
]
RIGHT = ["q", "k", "scores", "softmax", "mix"]


@pytest.fixture
def steps(card):
    def built(**answer):
        given = {"items": ITEMS, "before": BEFORE, "distractors": [MEAN], **answer}
        return card("ordering", answer=given, mistakes=MISTAKES, prompt="In which order?")

    return built


@pytest.mark.parametrize("order", [RIGHT, ["k", "q", "scores", "softmax", "mix"]])
def test_every_order_that_keeps_the_pairs_is_right_and_is_shown_as_the_key(steps, order):
    found = grade(steps(), 0, {"order": order})
    assert (found.outcome, found.score, found.title) == ("correct", 1.0, "all in order")
    assert found.facts["key_order"] == order
    assert all(part.outcome == "correct" for part in found.parts)


def test_the_first_wrong_place_is_told_with_the_pair_that_is_broken(steps):
    found = grade(steps(), 0, {"order": ["k", "scores", "q", "softmax", "mix"]})
    assert (found.outcome, found.title) == ("partial", "place 2 is the first wrong one")
    assert found.feedback == "You put multiply q with k at place 2; project q comes before it."
    assert found.facts["key_order"] == ["k", "q", "scores", "softmax", "mix"]
    parts = {part.id: part for part in found.parts}
    assert (parts["q"].outcome, parts["q"].feedback) == ("partial", "multiply q with k comes after it.")
    assert (parts["k"].outcome, parts["k"].title) == ("correct", "place 1")


def test_a_pair_the_wrong_way_round_is_a_named_mistake(steps):
    found = grade(steps(), 0, {"order": ["q", "k", "softmax", "scores", "mix"]})
    assert found.mistake == "softmax_first"
    assert found.feedback.startswith("There is nothing to weigh yet. You put softmax at place 3;")


@pytest.mark.parametrize("place", range(6))
def test_a_distractor_costs_wherever_it_stands(steps, place):
    """PrairieLearn#13426: an extra wrong block at the end was worth 100 %."""
    found = grade(steps(), 0, {"order": [*RIGHT[:place], "mean", *RIGHT[place:]]})
    assert (found.outcome, found.score, found.mistake) == ("incorrect", 0.4, "heads_averaged")
    assert found.title == "heads averaged"
    assert found.feedback.endswith(f"Place {place + 1} holds average the heads, which is no step of this.")
    stray = next(part for part in found.parts if part.id == "mean")
    assert (stray.outcome, stray.mistake, stray.feedback) == (
        "incorrect",
        "heads_averaged",
        "Heads are laid side by side.",
    )


@pytest.mark.parametrize("gone", RIGHT)
def test_an_item_left_out_costs_and_is_said(steps, gone):
    found = grade(steps(), 0, {"order": [one for one in RIGHT if one != gone]})
    assert found.outcome in ("partial", "incorrect")
    assert found.score < 0.8
    missing = next(part for part in found.parts if part.id == gone)
    assert (missing.outcome, missing.title) == ("incorrect", "left out")
    assert found.mistake == ("weights_forgotten" if gone == "softmax" else "")


def test_the_last_item_left_out_is_said_in_words(steps):
    found = grade(steps(), 0, {"order": RIGHT[:-1]})
    assert (found.title, found.feedback) == ("1 item is left out", "mix the values is left out.")


def test_a_distractor_instead_of_an_item_costs_more_than_either(steps):
    both = grade(steps(), 0, {"order": ["mean", *RIGHT[1:]]}).score
    assert both < grade(steps(), 0, {"order": RIGHT[1:]}).score
    assert both < grade(steps(), 0, {"order": ["mean", *RIGHT]}).score


def test_without_distractors_every_item_needs_a_place(steps, refusal):
    problem = refusal(grade, steps(distractors=[]), 0, {"order": RIGHT[:-1]})
    assert (problem.field, problem.message) == ("order", "4 of 5 placed; place them all.")
    assert question_input(steps(distractors=[]))["items"] != []


@pytest.mark.parametrize("order", [[], ["mean", "mean"], [*RIGHT, "foreign"], [*RIGHT, "q"]])
def test_what_was_not_asked_or_is_placed_twice_is_unreadable(steps, refusal, order):
    assert refusal(grade, steps(), 0, {"order": order}).field == "order"


def test_the_rows_shown_hold_the_distractors_and_never_a_right_order(steps):
    for seed in range(60):
        shown = ordering.question_input(
            Question({"items": ITEMS, "before": BEFORE, "distractors": [MEAN]}, seed=seed)
        )
        assert shown["distractors"] is True
        ids = [row["id"] for row in shown["items"]]
        assert sorted(ids) == sorted([*RIGHT, "mean"])
        assert all(set(row) == {"id", "text"} for row in shown["items"])
        items = [one for one in ids if one != "mean"]
        assert grade(steps(), 0, {"order": items}).outcome != "correct"


def test_every_pair_of_places_of_a_shown_row_occurs(steps):
    """The place of a row in the list says nothing about the distractor."""
    places = {
        [
            row["id"]
            for row in ordering.question_input(Question({"items": ITEMS, "distractors": [MEAN]}, seed=seed))[
                "items"
            ]
        ].index("mean")
        for seed in range(80)
    }
    assert places == set(range(6))


GROUPED = [
    {"id": "q", "text": "q", "group": "project"},
    {"id": "k", "text": "k", "group": "project"},
    {"id": "v", "text": "v", "group": "project"},
    {"id": "tokens", "text": "count the tokens"},
    {"id": "out", "text": "out", "group": "alone"},
]


@pytest.fixture
def grouped(card):
    answer = {"items": GROUPED, "before": [["q", "out"]], "distractors": [MEAN]}
    return card("ordering", answer=answer, mistakes=[MISTAKES[1]])


@pytest.mark.parametrize(
    ("order", "right"),
    [
        (["v", "q", "k", "tokens", "out"], True),
        (["tokens", "k", "v", "q", "out"], True),
        (["q", "k", "tokens", "v", "out"], False),
        (["q", "k", "out", "v", "tokens"], False),
        (["q", "k", "mean", "v", "tokens", "out"], False),
    ],
)
def test_items_of_a_group_stand_side_by_side(grouped, order, right):
    """PrairieLearn#5871 (a group of one) and #6537 (a distractor inside a group)."""
    found = grade(grouped, 0, {"order": order})
    assert (found.outcome == "correct") == right
    assert right or found.score < 1
    assert grade(grouped, 0, {"order": found.facts["key_order"]}).outcome == "correct"


def test_a_group_that_is_torn_apart_is_said(grouped):
    found = grade(grouped, 0, {"order": ["q", "k", "tokens", "v", "out"]})
    assert found.feedback == "You put count the tokens at place 3, between items that stand side by side."
    assert "side by side" in next(part.feedback for part in found.parts if part.id == "v")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"before": [["q", "k"], ["k", "scores"], ["scores", "q"]]}, "goes round in a circle: q, k, scores$"),
        ({"before": [["q", "q"]]}, "pairs of the ids"),
        ({"before": [["q", "foreign"]]}, "pairs of the ids"),
        ({"before": [["q", "mean"]]}, "pairs of the ids"),
        ({"before": "q"}, "pairs of the ids"),
        ({"distractors": [{"id": "q", "text": "again"}]}, "all different"),
        ({"distractors": "mean"}, "is a list"),
        ({"items": ITEMS[:1], "before": None, "distractors": []}, "two or more"),
        ({"items": [f"item {n}" for n in range(65)], "before": None}, "at most 64"),
        (
            {"items": [{**ITEMS[0], "group": "a"}, ITEMS[1], {**ITEMS[2], "group": "a"}], "before": None},
            "circle",
        ),
    ],
)
def test_an_order_that_cannot_be_breaks_the_card(steps, answer, words):
    with pytest.raises(KeyProblem, match=words):
        key_text(steps(**answer))
    assert grade(steps(**answer), 0, {"order": ["q", "k"]}).outcome == "undecided"


def test_the_card_itself_lints_clean_and_its_mistakes_are_found(steps):
    assert [str(problem) for problem in lint_card(steps())] == []


def test_lint_tells_a_mistake_that_may_be_right_and_a_distractor_without_one(steps):
    version = steps(distractors=[{"id": "mean", "text": "average"}])
    version.mistakes = [
        {"name": "k_first", "before": ["k", "q"], "says": "No."},
        {"name": "lost", "says": "No."},
    ]
    found = "\n".join(map(str, lint_card(version)))
    assert "k before q is the right order, or may be" in found
    assert "item mean: its mistake '' is not among the mistakes" in found
    assert "mistake lost: give it before: [ID, ID], or a distractor" in found


@dataclass(frozen=True)
class Drawn:
    """A random graph of items with pairs and groups, and what every permutation says about it."""

    items: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    groups: dict[str, str]

    def is_right(self, order: Sequence[str]) -> bool:
        """By the definition: every pair kept, every group in one piece."""
        if any(order.index(first) > order.index(second) for first, second in self.pairs):
            return False
        for name in set(self.groups.values()):
            held = [place for place, one in enumerate(order) if self.groups.get(one) == name]
            if held[-1] - held[0] != len(held) - 1:
                return False
        return True


def _drawn(count: int) -> Iterator[tuple[random.Random, Drawn]]:
    chance = random.Random(20261130)
    for _ in range(count):
        size = chance.choices([2, 3, 4, 5, 6, 7], [8, 20, 40, 25, 4, 0.25])[0]
        items = tuple("abcdefg"[:size])
        hidden = chance.sample(items, size)
        forward = list(combinations(hidden, 2))
        pairs = chance.sample(forward, chance.randint(1, min(len(forward), 6)))
        if chance.random() < 0.05:
            pairs.append(chance.choice(pairs)[::-1])
        grouped = chance.random() < 0.4
        groups = {one: chance.choice("AB") for one in items if grouped and chance.random() < 0.6}
        yield chance, Drawn(items, tuple(pairs), groups)


def test_the_fast_score_is_that_of_all_right_orders_on_every_random_graph():
    circles = 0
    for chance, drawn in _drawn(tries(12_000)):
        right = [order for order in permutations(drawn.items) if drawn.is_right(order)]
        if not right:
            circles += 1
            with pytest.raises(KeyProblem, match="circle"):
                partial_order(drawn.items, drawn.pairs, drawn.groups)
            continue
        order = partial_order(drawn.items, drawn.pairs, drawn.groups)
        agreed = {
            p for p in permutations(drawn.items, 2) if all(o.index(p[0]) < o.index(p[1]) for o in right)
        }
        assert set(order.pairs()) == agreed
        given = chance.sample(drawn.items, len(drawn.items))
        shown = nearest(order, given)
        assert drawn.is_right(shown)
        assert (share_kept(order, given) == 1) == (tuple(given) in right) == (shown == given)
        starts = {one[:place] for one in right for place in range(len(one) + 1)}
        assert tuple(given[: (wrong := first_wrong(order, given))]) in starts
        assert wrong == len(given) or tuple(given[: wrong + 1]) not in starts
        if not drawn.groups:
            kept = sum(given.index(first) < given.index(second) for first, second in agreed)
            assert share_kept(order, given) == pytest.approx(kept / len(agreed))
    assert circles > 0


def test_leaving_out_adding_and_the_shown_key_hold_on_every_random_graph():
    """PrairieLearn#5262, #5368, #5665: what is shown as the right answer was not accepted."""
    for chance, drawn in _drawn(tries(1_500)):
        items = [{"id": one, "text": one, "group": drawn.groups.get(one, "")} for one in drawn.items]
        stray = [{"id": "x", "text": "x", "mistake": "stray"}, {"id": "y", "text": "y", "mistake": "stray"}]
        question = Question(
            {"items": items, "before": [list(pair) for pair in drawn.pairs], "distractors": stray}
        )
        try:
            right = ordering.examples(question)[0].response["order"]
        except KeyProblem:
            continue
        some = chance.sample([*drawn.items, "x", "y"], chance.randint(1, len(drawn.items) + 2))
        found = ordering.grade(question, Response(order=tuple(some)))
        assert ordering.grade(question, Response(order=tuple(found.facts["key_order"]))).score == 1
        assert (found.score == 1) == (sorted(some) == list(drawn.items) and drawn.is_right(some))
        place = chance.randint(0, len(right))
        more = ordering.grade(question, Response(order=(*right[:place], "x", *right[place:])))
        gone = chance.choice(right)
        rest = [one for one in right if one != gone]
        less = ordering.grade(question, Response(order=tuple(rest)))
        assert max(more.score, less.score) < 1
        assert {more.outcome, less.outcome} <= {"partial", "incorrect"}


def test_sixty_four_items_in_reverse_are_graded_at_once():
    texts = [f"step {n}" for n in range(64)]
    question = Question({"items": texts})
    right = ordering.examples(question)[0].response["order"]
    found = ordering.grade(question, Response(order=tuple(right[::-1])))
    assert (found.outcome, found.score, len(found.parts)) == ("incorrect", 0.0, 64)


def test_where_nothing_comes_before_anything_every_order_is_right(card):
    version = card("ordering", answer={"items": ["W_Q", "W_K", "W_V"], "before": []}, mistakes=[])
    shown = [row["id"] for row in question_input(version)["items"]]
    assert grade(version, 0, {"order": shown}).outcome == "correct"
    assert grade(version, 0, {"order": shown[::-1]}).outcome == "correct"
    assert "every order is right" in "\n".join(map(str, lint_card(version)))


@pytest.mark.parametrize(
    ("order", "outcome"), [(["q"], "correct"), (["mean"], "incorrect"), (["q", "mean"], "incorrect")]
)
def test_one_item_beside_a_distractor_is_an_order_too(steps, order, outcome):
    version = steps(items=ITEMS[:1], before=None)
    version.mistakes = MISTAKES[1:2]
    assert grade(version, 0, {"order": order}).outcome == outcome
