"""Answers in words: what spelling is the same, what a slip of typing is, and what never is one."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards.answer_types import words
from cards.answering import grade, question_input
from cards.expressions.words import distance, markup_in, slips, typed
from cards.grading import Question, Response
from cards.keys import KeyProblem
from cards.lint import lint_card
from tests.sampling import tries

pytestmark = pytest.mark.plain


@pytest.fixture
def outcome(card):
    def graded(text: str, **answer):
        return grade(card("words", answer={"key": "batch", **answer}, mistakes=[]), 0, {"text": text}).outcome

    return graded


@pytest.mark.parametrize(
    "text",
    [
        "batch",
        "Batch",
        "BATCH",
        " batch ",
        "batch.",
        "the batch",
        "The  batch.",
        "a batch",
        "\u201cbatch\u201d",
        "'batch'",
        "\u201cbatch.\u201d",
        "\u201cbatch\u201d.",
        "ba\u200btch",
        "\u00a0batch",
        "\uff42\uff41\uff54\uff43\uff48",
        "\u202ebatch",
        "batch\n",
        "the batch axis",
    ],
)
def test_spellings_of_the_same_words_are_right(outcome, text):
    assert outcome(text, accepts=["batch axis"]) == "correct"


@pytest.mark.parametrize(
    "text", ["bach", "batches", "bat ch", "batch size", "tokens", "b", "the", "batch!", "no batch", "batch?"]
)
def test_other_words_are_wrong(outcome, text):
    assert outcome(text) == "incorrect"


@pytest.mark.parametrize("text", ["", "   ", "\u200b\u200b", "\n"])
def test_nothing_written_is_unreadable(card, refusal, text):
    assert (
        refusal(grade, card("words", answer={"key": "batch"}), 0, {"text": text}).message
        == "There is no answer yet."
    )


def test_too_long_an_answer_is_unreadable(card, refusal):
    assert (
        "400 are the limit"
        in refusal(grade, card("words", answer={"key": "batch"}), 0, {"text": "b" * 401}).message
    )


def test_a_composed_and_a_decomposed_letter_are_the_same(outcome):
    """Anki#3422: a typed key in NFD never met its own NFC."""
    assert (
        outcome("H\u00f6lder", key="Ho\u0308lder") == outcome("Ho\u0308lder", key="H\u00f6lder") == "correct"
    )
    assert outcome("Holder", key="H\u00f6lder") == "incorrect"


@pytest.mark.parametrize(("text", "kept"), [("T", "correct"), ("t", "incorrect")])
def test_case_counts_where_the_card_keeps_it(outcome, text, kept):
    assert outcome(text, key="T", case="keep") == kept
    assert outcome(text, key="T") == "correct"


def test_a_missing_double_letter_is_wrong_where_no_slip_is_forgiven(outcome):
    """SmarterTypeField#1: `acommodate` was taken for `accommodate`."""
    assert outcome("acommodate", key="accommodate") == "incorrect"
    assert outcome("acommodate", key="accommodate", typos=1) == "correct"


@pytest.mark.parametrize(
    ("text", "typos", "right"),
    [
        ("transpsoe", 1, True),
        ("trnspose", 1, True),
        ("transposee", 1, True),
        ("tranzpose", 1, True),
        ("tranzpsoe", 1, False),
        ("tranzpsoe", 2, True),
        ("trxnzpsoe", 2, False),
        ("trans pose", 2, False),
    ],
)
def test_slips_are_forgiven_up_to_the_limit(outcome, text, typos, right):
    assert (outcome(text, key="transpose", typos=typos) == "correct") == right


