"""Where a learner's formula first differs from the right one, by comparing the two trees. Knows no card."""

from cards.expressions.maths import Node, Rules, equal
from cards.expressions.maths.nodes import Operation, Span, children, label, postorder

MOST_NODES = 60
MOST_COMPARED = 60


def differing(mine: Node, key: Node, rules: Rules) -> Span | None:
    """The smallest part of `mine` that is not the key's, as a span of its text; None if it is all of it."""
    if max(len(postorder(mine)), len(postorder(key))) > MOST_NODES:
        return None
    found = _Search(rules).within(mine, key)
    return None if found is None or found is mine or found.span[0] >= found.span[1] else found.span


class _Search:
    """Compares parts, at most MOST_COMPARED times."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.compared = 0

    def same(self, one: Node, other: Node) -> bool:
        """Whether two parts are surely equal."""
        self.compared += 1
        return self.compared <= MOST_COMPARED and equal(one, other, self.rules) is True

    def within(self, mine: Node, key: Node) -> Node | None:
        """The part of `mine` that differs, going down as long as just one part does."""
        while True:
            own, right = _parts(mine, key)
            odd, missing = self.unmatched(own, right)
            if len(odd) == 1 and len(missing) <= 1 and len(own) > 1 - len(missing):
                mine = odd[0]
                if not missing or not children(mine):
                    return mine
                key = missing[0]
                continue
            if len(own) == 1 and len(right) == 1 and odd:
                mine, key = own[0], right[0]
                continue
            return mine

    def unmatched(self, own: list[Node], right: list[Node]) -> tuple[list[Node], list[Node]]:
        """The parts on either side that have no equal on the other."""
        left_over = list(right)
        odd: list[Node] = []
        for part in own:
            match = next((one for one in left_over if self.same(part, one)), None)
            if match is None:
                odd.append(part)
            else:
                left_over.remove(match)
        return odd, left_over


def _parts(mine: Node, key: Node) -> tuple[list[Node], list[Node]]:
    """Factors of two products, terms of two sums, the parts of two nodes that are alike; else nothing."""
    for sign in ("*", "+"):
        if _is(mine, sign) or _is(key, sign):
            return _chain(mine, sign), _chain(key, sign)
    if label(mine) == label(key):
        return list(children(mine)), list(children(key))
    return [], []


def _is(node: Node, sign: str) -> bool:
    return isinstance(node, Operation) and node.sign == sign


def _chain(node: Node, sign: str) -> list[Node]:
    """The factors of a product or the terms of a sum, however it is bracketed."""
    found: list[Node] = []
    stack = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, Operation) and top.sign == sign:
            stack += [top.right, top.left]
        else:
            found.append(top)
    return found
