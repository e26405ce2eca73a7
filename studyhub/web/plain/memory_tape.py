"""memory_tape in words: each operation, and what strides that were tried would read."""

from studyhub.web.plain.saying import Facts, Plain, Table, shape_text

QUESTION = "What moves in memory?"
EDITS = "num_heads ops"
LONGEST_CODE = 60


def title(facts: Facts, role: str) -> str:
    """The code, or whose strides read the memory."""
    answer = facts["answer"]
    if answer:
        whose = "your strides" if role == "yours" else "the strides"
        return f"Memory read with {whose} {shape_text(answer['strides'])}"
    return f"What {facts['code']} does in memory" if len(facts["code"]) <= LONGEST_CODE else ""


def plain(facts: Facts) -> Plain:
    """Each operation: shape and strides after it, what it does, what it copies, cache lines it reads."""
    columns = ("code", "shape", "strides", "memory", "bytes copied", "cache lines")
    rows = tuple(
        (
            str(step["code"]),
            *(("", "") if step["refused"] else (shape_text(step["shape"]), shape_text(step["strides"]))),
            str(step["note"]),
            f"{step['bytes_copied']:,}",
            "" if step["refused"] else f"{step['lines']:,}",
        )
        for step in facts["steps"]
    )
    numbers, each = facts["numbers"], facts["bytes_per_number"]
    told = f"{numbers:,} number{'' if numbers == 1 else 's'} of {each} bytes, {facts['dtype']}."
    lines = f"Cache lines of {facts['cache_line']} bytes are counted for the first 16 numbers read."
    answer = _strides_answered(facts) if facts["answer"] else ""
    sentence = " ".join(part for part in (answer, told, lines) if part)
    return Plain(sentence, Table("Each operation in memory", columns, rows))


def _strides_answered(facts: Facts) -> str:
    """What the strides that were tried would read; the fault before the count."""
    answer = facts["answer"]
    strides, right = shape_text(answer["strides"]), shape_text(answer["right_strides"])
    if not answer["runs"]:
        return f"{strides} for {shape_text(answer['shape'])} is {answer['note']}. The tensor has {right}."
    if answer["works"]:
        return f"{strides} reads what the tensor has at every index."
    twice, never = answer["read_twice"], answer["never_read"]
    shape = next(step["shape"] for step in reversed(facts["steps"]) if not step["refused"])
    if twice is None or answer["shape"] != shape:
        read = f"{strides} reads another tensor"
    elif twice == never == 0:
        read = f"{strides} reads every cell of memory once, and in another order"
    else:
        read = f"{strides} reads {twice:,} cells of memory more than once and {never:,} never"
    return f"{read}. The tensor has {right}."
