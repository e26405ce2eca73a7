"""Whether two formulas say the same: True, False, or None where it cannot be settled. Knows no card."""

from cards.expressions.maths.comparing import Rules, equal_expressions
from cards.expressions.maths.nodes import Node, Relation
from cards.expressions.maths.relations import equal_relations

__all__ = ["Rules", "equal"]


def equal(one: Node, other: Node, rules: Rules) -> bool | None:
    """Whether two formulas are the same; None where fewer than 8 points are usable or cases would be needed.

    A relation is never an expression, and its kind must match: = as =, a < b as b > a.
    """
    if isinstance(one, Relation) and isinstance(other, Relation):
        return equal_relations(one, other, rules)
    if isinstance(one, Relation) or isinstance(other, Relation):
        return False
    return equal_expressions(one, other, rules)
