"""Einsum equations: read in any spelling, right where only names differ, wrong by name, never a surprise."""

import time

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from attention_engine.program import inputs
from attention_engine.program import read as read_program
from cards.answer_types import einsum
from cards.expressions.einsum import read_einsum
from cards.grading import Question, Response, Unreadable
from cards.keys import KeyProblem
from cards.mistakes.einsums import same
from tests.sampling import tries

pytestmark = pytest.mark.plain

SCORES = Question({"type": "einsum", "key": "b h q d, b h k d -> b h q k", "operands": ["Q", "K"]})
OUTPUT = Question({"type": "einsum", "key": "b h q k, b h k d -> b h q d", "operands": ["weights", "V"]})

RIGHT = [
    "bhqd,bhkd->bhqk",
    " bhqd , bhkd -> bhqk ",
    "bhqd,bhkd → bhqk",
    "bhqd,bhkd −> bhqk",
    r"bhqd,bhkd \to bhqk",
    "ｂｈｑｄ，ｂｈｋｄ->ｂｈｑｋ",
    "BHQD,BHKD->BHQK",
    "abcd,abed->abce",
    "bhid,bhjd->bhij",
    '"bhqd,bhkd->bhqk"',
    "'bhqd,bhkd->bhqk'",
    "“bhqd,bhkd->bhqk”",
    "`bhqd,bhkd->bhqk`",
    '"bhqd,bhkd->bhqk", q, k',
    'torch.einsum("bhqd,bhkd->bhqk", q, k)',
    "torch.einsum('bhid, bhjd -> bhij', Q, K)",
    "scores = torch.einsum('bhid,bhjd->bhij', query, key)",
    'np.einsum("bhqd,bhkd->bhqk", q, k);',
    'torch.einsum("bhkd,bhqd->bhqk", k, q)',
    'einsum("bhid,bhjd->bhji", keys, queries)',
    'einsum(q, k, "b h i d, b h j d -> b h i j")',
    'einops.einsum(q, k, "batch head q d, batch head k d -> batch head q k")',
    "b h q d, b h k d -> b h q k",
    "batch heads q_len d_head, batch heads k_len d_head -> batch heads q_len k_len",
    "b head q d, b head k d -> b head q k",
    "bh qd, bh kd -> bh qk",
    "...qd,...kd->...qk",
    "…qd,…kd->…qk",
    "b...qd,b...kd->b...qk",
    "... i d, ... j d -> ... i j",
    "b heads ... d, b heads j d -> b heads ... j",
    "acbz,acdz->acbd",
]


def graded(text, question=SCORES):
    return einsum.grade(question, Response(text=text))


@pytest.mark.parametrize("text", RIGHT)
def test_every_spelling_of_the_equation_is_right(text):
    assert graded(text).outcome == "correct"


@pytest.mark.parametrize(
    ("text", "name", "title"),
    [
        ("bhqd,bhkd->bhkq", "other_output_order", "the output's axes are in another order"),
        ("bhjd,bhid->bhij", "other_output_order", "the output's axes are in another order"),
        ("bhqd,bhkd->hbqk", "other_output_order", "the output's axes are in another order"),
        ("bhkd,bhqd->bhqk", "operands_swapped", "the operands are swapped"),
        ('torch.einsum("bhqd,bhkd->bhqk", k, q)', "operands_swapped", "the operands are swapped"),
        ('einsum(k, q, "b h i d, b h j d -> b h i j")', "operands_swapped", "the operands are swapped"),
        ("bhqd,bhkd->bhqd", "wrong_contraction", "summed over k instead of d"),
        ("bhqd,bhkd->bhqkd", "wrong_contraction", "summed over nothing instead of d"),
        ("bhqd,bhkd->bqk", "wrong_contraction", "summed over h, d instead of d"),
        ("bhqd,bhkd->", "wrong_contraction", "summed over b, h, q, d, k instead of d"),
        ("bhqd,bhkd", "wrong_contraction", "summed over b, h, d instead of d"),
        ("bhqd,bhdk->bhqk", "wrong_contraction", "another axis is summed over"),
        ("bhqd,bhke->bhqk", "wrong_contraction", "another axis is summed over"),
        ("bhqd,bhkd->bhqq", "repeated_output_axis", "q is twice in the output"),
        ("bhqd,bhkd->bhqkk", "repeated_output_axis", "k is twice in the output"),
        ("bqd,bkd->bqk", "wrong_rank", "Q has 4 axes, yours names 3"),
        ("bhqd,bhskd->bhqk", "wrong_rank", "K has 4 axes, yours names 5"),
        ("hbqd,bhkd->bhqk", "axes_swapped", "the axes of the operands do not meet"),
        ("bhqd,bhqd->bhq", "axes_swapped", "two axes have one name"),
        ("bhqd->bhqd", "wrong_operands", "1 operand where 2 belong"),
        ("bhqd,bhkd,bhkv->bhqv", "wrong_operands", "3 operands where 2 belong"),
        ('einsum("bhqd,bhkd->bhqk", q, q)', "wrong_operands", "K is not used"),
    ],
)
def test_what_differs_is_named(text, name, title):
    found = graded(text)
    assert (found.outcome, found.mistake, found.title) == ("incorrect", name, title)
    assert found.score == 0


