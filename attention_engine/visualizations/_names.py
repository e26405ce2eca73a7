"""How sentences and tables name tokens and write weights. Knows no map."""

import json
from collections import Counter
from collections.abc import Sequence

LABEL_BYTES = 3600


def labels(tokens: Sequence[str]) -> list[str]:
    """Tokens, shortened where all of them would not fit a frame."""
    short = list(tokens)
    for most in (24, 12, 6, 3, 1):
        short = [token if len(token) <= most + 1 else f"{token[:most]}…" for token in tokens]
        if sum(len(json.dumps(token, ensure_ascii=False).encode()) for token in short) <= LABEL_BYTES:
            break
    return short


def placed(tokens: Sequence[str], form: str = "{}") -> list[str]:
    """Labels as `form` writes them, with the position behind one that stands in several places: rained 2."""
    names = labels(tokens)
    times = Counter(names)
    return [form.format(name) + (f" {place}" if times[name] > 1 else "") for place, name in enumerate(names)]


def quoted(tokens: Sequence[str]) -> list[str]:
    """Tokens as sentences name them: “animal”, or “the” 3."""
    return placed(tokens, "“{}”")


def weighed(weight: float) -> str:
    """Two digits; what is not all or nothing is never rounded to 1.00 or 0.00."""
    if 0.995 <= weight < 1:
        return "over 0.99"
    return "under 0.01" if 0 < weight < 0.005 else f"{weight:.2f}"
