"""config_museum in words: why one model's heads are as wide as they are, and which models break the rule."""

from fractions import Fraction
from typing import Any

from studyhub.web.plain.saying import Facts, Plain, Table, whose

QUESTION = "Is d_head always d_model / num_heads?"
EDITS = "attention status rule multiple find d_model num_heads d_head answer_d_head"
BREAKS, ASKED = 1, 8
MOST_ROWS = 40


def title(facts: Facts, role: str) -> str:
    """The answered width, or the model that is explained among all."""
    if facts.get("answer") and role == "yours":
        return f"Heads of {facts['answer']['d_head']:,} in {facts['picked']['name']}{whose(role)}"
    return f"How wide heads are: {facts['picked']['name']} among {len(facts['points'])} models"


def plain(facts: Facts) -> Plain:
    """One model's arithmetic and source, then the models asked for that break the rule."""
    parts = [facts[name]["sentence"] for name in ("answer", "own") if facts.get(name)]
    parts += [facts["picked"]["sentence"], facts["picked"]["provenance"], facts["asked_sentence"]]
    asked = [point for point in facts["points"] if point[8] & ASKED]
    broken = [point for point in asked if point[8] & BREAKS]
    shown = broken or asked
    columns = ("model", "d_model / heads", "d_head", "heads × d_head", "status")
    caption = "Models whose d_head is not d_model / num_heads" if broken else "Models asked for"
    rows = tuple(_row(point, facts) for point in shown[:MOST_ROWS])
    return Plain(" ".join(parts), Table(caption, columns, rows) if rows else None)


def _row(point: list[Any], facts: Facts) -> tuple[str, ...]:
    _, name, d_model, heads, d_head, _, _, status, _ = point
    whole = Fraction(d_model, heads)
    quotient = f"{int(whole):,}" if whole.denominator == 1 else f"{float(whole):,.2f}"
    division = f"{d_model:,} / {heads:,} = {quotient}"
    return name, division, f"{d_head:,}", f"{heads * d_head:,}", facts["statuses"][status]