def test_values_taken_with_swapped_terms_are_seen_in_any_letters():
    assert graded("bhkd,bhqk->bhqd", OUTPUT).mistake == "operands_swapped"
    assert graded("bhjd,bhij->bhid", OUTPUT).mistake == "operands_swapped"
    assert graded("bhij,bhjd->bhid", OUTPUT).outcome == "correct"
    assert graded('torch.einsum("bhkd,bhqk->bhqd", v, attn)', OUTPUT).outcome == "correct"


def test_the_place_is_in_the_learners_own_text():
    text = "scores = torch.einsum( 'bhqd,bhkd->bhkq', q, k)"
    place = graded(text).place
    assert (place.field, text[place.start : place.end]) == ("text", "bhkq")


def test_the_sentence_uses_the_learners_own_letters():
    assert "asked as (x, y, u, v); yours is (x, y, v, u)" in graded("xyud,xyvd->xyvu").feedback


def test_without_an_arrow_the_letters_that_appear_once_are_the_output_in_alphabetical_order():
    outer = Question({"key": "i, j -> i j", "operands": ["a", "b"]})
    assert graded("i,j", outer).outcome == "correct"
    found = graded("v,u", outer)
    assert (found.mistake, "alphabetical" in found.feedback) == ("other_output_order", True)
    assert (
        "summed over i, j"
        in graded("ij,ij", Question({"key": "i j, i j -> i", "operands": ["a", "b"]})).title
    )


def test_a_mistake_of_the_card_comes_before_what_can_be_seen():
    mistake = {"name": "keys_summed", "key": "b h q d, b h k d -> b h q d", "says": "You wrote {answer}."}
    question = Question(SCORES.answer, mistakes=[mistake])
    found = graded("bhid,bhjd->bhid", question)
    assert (found.mistake, found.title) == ("keys_summed", "keys summed")
    assert found.feedback == "You wrote b h i d, b h j d -> b h i d."
    assert {e.mistake for e in einsum.examples(question)} == {"", "keys_summed"}
    assert all(graded(e.response["text"], question).mistake == e.mistake for e in einsum.examples(question))


def test_a_mistake_that_is_the_key_is_a_problem_of_the_card():
    mistake = {"name": "renamed", "key": "b h i d, b h j d -> b h i j", "says": "?"}
    assert einsum.problems(Question(SCORES.answer, mistakes=[mistake])) == [
        "mistake renamed: its equation is the key"
    ]


@pytest.mark.parametrize(
    "answer",
    [
        {"key": "bhqd,bhkd->bhqk"},
        {"key": "bhqd,bhkd->bhqz", "operands": ["Q", "K"]},
        {"key": "...qd,...kd->...qk", "operands": ["Q", "K"]},
        {"key": "bhqd->bhq", "operands": ["Q", "K"]},
        {"key": 3, "operands": ["Q"]},
        {"key": "i->i", "operands": ["q", "Q"]},
    ],
)
def test_a_key_that_is_none_is_a_fault_of_the_card(answer):
    with pytest.raises(KeyProblem):
        einsum.grade(Question(answer), Response(text="bhqd,bhkd->bhqk"))


