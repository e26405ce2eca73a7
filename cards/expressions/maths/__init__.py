"""Formulas: read, compared at points, and written out again. No card, no learner, no eval."""

from cards.expressions.maths.names import Vocabulary
from cards.expressions.maths.nodes import Node
from cards.expressions.maths.parser import parse

__all__ = ["Node", "Vocabulary", "parse"]
