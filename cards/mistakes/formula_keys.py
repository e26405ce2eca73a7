"""A right formula, the roles of its symbols, and ways to change it place by place. Knows no mistake."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from cards.expressions.maths.names import fold_name
from cards.expressions.maths.nodes import Name, Node, Relation, children, replaced, same, walk
from cards.mistakes.formula_changes import ONE, Change

MOST_PLACES = 12
"""Places of one kind that a transform is tried at."""
ROLES: Mapping[str, tuple[str, ...]] = {
    "model": ("d_model", "embed_dim", "n_embd", "hidden_size", "hidden"),
    "head": ("d_k", "d_head", "d_h", "head_dim", "d_v", "D"),
    "heads": ("H", "num_heads", "n_heads", "n_h", "H_q", "heads"),
    "kv_heads": ("H_kv", "num_kv_heads", "n_kv", "n_kv_heads", "kv_heads"),
    "tokens": ("T", "tokens", "seq_len", "seq", "num_tokens"),
    "bytes": ("b", "bytes", "bytes_per_value", "bytes_per_element"),
    "layers": ("L", "layers", "n_layers", "num_layers", "n_layer"),
    "batch": ("B", "batch", "batch_size"),
}
"""Names and aliases by which a symbol is known."""
FEWEST_LETTERS = 3
"""Roles that single letters have to play together before they say what a question is about."""


@dataclass(frozen=True)
class FormulaKey:
    """A right formula, and the declared symbols with their aliases."""

    node: Node
    symbols: Mapping[str, tuple[str, ...]]

    def known_as(self, role: str) -> str:
        """The symbol that plays a role; "" where none does."""
        return self.roles.get(role, "")

    @cached_property
    def roles(self) -> Mapping[str, str]:
        """The symbol of each role. A letter counts beside a telling name or two other letters."""
        spellings = {
            fold_name(word): name for name, aliases in self.symbols.items() for word in (*aliases, name)
        }
        found: dict[str, str] = {}
        telling = False
        for role, words in ROLES.items():
            known = [word for word in map(fold_name, words) if word in spellings]
            if known:
                found[role] = spellings[known[0]]
                telling = telling or any(len(word) > 1 for word in known)
        return found if telling or len(found) >= FEWEST_LETTERS else {}

    def changed(self, node: Node) -> "FormulaKey":
        """The same question with another formula."""
        return FormulaKey(node, self.symbols)


Rewrite = Callable[[FormulaKey], Iterator[FormulaKey]]


def each(change: Change) -> Rewrite:
    """The key with a change made at one place, for each place; first at all places at once."""

    def rewritten(key: FormulaKey) -> Iterator[FormulaKey]:
        found = [(path, new) for path, node in walk(key.node) for new in change(node) if not same(node, new)]
        if len({path for path, _ in found}) > 1:
            yield key.changed(everywhere(key.node, change))
        for path, new in found[:MOST_PLACES]:
            yield key.changed(replaced(key.node, path, new))

    return rewritten


def everywhere(node: Node, change: Change) -> Node:
    """A change made wherever it can be, from the leaves up."""
    for path, _ in sorted(walk(node), key=lambda one: -len(one[0])):
        here = node
        for index in path:
            here = children(here)[index]
        new = next(iter(change(here)), None)
        node = node if new is None else replaced(node, path, new)
    return node


def whole(change: Change) -> Rewrite:
    """The key as a whole changed; of an equation its right side."""

    def rewritten(key: FormulaKey) -> Iterator[FormulaKey]:
        if isinstance(key.node, Relation):
            for new in change(key.node.right):
                yield key.changed(replaced(key.node, (1,), new))
        else:
            yield from (key.changed(new) for new in change(key.node))

    return rewritten


def expression(change: Change) -> Rewrite:
    """The key as a whole changed, unless it is a relation."""
    return lambda key: iter(()) if isinstance(key.node, Relation) else whole(change)(key)


def both(*rewrites: Rewrite) -> Rewrite:
    """One way of rewriting after the other."""
    return lambda key: (one for rewrite in rewrites for one in rewrite(key))


def instead(of: str, put: str) -> Rewrite:
    """One symbol in place of another, where both are declared."""

    def rewritten(key: FormulaKey) -> Iterator[FormulaKey]:
        old, new = key.known_as(of), key.known_as(put)
        if old and new:
            yield from each(lambda node: [Name(new)] if is_name(node, old) else [])(key)

    return rewritten


def dropped(role: str) -> Rewrite:
    """A symbol left out: 1 in its place."""

    def rewritten(key: FormulaKey) -> Iterator[FormulaKey]:
        if name := key.known_as(role):
            yield from each(lambda node: [ONE] if is_name(node, name) else [])(key)

    return rewritten


def is_name(node: Node, name: str) -> bool:
    """Whether a node is this symbol."""
    return isinstance(node, Name) and node.name == name
