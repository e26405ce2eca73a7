"""Formulas for tests: a vocabulary about attention, two texts compared both ways, trees grown at random."""

from fractions import Fraction

from hypothesis import strategies as st

from cards.expressions.maths import Node, Rules, Vocabulary, equal, parse
from cards.expressions.maths.nodes import Absolute, Call, Name, Negative, Number, Operation, Postfix

NAMES: dict[str, tuple[str, ...]] = {
    "d_model": ("width",), "d_k": ("d_head", "d_{head}"), "H": ("num_heads",), "H_kv": (), "L": ("layers",),
    "T": (), "b": (), "a": (), "x": (), "y": (), "n": (), "theta": (), "x_1": (),
}  # fmt: skip
QUESTION = Vocabulary(NAMES, ("f",))
MATRICES = Vocabulary(dict.fromkeys(("Q", "K", "V", "W_Q", "mask"), ()) | {"d_k": ("d_head",)}, matrices=True)
RULES = Rules(dict.fromkeys(NAMES, "positive"), None, ("f",))
REAL = Rules(dict.fromkeys(NAMES, "real"), None, ("f",))
WHOLE = Rules(dict.fromkeys(NAMES, "integer"), None, ("f",))


def read(text: str) -> Node:
    """A formula of the question."""
    return parse(text, QUESTION)


def verdict(one: str, other: str, rules: Rules = RULES) -> bool | None:
    """Whether two texts are the same formula; both ways round, which must not differ."""
    there, back = (equal(read(a), read(b), rules) for a, b in ((one, other), (other, one)))
    assert there is back, f"{one} against {other}: {there}, the other way round {back}"
    return there


def _grown(parts: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    signs = st.sampled_from("+-*/^")
    functions = st.sampled_from(["sqrt", "exp", "log", "sin", "floor", "log2", "f"])
    return st.one_of(
        st.builds(Operation, signs, parts, parts),
        st.builds(Negative, parts),
        st.builds(Absolute, parts),
        st.builds(Postfix, st.just("!"), parts),
        st.builds(lambda function, part: Call(function, (part,)), functions, parts),
        st.builds(lambda one, other: Call("max", (one, other)), parts, parts),
    )


def trees(names: str = "xyn") -> st.SearchStrategy[Node]:
    """Trees over a few names with every kind of node."""
    numbers = st.builds(
        lambda n, places: Number(Fraction(n, 10**places)), st.integers(0, 999), st.integers(0, 2)
    )
    leaves = st.one_of(numbers, st.sampled_from([Name(name) for name in (*names, "d_k", "pi")]))
    return st.recursive(leaves, _grown, max_leaves=12)


def polynomials() -> st.SearchStrategy[Node]:
    """Trees of sums, differences and products of names and whole numbers."""
    leaves = st.one_of(
        st.builds(lambda n: Number(Fraction(n)), st.integers(1, 9)),
        st.sampled_from([Name(name) for name in ("x", "y", "n")]),
    )
    return st.recursive(
        leaves, lambda parts: st.builds(Operation, st.sampled_from("+-*"), parts, parts), max_leaves=8
    )
