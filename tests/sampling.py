"""How much of a property is tried: a part by default, all of it with `make thorough`. Knows no property."""

import os
from zlib import crc32

PART = 4
FEWEST = 25


def tries(count: int) -> int:
    """All `count` of them where THOROUGH is set, else a quarter, and never fewer than 25."""
    return count if os.environ.get("THOROUGH") else min(count, max(FEWEST, count // PART))


def chosen(*names: object) -> bool:
    """Whether one combination of a large corpus is tried: one in four by the checksum of its names, the same
    ones each time, so that every value meets many fields and every field many values; all with THOROUGH."""
    return bool(os.environ.get("THOROUGH")) or crc32("/".join(map(str, names)).encode()) % PART == 0
