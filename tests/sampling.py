"""How often a property is tried: a part by default, all of it with `make thorough`. Knows no property."""

import os

PART = 4
FEWEST = 25


def tries(count: int) -> int:
    """All `count` of them where THOROUGH is set, else a quarter, and never fewer than 25."""
    return count if os.environ.get("THOROUGH") else min(count, max(FEWEST, count // PART))
