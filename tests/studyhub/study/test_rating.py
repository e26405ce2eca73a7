"""What a grade suggests, and why."""

import pytest

from cards.grading import Grade
from studyhub.study.rating import NAMES, RATINGS, suggest

pytestmark = pytest.mark.plain

FULL = Grade("correct", 1.0)


@pytest.mark.parametrize(
    ("grade", "options", "rating", "reason"),
    [
        (FULL, {}, "good", "Suggested: Good, right"),
        (Grade("incorrect", 0.0), {}, "again", "Suggested: Again, a miss"),
        (Grade("partial", 0.8), {}, "hard", "Suggested: Hard, 80 of 100 right"),
        (Grade("partial", 0.79), {}, "again", "Suggested: Again, 79 of 100 right"),
        (Grade("undecided", 0.0), {}, "", "Rate it yourself"),
        (Grade("undecided", 0.0), {"revealed": True}, "", "Rate it yourself"),
        (FULL, {"revealed": True}, "again", "Suggested: Again, the answer was shown"),
        (FULL, {"assisted": True}, "hard", "Suggested: Hard, right with a hint"),
    ],
)
def test_grade_suggests_a_rating_with_its_reason(grade, options, rating, reason):
    suggestion = suggest(grade, **options)
    assert (suggestion.name, suggestion.reason) == (rating, reason)


@pytest.mark.parametrize("outcome", ["correct", "partial", "incorrect", "undecided"])
@pytest.mark.parametrize("score", [0.0, 0.5, 1.0])
def test_nothing_suggests_easy_for_only_the_learner_knows(outcome, score):
    assert suggest(Grade(outcome, score)).name in {"", "again", "hard", "good"}


def test_names_and_numbers_are_each_others_inverse():
    assert {number: name for name, number in RATINGS.items()} == NAMES
