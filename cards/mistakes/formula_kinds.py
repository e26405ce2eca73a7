"""Changes of a formula that fit one kind of it only: of bytes, a cache, pairs of tokens. Knows no words."""

from collections.abc import Callable, Iterable, Iterator

from cards.expressions.maths.nodes import Node, Operation, postorder
from cards.mistakes.formula_changes import ONE, TWO
from cards.mistakes.formula_keys import FormulaKey, Rewrite, each, is_name


def _power_of_tokens(key: FormulaKey, change: Callable[[Node, str], Iterable[Node]]) -> Iterator[FormulaKey]:
    name = key.known_as("tokens")
    if name:
        yield from each(lambda node: change(node, name))(key)


def tokens_lost(key: FormulaKey) -> Iterator[FormulaKey]:
    """T^2 as T, and T·T as T."""

    def change(node: Node, name: str) -> Iterator[Node]:
        if isinstance(node, Operation) and node.sign == "^" and is_name(node.left, name):
            yield node.left

    yield from _power_of_tokens(key, change)
    name = key.known_as("tokens")
    if sum(is_name(node, name) for node in postorder(key.node)) == 2:
        yield from each(lambda node: [ONE] if is_name(node, name) else [])(key)


def tokens_added(key: FormulaKey) -> Iterator[FormulaKey]:
    """T as T^2."""
    return _power_of_tokens(
        key, lambda node, name: [Operation("^", node, TWO)] if is_name(node, name) else []
    )


def where_bytes(change: Rewrite) -> Rewrite:
    """Only for formulas that count bytes."""
    return lambda key: change(key) if key.known_as("bytes") else iter(())


def keeps_k_and_v(key: FormulaKey) -> bool:
    """Whether a formula is of a cache: it counts bytes, or K/V heads without the width of the model, whose
    matrices have factors 2 of their own."""
    return bool(key.known_as("bytes") or (key.known_as("kv_heads") and not key.known_as("model")))
