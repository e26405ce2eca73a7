"""What memory_tape says of each operation, with the numbers of its tensors. Knows layouts, no value."""

from attention_engine.kinds.operations import many
from attention_engine.op_chain import Op
from attention_engine.strides import CACHE_LINE, Layout, lines, offset_of, run

SAME = {
    "view": "read in another shape",
    "reshape": "a view is enough",
    "flatten": "a view is enough",
    "unflatten": "one axis is read as several",
    "transpose": "two sizes and their strides change places",
    "permute": "sizes and strides change places together",
    "T": "sizes and strides in reverse order",
    "mT": "the last two sizes and strides change places",
    "contiguous": "it is contiguous already",
    "unsqueeze": "an axis of size 1 more",
    "squeeze": "axes of size 1 left out",
    "expand": "a repeated axis has stride 0",
    "narrow": "a part of one axis",
    "select": "one place of an axis",
}


def note(op: Op | None, before: Layout, after: Layout, each: int) -> str:
    """A step in a few words: whether memory changes, and what does."""
    if op is None:
        return f"side by side: {after.numbers:,} numbers of {each} bytes"
    if after.memory != before.memory:
        return f"copied: {after.numbers * each:,} bytes, side by side again"
    return f"same memory: {SAME[op.name]}"


def sentence(op: Op | None, before: Layout, after: Layout, each: int) -> str:
    """A step in full: what moved, what did not, and how it is read now."""
    if op is None:
        return _start(after, each)
    if after.memory != before.memory:
        return _copied(op, before, after, each)
    return f"No number moves: {_changed(op, before, after)}. {walk(after, each)}"


def refused(op: Op, before: Layout, reason: str, *, copying_helps: bool, each: int) -> str:
    """What torch would not do, and what does it."""
    told = f"torch refuses, and nothing is copied: {reason}."
    if not copying_helps:
        return told
    return (
        f"{told} reshape{str(op).removeprefix('view')} copies {before.numbers * each:,} bytes instead, as "
        f"contiguous() before the view does: either keeps the order of {', '.join(before.names)}, "
        "so transpose back first if another order is meant."
    )


def walk(layout: Layout, each: int) -> str:
    """How the tensor is read in order: side by side, or with a jump after so many numbers."""
    side_by_side = run(layout)
    if not layout.numbers:
        return "There is no number to read."
    if side_by_side == layout.numbers:
        return "Read in order, all numbers lie side by side."
    here, there = (offset_of(layout, side_by_side - back) for back in (1, 0))
    step = f"from offset {here:,} to {there:,}"
    if side_by_side > 1:
        return f"Read in order, {side_by_side:,} numbers lie side by side, then comes a jump {step}."
    if here == there:
        return f"Read in order, the number at offset {here:,} comes again at once, before the next one."
    first = min(16, layout.numbers)
    least, touched = -(-first * each // CACHE_LINE), lines(layout, each)
    beside = f" instead of {least}" if touched > least else ""
    return (
        f"Read in order, the second number does not lie beside the first: the step goes {step}, and the "
        f"first {first} numbers touch {many(touched, 'cache line')} of {CACHE_LINE} bytes{beside}."
    )


def _start(layout: Layout, each: int) -> str:
    product = " × ".join(f"{size:,}" for size in layout.shape)
    product += f" = {layout.numbers:,}" if len(layout.shape) > 1 else ""
    held = layout.numbers * each
    numbers = "number" if layout.numbers == 1 else "numbers"
    return (
        f"x holds {product} {numbers} of {each} bytes side by side: {held:,} bytes, "
        f"{many(-(-held // CACHE_LINE), 'cache line')} of {CACHE_LINE} bytes."
    )


def _copied(op: Op, before: Layout, after: Layout, each: int) -> str:
    moved = f"{many(after.numbers, 'number')} {'is' if after.numbers == 1 else 'are'} copied"
    told = f"{moved}, {after.numbers * each:,} bytes"
    why = "" if op.name == "contiguous" else f"No strides over the old memory give {after.shape}: "
    from_fewer = f" from the {before.storage:,} there are" if after.numbers > before.storage else ""
    return (
        f"{why}{told}{from_fewer}: read at strides {before.strides}, written side by side at strides "
        f"{after.strides}."
    )


def _changed(op: Op, before: Layout, after: Layout) -> str:
    """What an operation without a copy changes, as a clause."""
    if op.name == "contiguous":
        return "the tensor is contiguous already, and contiguous() gives it back as it is"
    if op.name in {"view", "reshape", "flatten", "unflatten"}:
        return f"the same memory is read as {after.shape} with strides {after.strides}"
    if op.name in {"unsqueeze", "squeeze"}:
        return f"{before.shape} becomes {after.shape}, and an axis of size 1 takes no memory"
    if op.name == "expand":
        return _expanded(before, after)
    if op.name in {"narrow", "select"}:
        kept = f"{after.numbers:,} of {before.numbers:,} numbers are read, from offset {after.offset:,} on"
        return f"{kept}, and all {after.storage:,} stay in memory"
    return _swapped(op, before, after)


def _swapped(op: Op, before: Layout, after: Layout) -> str:
    if after == before:
        return "no axis changes place"
    named = not any(name.startswith("axis ") for name in after.names)  # else they say only where they stand
    axes = f"the axes are now {', '.join(after.names)}" if named else f"{before.shape} becomes {after.shape}"
    told = f"{axes}, and the strides {before.strides} become {after.strides}"
    if op.name == "T" and len(after.shape) != 2:
        return f"{told} (torch wants permute or mT for this: T is meant for two axes)"
    return told


def _expanded(before: Layout, after: Layout) -> str:
    if after.numbers <= before.numbers:
        return f"{before.shape} becomes {after.shape}"
    times = after.numbers // max(before.numbers, 1)
    return (
        f"a stride of 0 reads each number {times:,} times, so {after.numbers:,} are read where "
        f"{before.numbers:,} {'lies' if before.numbers == 1 else 'lie'}"
    )
