"""A learner's own text in pieces, with one place marked in it. Knows no grade."""

from typing import Any

Piece = dict[str, Any]
SHORT = 16  # characters: what stands beside the question in large type


def marked(text: str, start: int = 0, end: int = 0) -> list[Piece]:
    """[{"text", "at"}]: the characters from `start` up to `end` are marked, unless they are none or all."""
    start, end = max(start, 0), min(end, len(text))
    if not start < end or text[start:end].strip() == text.strip():
        return [{"text": text, "at": False}] if text else []
    parts = ((text[:start], False), (text[start:end], True), (text[end:], False))
    return [{"text": part, "at": at} for part, at in parts if part]


def is_long(text: str) -> bool:
    """Whether a text takes a line of its own below the question."""
    return len(text) > SHORT or "\n" in text
