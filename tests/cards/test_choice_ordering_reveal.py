"""Chosen, ordered and spoken answers."""

from itertools import permutations

import pytest

from cards.answering import grade, question_input

pytestmark = pytest.mark.plain

STEPS = ["project", "view", "transpose", "attend", "merge"]


def test_the_right_option_is_correct(card):
    found = grade(card("choice"), 0, {"choices": ["silent"]})
    assert (found.outcome, found.key_text, found.mistake) == ("correct", "it runs and is wrong", "")


def test_a_wrong_option_names_its_mistake_and_says_why(card):
    found = grade(card("choice"), 0, {"choices": ["same"]})
    assert (found.outcome, found.mistake) == ("incorrect", "shape_is_enough")
    assert found.title == "it runs, and it is wrong"
    assert found.feedback == "You chose: it gives the same."


@pytest.mark.parametrize("choices", [[], ["silent", "same"], ["nope"], [""], ["silent", "silent"]])
def test_none_two_or_an_unknown_option_is_unreadable(card, refusal, choices):
    assert refusal(grade, card("choice"), 0, {"choices": choices}).field == "choices"


def test_the_letter_is_that_of_the_order_shown(card):
    shown = [option["id"] for option in question_input(card("choice"), 5)["options"]]
    assert grade(card("choice"), 5, {"choices": [shown[2]]}).read_as == "Chosen: C"


def test_options_show_neither_which_is_right_nor_where_the_author_put_it(card):
    options = [{"id": f"option-{i}", "text": str(i), "correct": i == 0, "mistake": "m"} for i in range(4)]
    places = []
    for seed in range(200):
        shown = question_input(card("choice", answer={"options": options}), seed)["options"]
        assert {key for option in shown for key in option} == {"id", "text", "html"}
        places.append([option["id"] for option in shown].index("option-0"))
    assert all(25 < places.count(place) < 80 for place in range(4))


def test_the_same_seed_shows_the_same_order(card):
    assert question_input(card("ordering"), 3) == question_input(card("ordering"), 3)


@pytest.mark.parametrize("seed", range(50))
def test_items_are_never_shown_in_the_right_order(card, seed):
    two = {"items": ["first", "second"]}
    shown = [item["text"] for item in question_input(card("ordering", answer=two), seed)["items"]]
    assert shown == ["second", "first"]
    assert [i["id"] for i in question_input(card("ordering"), seed)["items"]] != STEPS


def test_only_the_right_order_is_correct_and_score_falls_with_pairs_out_of_order(card):
    for order in permutations(STEPS):
        found = grade(card("ordering"), 0, {"order": list(order)})
        wrong_pairs = sum(
            STEPS.index(a) > STEPS.index(b) for i, a in enumerate(order) for b in order[i + 1 :]
        )
        assert found.score == pytest.approx(max(0, 1 - wrong_pairs / 5), abs=1e-4)
        assert (found.outcome == "correct") == (list(order) == STEPS)
        assert (found.outcome == "partial") == (0.5 <= found.score < 1)


def test_the_first_wrong_place_is_named(card):
    found = grade(card("ordering"), 0, {"order": ["project", "transpose", "view", "attend", "merge"]})
    assert (found.outcome, found.title) == ("partial", "place 2 is the first wrong one")
    assert found.feedback == "Place 2 is view; you put transpose there."


def test_a_pair_in_the_wrong_order_is_a_named_mistake(card):
    mistake = {
        "name": "moved_too_soon",
        "before": ["transpose", "view"],
        "says": "There is no head axis yet.",
    }
    found = grade(
        card("ordering", mistakes=[mistake]),
        0,
        {"order": ["transpose", "project", "view", "attend", "merge"]},
    )
    assert found.mistake == "moved_too_soon"
    assert found.feedback.startswith("There is no head axis yet. Place 1")


@pytest.mark.parametrize(
    "order",
    [[], STEPS[:4], [*STEPS, "merge"], [*STEPS[:4], "project"], [*STEPS[:4], "nope"], [*STEPS, "nope"]],
)
def test_a_missing_doubled_or_foreign_item_is_unreadable(card, refusal, order):
    assert refusal(grade, card("ordering"), 0, {"order": order}).field == "order"


def test_ids_made_from_text_say_nothing_about_the_place(card):
    shown = question_input(card("ordering", answer={"items": ["b", "a", "c"]}))["items"]
    assert all(item["id"].startswith("i-") and len(item["id"]) == 10 for item in shown)


def test_a_revealed_answer_is_undecided_and_shows_the_points(card):
    found = grade(card("reveal"), 0, {"revealed": True})
    assert (found.outcome, found.score) == ("undecided", 0.0)
    assert found.facts["rubric"] == ["kernels tile well", "fewer heads", "a convention"]
    assert found.key_text.splitlines() == found.facts["rubric"]


def test_points_are_not_shown_before_they_are_asked_for(card, refusal):
    assert refusal(grade, card("reveal"), 0, {"text": "kernels", "revealed": False}).field == "revealed"
    assert "kernels" not in str(question_input(card("reveal")))


def test_every_option_of_a_choice_gives_its_own_reason_once_answered(card):
    options = [
        {"id": "silent", "text": "it runs", "correct": True, "says": "The count fits."},
        {
            "id": "raises",
            "text": "it raises",
            "mistake": "view_refuses",
            "says": "View counts, nothing more.",
        },
        {"id": "same", "text": "it gives the same", "mistake": "shape_is_enough"},
    ]
    found = grade(card("choice", answer={"options": options}), 0, {"choices": ["raises"]})
    assert (found.mistake, found.feedback) == ("view_refuses", "View counts, nothing more.")
    assert [(part.id, part.outcome, part.feedback) for part in found.parts] == [
        ("silent", "incorrect", "The count fits."),
        ("raises", "incorrect", "View counts, nothing more."),
        ("same", "correct", ""),
    ]


def test_of_several_right_options_one_is_enough(card):
    options = [
        {"id": "view", "text": "view, then transpose", "correct": True},
        {"id": "unflatten", "text": "unflatten, then movedim", "correct": True},
        {"id": "cut", "text": "view with heads first", "mistake": "view_refuses"},
    ]
    version = card("choice", answer={"options": options})
    found = grade(version, 0, {"choices": ["unflatten"]})
    assert (found.outcome, found.parts[0].outcome, found.parts[0].title) == (
        "correct",
        "correct",
        "right as well",
    )
    assert (
        grade(version, 0, {"choices": ["cut"]}).key_text == "view, then transpose or unflatten, then movedim"
    )
