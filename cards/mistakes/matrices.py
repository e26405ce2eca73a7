"""What people mix up in a formula of matrices, as transforms of the right one. Knows no card file."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from cards.expressions.maths.nodes import Node, replaced, walk
from cards.expressions.matrix_trials import Declared
from cards.mistakes import matrix_rewrites as rewrites
from cards.mistakes.matrix_rewrites import Rewrite

MOST_VARIANTS = 120
ROLES = {"Q": "queries", "K": "keys", "V": "values"}


@dataclass(frozen=True)
class MatrixMistake:
    """A mistake by name: its title, what is said, and where it changes a formula."""

    name: str
    title: str
    says: str
    rewrite: Rewrite


Path = tuple[int, ...]


def variants(tree: Node, declared: Declared) -> Iterator[tuple[MatrixMistake, Node, Path | None]]:
    """Each mistake with the formula it leads to and the way to what it changes, None for several places.

    In the bank's order; all places of a formula at once come before each of them alone.
    """
    found = ((one, *wrong) for one in BANK for wrong in _everywhere(tree, declared, one.rewrite))
    return islice(found, MOST_VARIANTS)


def _everywhere(tree: Node, declared: Declared, rewrite: Rewrite) -> Iterator[tuple[Node, Path | None]]:
    """The tree with all places rewritten, where there are several apart, and with each alone."""
    places = [(path, new) for path, node in walk(tree) for new in rewrite(node, declared)]
    paths = [path for path, _ in places]
    nested = any(one != other and one == other[: len(one)] for one in paths for other in paths)
    if len(places) > 1 and len(set(paths)) == len(paths) and not nested:
        whole = tree
        for path, new in places:
            whole = replaced(whole, path, new)
        yield whole, None
    for path, new in places:
        yield replaced(tree, path, new), path


BANK: tuple[MatrixMistake, ...] = (
    MatrixMistake(
        "no_scale",
        "the scale is missing",
        "Nothing divides the scores, so they spread more the wider a head is.",
        rewrites.no_scale,
    ),
    MatrixMistake(
        "no_root",
        "the root is missing",
        "The divisor is the root: a sum of so many independent products spreads by its root.",
        rewrites.no_root,
    ),
    MatrixMistake(
        "root_of_the_scores",
        "the root is drawn over the scores too",
        "Only the size below the line stands under the root; scores may be negative.",
        rewrites.root_of_all,
    ),
    MatrixMistake(
        "scaled_by_the_model_width",
        "d_model is taken for the width of a head",
        "The sum runs over the width of one query or key, so that is the root that divides.",
        rewrites.model_width,
    ),
    MatrixMistake(
        "scaled_by_another_size",
        "another size is taken",
        "The sum runs over the width of one query or key; that size belongs in the scale.",
        rewrites.other_size,
    ),
    MatrixMistake(
        "multiplied_by_the_root",
        "multiplied where it is divided",
        "The scores are divided by the root, so that their spread is 1; multiplied they spread more.",
        rewrites.multiplied,
    ),
    MatrixMistake(
        "no_transpose",
        "a transpose is missing",
        "Rows are tokens on both sides; one of the two is transposed so that widths meet and are summed.",
        rewrites.no_transpose,
    ),
    MatrixMistake(
        "transposed_the_other",
        "the other factor is transposed",
        "Transposed the other way round the sum runs over the tokens, and width meets width.",
        rewrites.transposed_other,
    ),
    MatrixMistake(
        "operands_swapped",
        "queries and keys are swapped",
        "In this order rows are keys and columns are queries: the transpose of what is asked.",
        rewrites.swapped,
    ),
    MatrixMistake(
        "softmax_over_queries",
        "the softmax runs over the other axis",
        "Each row, a query, hands out weights that add up to 1 over the keys.",
        rewrites.over_queries,
    ),
    MatrixMistake(
        "softmax_before_scale",
        "scaled after the softmax",
        "Behind the softmax the scale only makes the weights smaller: they add up to less than 1.",
        rewrites.before_scale,
    ),
    MatrixMistake(
        "softmax_after_values",
        "the softmax is taken of the outputs",
        "The softmax makes weights of scores; the values are averaged with them afterwards.",
        rewrites.after_values,
    ),
    MatrixMistake(
        "missing_values",
        "the values are missing",
        "These are the weights; with them the values are averaged.",
        rewrites.missing_factor,
    ),
    MatrixMistake(
        "values_first",
        "the values stand on the wrong side",
        "Weights times values: each row of weights averages the rows of the values.",
        rewrites.values_first,
    ),
    MatrixMistake(
        "missing_mask",
        "the mask is missing",
        "Without the mask each query sees all keys.",
        rewrites.missing_mask,
    ),
    MatrixMistake(
        "mask_after_softmax",
        "the mask comes after the softmax",
        "Masked after the softmax, the weights that are left no longer add up to 1.",
        rewrites.mask_after,
    ),
    MatrixMistake(
        "mask_multiplied",
        "the mask is multiplied",
        "The mask is added: 0 keeps a score and minus infinity makes its weight 0.",
        rewrites.mask_multiplied,
    ),
    MatrixMistake(
        "mask_subtracted",
        "the mask is subtracted",
        "The mask is added; subtracted, minus infinity would become plus infinity.",
        rewrites.mask_subtracted,
    ),
    MatrixMistake(
        "mask_scaled",
        "the mask is scaled too",
        "Only the scores are scaled; the mask is added to them.",
        rewrites.mask_scaled,
    ),
    MatrixMistake(
        "missing_projection",
        "the output projection is missing",
        "The heads' outputs are mixed by the output projection.",
        rewrites.missing_projection,
    ),
    MatrixMistake(
        "heads_added",
        "the heads are added up",
        "Heads stand side by side: their widths add up, not their numbers.",
        rewrites.added_heads,
    ),
    MatrixMistake(
        "heads_in_another_order",
        "the heads are in another order",
        "The rows of the output projection belong to the heads in order.",
        rewrites.turned_heads,
    ),
    MatrixMistake(
        "no_softmax",
        "the softmax is missing",
        "Scores become weights by a softmax; without it they are no average.",
        rewrites.no_softmax,
    ),
    *(
        MatrixMistake(
            f"{ROLES[written]}_for_{ROLES[wanted]}",
            f"{ROLES[written]} where {ROLES[wanted]} belong",
            "Queries are compared with keys; values are what is averaged.",
            rewrites.role(written, wanted),
        )
        for wanted in "VKQ"
        for written in "KQV"
        if written != wanted
    ),
    MatrixMistake(
        "entry_by_entry",
        "multiplied entry by entry",
        "The product of matrices sums over the axis between them.",
        rewrites.by_entry,
    ),
)
