"""decode_cache in words: bytes of a token as a formula, and what the cache keeps."""

from studyhub.web.plain.saying import Facts, Plain, Table, whose

EDITS = "prompt new_tokens layer head keep window sinks"
QUESTION = "What does each new token keep and read?"
KEPT = {
    "all": "every token is kept",
    "window": "the newest {window:,} tokens are kept",
    "sink_window": "the first {sinks:,} and the newest {window:,} tokens are kept",
}
WHY = {
    "right": "Your {answer_bytes:,} bytes are what is held at the end.",
    "K only": "Your {answer_bytes:,} bytes count K and leave V out.",
    "query heads": "Your {answer_bytes:,} bytes count K and V of all {num_heads:,} query heads.",
    "one layer": "Your {answer_bytes:,} bytes count one layer of {layers:,}.",
    "one token": "Your {answer_bytes:,} bytes count one token.",
    "nothing evicted": "Your {answer_bytes:,} bytes count the evicted tokens too.",
    "4 bytes a number": "Your {answer_bytes:,} bytes count 4 bytes a number.",
}


def title(facts: Facts, role: str) -> str:
    """Whose cache, and what it keeps."""
    return f"{facts['model']} continues a text: {KEPT[facts['keep']].format_map(facts)}{whose(role)}"


def plain(facts: Facts) -> Plain:
    """Bytes of one token, what is kept, and where the tokens are known beforehand, how many bytes that is."""
    each = f"One token leaves {facts['factors']} = {facts['bytes_per_token']:,} bytes in the cache"
    told = [f"{each} ({facts['meaning']}); {KEPT[facts['keep']].format_map(facts)}."]
    if "bytes_at_end" in facts:
        held = f"{facts['held']:,} of {facts['seen']:,} tokens are held"
        told.append(f"At the end {held}: {facts['bytes_at_end']:,} bytes.")
    if facts.get("mistake") is not None:
        told.append(
            WHY.get(facts["mistake"], "Your {answer_bytes:,} bytes are not what is held.").format_map(facts)
        )
    told.append(facts["note"])
    return Plain(" ".join(part for part in told if part), _table(facts))


def _table(facts: Facts) -> Table:
    """Bytes of some numbers of tokens."""
    each = facts["bytes_per_token"]
    rows = tuple((f"{tokens:,}", f"{tokens * each:,}") for tokens in (1, 10, 100, 1000))
    return Table("Bytes of a cache that keeps every token", ("tokens", "bytes"), rows)