def test_a_forgiven_slip_is_noted_with_the_learners_spelling(card):
    found = grade(card("words", answer={"key": "transpose", "typos": 1}), 0, {"text": "transpsoe"})
    assert found.notes == ("“transpsoe” is taken for “transpose”: one letter off.",)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("batch", "bach"),
        ("heads", "head"),
        ("d_model2", "d_model3"),
        ("layer 12", "layer 13"),
        ("offset -16", "offset 16"),
        ("width 1.5", "width 1,5"),
        ("float16 cache", "float32 cache"),
        ("symmetric", "asymmetric"),
        ("encoder", "decoder"),
        ("linear map", "nonlinear map"),
        ("row major", "rowmajor"),
        ("invariant", "in variant"),
    ],
)
def test_short_words_numbers_prefixes_and_blanks_are_never_slips(outcome, key, text):
    assert outcome(text, key=key, typos=2) == "incorrect"


def test_each_accepted_answer_has_liberties_of_its_own(outcome):
    """frontend-app-authoring#2138: the tolerance of the first key held for no other."""
    answer = {
        "key": "transpose",
        "typos": 1,
        "accepts": [{"key": "permutation", "typos": 0}, {"key": "T", "case": "keep"}],
    }
    assert outcome("tranpose", **answer) == "correct"
    assert outcome("permutatin", **answer) == "incorrect"
    assert outcome("permutation", **answer) == "correct"
    assert [outcome("T", **answer), outcome("t", **answer)] == ["correct", "incorrect"]


ROW = {"key": "queries", "typos": 2, "accepts": ["the query axis"]}
MISTAKES = [
    {
        "name": "keys_for_queries",
        "key": ["keys", "the key axis"],
        "says": "{answer}: a row belongs to a query.",
    },
    {"name": "series", "key": "quartets", "title": "{answer} is no axis", "says": "Not {answer}, {key}."},
]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Keys.", "keys_for_queries"),
        ("the key axis", "keys_for_queries"),
        ("quartets", "series"),
        ("quartest", "series"),
    ],
)
def test_a_listed_word_is_named_also_with_a_slip(card, text, name):
    found = grade(card("words", answer=ROW, mistakes=MISTAKES), 0, {"text": text})
    assert (found.outcome, found.mistake) == ("incorrect", name)


def test_a_listed_mistake_wins_over_a_slip(card):
    version = card(
        "words",
        answer={"key": "softmax", "typos": 2},
        mistakes=[{"name": "smallest", "key": "softmin", "says": "x"}],
    )
    assert grade(version, 0, {"text": "softmax"}).outcome == "correct"
    assert grade(version, 0, {"text": "softmin"}).mistake == "smallest"
    assert grade(version, 0, {"text": "softmix"}).mistake == "smallest"
    assert grade(version, 0, {"text": "sotfmax"}).outcome == "correct"


def test_a_near_miss_says_how_near_and_where(card):
    found = grade(card("words", answer={"key": "transpose"}), 0, {"text": "  the transpoze"})
    assert found.feedback == "`the transpoze` is 1 letter off `transpose`; here it has to be the same."
    assert (found.place.start, found.place.end) == (13, 14)
    assert found.title == "“the transpoze” is not it"


def test_the_learners_words_are_quoted_without_markup(card):
    found = grade(card("words", answer={"key": "batch"}), 0, {"text": "<b>ba*tch*</b> `x`"})
    assert "<" not in found.feedback + found.title + found.read_as
    assert found.read_as == "Read as “b ba*tch* /b 'x'”"


def test_what_is_shown_before_answering_does_not_depend_on_the_key(card):
    assert question_input(card("words", answer={"key": "batch"})) == question_input(card("words", answer=ROW))


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"key": ""},
        {"key": " "},
        {"key": 12},
        {"key": True},
        {"key": "b", "typos": 3},
        {"key": "b", "typos": -1},
        {"key": "b", "typos": True},
        {"key": "b", "typos": "1"},
        {"key": "b", "case": "upper"},
        {"key": "b", "accepts": "c"},
        {"key": "b", "accepts": [1]},
        {"key": "b", "accepts": [{"text": "c"}]},
        {"key": "b" * 401},
    ],
)
def test_a_key_that_is_none_breaks_the_card(answer):
    with pytest.raises(KeyProblem):
        words.examples(Question(answer))


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("<strong>batch</strong>", "<strong>"),
        ("batch<br>", "<br>"),
        ("a &amp; b", "&amp;"),
        ("**batch**", "**"),
        ("*batch*", "*batch*"),
        ("`q.view`", "`"),
        ("$d_k$", "$d_k$"),
        ("[batch](x)", "]("),
        ("# batch", "# "),
        ("d_k", ""),
        ("a < b", ""),
        ("2 * 3 * 4", ""),
        ("__init__", ""),
        ("x[:, 1]", ""),
        ("5 $", ""),
        ("Q & A", ""),
    ],
)
def test_markup_in_a_key_is_told(card, text, markup):
    """TWUOnline#467: `<strong>` in a key made it wrong for everybody."""
    assert markup_in(text) == markup
    found = [str(p) for p in lint_card(card("words", answer={"key": text}, mistakes=[]))]
    assert any("holds markup" in problem for problem in found) == bool(markup)


