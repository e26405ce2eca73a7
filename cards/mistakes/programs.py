"""What people mix up in lines of tensor operations, as rewritings of the right ones. Reads no grammar.

A rewriting that makes no program of it, or a right one, does no harm: an engine reads and runs what is made,
and a mistake is named only where a learner's lines do the very same.
"""

import re
from collections.abc import Callable, Iterator

from cards.mistakes import Transform

LONGEST = 600
_SIZE = r"[^,()\[\]]+"
_SCALE = r"(?:math\.sqrt\([^()]*\)|torch\.sqrt\([^()]*\)|[\w.\[\]-]+ ?\*\* ?\(?0\.5\)?)"


def _rewritten(pattern: str, new: str, *, count: int = 0) -> Callable[[str], Iterator[str]]:
    """All places at once (or the first `count`) written in another way."""
    found = re.compile(pattern)

    def of(program: str) -> Iterator[str]:
        other = found.sub(new, program, count=count)
        if other != program and len(other) <= LONGEST:
            yield other

    return of


def _of_products(change: Callable[[str], Iterator[str]]) -> Callable[[str], Iterator[str]]:
    """A change of lines that multiply tensors: elsewhere a division is no scale of scores."""

    def of(program: str) -> Iterator[str]:
        if re.search(r"@|matmul|bmm|einsum", program):
            yield from change(program)

    return of


def _first_of(*changes: Callable[[str], Iterator[str]]) -> Callable[[str], Iterator[str]]:
    """The first change that changes something."""

    def of(program: str) -> Iterator[str]:
        yield from next((found for change in changes if (found := list(change(program)))), ())

    return of


def _unmasked(program: str) -> Iterator[str]:
    """The program without its masked_fill: up to the bracket that closes it."""
    start = program.find(".masked_fill(")
    if start < 0:
        return
    depth = 0
    for end in range(start + len(".masked_fill"), len(program)):
        depth += {"(": 1, ")": -1}.get(program[end], 0)
        if depth == 0:
            yield program[:start] + program[end + 1 :]
            return


BANK: tuple[Transform[str], ...] = (
    Transform(
        "silent_head_mix",
        "the shape is right, the heads are mixed",
        "A view reads the numbers in their order: it can cut an axis and join two, and never move one. "
        "Without a transpose each head holds parts of several.",
        _rewritten(
            rf"\.(view|reshape)\(({_SIZE}), ({_SIZE}), ({_SIZE}), ({_SIZE})\)\.transpose\(1, 2\)",
            r".\1(\2, \4, \3, \5)",
        ),
    ),
    Transform(
        "width_before_heads",
        "the last axis is cut the other way round",
        "The heads are runs of neighbours, so the number of heads stands before their width.",
        _rewritten(
            rf"\.(view|reshape)\(({_SIZE}), ({_SIZE}), ({_SIZE}), ({_SIZE})\)\.transpose\(1, 2\)",
            r".\1(\2, \3, \5, \4).permute(0, 3, 1, 2)",
        ),
    ),
    Transform(
        "not_contiguous",
        "view refuses what does not lie in order",
        "After a transpose the numbers that are to be joined lie apart, and a view never copies: "
        "reshape does, or contiguous before it.",
        _first_of(
            _rewritten(r"(\.(?:transpose|permute|swapaxes)\([^()]*\))\.reshape\(", r"\1.view("),
            _rewritten(r"\.contiguous\(\)\.view\(", ".view("),
        ),
    ),
    Transform(
        "missing_transpose",
        "two axes do not change places",
        "Two axes are to change places there: a transpose is missing.",
        _rewritten(r"\.(?:transpose|swapaxes)\([^()]*\)|\.mT\b", "", count=1),
    ),
    Transform(
        "no_scale",
        "the scores are not divided",
        "A sum of many products spreads like the root of their number: a softmax then picks nearly one.",
        _of_products(_rewritten(rf" ?/ ?(?:{_SCALE}|8)| ?\* ?[\w.\[\]-]+ ?\*\* ?\(?-0\.5\)?", "", count=1)),
    ),
    Transform(
        "divided_by_the_width",
        "divided by the width instead of its root",
        "The spread of a sum of d products is the root of d; divided by d the scores nearly agree.",
        _of_products(
            _first_of(
                _rewritten(r"/ ?math\.sqrt\(([^()]*)\)", r"/ \1", count=1),
                _rewritten(r"\*\* ?\(?-0\.5\)?", "** -1", count=1),
                _rewritten(r"\*\* ?\(?0\.5\)?", "** 1", count=1),
                _rewritten(r"/ ?8\b", "/ 64", count=1),
            )
        ),
    ),
    Transform(
        "wrong_softmax_axis",
        "the softmax runs over the queries",
        "The weights of one query are to sum to 1 over the keys, the last axis.",
        _rewritten(r"(softmax\((?:[^()]*(?:\([^()]*\)[^()]*)*, ?)?(?:dim ?= ?)?)-1\)", r"\1-2)"),
    ),
    Transform(
        "missing_mask",
        "later tokens are seen",
        "Nothing hides the tokens that come after a query.",
        _unmasked,
    ),
    Transform(
        "heads_tiled",
        "the wrong query heads share a head of K",
        "Query heads that share a head of K stand side by side: each head is repeated in its place, "
        "and the row of heads is not put down several times over.",
        _rewritten(r"\.repeat_interleave\(([^(),]+), ?(?:dim ?= ?)?1\)", r".repeat(1, \1, 1, 1)"),
    ),
)
"""In the order in which they are tried."""
