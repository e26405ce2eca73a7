"""What people mix up in a computed number: each mistake with its words, in the order they are tried.

A sentence may use {answer}, {key} and the counts of the key (d_model, num_heads, num_kv_heads, layers ...);
it says what a number is or would be, never how a learner came to it. Finds nothing itself.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from cards.grading import placeholders
from cards.mistakes import _number_changes as changes
from cards.mistakes.number_cases import Case

Wrong = Callable[[Case], Iterator[Fraction]]


@dataclass(frozen=True)
class Transform:
    """One mistake: its title, what is said about it, and the values it leads to."""

    title: str
    says: str
    wrong: Wrong
    exact: bool = False
    """Whether a rounded number does not count: 6.42 has not the digits of 64."""

    @cached_property
    def needed(self) -> frozenset[str]:
        """The counts its sentence uses."""
        return frozenset(placeholders(self.says + self.title) - {"answer", "key", "more", "unit"})

    @property
    def name(self) -> str:
        """The name a grade carries."""
        return self.wrong.__name__


TRANSFORMS: tuple[Transform, ...] = (
    Transform(
        "the number of heads stands for the width of one",
        "{answer} is what the number of heads gives. The width of one gives {key}.",
        changes.heads_for_width,
    ),
    Transform(
        "the width of the model stands for that of a head",
        "{answer} is what the width of the model gives, {d_model}. The width of one head gives {key}.",
        changes.model_width_for_head_width,
    ),
    Transform(
        "{answer} counts the key and value heads",
        "{answer} is how many key and value heads there are, not how wide a head is: {key}.",
        changes.kv_heads_for_width,
    ),
    Transform(
        "the width of a head stands for that of the model",
        "{answer} is what the width of one head gives. The width of the model gives {key}.",
        changes.head_width_for_model_width,
    ),
    Transform(
        "the width of a head stands for the number of heads",
        "{answer} is what the width of a head gives. Counting the heads gives {key}.",
        changes.width_for_heads,
    ),
    Transform(
        "the width of the model stands for the number of heads",
        "{answer} is what the width of the model gives, {d_model}. Counting the heads gives {key}.",
        changes.model_width_for_heads,
    ),
    Transform(
        "the division is inverted",
        "{answer} is {num_heads} / {d_model}. The other way round, {d_model} / {num_heads} is {key}.",
        changes.inverted_division,
    ),
    Transform(
        "{answer} multiplies instead of dividing",
        "{answer} is {d_model} × {num_heads}. The heads share the width: {d_model} / {num_heads} = {key}.",
        changes.multiplied_for_divided,
    ),
    Transform(
        "the root is missing",
        "{answer} is the width of a head itself. Its square root is {key}.",
        changes.forgot_the_root,
    ),
    Transform(
        "a root too many",
        "{answer} is the square root of {key}, the spread; the variance is {key}.",
        changes.took_the_root,
    ),
    Transform(
        "{answer} is a square",
        "{answer} is the square of {key}. Nothing is squared here.",
        changes.squared,
    ),
    Transform(
        "all query heads are counted",
        "{answer} would be with keys and values for each of the {num_heads} query heads. "
        "Here {num_kv_heads} key and value heads are shared: {key}.",
        changes.query_heads_for_kv_heads,
    ),
    Transform(
        "the key and value heads are counted",
        "{answer} is what the {num_kv_heads} key and value heads give. "
        "The {num_heads} query heads give {key}.",
        changes.kv_heads_for_query_heads,
    ),
    Transform(
        "heads are dealt in turn",
        "Dealt out in turn it would be {answer}. Query heads are grouped as neighbours, which gives {key}.",
        changes.dealt_in_turn,
    ),
    Transform(
        "K and V are not counted in full",
        "Without all of what belongs to K and V it would be {answer}. With both in full it is {key}.",
        changes.forgot_k_and_v,
    ),
    Transform(
        "{answer} is for one token",
        "{answer} is what one token adds. {tokens} tokens take {key}.",
        changes.one_token_only,
    ),
    Transform(
        "{answer} is for one layer",
        "{answer} is for one layer. {layers} layers take {key}.",
        changes.one_layer_only,
    ),
    Transform(
        "{answer} is for all layers",
        "{answer} is for all {layers} layers. One layer has {key}.",
        changes.all_layers,
    ),
    Transform(
        "{answer} is for one head",
        "{answer} is for one head. All of them together give {key}.",
        changes.one_head_only,
    ),
    Transform(
        "{answer} is for one sequence",
        "{answer} is for one sequence. The batch of {batch} takes {key}.",
        changes.one_sequence_only,
    ),
    Transform(
        "tokens are not squared",
        "{answer} counts the {tokens} tokens once. Every token meets every token: squared, it is {key}.",
        changes.not_squared,
    ),
    Transform(
        "bits and bytes are exchanged",
        "{answer} and {key} differ by a factor of 8: a byte is 8 bits.",
        changes.bits_for_bytes,
    ),
    Transform(
        "{answer} counts numbers, not bytes",
        "{answer} is at one byte for each number. Their bytes are {key}.",
        changes.elements_for_bytes,
    ),
    Transform(
        "another number format",
        "{answer} would be at another number of bytes for each value. As asked it is {key}.",
        changes.other_precision,
    ),
    Transform(
        "{answer} counts bytes",
        "{answer} would be bytes. Counted one by one there are {key}.",
        changes.bytes_for_elements,
    ),
    Transform(
        "{answer} is half",
        "{answer} is half of {key}: a product with its sum is two operations, and there are two products.",
        changes.multiply_add_as_one,
    ),
    Transform("{answer} counts twice", "{answer} is 2 × {key}.", changes.counted_twice),
    Transform(
        "GiB and GB are exchanged",
        "1 GiB is 2^30 bytes and 1 GB is 10^9. In {unit} it is {key}, not {answer}.",
        changes.gib_for_gb,
    ),
    Transform(
        "1,000 is taken for 1,024",
        "{answer} differs from {key} as 1,000 from 1,024: here k, M and T are powers of one of them.",
        changes.thousand_for_1024,
    ),
    Transform(
        "per cent and fraction are exchanged",
        "{answer} and {key} differ by a factor of 100: 1% is 0.01.",
        changes.percent_for_fraction,
        exact=True,
    ),
    Transform(
        "the decimal point has moved",
        "{answer} has the digits of {key} and another power of ten.",
        changes.power_of_ten,
        exact=True,
    ),
    Transform("{answer} is one off", "{answer} is 1 {more} than {key}.", changes.off_by_one, exact=True),
)  # fmt: skip
