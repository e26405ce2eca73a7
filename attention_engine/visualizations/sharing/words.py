"""The sentences of head_sharing that need its tensors. Knows no tensor."""

from collections.abc import Sequence
from dataclasses import dataclass

from attention_engine.kinds.operations import many
from attention_engine.kinds.sharing.words import NAMES

SAME = 5e-6
"""Relative errors up to this are rounding of float32."""


@dataclass(frozen=True)
class Variant:
    """One number of K/V heads, or one width of a latent, and how far it moves the output."""

    name: str
    numbers: int
    bytes: int
    error: float
    exact: bool = False
    """True where the very same numbers came out."""


def percent(share: float) -> str:
    """0.3412 -> "34 %", 0.0123 -> "1.2 %"; what is rounding is "nothing"."""
    if share <= SAME:
        return "nothing"
    return f"{100 * share:.0f} %" if share >= 0.0995 else f"{100 * share:.2g} %"


def moved(error: float, *, exact: bool) -> str:
    """How far a scheme moves the layer's own output on the sentence."""
    if exact:
        return "On the sentence its maps and outputs are the layer's own, to the bit."
    if error <= SAME:
        return "On the sentence its output is the layer's own but for rounding."
    return f"On the sentence the output of all heads is {percent(error)} away from the layer's own."


def made_of(step: str, *, own_pairs: int, groups: int) -> str:
    """How K and V of a scheme come from the layer's own."""
    if step == "mla":
        return (
            "The latent is our construction: a truncated SVD of this sentence's K and V side by side, each "
            "token weighed by the attention it receives. A trained latent has to serve every sentence, and "
            "its model learns with it."
        )
    if groups == own_pairs:
        return "These are the layer's own K and V."
    if groups > own_pairs:
        return (
            f"{'The one own pair' if own_pairs == 1 else f'Each of the {own_pairs:,} own pairs'} is repeated."
        )
    return (
        f"Each pair is the mean of the own pairs of its group, without training after it: {own_pairs:,} "
        f"become {groups:,} (Ainslie et al. 2023)."
    )


def rank_used(rank: int, *, tokens: int, small: Variant | None) -> str:
    """Why a wide latent loses nothing of a short sentence, and what a narrow one loses."""
    if rank < tokens:
        return f"{many(rank, 'number')} a token cannot hold all {tokens:,} directions of these tokens."
    if tokens == 1:
        return "One token is one direction, and a latent of one number holds it."
    told = f"{tokens:,} tokens span at most {tokens:,} directions, so {rank:,} numbers hold them all"
    return (
        f"{told}; with {small.numbers:,} a token the output is {percent(small.error)} away."
        if small
        else f"{told}."
    )


def compare(
    variants: Sequence[Variant], *, alike: tuple[float, float] | None, groups: int, own_pairs: int, heads: int
) -> str:
    """What pooling costs in output, and how alike maps of one group are."""
    fewest = min((one for one in variants if not one.name.startswith("latent")), key=lambda one: one.numbers)
    told = []
    if own_pairs > 1:
        far = percent(fewest.error)
        told.append(f"{fewest.name} in place of {own_pairs:,} moves the output of all heads by {far}.")
    if own_pairs < heads:
        more = f"More than {own_pairs:,} pairs repeat" if own_pairs > 1 else "More pairs than one repeat"
        told.append(f"{more} the layer's own and change nothing.")
    return " ".join([*told, *alikeness(alike, groups)]) or "One query head has nobody to share with."


def alikeness(alike: tuple[float, float] | None, groups: int) -> list[str]:
    """Correlation of the layer's own maps within the groups of a scheme and between them."""
    if alike is None:
        return []
    within, between = (round(one, 2) + 0.0 for one in alike)  # no -0.00
    apart = within - between
    near = "hardly more than" if 0.005 <= apart < 0.1 else "more than" if apart >= 0.1 else "no more than"
    return [
        f"Maps of two heads in one of {groups:,} groups correlate {within:.2f}, {near} maps of heads in two "
        f"groups ({between:.2f})."
    ]


def maps(head: int, errors: dict[str, float], note: str) -> str:
    """One head's map under each scheme, by how much its own output moves."""
    told = ", ".join(f"{NAMES[step]} {percent(error)}" for step, error in errors.items())
    return f"Query head {head} asks the same under every scheme. Its output moves by: {told}. {note}"
