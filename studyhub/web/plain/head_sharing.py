"""head_sharing in words: who shares keys and values, and what a token costs under each scheme."""

from typing import Any

from attention_engine.kinds.kv.words import memory
from attention_engine.kinds.operations import many
from studyhub.web.plain.saying import Facts, Plain, Table

QUESTION = "Who shares keys and values?"
START = {"model": "llama-3-70b"}
EDITS = "sentence layer kv_rank cache_tokens answer_kv_heads"


def title(facts: Facts, role: str) -> str:
    """The learner's number of K/V heads, or the heads there are."""
    heads = f"{facts['num_heads']:,} query head{'' if facts['num_heads'] == 1 else 's'}"
    answered = facts.get("answer")
    if answered and role == "yours":
        return f"Sharing {answered['kv_heads']:,} K/V heads among {heads}"
    return f"Who shares keys and values: {heads}, four schemes"


def plain(facts: Facts) -> Plain:
    """The schemes as a table, before a worker has drawn them."""
    answered = f"{facts['answer']['sentence']} " if facts.get("answer") else ""
    rows = tuple(_row(scheme) for scheme in facts["schemes"])
    columns = ("scheme", "what is cached", "bytes of a token", f"at {many(facts['cache_tokens'], 'token')}")
    table = Table("KV cache under four ways of sharing", columns, rows)
    groups = f" {facts['no_groups']}" if facts["no_groups"] else ""
    return Plain(f"{answered}{facts['ships']}{groups}", table)


def _row(scheme: dict[str, Any]) -> tuple[str, ...]:
    cached = f"{scheme['kv_heads']:,} K/V heads" if scheme["kv_heads"] else "one latent, one rotary key"
    product = " × ".join(scheme["formula"])
    return (
        scheme["name"],
        cached if scheme["kv_heads"] != 1 else "1 K/V head",
        f"{product} = {scheme['bytes_per_token']:,}",
        memory(scheme["bytes"]),
    )
