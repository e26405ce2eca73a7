"""Several options chosen: credit that guessing cannot earn, and a reason for each option."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_engine.arithmetic import remainder
from cards.answer_types import multi_choice
from cards.answer_types.multi_choice import CREDITS, score_of
from cards.answering import grade, key_text, question_input
from cards.files import read_decks
from cards.grading import Question, Response
from cards.keys import KeyProblem
from cards.loading import CONTENT
from tests.sampling import tries

pytestmark = pytest.mark.plain

OPTIONS = [
    {"id": "eight", "text": "8 heads", "correct": True, "missed": "eight_forgotten"},
    {"id": "ten", "text": "10 heads", "mistake": "ten_does_not_divide", "says": "10 leaves 8 of 768 over."},
    {"id": "twelve", "text": "12 heads", "correct": True, "says": "Heads of 64."},
    {"id": "five", "text": "5 heads", "mistake": "five_does_not_divide"},
]
MISTAKES = [
    {"name": "ten_does_not_divide", "says": "Ten is round, 768 is not."},
    {"name": "five_does_not_divide", "title": "5 leaves something over", "says": "{answer}: 3 over."},
    {"name": "eight_forgotten", "says": "{answer} divide too; right are {key}."},
]
COUNTS = [
    counts for counts in product(range(7), repeat=4) if counts[0] <= counts[2] and counts[1] <= counts[3]
]


@pytest.fixture
def heads(card):
    def built(credit: str = "net", options=OPTIONS):
        return card("multi_choice", answer={"options": options, "credit": credit}, mistakes=MISTAKES)

    return built


def test_the_very_set_is_correct_in_any_order(heads):
    for chosen in (["eight", "twelve"], ["twelve", "eight"]):
        found = grade(heads(), 0, {"choices": chosen})
        assert (found.outcome, found.score, found.mistake) == ("correct", 1.0, "")
        assert found.key_text == "8 heads, 12 heads"


def test_the_first_wrong_pick_in_the_authors_order_gives_the_mistake(heads):
    found = grade(heads(), 0, {"choices": ["five", "ten", "eight"]})
    assert (found.outcome, found.mistake) == ("incorrect", "ten_does_not_divide")
    assert found.feedback.startswith("10 leaves 8 of 768 over.")


def test_a_missed_right_option_is_named_where_no_pick_is_wrong(heads):
    found = grade(heads(), 0, {"choices": ["twelve"]})
    assert (found.outcome, found.score, found.mistake) == ("partial", 0.5, "eight_forgotten")
    assert found.feedback == (
        "8 heads divide too; right are 8 heads, 12 heads. "
        "You chose 1, of which 1 is right; 2 are right in all."
    )


def test_a_missed_option_without_a_name_is_counted_in_words(heads):
    found = grade(heads(), 0, {"choices": ["eight"]})
    assert (found.mistake, found.title) == ("", "1 of 2 right ones, 0 not right")


def test_every_option_says_whether_it_was_taken_rightly_and_why(heads):
    parts = {part.id: part for part in grade(heads(), 0, {"choices": ["five", "twelve"]}).parts}
    assert [parts[one].outcome for one in ("eight", "ten", "twelve", "five")] == [
        "incorrect",
        "correct",
        "correct",
        "incorrect",
    ]
    assert (parts["eight"].title, parts["eight"].mistake) == ("right, and not chosen", "eight_forgotten")
    assert (parts["five"].title, parts["five"].feedback) == ("chosen, and not right", "5 heads: 3 over.")
    assert parts["twelve"].feedback == "Heads of 64."


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ([], "none of these"),
        (["eight", "eight"], "twice"),
        (["eight", "nine"], "load the question again"),
        (["none", "eight"], "not both"),
    ],
)
def test_what_cannot_be_meant_is_unreadable(heads, refusal, choices, words):
    problem = refusal(grade, heads(), 0, {"choices": choices})
    assert (problem.field, words in problem.message) == ("choices", True)


def test_none_is_the_answer_where_nothing_is_right(heads):
    wrong_only = heads(options=[one for one in OPTIONS if not one.get("correct")])
    found = grade(wrong_only, 0, {"choices": ["none"]})
    assert (found.outcome, found.key_text, found.read_as) == (
        "correct",
        "none of these",
        "Chosen: none of these",
    )
    picked = grade(wrong_only, 0, {"choices": ["ten"]})
    assert (picked.outcome, picked.score) == ("incorrect", 0.0)
    assert "You chose 1; none of these is right." in picked.feedback


def test_none_is_offered_last_whether_or_not_it_is_the_answer(heads):
    shown = question_input(heads(), 3)["options"]
    assert (shown[-1]["id"], shown[-1]["text"]) == ("none", "none of these")
    assert question_input(heads(), 3)["hint"] == "Choose all that are right, or none of these."
    assert {one["id"] for one in shown[:-1]} == {"eight", "ten", "twelve", "five"}
    assert grade(heads(), 0, {"choices": ["none"]}).mistake == "eight_forgotten"


def test_an_option_called_none_breaks_the_card(heads):
    taken = heads(
        options=[*OPTIONS, {"id": "none", "text": "none of these", "mistake": "five_does_not_divide"}]
    )
    with pytest.raises(KeyProblem, match="none"):
        key_text(taken)
    assert grade(taken, 0, {"choices": ["eight"]}).outcome == "undecided"


@pytest.mark.parametrize("credit", ["each-answer", "", 1, ["net"], None])
def test_a_credit_that_is_none_breaks_the_card(heads, credit):
    with pytest.raises(KeyProblem, match="net, each, coverage, all"):
        key_text(heads(credit=credit))


@pytest.mark.parametrize("credit", CREDITS)
def test_all_or_nothing_earns_nothing_unless_it_is_the_answer(credit):
    """PrairieLearn's `each answer` pays half of the options for choosing all of them."""
    for right, wrong in product(range(8), repeat=2):
        if right and wrong:
            assert score_of((right, wrong, right, wrong), credit) == 0
            assert score_of((0, 0, right, wrong), credit) == 0
    assert score_of((3, 0, 3, 0), credit) == score_of((0, 0, 0, 3), credit) == 1