def test_lint_tells_double_answers_right_mistakes_and_fields_that_are_none(card):
    answer = {"key": "batch", "accepts": ["The batch."], "tolerance": 1}
    listed = [{"name": "same", "key": "BATCH", "says": "x"}, {"name": "bare", "says": "x"}]
    found = "\n".join(map(str, lint_card(card("words", answer=answer, mistakes=listed))))
    for told in (
        "'The batch.' is accepted already",
        "no field tolerance",
        "'BATCH' is right",
        "bare: give its words",
    ):
        assert told in found


def test_a_sound_card_lints_clean(card):
    assert [str(p) for p in lint_card(card("words", answer=ROW, mistakes=MISTAKES))] == []


@cache
def _slow_distance(one: str, other: str) -> int:
    """By the definition, one letter at a time from the end."""
    if not one or not other:
        return len(one) + len(other)
    ways = [
        _slow_distance(one[:-1], other) + 1,
        _slow_distance(one, other[:-1]) + 1,
        _slow_distance(one[:-1], other[:-1]) + (one[-1] != other[-1]),
    ]
    if one[-2:] == other[-2:][::-1] and len(one) > 1 and len(other) > 1:
        ways.append(_slow_distance(one[:-2], other[:-2]) + 1)
    return min(ways)


@settings(max_examples=tries(400), deadline=None)
@given(st.text("abc", max_size=7), st.text("abc", max_size=7), st.integers(0, 3))
def test_the_banded_distance_is_the_whole_one(one, other, most):
    assert distance(one, other, most) == min(_slow_distance(one, other), most + 1)


@settings(max_examples=tries(300), deadline=None)
@given(st.text("aTheB .'\"“”\u0308\u200bé\uff42ﬁẞ½\ud800\n", max_size=30))
def test_comparing_is_the_same_twice_and_knows_where_each_letter_stood(text):
    once = typed(text, keep_case=False)
    assert (
        typed(once.text, keep_case=False).text
        == typed(typed(once.text, keep_case=False).text, keep_case=False).text
    )
    assert list(once.origins) == sorted(once.origins)
    assert all(0 <= origin < len(text) for origin in once.origins)
    assert slips(once.text, once.text, most=0) == 0


def test_four_hundred_letters_are_compared_at_once(card):
    version = card("words", answer={"key": "ab" * 200, "typos": 2, "accepts": ["ba" * 199] * 1})
    assert grade(version, 0, {"text": "ba" * 200}).outcome == "correct"


@pytest.mark.parametrize(
    ("key", "text", "outcome"),
    [
        ("batch size", "batch-size", "correct"),
        ("self-attention", "self attention", "correct"),
        ("key–value cache", "Key-Value cache", "correct"),
        ("self-attention", "selfattention", "incorrect"),
        ("T-1", "T 1", "incorrect"),
        ("-1", "1", "incorrect"),
    ],
)
def test_a_hyphen_between_words_is_a_blank(key, text, outcome):
    found = words.grade(Question({"key": key, "typos": 2}), Response(text))
    assert found.outcome == outcome
    assert found.place is None or 0 <= found.place.start < found.place.end <= len(text)
