"""Where a parser stands among the tokens of a formula, and its refusals. Knows no grammar."""

from cards.expressions.maths.names import Vocabulary
from cards.expressions.maths.tokens import Token
from cards.grading import Unreadable, quoted

MAX_DEPTH = 60
_SHOWN_NAMES = 12


class Cursor:
    """A place among tokens, with how deep the parser is."""

    def __init__(self, text: str, found: list[Token], vocabulary: Vocabulary) -> None:
        self.text, self.tokens, self.vocabulary = text, found, vocabulary
        self.position = self.depth = 0

    @property
    def next(self) -> Token:
        """The token that is read next; `end` at the end."""
        return self.tokens[self.position]

    def is_next(self, *texts: str, kind: str = "sign") -> bool:
        """Whether the next token is one of these signs."""
        return self.next.kind == kind and self.next.text in texts

    def take(self) -> Token:
        """The next token, passed."""
        token = self.next
        self.position += 1
        return token

    def span(self, start: int) -> tuple[int, int]:
        """From a character to the end of what was read last."""
        return start, self.tokens[self.position - 1].end

    def refused(self, token: Token, way_out: str) -> Unreadable:
        """The refusal that points at a token."""
        if token.kind == "end":
            return Unreadable(f"{quoted(self.text)} is not finished. {way_out}", token.start)
        return Unreadable(f"I could not read {quoted(self.text[token.start :])}. {way_out}", token.start)

    def undeclared(self, token: Token) -> Unreadable:
        """The refusal that names the symbols there are."""
        names = [*self.vocabulary.symbols, *(f"{name}()" for name in self.vocabulary.functions)]
        there = ", ".join(names[:_SHOWN_NAMES]) + (" and more" if len(names) > _SHOWN_NAMES else "")
        words = f"use {there}" if there else "it has none"
        return Unreadable(f"{quoted(token.text)} is no name of this question; {words}.", token.start)

    def deeper(self) -> None:
        """One level more. Refuses what is nested too deep to be read."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable(f"That is nested more than {MAX_DEPTH} deep; write it flatter.", self.next.start)
