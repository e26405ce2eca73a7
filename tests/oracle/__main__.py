"""Asks KAS for its verdict on every pair, writes the table, and prints where ours differs. Needs Node."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.oracle.ours import VERDICTS, compared, unexplained
from tests.oracle.pairs import Pair, pairs

HERE = Path(__file__).parent


def main() -> int:
    """1 where a difference has no explanation."""
    subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=HERE, check=True)
    asked = pairs()
    verdicts = verdicts_of(asked)
    rows = [
        json.dumps({"a": pair.a, "b": pair.b, "made": pair.made, "kas": verdict}, ensure_ascii=False)
        for pair, verdict in zip(asked, verdicts, strict=True)
    ]
    VERDICTS.write_text("\n".join(rows) + "\n", encoding="utf-8")
    found = list(compared())
    same = sum(one.ours == one.kas for one in found)
    left = unexplained(iter(found))
    for one in left:
        print(f"{one.a}  ~  {one.b}: KAS says {one.kas}, ours {one.ours}")
    print(f"{len(found)} pairs: {same} the same, {len(found) - same - len(left)} explained, {len(left)} not")
    return int(bool(left))


def verdicts_of(asked: Sequence[Pair]) -> list[Any]:
    """KAS's verdict on each pair, in one process of Node."""
    lines = "".join(json.dumps({"a": pair.a, "b": pair.b}) + "\n" for pair in asked)
    ran = subprocess.run(
        ["node", "kas.mjs"], cwd=HERE, input=lines, capture_output=True, text=True, check=True, timeout=300
    )
    return [json.loads(line) for line in ran.stdout.splitlines()]


if __name__ == "__main__":
    sys.exit(main())
