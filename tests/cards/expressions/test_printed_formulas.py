"""Formulas written out: what is printed reads back, MathML is whole and escaped, words can be said."""

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from cards.expressions.maths import equal, in_words, parse, to_latex, to_mathml, to_plain
from cards.expressions.maths.nodes import Name, Node
from tests.formulas import MATRICES, RULES, read, trees
from tests.sampling import tries

pytestmark = pytest.mark.plain


@given(trees())
@settings(max_examples=tries(400), deadline=None)
def test_what_is_printed_reads_back_as_the_same(tree: Node) -> None:
    for text in (to_plain(tree), to_latex(tree)):
        back = read(text)
        assert to_plain(back) == to_plain(tree)
        assert equal(back, tree, RULES) is equal(tree, tree, RULES)


@given(trees())
@settings(max_examples=tries(200), deadline=None)
def test_mathml_is_one_element_in_which_everything_is_closed(tree: Node) -> None:
    shown = ElementTree.fromstring(to_mathml(tree))
    assert shown.tag == "math"
    assert len(shown) == 1


def test_names_are_escaped_in_mathml() -> None:
    assert "&lt;b&gt;" in to_mathml(Name("<b>"))
    assert "<b>" not in to_mathml(Name("x_<b>"))


@pytest.mark.parametrize(
    ("text", "mathml"),
    [
        ("1/sqrt(d_k)", "<mfrac><mn>1</mn><msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt></mfrac>"),
        ("x^2", "<msup><mi>x</mi><mn>2</mn></msup>"),
        ("theta", "<mi>θ</mi>"),
        ("a <= b", "<mrow><mi>a</mi><mo>≤</mo><mi>b</mi></mrow>"),
    ],
)
def test_mathml_shows_how_a_formula_was_read(text: str, mathml: str) -> None:
    assert to_mathml(read(text)) == f"<math>{mathml}</math>"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1/sqrt(d_k)", "1 over the square root of d_k"),
        ("2(a+b)^2", "2 times (a plus b) squared"),
        ("-x", "minus x"),
        ("a <= b", "a is at most b"),
        ("n!", "n factorial"),
        ("max(a, b)", "max of (a, b)"),
    ],
)
def test_a_formula_can_be_said_aloud(text: str, words: str) -> None:
    assert in_words(read(text)) == words


def test_matrix_formulas_are_printed_too() -> None:
    tree = parse("softmax(QK^T/sqrt(d_k), axis=0)V", MATRICES)
    assert to_plain(tree) == "softmax(Q @ K^T / sqrt(d_k), axis=0) @ V"
    assert "<msup><mi>K</mi><mo>⊤</mo></msup>" in to_mathml(tree)
    assert parse(to_latex(parse("Q K^T", MATRICES)), MATRICES) is not None
