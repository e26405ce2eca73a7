"""Learners' einsum equations read from any spelling, in letters or words. Knows no key; runs nothing.

bhqd,bhkd->bhqk    b h q d, b h k d → b h q k    "..."    torch.einsum("...", q, k)    einsum(q, k, "...")
An axis is a letter, or a word where blanks part them. Without an arrow torch's rule gives the output.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from cards.expressions.einsum_axes import REST, Axis, Einsum, Term
from cards.expressions.einsum_text import Written, written
from cards.expressions.text import Plain
from cards.grading import Unreadable, quoted

MOST_OPERANDS = 8
_TOKEN = re.compile(
    r" *(?:(?P<word>[A-Za-z_][A-Za-z_0-9]*)|(?P<rest>\.\.\.)|"
    r"(?P<arrow>->|[→⟶]|\\(?:long)?(?:right)?(?:arrow|to)\b)|(?P<comma>,)|(?P<other>.)) *",
    re.DOTALL,
)
_LETTERS = re.compile(r"[A-Za-z]+")


def read_einsum(text: str, operands: Mapping[str, Iterable[str]] | None = None) -> Einsum:
    """The equation a learner wrote; `operands` maps each declared operand to its aliases, in order.

    Raises Unreadable with the offset.
    """
    source = written(text)
    words = _terms(source.plain, source.span)
    equation = _read(source, words)
    if not source.names:
        return equation
    if len(source.names) != len(equation.inputs):
        raise Unreadable(
            f"The equation has {_count(len(equation.inputs), 'term')} and the call names "
            f"{_count(len(source.names), 'operand')}.",
            source.names[0].offset,
        )
    return replace(
        equation, operands=tuple(_declared(name.text, name.offset, operands or {}) for name in source.names)
    )


@dataclass(frozen=True)
class _Words:
    """What stands between commas: words as written, and whether blanks part them."""

    inputs: tuple[Term, ...]
    output: Term | None


def _terms(source: Plain, span: tuple[int, int]) -> _Words:
    """Words by term. Raises Unreadable at a sign that is none of an equation."""
    terms: list[list[Axis]] = [[]]
    marks = [span[0]]
    arrow = 0
    index = span[0]
    while index < span[1] and (match := _TOKEN.match(source.text, index, span[1])):
        kind = str(match.lastgroup)
        start, end = source.offset(match.start(kind)), source.offset(match.end(kind) - 1) + 1
        if kind in ("word", "rest"):
            terms[-1].append(Axis(match[kind], start, end))
        elif kind == "other" or (arrow and kind in ("comma", "arrow")):
            raise Unreadable(_odd(source, match[kind], after_arrow=bool(arrow)), start)
        else:
            _refuse_empty(terms[-1], start)
            arrow = len(terms) if kind == "arrow" else 0
            terms.append([])
            marks.append(match.end())
        index = match.end()
    read = tuple(_term(source, axes, mark) for axes, mark in zip(terms, marks, strict=True))
    inputs = read[:arrow] if arrow else read
    _refuse_empty(list(inputs[-1].axes), source.offset(index))
    if len(inputs) > MOST_OPERANDS:
        raise Unreadable(
            f"An equation has at most {MOST_OPERANDS} operands here.", inputs[MOST_OPERANDS].start
        )
    return _Words(inputs, read[-1] if arrow else None)


def _term(source: Plain, axes: list[Axis], mark: int) -> Term:
    """A term and where it stands; one without axes stands where it begins."""
    at = source.offset(mark)
    return Term(tuple(axes), axes[0].start if axes else at, axes[-1].end if axes else at)


def _odd(source: Plain, sign: str, *, after_arrow: bool) -> str:
    """Why a sign cannot stand where it does."""
    if sign in "()":
        return "Axes are not joined in brackets here: name each axis of an operand."
    if after_arrow and sign in (",", "->", "→", "⟶"):
        return "The output comes last: one term behind one ->."
    if sign in "=-" or sign.startswith("\\"):
        return "Write the arrow as ->, with the output behind it."
    return f"I could not read {quoted(source.original)} at {quoted(sign)}. An axis is a letter or a word."


def _refuse_empty(axes: list[Axis], at: int) -> None:
    if not axes:
        raise Unreadable(
            "An operand without axes stands there; each has its letters, with commas between.", at
        )


def _read(source: Written, words: _Words) -> Einsum:
    """The equation in letters or in words: words where blanks part words of more than one letter."""
    terms = [*words.inputs, *([words.output] if words.output else [])]
    named = [axis for term in terms for axis in term.axes if axis.name != REST]
    lettered = all(_LETTERS.fullmatch(axis.name) for axis in named)
    apart = any(len(term.axes) > 1 + (REST in term.names) for term in terms)
    wordy = not lettered or (apart and any(len(axis.name) > 1 for axis in named) and not source.by_letter)
    if source.by_letter and not lettered:
        odd = next(axis for axis in named if not _LETTERS.fullmatch(axis.name))
        raise Unreadable(f"torch.einsum takes one letter for an axis; {quoted(odd.name)} is none.", odd.start)
    if not wordy:
        return _whole(_by_letter(words), by_word=False)
    try:
        return _whole(words, by_word=True)
    except Unreadable:
        if not lettered:
            raise
        return _or_first(words)


def _or_first(words: _Words) -> Einsum:
    """Letters where words make no equation (bh qd, bh kd -> bh qk), else the refusal of the words.

    A letter twice in one term is rather a comma left out than a diagonal: that stays refused.
    """
    lettered = _by_letter(words)
    doubled = any(len(set(term.names)) < len(term.names) for term in lettered.inputs)
    if words.output is None or doubled:
        return _whole(words, by_word=True)
    try:
        return _whole(lettered, by_word=False)
    except Unreadable:
        return _whole(words, by_word=True)


def _by_letter(words: _Words) -> _Words:
    """Every letter an axis."""
    output = _lettered(words.output) if words.output else None
    return _Words(tuple(map(_lettered, words.inputs)), output)


def _lettered(term: Term) -> Term:
    axes = [one for axis in term.axes for one in ([axis] if axis.name == REST else _letters_of(axis))]
    return replace(term, axes=tuple(axes))


def _letters_of(axis: Axis) -> list[Axis]:
    """A word as axes of one letter each, each with its own place."""
    starts = [min(axis.start + i, axis.end - 1) for i in range(len(axis.name))]
    return [Axis(letter, start, start + 1) for letter, start in zip(axis.name, starts, strict=True)]


def _whole(words: _Words, *, by_word: bool) -> Einsum:
    """The equation with its output, written or not. Raises Unreadable for an output of unknown axes."""
    for term in (*words.inputs, *([words.output] if words.output else [])):
        if term.names.count(REST) > 1:
            raise Unreadable(
                "... stands at most once in a term.", [a for a in term.axes if a.name == REST][1].start
            )
    if words.output is None:
        if by_word:
            raise Unreadable("Words need a -> and the output behind it.", words.inputs[-1].end)
        return Einsum(words.inputs, _implied(words.inputs))
    known = {name for term in words.inputs for name in term.names}
    for axis in words.output.axes:
        if axis.name not in known:
            raise Unreadable(
                f"The output has {quoted(axis.name)}, which is an axis of no operand.", axis.start
            )
    return Einsum(words.inputs, words.output)


def _implied(inputs: tuple[Term, ...]) -> Term:
    """torch's output without an arrow: `...`, then the letters that appear once, capitals first."""
    counts = Counter(name for term in inputs for name in term.names)
    end = inputs[-1].end
    rest = [REST] if REST in counts else []
    once = sorted(name for name, count in counts.items() if count == 1 and name != REST)
    return Term(tuple(Axis(name, end, end) for name in [*rest, *once]), end, end)


def _declared(name: str, offset: int, operands: Mapping[str, Iterable[str]]) -> str:
    """The declared operand of a name in a call; any name where none is declared."""
    if not operands:
        return name
    exact = [one for one, aliases in operands.items() if name in (one, *aliases)]
    folded = [one for one, aliases in operands.items() if name.lower() in map(str.lower, (one, *aliases))]
    for found in (exact, folded):
        if len(found) == 1:
            return found[0]
    raise Unreadable(f"{quoted(name)} is no operand here; there are {' and '.join(operands)}.", offset)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
