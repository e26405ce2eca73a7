"""Shape answers: what is wrong about a wrong shape."""

import pytest

from cards.answering import grade, question_input

pytestmark = pytest.mark.plain


@pytest.mark.parametrize("text", ["2x12x4x64", "(B, H, T, D)", "[2, H, 4, d_model/H]", "2 12 4 64"])
def test_numbers_and_axis_names_are_equally_right(card, text):
    assert grade(card("shape"), 0, {"text": text}).outcome == "correct"


def test_two_swapped_axes_are_seen_and_the_step_they_belong_to_is_named(card):
    found = grade(card("shape"), 0, {"text": "(2, 4, 12, 64)"})
    assert (found.outcome, found.mistake, found.title) == (
        "incorrect",
        "axes_swapped",
        "axes 1 and 2 are swapped",
    )
    assert "12 at axis 1 and 4 at axis 2" in found.feedback
    assert found.feedback.endswith("That is the shape after view.")


@pytest.mark.parametrize(
    ("text", "name", "title"),
    [
        ("2, 12, 64", "wrong_rank", "3 axes where 4 belong"),
        ("64, 4, 12, 2", "axes_swapped", "the axes are in another order"),
        ("2, 12, 4, 65", "wrong_size", "axis 3 is 64, not 65"),
        ("2, 8, 6, 64", "wrong_size", "axis 1 is 12, not 8"),
    ],
)
def test_what_differs_is_said_without_a_named_mistake(card, text, name, title):
    found = grade(card("shape"), 0, {"text": text})
    assert (found.mistake, found.title) == (name, title)


def test_a_changed_element_count_is_counted(card):
    feedback = grade(card("shape"), 0, {"text": "2, 12, 4, 65"}).feedback
    assert " asks for 6,240 numbers; (2, 12, 4, 64) holds 6,144." in feedback


def test_a_named_mistake_comes_before_what_can_be_seen(card):
    says = "You gave {answer}: H is {H}."
    mistake = {
        "name": "transpose_forgotten",
        "key": [2, 4, 12, 64],
        "title": "heads and tokens are swapped",
        "says": says,
    }
    found = grade(card("shape", mistakes=[mistake]), 0, {"text": "2,4,12,64"})
    assert (found.mistake, found.title) == ("transpose_forgotten", "heads and tokens are swapped")
    assert found.feedback == "You gave (2, 4, 12, 64): H is 12."


def test_queries_and_keys_have_token_counts_of_their_own(card):
    sizes = {"batch": 2, "tokens": 3, "key_tokens": 9, "num_heads": 8, "d_head": 32}
    version = card("shape", answer={"key": {"compute": "shape_after", "step": "scores", **sizes}})
    assert grade(version, 0, {"text": "B, H, T_q, T_k"}).outcome == "correct"
    assert grade(version, 0, {"text": "B, H, T_k, T_q"}).mistake == "axes_swapped"


def test_the_question_says_how_to_write_a_shape_and_not_which(card):
    assert question_input(card("shape"))["hint"] == "Numbers or axis names, such as (3, 5, 7)"


@pytest.mark.parametrize("text", ["(B, T, HD)", "B T HD", "(B, T, H*D)", "(3, 7, 192)", "BxTxHD"])
def test_axes_run_together_are_the_merged_axis_of_the_projection(card, text):
    sizes = {"batch": 3, "tokens": 7, "d_model": 256, "num_heads": 6, "d_head": 32}
    version = card("shape", answer={"key": {"compute": "shape_after", "step": "project", **sizes}})
    assert grade(version, 0, {"text": text}).outcome == "correct"
