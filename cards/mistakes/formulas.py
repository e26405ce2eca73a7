"""What people mix up in a formula: transforms of the key's tree, tried in this order. Knows no card.

Symbols are known by what they are called: `d_k` is a head's width, `H_kv` the number of key and value heads.
"""

from fractions import Fraction

from cards.expressions.maths.nodes import Call, Negative, Operation
from cards.mistakes import Transform
from cards.mistakes.formula_changes import (
    ONE,
    TWO,
    exponent_lost,
    factor_lost,
    inverted,
    multiplied_by,
    number_lost,
    one_more_or_less,
    other_log,
    other_strictness,
    resigned,
    root_squared,
    rooted,
    sign_turned,
    squared,
    symbol_off_by_one,
    term_lost,
    turned,
    two_lost,
    without_root,
)
from cards.mistakes.formula_keys import (
    FormulaKey,
    both,
    dropped,
    each,
    expression,
    instead,
    whole,
)
from cards.mistakes.formula_kinds import keeps_k_and_v, tokens_added, tokens_lost, where_bytes

BANK: tuple[Transform[FormulaKey], ...] = (
    Transform(
        "width_of_the_model_for_the_head",
        "the model's width stands for a head's",
        "A head is narrower than the model: its width is d_model / num_heads where nothing else is said.",
        instead("head", "model"),
    ),
    Transform(
        "head_width_for_the_model",
        "a head's width stands for the model's",
        "One head holds only a part of the model's width.",
        instead("model", "head"),
    ),
    Transform(
        "query_heads_for_kv_heads",
        "query heads are counted as K/V heads",
        "Under grouping several query heads share one K/V head, so it is the K/V heads that are counted.",
        instead("kv_heads", "heads"),
    ),
    Transform(
        "kv_heads_for_query_heads",
        "K/V heads are counted as query heads",
        "Each query head has queries of its own; only keys and values are shared.",
        instead("heads", "kv_heads"),
    ),
    Transform(
        "heads_for_width",
        "the number of heads stands for their width",
        "How many heads there are and how wide one is are two numbers; their product is the width of all.",
        both(instead("head", "heads"), instead("heads", "head")),
    ),
    Transform(
        "head_count_dropped",
        "the heads are not counted",
        "The number of heads is left out.",
        both(dropped("heads"), dropped("kv_heads")),
    ),
    Transform(
        "layers_dropped",
        "the layers are not counted",
        "The number of layers is left out; every layer has its own share.",
        dropped("layers"),
    ),
    Transform(
        "batch_dropped",
        "the batch is not counted",
        "The size of the batch is left out; each sequence has its own share.",
        dropped("batch"),
    ),
    Transform(
        "elements_for_bytes",
        "numbers are counted, not bytes",
        "Each number takes several bytes: 2 in fp16 and bf16, 4 in fp32.",
        dropped("bytes"),
    ),
    Transform(
        "tokens_squared_lost",
        "the tokens count once instead of twice",
        "Every token meets every token, so their number counts squared.",
        tokens_lost,
    ),
    Transform(
        "tokens_squared_added",
        "the tokens count squared instead of once",
        "This is kept or done once for each token; only pairs of tokens count squared.",
        tokens_added,
    ),
    Transform(
        "forgot_k_and_v",
        "K or V is left out",
        "Both K and V are there: the factor 2 is missing.",
        lambda key: each(two_lost)(key) if keeps_k_and_v(key) else (),
    ),
    Transform(
        "halved", "half the right formula", "A factor 2 is missing.", whole(multiplied_by(Fraction(1, 2)))
    ),
    Transform(
        "doubled",
        "twice the right formula",
        "A factor 2 is counted that is not there.",
        whole(multiplied_by(Fraction(2))),
    ),
    Transform(
        "bits_for_bytes",
        "bits are counted, not bytes",
        "A byte has 8 bits; bytes are asked for.",
        where_bytes(whole(multiplied_by(Fraction(8)))),
    ),
    Transform(
        "bytes_for_elements",
        "four times the right formula",
        "A factor 4 is counted that is not there. Numbers of 4 bytes have it where bytes are asked for.",
        lambda key: () if key.known_as("bytes") else whole(multiplied_by(Fraction(4)))(key),
    ),
    Transform("number_dropped", "a number is missing", "A numeric factor is left out.", each(number_lost)),
    Transform(
        "exponent_dropped",
        "an exponent is missing",
        "A power counts as if its exponent were 1.",
        each(exponent_lost),
    ),
    Transform(
        "forgot_the_root",
        "a root is missing",
        "What stands under the root is there, its root is not taken.",
        each(without_root),
    ),
    Transform(
        "squared",
        "a square where there is none",
        "Something is squared that counts once, or where its root is meant.",
        both(each(root_squared), expression(lambda node: [Operation("^", node, TWO)]), each(squared)),
    ),
    Transform(
        "root_too_many",
        "a root too many",
        "A root is taken of something that counts as it is.",
        both(expression(lambda node: [Call("sqrt", (node,))]), each(rooted)),
    ),
    Transform(
        "inverted_division",
        "the division is upside down",
        "What stands above the line belongs below it.",
        both(each(inverted), whole(lambda node: [Operation("/", ONE, node)])),
    ),
    Transform(
        "sign_flipped",
        "a sign is turned",
        "A plus and a minus are exchanged.",
        both(each(sign_turned), whole(lambda node: [Negative(node)])),
    ),
    Transform("term_dropped", "a term is missing", "One term of the sum is left out.", each(term_lost)),
    Transform(
        "log_base",
        "a logarithm to another base",
        "The logarithm is taken to another base.",
        each(other_log),
    ),
    Transform(
        "off_by_one",
        "one too many or too few",
        "That is one more or one less than it has to be.",
        both(whole(one_more_or_less), each(symbol_off_by_one)),
    ),
    Transform(
        "product_for_sum",
        "a product in place of a sum",
        "These add up; they do not multiply.",
        each(resigned("+", "*")),
    ),
    Transform(
        "product_for_quotient",
        "a product in place of a quotient",
        "This divides; it does not multiply.",
        each(resigned("/", "*")),
    ),
    Transform(
        "quotient_for_product",
        "a quotient in place of a product",
        "This multiplies; it does not divide.",
        each(resigned("*", "/")),
    ),
    Transform(
        "sum_for_product",
        "a sum in place of a product",
        "These multiply; they do not add up.",
        each(resigned("*", "+")),
    ),
    Transform(
        "factor_dropped",
        "a factor is missing",
        "One of the quantities is left out.",
        each(factor_lost),
    ),
    Transform(
        "relation_turned", "the relation is turned round", "Larger and smaller are exchanged.", each(turned)
    ),
    Transform(
        "other_strictness",
        "the bound itself is in or out",
        "Whether the bound itself belongs to it is the other way round.",
        each(other_strictness),
    ),
)
"""The transforms in the order in which they are tried: the more particular ones first."""
