"""Tokens looked at one by one, from left to right. Knows no grammar and no message."""

from typing import Generic, Protocol, TypeVar


class Sign(Protocol):
    """A token: at least its text."""

    @property
    def text(self) -> str:
        """The sign, word or numeral."""
        ...


Found = TypeVar("Found", bound=Sign)


class Looking(Generic[Found]):
    """A place in a row of tokens; a reader of a grammar moves it on."""

    def __init__(self, tokens: list[Found]) -> None:
        self.tokens = tokens
        self.position = self.depth = 0

    def peek(self) -> Found | None:
        """The next token."""
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def take(self, *signs: str) -> str:
        """The next token's text if it is one of these, else ""."""
        token = self.peek()
        if token is None or token.text not in signs:
            return ""
        self.position += 1
        return token.text
