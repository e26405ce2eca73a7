"""Markdown with maths, made into HTML that is safe to show. Knows no card.

CommonMark with tables, no raw HTML, `$...$` and `$$...$$` as MathML (write a dollar as `\\$`), and axes
in their colour: `:H[12]` gives <span class="axis axis-H">12</span> for the axes B, T, H, D and d_model.
nh3 is the last step and decides what may remain.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from html import unescape
from html.parser import HTMLParser
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from math_core import LatexError, LatexToMathML
from mdit_py_plugins.dollarmath import dollarmath_plugin

MAX_INPUT = 20 * 1024
MAX_FORMULA = 2000  # math-core's own stack ends at some thousand nested groups
AXES = ("B", "T", "H", "D", "d_model")
MATH_ERROR = "math-error"

_BLOCK_END = re.compile(r"</(?:p|li|tr|h[1-6]|div)>|<hr>|<br>")
_AXIS = re.compile(r":(B|T|H|D|d_model)\[([^\[\]\n]{1,80})\]")


def _names(text: str) -> set[str]:
    """Names written one after the other."""
    return set(text.split())


_MATHML = _names(
    "math mrow mi mn mo mtext mspace ms mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup "
    "munder mover munderover mmultiscripts mprescripts mtable mtr mtd semantics"
)
_PROSE = _names(
    "p br hr em strong s code pre blockquote ul ol li a h2 h3 h4 h5 h6 table thead tbody tr th td span div"
)
_MATH_ATTRIBUTES = _names(
    "style display displaystyle scriptlevel mathvariant stretchy symmetric form fence separator lspace "
    "rspace minsize maxsize largeop movablelimits accent accentunder linethickness width height depth "
    "voffset columnspan rowspan columnalign"
)
_CLEANER = nh3.Cleaner(
    tags={*_MATHML, *_PROSE},
    attributes={**dict.fromkeys(_MATHML, _MATH_ATTRIBUTES), "a": {"href", "title"}, "ol": {"start"}},
    allowed_classes={
        "span": {"axis", *(f"axis-{axis}" for axis in AXES)},
        "div": {"math-block"},
        "code": {MATH_ERROR, "language-python", "language-text"},
        "th": {"align-left", "align-center", "align-right"},
        "td": {"align-left", "align-center", "align-right"},
    },
    filter_style_properties={"text-align", "justify-items", "padding-left", "padding-right", "margin-left"},
    url_schemes={"http", "https"},
    url_relative="pass_through",
)
_MATHS = LatexToMathML(fancy_error=False, max_expansions=100)


class MarkdownTooLong(ValueError):
    """The text, or what it renders to, is over the limit."""


def render(text: str) -> str:
    """Safe HTML of a Markdown text: 20 KB in, 4 times that and 64 KB out. Raises MarkdownTooLong."""
    return _safe(text, _bounded(text, _PARSER.render))


def render_inline(text: str) -> str:
    """The same for one line, without the paragraph around it."""
    return _safe(text, _bounded(text, _PARSER.renderInline))


def plain_text(html: str) -> str:
    """The words of rendered HTML on one line, with maths spelled out: d_head = d_model / H."""
    reader = _Words()
    reader.feed(html)
    reader.close()
    return " ".join(reader.text().split())


def plain_lines(html: str) -> str:
    """The same with a line for each block, and code as it is written."""
    parts = re.split(r"<pre>(.*?)</pre>", html, flags=re.DOTALL)
    lines: list[str] = []
    for index, part in enumerate(parts):
        if index % 2:
            lines.append(unescape(re.sub(r"<[^>]+>", "", part)).strip("\n"))
        else:
            lines += filter(None, map(plain_text, _BLOCK_END.split(part)))
    return "\n".join(lines)


def _bounded(text: str, renderer: Callable[[str], str]) -> str:
    """The text rendered, if it is short enough; NUL and lone surrogates become replacement characters."""
    size = len(text.encode("utf-8", "replace"))
    if size > MAX_INPUT:
        raise MarkdownTooLong(
            f"{size:,} bytes of Markdown are over the limit of {MAX_INPUT:,}; split the text"
        )
    return renderer(text.encode("utf-8", "replace").decode().replace("\0", "\ufffd"))


def _safe(text: str, html: str) -> str:
    """What may remain of the HTML, if it is short enough."""
    size, limit = len(html.encode()), 4 * len(text.encode("utf-8", "replace")) + 64 * 1024
    if size > limit:
        raise MarkdownTooLong(f"the text renders to {size:,} bytes, over {limit:,}; use fewer formulas")
    return _CLEANER.clean(html)


def _formula(latex: str, *, displaystyle: bool) -> str:
    """MathML of one formula, or its source marked as not understood."""
    if len(latex) > MAX_FORMULA:
        return f'<code class="{MATH_ERROR}">over {MAX_FORMULA:,} characters</code>'
    try:
        return str(_MATHS.convert_with_local_state(latex, displaystyle=displaystyle))
    except LatexError:
        return f'<code class="{MATH_ERROR}">{escapeHtml(latex)}</code>'


def _axis_rule(state: StateInline, silent: bool) -> bool:
    """`:H[12]` becomes an axis token."""
    if state.src[state.pos] != ":":
        return False
    match = _AXIS.match(state.src, state.pos, state.posMax)
    if not match:
        return False
    if not silent:
        token = state.push("axis", "span", 0)
        token.meta = {"axis": match[1]}
        token.content = match[2]
    state.pos = match.end()
    return True


def _render_axis(_self: Any, tokens: Sequence[Token], index: int, *_rest: Any) -> str:
    token = tokens[index]
    return f'<span class="axis axis-{token.meta["axis"]}">{escapeHtml(token.content)}</span>'


def _render_maths(_self: Any, tokens: Sequence[Token], index: int, *_rest: Any) -> str:
    return _formula(tokens[index].content.strip(), displaystyle=False)


def _render_maths_block(_self: Any, tokens: Sequence[Token], index: int, *_rest: Any) -> str:
    return f'<div class="math-block">{_formula(tokens[index].content.strip(), displaystyle=True)}</div>\n'


def _classed_cell(self: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    """A table cell whose alignment is a class: `style` is for MathML alone."""
    token = tokens[index]
    style = str(token.attrs.pop("style", ""))
    if style.startswith("text-align:"):
        token.attrSet("class", f"align-{style.removeprefix('text-align:')}")
    return str(self.renderToken(tokens, index, options, env))


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    parser.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False)
    # Before `text`, which would otherwise swallow the colon with the words before it.
    parser.inline.ruler.before("text", "axis", _axis_rule)
    rules: dict[str, Callable[..., str]] = {"th_open": _classed_cell, "td_open": _classed_cell}
    rules |= {"axis": _render_axis, "math_inline": _render_maths, "math_block": _render_maths_block}
    for name, rule in rules.items():
        parser.add_render_rule(name, rule)
    return parser


class _Words(HTMLParser):
    """Collects words; an element of maths is joined by what it means once it ends."""

    _JOINS: Mapping[str, Callable[[list[str]], str]] = {
        "mfrac": lambda parts: f"{_grouped(parts[0])} / {_grouped(parts[-1])}" if parts else "",
        "msub": "_".join,
        "msup": lambda parts: "^".join([*parts[:1], *map(_grouped, parts[1:])]),
        "msubsup": "_".join,
        "msqrt": lambda parts: f"sqrt({''.join(parts).strip()})",
        "mo": lambda parts: _operator("".join(parts)),
    }
    _BLOCKS = frozenset(
        ["p", "br", "li", "tr", "td", "th", "h2", "h3", "h4", "pre", "div", "mtr", "mtd", "hr"]
    )

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[tuple[str, list[str]]] = [("", [])]

    def handle_starttag(self, tag: str, _attrs: object) -> None:
        if tag in self._BLOCKS:
            self._open[-1][1].append(" ")
        if tag not in ("br", "hr"):
            self._open.append((tag, []))

    def handle_endtag(self, tag: str) -> None:
        if len(self._open) > 1 and self._open[-1][0] == tag:
            _, parts = self._open.pop()
            self._open[-1][1].append(self._JOINS.get(tag, "".join)(parts))

    def handle_data(self, data: str) -> None:
        self._open[-1][1].append(data)

    def text(self) -> str:
        """All words so far."""
        return "".join(part for _, parts in self._open for part in parts)


def _grouped(part: str) -> str:
    return f"({part.strip()})" if " " in part.strip() else part


def _operator(sign: str) -> str:
    return sign if sign in "()[]{},.|!" else f" {sign} "


_PARSER = _parser()
