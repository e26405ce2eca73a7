"""Markdown with maths becomes HTML that is safe, bounded and speakable."""

import re
import time

import pytest

from cards.markdown import MAX_INPUT, MarkdownTooLong, plain_lines, plain_text, render, render_inline

pytestmark = pytest.mark.plain

HOSTILE = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[x](javascript:alert(1))",
    "[x](data:text/html,a)",
    "![x](https://tracker.example/x.png)", "<javascript:alert(1)>", "$\\text{<img src=x onerror=alert(1)>}$",
    "$\\href{javascript:alert(1)}{x}$", "$</math><script>alert(1)</script>$", "```<script>\nalert(1)\n```",
    ":H[<script>alert(1)</script>]", ":H[x](javascript:alert(1))",
    "<math><annotation-xml encoding='text/html'><script>",
    '[x](https://a.example "onmouseover=alert(1)")', "[x]: javascript:alert(1)\n\n[x]",
    "| <b onclick=x> |\n|-|\n| a |",
    "<style>*{display:none}</style>", "<p style='position:fixed'>x</p>", "&lt;script&gt;",
    "\x00<scr\x00ipt>", "\ud800",
    "<a href='//evil.example'>x</a>", "<svg onload=alert(1)>", "<iframe src=x>",
    "$\\style{position:fixed}{x}$",
]  # fmt: skip
TAG = re.compile(r"<([a-zA-Z!?/][^>]*)>")


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("renderer", [render, render_inline])
def test_nothing_that_runs_is_left(text, renderer):
    for tag in TAG.findall(renderer(text)):
        name = tag.strip("/").split()[0]
        assert name not in {
            "script",
            "style",
            "img",
            "svg",
            "iframe",
            "annotation-xml",
            "object",
            "form",
            "input",
        }
        assert not re.search(r"\son\w+\s*=|javascript:|data:", tag)
        assert "style" not in tag


def test_style_stays_on_maths_only_and_with_five_properties_only():
    html = render("$$\n\\begin{aligned}a&=b\\\\c&=d\\end{aligned}\n$$\n\n| a |\n|--:|\n| 1 |")
    assert {prop for style in re.findall(r'style="([^"]*)"', html) for prop in re.findall(r"([a-z-]+):",
        style)} <= {
        "text-align", "justify-items", "padding-left", "padding-right", "margin-left",
    }  # fmt: skip
    assert '<td class="align-right">' in html


def test_maths_is_one_mathml_element():
    html = render("so $d_\\text{head} = 64$ each")
    assert html.count("<math>") == 1
    assert "<mtext>head</mtext>" in html


def test_prices_are_not_maths():
    assert "<math" not in render("It costs $5 and $6, or \\$7.")


@pytest.mark.parametrize("axis", ["B", "T", "H", "D", "d_model"])
def test_an_axis_keeps_its_colour_by_class(axis):
    assert render_inline(f"has :{axis}[12] of") == f'has <span class="axis axis-{axis}">12</span> of'


@pytest.mark.parametrize("text", ["a :X[1]", "ratio 3:1", "note: H[1]", ":H[]", "`:H[12]`", ":H [1]"])
def test_what_is_no_axis_is_left_alone(text):
    assert "axis" not in render_inline(text)


def test_code_and_tables_survive():
    html = render("| model | H |\n|---|---|\n| BERT | `12` |\n\n```python\nq.view(B, T)\n```\n")
    assert "<table>" in html
    assert '<pre><code class="language-python">' in html


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("so $d_\\text{head} = \\frac{d_\\text{model}}{H}$", "so d_head = d_model / H"),
        ("$\\frac{QK^\\top}{\\sqrt{d_k}}$", "QK^⊤ / sqrt(d_k)"), ("**768** `a < b`", "768 a < b"),
        ("$\\frac{a + b}{2}$", "(a + b) / 2"), ("one\n\ntwo", "one two"), ("$2^{10}$ &amp; more",
        "2^10 & more"),
    ],
)  # fmt: skip
def test_plain_text_spells_maths_out(text, words):
    assert plain_text(render(text)) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (r"$d_\text{head}$ is $\frac{d_\text{model}}{H}$.", "d_head is d_model / H."),
        ("One line\nand its end.\n\nAnother.", "One line and its end.\nAnother."),
        ("- one & two\n- three", "one & two\nthree"),
        (
            "Run\n\n```python\nif a < b:\n    q.view(2, 4)\n```\nnow",
            "Run\nif a < b:\n    q.view(2, 4)\nnow",
        ),
        ("|a|b|\n|-|-|\n|1|2|", "a b\n1 2"),
        (r"$\mathbb{R}^{n \times d}$", "ℝ^(n × d)"),
        ("", ""),
    ],
)
def test_plain_lines_keep_blocks_and_code_apart(text, words):
    assert plain_lines(render(text)) == words


def test_a_text_over_twenty_kilobytes_is_refused_with_the_numbers():
    with pytest.raises(MarkdownTooLong, match="20,480"):
        render("a" * (MAX_INPUT + 1))


def test_a_text_that_renders_to_too_much_is_refused():
    with pytest.raises(MarkdownTooLong, match="renders to"):
        render("$x_1^2$ " * 2500)


@pytest.mark.parametrize(
    "text",
    ["$" + "\\frac{" * 3000 + "$", "$" * 20_000, "*" * 20_000, "[" * 20_000, "`" * 20_000,
        "> " * 10_000, "- " * 10_000,
     "$a" * 10_000, ":H[" * 6_000, "|" * 20_000, "<" * 20_000, "&" * 20_000, "![" * 10_000,
     "a\n" * 10_000, "$$\n" * 6_000,
     "$" + "{" * 990 + "}" * 990 + "$", "$" + "\\sqrt{" * 330 + "}" * 330 + "$", "_a_ " * 5_000,
     "|a" * 900 + "\n" + "|-" * 900],
)  # fmt: skip
def test_a_hostile_text_is_rendered_or_refused_in_bounded_time(text):
    started = time.thread_time()
    try:
        html = render(text)
    except MarkdownTooLong:
        html = ""
    assert len(html.encode()) <= 4 * MAX_INPUT + 64 * 1024
    assert time.thread_time() - started < 2


def test_a_formula_that_is_too_long_or_unknown_is_shown_as_such():
    assert "math-error" in render("$" + "x" * 2001 + "$")
    assert render("$\\nonsense$") == '<p><code class="math-error">\\nonsense</code></p>\n'