@pytest.mark.parametrize(
    ("text", "at", "part"),
    [
        ("", 0, "no answer"),
        ("bhqd,bhkd->bhqz", 14, "`z`, which is an axis of no operand"),
        ("bhqd,,bhkd->bhqk", 5, "without axes"),
        ("bhqd,bhkd,->bhqk", 10, "without axes"),
        ("->bhqk", 0, "without axes"),
        ("bhqd,bhkd->bhqk->b", 15, "one term behind one ->"),
        ("bhqd,bhkd->bh,qk", 13, "one term behind one ->"),
        ("bhqd,bhkd=>bhqk", 9, "Write the arrow as ->"),
        ("bhqd,bhkd-bhqk", 9, "Write the arrow as ->"),
        ("(b h) q d, (b h) k d -> (b h) q k", 0, "not joined in brackets"),
        ("bhqd,bhkd->bh4k", 11, "`bh4k`, which is an axis of no operand"),
        ("bhqd,bhkd->bh 4k", 14, "letter or a word"),
        ("bhqd bhkd -> bhqk", 13, "`bhqk`, which is an axis of no operand"),
        ("bhqd + bhkd->bhqk", 5, "letter or a word"),
        ("b..qd,b..kd->b..qk", 1, "letter or a word"),
        ("......qd,bhkd->bhqk", 3, "at most once"),
        ("batch q d, batch k d", 20, "need a ->"),
        ("einsum(bhqd,bhkd->bhqk, q, k)", 7, "in quotes"),
        ('torch.einsum("bhqd,bhkd->bhqk", q, k', 36, "not closed"),
        ('torch.einsum("bhqd,bhkd->bhqk, q, k)', 13, "one pair of quotes"),
        ('torch.einsum("bhqd,bhkd->bhqk", q, k, v)', 32, "2 terms and the call names 3 operands"),
        ('torch.einsum("bhqd,bhkd->bhqk", q, x)', 35, "`x` is no operand here; there are Q and K"),
        ('torch.einsum("bhqd,bhkd->bhqk", q, k.mT)', 35, "`k.mT` is no operand"),
        ('torch.matmul("bhqd,bhkd->bhqk", q, k)', 0, "I know torch.einsum"),
        ('os.system("rm -rf /")', 0, "I know torch.einsum"),
        ('torch.einsum("b q_len d, b k d -> b q_len k", q, k)', 16, "one letter for an axis"),
    ],
)
def test_what_is_no_equation_is_sent_back_with_its_place(refusal, text, at, part):
    refused = refusal(graded, text)
    assert part in refused.message
    assert refused.offset == at


def test_a_reading_says_what_is_summed_and_not_whether_that_is_right():
    reading = einsum.read(SCORES, "b h i d, b h j d -> b h i d")
    assert reading.read_as == "Read as Q (b, h, i, d) and K (b, h, j, d) give (b, h, i, d), summed over j"
    assert reading.read_as_mathml.startswith("<math><mrow><msub><mi>out</mi>")
    assert "∑" in reading.read_as_mathml


@pytest.mark.parametrize(
    "text", [*RIGHT, "bhqd,bhkd->bhqq", 'einsum("bhqd,bhkd->bhqk", k, q)', "abqd,cdkd->abk"]
)
def test_what_a_picture_runs_is_in_the_engines_language(text):
    program = read_program(graded(text).value)
    inputs.check(program)
    assert set(program.reads) <= {"q", "k"}


def test_words_become_letters_of_their_own():
    text = "batch heads q d, batch heads b d -> batch heads q b"
    assert graded(text).outcome == "correct"
    wrong = graded("batch heads q d, batch heads b d -> batch heads b q")
    assert wrong.value == 'torch.einsum("ahqd,ahbd->ahbq", q, k)'


