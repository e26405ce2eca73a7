"""What a grade suggests, and why."""

import pytest

from cards.grading import Grade
from studyhub.study.rating import NAMES, RATINGS, suggest

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


def test_nothing_is_easy_before_the_learners_own_speed_is_known():
    assert suggest(FULL, elapsed_ms=1).name == "good"


@pytest.mark.parametrize(("answer_type", "rating"), [("numeric", "easy"), ("choice", "good")])
def test_quick_for_this_learner_is_easy_but_never_for_a_choice(answer_type, rating):
    suggestion = suggest(FULL, answer_type=answer_type, elapsed_ms=2000, latency_quartile=4000.0)
    assert suggestion.name == rating


def test_slow_or_unknown_time_is_good():
    assert suggest(FULL, elapsed_ms=5000, latency_quartile=4000.0).name == "good"
    assert suggest(FULL, elapsed_ms=0, latency_quartile=4000.0).name == "good"


def test_names_and_numbers_are_each_others_inverse():
    assert {number: name for name, number in RATINGS.items()} == NAMES
