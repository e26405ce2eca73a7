"""Formulas: read, compared at points, and written out again. No card, no learner, no eval."""

from cards.expressions.maths.equality import Rules, equal
from cards.expressions.maths.mathml import to_mathml
from cards.expressions.maths.names import Vocabulary
from cards.expressions.maths.nodes import Node
from cards.expressions.maths.parser import parse
from cards.expressions.maths.printing import in_words, to_latex, to_plain

__all__ = ["Node", "Rules", "Vocabulary", "equal", "in_words", "parse", "to_latex", "to_mathml", "to_plain"]
