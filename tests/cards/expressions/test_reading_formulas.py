"""What a formula is read as: plain text, Unicode and LaTeX; what is refused, and where."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cards.expressions.maths import Vocabulary, parse, to_plain
from cards.expressions.maths.nodes import Call, Name, Operation, Postfix, postorder, same
from cards.grading import Unreadable
from tests.formulas import MATRICES, QUESTION, read
from tests.sampling import tries

pytestmark = pytest.mark.plain

ATTENTION = "softmax(Q @ K^T / sqrt(d_k)) @ V"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"\frac{2}{\sqrt{d_k}}", "2 / sqrt(d_k)"),
        (r"\tfrac{1}{\sqrt{d_{\text{head}}}}", "1 / sqrt(d_k)"),
        (r"\dfrac{d_{model}}{H}", "d_model / H"),
        (r"\frac12 x", "1 / 2 * x"),
        (r"\frac a b", "a / b"),
        (r"\frac ab", "a / b"),
        (r"\frac1{20}", "1 / 20"),
        (r"x^\frac12", "x^(1 / 2)"),
        (r"x^{\frac{1}{2}}", "x^(1 / 2)"),
        (r"\sqrt{\frac{d_k}{2}}", "sqrt(d_k / 2)"),
        (r"\sqrt[3]{x}", "(x)^(1/3)"),
        (r"4\sqrt(2)", "4 * sqrt(2)"),
        (r"\left( a + b \right) x", "(a + b) * x"),
        (r"\bigl[ a + b \Bigr] x", "(a + b) * x"),
        (r"\left.\frac{a}{b}\right.", "a / b"),
        (r"\left|x\right| \, \lvert y \rvert", "abs(x) * abs(y)"),
        (r"a \cdot b \times x \div y", "a * b * x / y"),
        (r"\lfloor x/2 \rfloor + \lceil y \rceil", "floor(x / 2) + ceil(y)"),
        (r"\log_2 n + \log_{10}(n) + \ln n", "log2(n) + log10(n) + log(n)"),
        (r"\operatorname{sin}(x) \mathrm{e}^{x}", "sin(x) * e^x"),
        (r"\mathbf{a}\quad\theta\;\pi", "a * theta * pi"),
        (r"$x_{1}$", "x_1"),
        (r"\(x\)", "x"),
        (r"\[ x \]", "x"),
        (r"d_\text{head}", "d_k"),
        (r"\text{d}_k", "d_k"),
        (r"\mathrm{d_k}", "d_k"),
        (r"\text{13}", "13"),
        (r"a \le b", "a <= b"),
        (r"a \geq b", "a >= b"),
        (r"a \ne b", "a != b"),
        (r"12.5\%", "12.5%"),
        (r"1{,}536 x", "1536 * x"),
        (r"1\,536 x", "1536 * x"),
        (r"\text{d\_head} d\_model", "d_k * d_model"),
        (r"\left\lfloor x \right\rfloor", "floor(x)"),
        (r"\max\left\{a, b\right\}", "max(a, b)"),
        (r"\exp{-x}", "exp(-x)"),
    ],
)
def test_latex_is_read_as_it_is_typeset(text: str, plain: str) -> None:
    assert to_plain(read(text)) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("−(−64)", "-(-64)"),
        ("–64", "-64"),
        ("－６４", "-64"),
        ("٦٤", "64"),
        ("x\u00a0+\u2009y", "x + y"),
        ("a\u200bb", "a * b"),
        ("𝑥 + 𝐲", "x + y"),
        ("L·H×T÷b", "L * H * T / b"),
        ("x² y³", "x^2 * y^3"),
        ("x⁻¹y", "x^-1 * y"),
        ("xⁿ", "x^n"),
        ("dₖ + x₁", "d_k + x_1"),
        ("√d_k", "sqrt(d_k)"),
        ("x√2", "x * sqrt(2)"),
        ("∛x", "(x)^(1/3)"),
        ("½x", "1 / 2 * x"),
        ("θ + π", "theta + pi"),
        ("a ≤ b", "a <= b"),
        ("a ≥ b", "a >= b"),
        ("a ≠ b", "a != b"),
        ("⌊x⌋", "floor(x)"),
        ("1\u202f536", "1536"),
    ],
)
def test_unicode_is_read_as_its_plain_twin(text: str, plain: str) -> None:
    assert to_plain(read(text)) == plain


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("2 L H_kv d_k T b", "2 * L * H_kv * d_k * T * b"),
        ("2LH_kvd_kTb", "2 * L * H_kv * d_k * T * b"),
        ("dk", "d_k"),
        ("d_head", "d_k"),
        ("D_MODEL", "d_model"),
        ("nlogn", "n * log(n)"),
        ("n log n", "n * log(n)"),
        ("sin 2x", "sin(2 * x)"),
        ("sin^2 x", "sin(x)^2"),
        ("sin(x)^2", "sin(x)^2"),
        ("2(a+b)", "2 * (a + b)"),
        ("(a)(b)2", "a * b * 2"),
        ("b T L 2", "b * T * L * 2"),
        ("200% x", "200% * x"),
        ("-x^2", "-x^2"),
        ("2^3^2", "2^3^2"),
        ("(2^3)^2", "(2^3)^2"),
        ("2^-x", "2^-x"),
        ("x**2", "x^2"),
        ("1/2x", "1 / 2 * x"),
        ("a/b/x", "a / b / x"),
        ("a-b-x", "a - b - x"),
        ("|a||b|", "abs(a) * abs(b)"),
        ("||a|-|b||", "abs(abs(a) - abs(b))"),
        ("n!^2", "(n!)^2"),
        ("n! = 2", "n! = 2"),
        ("max(1, 536)", "max(1, 536)"),
        ("2e3 + e", "2000 + e"),
        ("a == b", "a = b"),
    ],
)
def test_plain_text_binds_as_arithmetic_does(text: str, plain: str) -> None:
    assert to_plain(read(text)) == plain


@pytest.mark.parametrize(
    "text",
    [
        "softmax(Q K^T / sqrt(d_k)) V",
        r"\text{softmax}\left(\frac{QK^\top}{\sqrt{d_k}}\right)V",
        "softmax(QK.T/√d_k)V",
        "softmax(Q@K'/sqrt(d_head))@V",
        "softmax(QKᵀ/√dₖ)V",
        "softmax(Q K⊤ / \\sqrt{d_k}) V",
        r"\operatorname{softmax}(\mathbf{Q}\mathbf{K}^{\mathsf{T}} / \sqrt{d_k})\,V",
        "softmax(Q transpose(K) / sqrt(d_k)) V",
        "softmax(QK^{T}/sqrt(d_k))V",
    ],
)
def test_attention_is_one_tree_in_every_notation(text: str) -> None:
    assert same(parse(text, MATRICES), parse(ATTENTION, MATRICES))


def test_matrices_have_their_own_words() -> None:
    tree = parse("softmax(Q ⊙ K, dim=-1) + mask", MATRICES)
    call = next(node for node in postorder(tree) if isinstance(node, Call))
    assert call.options == (("axis", -1),)
    assert isinstance(parse("K^TV", MATRICES), Operation)
    assert parse("Q W^Q", MATRICES) == Operation("@", Name("Q", (0, 1)), Name("W_Q", (2, 5)), (0, 5), True)
    with pytest.raises(Unreadable):
        read("a ⊙ b")
    with pytest.raises(Unreadable):
        read("a^⊤")


@pytest.mark.parametrize(
    ("text", "offset", "words"),
    [
        ("", 0, "no answer"),
        ("a + ", 3, "not finished"),
        ("(a + b", 6, "A ) is missing"),
        ("(a]", 2, "( is closed by )"),
        ("a b)", 3, "left over"),
        ("a = b = x", 6, "once"),
        ("a + apple", 4, "`apple` is no name of this question; use d_model, d_k, H"),
        ("x + inf", 4, "no name"),
        ("3j", 1, "no name"),
        ("0x40", 0, "could not read"),
        ("64 128", 3, "Two numbers stand side by side"),
        ("x 64 128", 5, "Two numbers stand side by side"),
        ("2½", 1, "mixed number"),
        ("max(1,536)", 4, "blank after the comma"),
        ("0,5", 1, "decimal point"),
        ("5 % 3", 2, "remainder"),
        ("n!!", 2, "brackets"),
        ("d_", 2, "below the line"),
        ("log_e(x)", 0, "`log_e` is no name"),
        ("sin^-1 x", 5, "behind the brackets"),
        ("a @ b", 2, "left over"),
        ("a : b", 2, "could not read"),
        ("a ≈ b", 2, "could not read"),
        ("x = ", 3, "not finished"),
        ("= x", 0, "belongs here"),
        ("()", 1, "belongs here"),
        ("(a = b) + 1", 3, "A ) is missing"),
        ("\\unknown x", 0, "\\unknown"),
        ("x \\begin{a}", 2, "\\begin"),
        ("−−−x + ⊕", 7, "could not read"),
        ("a =< b", 2, ""),
        ("__import__('os')", 0, "could not read"),
        ("x.y", 1, "could not read"),
        ("sqrt(x, y)", 0, "takes 1 argument"),
        ("f x", 2, "brackets"),
        ("log", 3, "brackets"),
        ("a | b", 5, "A | is missing"),
    ],
)
def test_what_means_nothing_is_refused_where_it_stands(text: str, offset: int, words: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read(text)
    if words:
        assert words in refused.value.message
        assert refused.value.offset == offset, refused.value.message


def test_the_longest_declared_name_wins() -> None:
    names = Vocabulary({"d": (), "k": (), "d_k": ()})
    assert parse("dk", names) == Name("d_k", (0, 2))
    assert to_plain(parse("d k", names)) == "d * k"


def test_a_declared_e_is_no_constant_and_no_exponent_sign_alone() -> None:
    names = Vocabulary({"e": (), "x": ()})
    assert to_plain(parse("2e x", names)) == "2 * e * x"
    assert to_plain(parse("2e3", names)) == "2000"


DEEP = [
    "(" * 61 + "a" + ")" * 61, "-" * 70 + "a", "2^" * 70 + "2", r"\sqrt" * 70 + "x", "a" * 401,
    "a " * 199 + "(", "{" * 300, "|" * 399, "^" * 300, r"\frac" * 60,
]  # fmt: skip


@pytest.mark.parametrize("text", DEEP)
def test_length_and_depth_are_bounded(text: str) -> None:
    with pytest.raises(Unreadable) as refused:
        parse(text, QUESTION)
    assert 0 <= refused.value.offset <= len(text)


def test_a_long_sum_is_read_without_recursion() -> None:
    assert len(postorder(read("+".join("a" * 150)))) == 299


def test_a_place_points_into_the_text_as_it_was_typed() -> None:
    text = "２\u200b · √d_{k} + ½"
    tree = read(text)
    places = {text[slice(*node.span)] for node in postorder(tree)}
    assert {"２", "√d_{k}", "½", "d_{k}"} <= places
    power = read("(a + b) x^2")
    assert isinstance(power, Operation)
    assert power.span == (0, 11)
    assert power.left.span == (1, 6)
    assert power.right.span == (8, 11)


def test_a_transpose_covers_its_sign() -> None:
    tree = parse("K^{\\top}", MATRICES)
    assert isinstance(tree, Postfix)
    assert tree.span == (0, 8)


@given(st.text(st.sampled_from("xyd_k2 .,()[]{}|^*/+-!%=<>√½²⁻−\\frac{}sqrtlog'\u200b𝑥ᵀ$"), max_size=60))
@settings(max_examples=tries(600), deadline=None)
def test_no_text_does_more_than_be_read_or_refused_in_place(text: str) -> None:
    for vocabulary in (QUESTION, MATRICES):
        for start, end in _places(text, vocabulary):
            assert 0 <= start <= end <= len(text)


def _places(text: str, vocabulary: Vocabulary) -> list[tuple[int, int]]:
    """The places of all parts, or the place of the refusal."""
    try:
        return [node.span for node in postorder(parse(text, vocabulary))]
    except Unreadable as refused:
        return [(refused.offset, refused.offset)]


@pytest.mark.parametrize(("text", "at"), [("[1/x][0]", 5), ("x[0]", 1), ("x [-1]", 2), ("(x+1)[2]", 5)])
def test_an_index_is_no_factor(text, at):
    with pytest.raises(Unreadable) as refused:
        parse(text, Vocabulary({"x": ()}))
    assert (refused.value.offset, "An index is not read here" in refused.value.message) == (at, True)