@pytest.mark.parametrize("credit", CREDITS)
def test_only_the_very_set_is_worth_one_and_nothing_is_worth_less_than_none(credit):
    for counts in COUNTS:
        right_picks, wrong_picks, right, _ = counts
        score = score_of(counts, credit)
        assert 0 <= score <= 1
        assert (score == 1) == (right_picks == right and wrong_picks == 0)


@pytest.mark.parametrize("credit", CREDITS)
def test_one_more_right_pick_never_costs_and_one_more_wrong_one_never_pays(credit):
    for right_picks, wrong_picks, right, wrong in COUNTS:
        score = score_of((right_picks, wrong_picks, right, wrong), credit)
        if right_picks < right:
            assert score <= score_of((right_picks + 1, wrong_picks, right, wrong), credit)
        if wrong_picks < wrong:
            assert score >= score_of((right_picks, wrong_picks + 1, right, wrong), credit)


def test_a_coin_for_each_option_earns_no_more_than_it_takes_where_each_is_judged():
    """Before the floor at 0, a random set is worth nothing on average or less."""
    for right, wrong in product(range(1, 6), repeat=2):
        options = [True] * right + [False] * wrong
        total = sum(
            CREDITS["each"](*_picks(options, taken), right, wrong)
            for taken in product((False, True), repeat=right + wrong)
        )
        assert total <= 0


def _picks(options: list[bool], taken: tuple[bool, ...]) -> tuple[int, int]:
    picked = [right for right, chosen in zip(options, taken, strict=True) if chosen]
    return sum(picked), len(picked) - sum(picked)


@pytest.mark.parametrize(
    ("credit", "counts", "score"),
    [
        ("net", (3, 1, 4, 2), 0.5),
        ("net", (3, 2, 4, 2), 0),
        ("net", (1, 2, 4, 5), 0),
        ("coverage", (2, 0, 4, 2), 0.5),
        ("coverage", (4, 1, 4, 2), 0.8),
        ("each", (2, 0, 2, 4), 1),
        ("each", (1, 0, 2, 4), 0.5),
        ("each", (2, 0, 4, 2), 0),
        ("all", (3, 0, 4, 2), 0),
    ],
)
def test_each_rule_is_what_it_says(credit, counts, score):
    assert score_of(counts, credit) == pytest.approx(score)


@settings(max_examples=tries(200), deadline=None)
@given(st.integers(0, 10**6), st.sets(st.sampled_from(["eight", "ten", "twelve", "five"]), min_size=1))
def test_the_seed_of_the_order_changes_no_grade_and_its_letters_are_those_shown(seed, chosen):
    drawn = Question({"options": OPTIONS}, MISTAKES, seed=seed)
    found = multi_choice.grade(drawn, Response(choices=tuple(sorted(chosen))))
    shown = [one["id"] for one in multi_choice.question_input(drawn)["options"]]
    letters = ", ".join("ABCD"[place] for place, one in enumerate(shown) if one in chosen)
    plain = multi_choice.grade(replace(drawn, seed=0), Response(choices=tuple(chosen)))
    assert (found.score, found.read_as) == (plain.score, f"Chosen: {letters}")


def test_the_shipped_card_counts_as_right_what_divides_its_width():
    """What an author marks as right is computed here."""
    (asked,) = (card for deck in read_decks(CONTENT) for topic in deck.topics for card in topic.cards
                if card.slug == "heads-that-fit")  # fmt: skip
    for option in asked.answer["options"]:
        heads = int(option["text"].split()[0])
        left_over = remainder(d_model=1600, num_heads=heads)
        assert option.get("correct", False) == (left_over == 0)
        whole = f"1600 = {heads} × {1600 // heads}"
        assert option["says"].startswith(f"{whole} + {left_over}." if left_over else f"{whole},")
