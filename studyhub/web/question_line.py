"""A question in one line, for lists: its text without code and tables, cut where a word ends."""

import re

from cards.generators import concrete
from cards.markdown import plain_text
from cards.models import Card

LONGEST = 110
_CODE = re.compile(r"<(pre|table)\b.*?</\1>", re.DOTALL)


def question_line(card: Card, seed: int = 0) -> str:
    """The published question in the variant of `seed`; the name of a card that is not published."""
    version = card.published_version
    if version is None:
        return card.slug.replace("-", " ")
    text = plain_text(_CODE.sub(" ", str(concrete(version, seed).prompt_html)))
    return text if len(text) <= LONGEST else text[:LONGEST].rsplit(" ", 1)[0] + " ..."
