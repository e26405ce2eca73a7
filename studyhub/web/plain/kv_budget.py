"""kv_budget in words: what one token leaves in the cache, and how many bytes that makes."""

from typing import Any

from attention_engine.kinds.kv.words import memory
from attention_engine.kinds.operations import many
from studyhub.web.plain.saying import Facts, Plain, Table

QUESTION = "How many bytes does the KV cache take?"
EDITS = "tokens batch bytes_per_value layers num_heads num_kv_heads d_head d_head_v card_gib answer_bytes"
NEAREST = 5
"""Models shown above and below the asked one."""


def title(facts: Facts, role: str) -> str:
    """The learner's bytes of a token, or the model whose cache is counted."""
    if facts.get("answer") and role == "yours":
        return f"{many(facts['answer']['bytes'], 'byte')} a token, factor by factor"
    return f"What the KV cache of {facts['title']} weighs"


def plain(facts: Facts) -> Plain:
    """The product with its numbers, then the models around it in the table."""
    answered = f"{facts['answer']['sentence']} " if facts.get("answer") else ""
    tokens = many(facts["tokens"], "token")
    where = tokens if facts["batch"] == 1 else f"{facts['batch']:,} sequences of {tokens}"
    columns = ("model", "K and V", "bytes of a token", where)
    rows = tuple(_row(row, facts) for row in _around(facts))
    table = Table("KV cache of the asked model and those around it", columns, rows)
    return Plain(f"{answered}{facts['sentence']} {facts['beside']}", table)


def _around(facts: Facts) -> list[Any]:
    """[name, scheme, bytes of a token] of the asked model and its neighbours, the largest first."""
    asked = (facts["title"], facts["scheme"], facts["bytes_per_token"])
    others = [
        (row[1], row[2], row[3] * facts["bytes_per_value"])
        for row in facts["rows"]
        if row[0] != facts["slug"]
    ]
    larger = [row for row in others if row[2] > asked[2]]
    rest = [row for row in others if row[2] <= asked[2]]
    return [*larger[-NEAREST:], asked, *rest[:NEAREST]]


def _row(row: tuple[str, str, int], facts: Facts) -> tuple[str, ...]:
    name, scheme, each = row
    return name, scheme, f"{each:,}", memory(each * facts["tokens"] * facts["batch"])
