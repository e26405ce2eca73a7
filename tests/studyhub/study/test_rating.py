"""What a grade suggests, and why."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards.grading import Grade
from studyhub.study.rating import NAMES, RATINGS, Circumstances, suggest
from tests.sampling import tries

pytestmark = pytest.mark.plain

FULL = Grade("correct", 1.0)
NINES = (9000,) * 20
MIXED = tuple(range(1000, 21_000, 1000))  # a quarter of them lie below 6 s, half below 10.5 s


@pytest.mark.parametrize(
    ("grade", "options", "rating", "reason"),
    [
        (FULL, {}, "good", "Suggested: Good, right"),
        (Grade("incorrect", 0.0), {}, "again", "Suggested: Again, a miss"),
        (Grade("partial", 0.8), {}, "hard", "Suggested: Hard, 80 of 100 right"),
        (Grade("partial", 0.79), {}, "again", "Suggested: Again, 79 of 100 right, 80 is a pass"),
        (Grade("partial", 0.6), {"passing": 0.6}, "hard", "Suggested: Hard, 60 of 100 right"),
        (
            Grade("partial", 0.85),
            {"passing": 0.9},
            "again",
            "Suggested: Again, 85 of 100 right, 90 is a pass",
        ),
        (Grade("undecided", 0.0), {}, "", "Rate it yourself"),
        (Grade("undecided", 0.0), {"revealed": True, "answer_type": "reveal"}, "", "Rate it yourself"),
        (
            Grade("undecided", 0.0),
            {"answer_type": "formula"},
            "",
            "Rate it yourself: Hard if you had it, Again if not",
        ),
        (
            Grade("undecided", 0.0),
            {"answer_type": "rubric", "pending": "ticks"},
            "",
            "Tick the points you named, or rate it yourself",
        ),
        (
            Grade("undecided", 0.0),
            {"answer_type": "program", "pending": "worker"},
            "",
            "Rate it yourself, or wait for the worker's verdict",
        ),
        (FULL, {"revealed": True}, "again", "Suggested: Again, the answer was shown"),
        (FULL, {"assisted": True}, "hard", "Suggested: Hard, right with a hint"),
        (FULL, {"missed_today": True}, "hard", "Suggested: Hard, right after a miss today"),
        (FULL, {"assisted": True, "missed_today": True}, "hard", "Suggested: Hard, right with a hint"),
        (
            FULL,
            {"answer_type": "numeric", "elapsed_ms": 4000, "times_ms": NINES},
            "easy",
            "Suggested: Easy, right in 4 s; your usual for numbers is 9 s",
        ),
        (
            FULL,
            {"answer_type": "numeric", "elapsed_ms": 5999, "times_ms": MIXED},
            "easy",
            "Suggested: Easy, right in 6 s; your usual for numbers is 10 s",
        ),
        (
            FULL,
            {"answer_type": "shape", "elapsed_ms": 6000, "times_ms": MIXED},
            "good",
            "Suggested: Good, right in 6 s; your usual for shapes is 10 s",
        ),
        (
            FULL,
            {"answer_type": "numeric", "elapsed_ms": 300_000, "times_ms": (600_000,) * 20},
            "good",
            "Suggested: Good, right in 120 s; your usual for numbers is 120 s",
        ),
    ],
)
def test_grade_suggests_a_rating_with_its_reason(grade, options, rating, reason):
    suggestion = suggest(grade, Circumstances(**options))
    assert (suggestion.name, suggestion.reason) == (rating, reason)


@pytest.mark.parametrize(
    "options",
    [
        {"times_ms": NINES[:19]},
        {"elapsed_ms": 0},
        {"answer_type": "choice"},
        {"answer_type": "multi_choice"},
        {"answer_type": "rubric"},
        {"assisted": True},
        {"missed_today": True},
    ],
    ids=[
        "too few times", "no time known", "a guess", "a guess of several", "own ticks", "a hint", "a retry",
    ],
)  # fmt: skip
def test_a_fast_answer_is_not_easy_with(options):
    fast = {"answer_type": "numeric", "elapsed_ms": 2000, "times_ms": NINES}
    assert suggest(FULL, Circumstances(**fast)).name == "easy"
    assert suggest(FULL, Circumstances(**fast | options)).name != "easy"


@given(
    outcome=st.sampled_from(["correct", "partial", "incorrect", "undecided"]),
    score=st.floats(0, 1),
    assisted=st.booleans(),
    revealed=st.booleans(),
    missed=st.booleans(),
    elapsed=st.integers(0, 10**9),
    times=st.lists(st.integers(0, 10**9), max_size=60),
)
@settings(max_examples=tries(200), deadline=None)
def test_help_and_time_never_make_a_pass_of_a_miss_nor_a_miss_of_a_pass(
    outcome, score, assisted, revealed, missed, elapsed, times
):
    grade = Grade(outcome, 1.0 if outcome == "correct" else score)
    how = Circumstances("numeric", assisted, revealed, missed, elapsed_ms=elapsed, times_ms=times)
    name, plain = suggest(grade, how).name, suggest(grade).name
    if outcome in ("incorrect", "undecided") or plain == "again":
        assert name == plain
    elif revealed:
        assert name == "again"
    else:
        assert name in {"hard", "good", "easy"}
        assert name == "hard" or not (assisted or missed)


def test_names_and_numbers_are_each_others_inverse():
    assert {number: name for name, number in RATINGS.items()} == NAMES