def test_an_operand_that_the_engine_does_not_have_is_not_run():
    found = graded("ij,jk->ik", Question({"key": "i j, j k -> i k", "operands": ["A", "M"]}))
    assert (found.outcome, found.value, found.key) == ("correct", None, None)


def test_the_worked_example_is_the_same_for_every_key_that_it_is_not():
    matrix = Question({"key": "i j, j k -> i k", "operands": ["A", "M"]})
    worked = Question({"key": "i j k, l k -> l i j", "operands": ["A", "M"]})
    assert einsum.question_input(SCORES)["hint"] == einsum.question_input(matrix)["hint"]
    assert einsum.question_input(worked)["hint"] != einsum.question_input(matrix)["hint"]


@pytest.mark.parametrize("text", ["bhqd", "bhqd,bhkd->bhqk", "bhqd,bhkd,bhkd->bhqk"])
def test_a_reading_is_the_one_that_the_grade_shows(text):
    found, reading = graded(text), einsum.read(SCORES, text)
    assert (found.read_as, found.read_as_mathml) == (reading.read_as, reading.read_as_mathml)


@st.composite
def equations(draw):
    """Two operands of three axes each and an output of axes that they have, in few letters."""
    terms = [draw(st.lists(st.sampled_from("abcd"), min_size=2, max_size=3)) for _ in range(2)]
    known = sorted({letter for term in terms for letter in term})
    output = draw(st.lists(st.sampled_from(known), max_size=3, unique=True))
    return f"{''.join(terms[0])},{''.join(terms[1])}->{''.join(output)}"


@settings(max_examples=tries(600), deadline=None)
@given(equations(), equations(), st.randoms(use_true_random=False))
def test_the_verdict_is_what_numpy_computes(one, other, random):
    """Also for the same equation in other letters; every axis has three numbers, so that all of them fit."""
    if random.random() < 0.5:
        letters = random.sample("abcdwxyz", 8)
        other = one.translate(dict(zip(map(ord, "abcdwxyz"), letters, strict=True)))
    ranks = [[len(term) for term in text.partition("->")[0].split(",")] for text in (one, other)]
    assume(ranks[0] == ranks[1])
    numbers = np.random.default_rng(random.randrange(2**32))
    tensors = [numbers.standard_normal((3,) * rank) for rank in ranks[0]]
    results = [np.einsum(text, *tensors) for text in (one, other)]
    equal = results[0].shape == results[1].shape and np.allclose(*results)
    assert same(read_einsum(one), read_einsum(other), ("X", "Y")) == equal


HOSTILE = [
    "a" * 400,
    "," * 400,
    "->" * 200,
    '"' * 400,
    "a," * 199 + "->",
    "..." * 133,
    "(" * 400,
    "einsum(" * 57,
    'torch.einsum("' + "a" * 300 + '",q)',
    "a b" * 130,
    "a" * 200 + "," + "b" * 150 + "->" + "z" * 40,
    "\\to" * 130,
    "𝕓𝕙𝕢𝕕" * 90,
    "\u202ebhqd,bhkd->bhqk" * 20,
    "b\x00hqd,bhkd->bhqk",
    "__import__('os').system('id')",
    "9" * 400,
    "q.q." * 100 + '"a->a"',
    "=" * 400,
    " " * 399 + "a",
]


def at_once(text):
    """The grade, or the offset of the refusal, which is a place of the text."""
    try:
        found = graded(text)
    except Unreadable as refused:
        return refused.offset
    place = found.place
    return place.start if place else 0


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_answered_at_once(text):
    started = time.process_time()
    assert 0 <= at_once(text) <= len(text)
    assert time.process_time() - started < 0.05


@settings(max_examples=tries(1500), deadline=None)
@given(st.text(alphabet="abqkdh ,->.()'\"=→einsumtorch_;4*", max_size=40))
def test_any_text_is_graded_or_sent_back_with_a_place_inside_it(text):
    assert 0 <= at_once(text) <= len(text)
