"""silent_mistake in words: the line that works and the one that is wrong."""

from studyhub.web.plain.saying import Facts, Plain, Table, shape_text, whose

QUESTION = "Which line runs and is wrong?"
EDITS = "num_heads mistake sentence"
MISTAKEN = {
    "view_as_heads": "a view without the transpose",
    "merge_without_transpose": "a merge without the transpose",
    "width_before_heads": "a split by width before heads",
    "softmax_over_queries": "a softmax over the queries",
}


def title(facts: Facts, role: str) -> str:
    """What goes wrong, if anything does."""
    return f"What {MISTAKEN[facts['mistake']]} gets wrong{whose(role)}" if facts["wrong_cells"] else ""


def plain(facts: Facts) -> Plain:
    """Both lines with the shape and strides they leave."""
    columns = ("line", "code", "shape", "strides")
    shape = shape_text(facts["shape"])
    rows = (
        ("right", str(facts["code_right"]), shape, shape_text(facts["strides_right"])),
        ("wrong", str(facts["code_wrong"]), shape, shape_text(facts["strides_wrong"])),
    )
    return Plain(
        str(facts["sentence"]), Table("The line that works and the one that is wrong", columns, rows)
    )
