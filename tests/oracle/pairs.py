"""Pairs of formulas for a second opinion: thought of by hand, and trees rewritten or changed."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

BY_HAND = Path(__file__).parent / "by_hand.txt"
LETTERS = "abcdhkmnqtvxyz"
SEEDS = 1400
Tree = tuple  # ("n", 3) | ("v", "x") | (sign, tree, tree) | ("sqrt", tree) | ("-", tree)
Change = Callable[[Tree, random.Random], Tree]


@dataclass(frozen=True)
class Pair:
    """Two formulas as they are written; `made` says how the second came from the first."""

    a: str
    b: str
    made: str


def pairs() -> list[Pair]:
    """All of them, each once, in an order that never changes."""
    return list(dict.fromkeys([*by_hand(), *made()]))


def by_hand() -> Iterator[Pair]:
    """Those of by_hand.txt."""
    for line in BY_HAND.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            a, b = line.split(" ~ ")
            yield Pair(a, b, "by hand")


def made() -> Iterator[Pair]:
    """Trees and their changed twins, each written in one of two ways."""
    for seed, (tree, other, change) in enumerate(trees()):
        draw = random.Random(seed)
        writes = draw.choice((plain, latex)), draw.choice((plain, latex))
        yield Pair(writes[0](tree), writes[1](other), change)


def trees() -> Iterator[tuple[Tree, Tree, str]]:
    """A tree of each seed beside itself rewritten (seeds that are even) or changed in one place (odd)."""
    for seed in range(SEEDS):
        draw = random.Random(seed)
        tree = _tree(draw, depth=draw.choice((1, 2, 2, 3)))
        change = draw.choice(REWRITES if seed % 2 == 0 else CHANGES)
        other = _somewhere(tree, change, draw)
        if other != tree:
            yield tree, other, change.__name__.strip("_")


def plain(tree: Tree) -> str:
    """2*(x+y)/sqrt(d), every operand that is a sum in parentheses."""
    match tree:
        case ("n", number):
            return str(number)
        case ("v", name):
            return str(name)
        case ("sqrt", inner):
            return f"\\sqrt{{{plain(inner)}}}"
        case ("-", inner):
            return f"-({plain(inner)})"
        case ("^", base, power):
            return f"{_closed(base, plain)}^{{{plain(power)}}}"
        case ("+" | "-" as sign, left, right):
            return f"{plain(left)}{sign}{_closed(right, plain) if right[0] in ('+', '-') else plain(right)}"
        case (sign, left, right):
            return f"{_closed(left, plain)}{sign}{_closed(right, plain)}"
    raise AssertionError(tree)


def latex(tree: Tree) -> str:
    """\\frac{2(x+y)}{\\sqrt{d}}: products by \\cdot, quotients as fractions."""
    match tree:
        case ("sqrt", inner):
            return f"\\sqrt{{{latex(inner)}}}"
        case ("-", inner):
            return f"-\\left({latex(inner)}\\right)"
        case ("^", base, power):
            return f"{_closed(base, latex)}^{{{latex(power)}}}"
        case ("/", left, right):
            return f"\\frac{{{latex(left)}}}{{{latex(right)}}}"
        case ("*", left, right):
            return f"{_closed(left, latex)} \\cdot {_closed(right, latex)}"
        case ("+" | "-" as sign, left, right):
            return f"{latex(left)} {sign} {_closed(right, latex) if right[0] in ('+', '-') else latex(right)}"
    return plain(tree)


def _closed(tree: Tree, write: Callable[[Tree], str]) -> str:
    return write(tree) if tree[0] in ("n", "v", "sqrt") else f"({write(tree)})"


def _tree(draw: random.Random, *, depth: int) -> Tree:
    if depth == 0:
        return ("n", draw.randint(2, 12)) if draw.random() < 0.3 else ("v", draw.choice(LETTERS))
    sign = draw.choices(("+", "-", "*", "/", "^", "sqrt"), (3, 2, 5, 3, 1, 1))[0]
    inner = _tree(draw, depth=depth - 1)
    if sign == "sqrt":
        return ("sqrt", inner)
    if sign == "^":
        return ("^", inner, ("n", draw.choice((2, 3))))
    return (sign, inner, _tree(draw, depth=depth - 1))


def _somewhere(tree: Tree, change: Change, draw: random.Random) -> Tree:
    """The change at a random node where it does something, else the tree."""
    places = list(_paths(tree))
    draw.shuffle(places)
    for path in places:
        changed = _at(tree, path, change, draw)
        if changed != tree:
            return changed
    return tree


def _paths(tree: Tree, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    yield path
    for index, part in enumerate(tree):
        if isinstance(part, tuple):
            yield from _paths(part, (*path, index))


def _at(tree: Tree, path: tuple[int, ...], change: Change, draw: random.Random) -> Tree:
    if not path:
        return change(tree, draw)
    parts = list(tree)
    parts[path[0]] = _at(parts[path[0]], path[1:], change, draw)
    return tuple(parts)


def _commuted(tree: Tree, _draw: random.Random) -> Tree:
    return (tree[0], tree[2], tree[1]) if tree[0] in ("+", "*") else tree


def _distributed(tree: Tree, _draw: random.Random) -> Tree:
    if tree[0] == "*" and tree[2][0] in ("+", "-") and len(tree[2]) == 3:
        sign, left, right = tree[2]
        return (sign, ("*", tree[1], left), ("*", tree[1], right))
    return tree


def _as_a_power(tree: Tree, _draw: random.Random) -> Tree:
    if tree[0] == "sqrt":
        return ("^", tree[1], ("/", ("n", 1), ("n", 2)))
    return ("*", tree[1], tree[1]) if tree[0] == "^" and tree[2] == ("n", 2) else tree


def _over_one(tree: Tree, _draw: random.Random) -> Tree:
    return ("*", tree[1], ("/", ("n", 1), tree[2])) if tree[0] == "/" else tree


def _twice_negated(tree: Tree, _draw: random.Random) -> Tree:
    return ("-", ("-", tree))


def _doubled_and_halved(tree: Tree, _draw: random.Random) -> Tree:
    return ("/", ("*", ("n", 2), tree), ("n", 2))


def _split(tree: Tree, _draw: random.Random) -> Tree:
    if tree[0] == "n" and tree[1] > 2:
        return ("+", ("n", tree[1] - 1), ("n", 1))
    return tree


def _another_number(tree: Tree, draw: random.Random) -> Tree:
    return ("n", tree[1] + draw.choice((-1, 1, 2))) if tree[0] == "n" else tree


def _another_letter(tree: Tree, draw: random.Random) -> Tree:
    others = [letter for letter in LETTERS if letter != tree[1]]
    return ("v", draw.choice(others)) if tree[0] == "v" else tree


def _inverted(tree: Tree, _draw: random.Random) -> Tree:
    return ("/", tree[2], tree[1]) if tree[0] == "/" else tree


def _without_the_root(tree: Tree, _draw: random.Random) -> Tree:
    return tree[1] if tree[0] == "sqrt" else tree


def _another_sign(tree: Tree, draw: random.Random) -> Tree:
    others = {"+": "-", "-": "+", "*": "+", "/": "*"}
    return (others[tree[0]], *tree[1:]) if len(tree) == 3 and tree[0] in others else tree


def _without_a_side(tree: Tree, draw: random.Random) -> Tree:
    return tree[draw.choice((1, 2))] if len(tree) == 3 and tree[0] in ("+", "*", "-") else tree


def _rooted(tree: Tree, _draw: random.Random) -> Tree:
    return ("sqrt", tree)


REWRITES = (
    _commuted, _distributed, _as_a_power, _over_one, _twice_negated, _doubled_and_halved, _split,
)  # fmt: skip
CHANGES = (
    _another_number, _another_letter, _inverted, _without_the_root, _another_sign, _without_a_side, _rooted,
)  # fmt: skip
