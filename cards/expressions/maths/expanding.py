"""Words of a formula turned into the names they mean, before it is parsed. Knows no operator."""

import re
from dataclasses import replace
from fractions import Fraction

from cards.expressions.maths.names import Vocabulary
from cards.expressions.maths.tokens import MAX_TOKENS, Token
from cards.grading import Unreadable

_BASED = re.compile(r"log_(\d{1,6})")


def expanded(found: list[Token], vocabulary: Vocabulary) -> list[Token]:
    """The tokens with each word as names and functions; a word that is neither stays a word.

    LHd_k becomes L, H, d_k where these are declared; W^Q is one name where W_Q is; K^TV is K^T V.
    """
    result: list[Token] = []
    index = 0
    while index < len(found):
        token = found[index]
        used = 1
        if token.kind == "word":
            names, used = _names(found, index, vocabulary)
            result += names
        else:
            result.append(token)
        index += used
    if len(result) > MAX_TOKENS + 1:
        raise Unreadable(f"That has more than {MAX_TOKENS} parts; write it shorter.", result[-1].start)
    return result


def _names(found: list[Token], index: int, vocabulary: Vocabulary) -> tuple[list[Token], int]:
    """The tokens that a word stands for, and how many tokens were used up."""
    token = found[index]
    if vocabulary.matrices and _is_raised(found, index) and token.text.startswith("T"):
        rest = token.text[1:]
        if not rest or (vocabulary.meaning(token.text) is None and vocabulary.pieces(rest) is not None):
            top = Token("sign", "⊤", token.start, token.marks[0] + 1)
            return [top, *_pieces(_part(token, 1, len(token.text)), vocabulary)], 1
    if based := _BASED.fullmatch(token.text):
        return [replace(token, kind="function", text="log", value=Fraction(based[1]))], 1
    if vocabulary.meaning(token.text) is None:
        raised, used = _raised_word(found, index)
        meaning = vocabulary.meaning(token.text + raised.text) if raised else None
        if raised and meaning:
            return [replace(token, kind=meaning[0], text=meaning[1], end=found[index + used - 1].end)], used
    return _pieces(token, vocabulary), 1


def _is_raised(found: list[Token], index: int) -> bool:
    """Whether the word stands right after ^ or ^{."""
    before = [token.text for token in found[max(index - 2, 0) : index]]
    return before[-1:] == ["^"] or before == ["^", "{"]


def _raised_word(found: list[Token], index: int) -> tuple[Token | None, int]:
    """The word above a name, as in W^Q or W^{Q}, and the tokens of both together."""
    after = found[index + 1 : index + 5]
    texts = [token.text for token in after]
    if len(after) > 1 and texts[0] == "^" and after[1].kind == "word":
        return after[1], 3
    if len(after) > 3 and texts[:2] == ["^", "{"] and after[2].kind == "word" and texts[3] == "}":
        return after[2], 5
    return None, 1


def _pieces(token: Token, vocabulary: Vocabulary) -> list[Token]:
    """A word as one name or as several written together; unchanged where it is neither."""
    if not token.text:
        return []
    pieces = vocabulary.pieces(token.text)
    if pieces is None:
        return [token]
    return [replace(_part(token, start, end), kind=kind, text=text) for kind, text, start, end in pieces]


def _part(token: Token, start: int, end: int) -> Token:
    """Some letters of a word as a token of their own."""
    marks = token.marks[start:end]
    first = marks[0] if marks else token.end
    last = token.end if end == len(token.text) else token.marks[end - 1] + 1
    return Token("word", token.text[start:end], first, max(last, first + 1), marks)
