"""How answers and mistakes of each type are written, in lines for an author. Knows no form."""

from cards.predicates import PREDICATES

SAYS = "`says` may use `{answer}` and `{key}`."
NUMERIC = (
    'One an entry: `- {name: heads_for_width, key: {compute: num_heads, model: bert-base}, says: "..."}`\n'
    'or by a property of the number: `- {name: does_not_fit, when: does_not_divide, n: 768, says: "..."}`\n'
    f"Properties: {', '.join(f'`{name}`' for name in sorted(PREDICATES))}. {SAYS}"
)
SHAPE = (
    'One an entry: `- {name: not_transposed, key: [2, 4, 12, 64], says: "..."}`; a key may be computed too.\n'
    f"Swapped axes and a wrong number of axes are found without a name. {SAYS}"
)
CHOICE = f'One an entry: `- {{name: raises, says: "..."}}`; a wrong option names one of them. {SAYS}'
MULTI_CHOICE = (
    'One an entry: `- {name: does_not_divide, says: "..."}`; a wrong option names the mistake of choosing '
    f"it, a right one may name that of leaving it out. The first wrong pick decides. {SAYS}"
)
ORDERING = (
    'One an entry: `- {name: transpose_first, before: [transpose, view], says: "..."}`:\n'
    "made when the first of the two ids is put before the second. One without `before` is made by a "
    "distractor that names it, or by leaving out an item with `missed: NAME`."
)
WORDS = (
    'One an entry: `- {name: keys_for_queries, key: [keys, key axis], says: "..."}`: other words that are '
    f"written, one or a list.\nListed words are never taken for a slip of typing. {SAYS}"
)
CELLS = (
    "As the type of a cell has them, with the cell: "
    '`- {name: layers_counted, cell: heads, key: {compute: layers, model: bert-base}, says: "..."}`;\n'
    "`cell` may be a list. Or for two right values in each other's place: "
    f'`- {{name: exchanged, swapped: [heads, width], says: "..."}}`. {SAYS}'
)
FORMULA = (
    'One an entry, by the formula it leads to: `- {name: no_root, key: "d_model / H", says: "..."}`.\n'
    "What is equal to it is found in any spelling; a name of the bank, such as `forgot_the_root`, needs no "
    f"`key`. {SAYS} With `at` in the answer also `{{answer_at}}` and `{{key_at}}`."
)
MATRIX_FORMULA = (
    "One an entry, by the formula it leads to: "
    '`- {name: no_root, key: "softmax(Q K^T / d_k) V", says: "..."}`.\n'
    f"What is equal to it is found in any spelling. {SAYS}"
)
EINSUM = (
    'One an entry, by the equation it is: `- {name: keys_summed_away, key: "b h i d, b h j d -> b h i d", '
    f'says: "..."}}`.\nAny letters will do, as long as they are used alike. {SAYS}'
)
PROGRAM = (
    "One an entry, by lines that make it: "
    '`- {name: heads_by_view, program: "q.view(2, 12, 4, 64)", says: "..."}`.\n'
    "It is found by what the lines give, not by how they are written."
)
RUBRIC = 'One an entry: `- {name: called_a_law, says: "..."}`; a red flag names one of them.'
REVEAL = "Leave this empty: what is said aloud is compared with the points by the learner."
ANSWERS = {
    "formula": '`key: "sqrt(d_model / H)"`\n`symbols: {d_model: [width], H: [num_heads]}`\n'
    "`computes: {compute: scale_divisor, d_head: {compute: d_head, d_model: d_model, num_heads: H}}`",
    "matrix_formula": '`key: "softmax(Q K^T / sqrt(d_k)) V"`\n'
    "`matrices: {Q: [n, d_k], K: [m, d_k], V: [m, d_v]}`",
    "einsum": '`key: "b h i d, b h j d -> b h i j"`\n`operands: [Q, K]`',
    "program": '`reference: "q.view(2, 4, 12, 64).transpose(1, 2)"`\n`model: bert-base`\n'
    "`accepts: [\"rearrange(q, 'b t (h d) -> b h t d', h=12)\"]`",
    "rubric": '`points:`\n`- {id: sum, text: "A score is a sum of d_head products.", weight: 2}`\n'
    '`- {id: spread, text: "Its spread grows with the root of d_head."}`\n'
    '`red_flags: [{id: unit, text: "Queries are called unit vectors.", mistake: unit_vectors}]`',
}
"""A short answer of each type that is written as YAML."""
