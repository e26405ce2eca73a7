"""roofline in words: how many heads and maps each width makes, before a worker has measured any."""

from attention_engine.kinds.operations import many
from studyhub.web.plain.saying import Facts, Plain, Table, whose

QUESTION = "What do head widths cost here?"
EDITS = "d_head d_model tokens dtype backend repeats"
MIB = 2**20


def title(facts: Facts, role: str) -> str:
    """The width of the model and the tokens."""
    return f"Head widths at d_model {facts['d_model']:,}, measured on {_where(facts)}{whose(role)}"


def _where(facts: Facts) -> str:
    return {"cpu": "this server's CPU", "cuda": "this server's GPU"}.get(facts["device"], "this server")


def plain(facts: Facts) -> Plain:
    """What stays the same, what does not; a row for each width; remainders."""
    dtype, tokens = facts["dtype"], facts["tokens"]
    told = (
        f"Q Kᵀ and A V take {facts['flops']:,} FLOPs at {many(tokens, 'token')}, at every width that divides "
        f"d_model. Only the number of {tokens:,} × {tokens:,} maps changes: one for each head. Times are "
        "measured when the picture is drawn, and none is shown that was not."
    )
    left = tuple(str(width["remainder"]) for width in facts["widths"] if "remainder" in width)
    return Plain(told, _widths(facts, dtype), "Widths that leave a remainder" if left else "", left)


def _mib(size: int) -> str:
    mib = size / MIB
    return f"{mib:,.0f} MiB" if mib >= 100 else f"{mib:.3g} MiB"


def _widths(facts: Facts, dtype: str) -> Table:
    rows = tuple(
        (
            f"{width['d_head']}",
            f"{width['num_heads']:,}",
            _mib(width["map_bytes"]),
            f"{width['padded_on_cuda']}" if width["padded_on_cuda"] else "refused",
        )
        for width in facts["widths"]
    )
    columns = ("d_head", "heads", f"all maps, {dtype}", "FlashAttention-2 width on CUDA")
    return Table("Heads and maps by width", columns, rows)
