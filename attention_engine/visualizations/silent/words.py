"""What the frames of silent_mistake say, in words and tables, from their own numbers. Runs nothing."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from attention_engine.frames import Cell, Table
from attention_engine.kinds import misplaced, silent_mistake
from attention_engine.kinds.misplaced import MERGE, SOFTMAX, VIEW, WIDTH, Held
from attention_engine.kinds.operations import many, written
from attention_engine.visualizations._names import labels, placed, quoted, weighed
from attention_engine.visualizations.pattern.pairs import telling_pair
from attention_engine.visualizations.silent.meaning import Meaning, Read

LISTED = 4
Numbers = Mapping[str, Any]
Rows = Sequence[Sequence[Held]]


def cell(held: Held) -> str:
    """ "t 0, h 3", or how many heads are mixed in it."""
    return (
        f"t {held.token:,}, h {held.head:,}" if held.parts == 1 else f"t {held.token:,}, {held.parts:,} heads"
    )


def cells_table(rows: Rows) -> Table:
    """Heads down, tokens across: what each cell holds, and whether that is what belongs there."""
    columns = ("cell", *(f"token {token}" for token in range(len(rows[0]))))
    told = (
        (f"head {head}", *(_told(held, head, token) for token, held in enumerate(row)))
        for head, row in enumerate(rows)
    )
    return Table(columns, tuple(told))


def _told(held: Held, head: int, token: int) -> str:
    return cell(held) if held == Held(token, head) else f"{cell(held)} ✗"


def right(numbers: Numbers) -> str:
    """What the right line does to memory."""
    _, tokens, heads, width = misplaced.sizes(numbers)
    strides = written(misplaced.strides(numbers)[0])
    if numbers["mistake"] == MERGE:
        return (
            f"transpose(1, 2) brings the {many(heads, 'head')} of a token together before reshape reads: "
            "column t holds every head of token t."
        )
    return (
        f"view cuts each token into {many(heads, 'head')} of {width:,}, transpose(1, 2) swaps two strides: "
        f"{strides}. Row h holds head h of {many(tokens, 'token')}."
    )


def wrong(numbers: Numbers, rows: Rows) -> str:
    """What the wrong line does to memory, with the cells of head 0 or of token 0."""
    if not misplaced.wrong_cells(numbers):
        return silent_mistake.sentence(numbers)
    return f"{WRONG[numbers['mistake']](numbers, rows)} torch raises nothing: {_alike(numbers)}."


def _alike(numbers: Numbers) -> str:
    first, second = misplaced.strides(numbers)
    if first == second:
        return f"the shape is the right one, and so are the strides {written(first)}"
    return f"the shape is the right one, only the strides are {written(second)} instead of {written(first)}"


def _view(numbers: Numbers, rows: Rows) -> str:
    _, tokens, heads, width = misplaced.sizes(numbers)
    last = misplaced.held(numbers, 0, tokens - 1).token
    seen = "token 0 alone" if last == 0 else f"tokens 0 to {last:,}"
    return (
        f"view cuts memory every {many(tokens, 'piece')} of {many(width, 'number')}: head 0 holds "
        f"{_listed(rows[0])}. It should hold {many(tokens, 'token')} of one head; it holds "
        f"{many(min(tokens, heads), 'head')} of {seen}."
    )


def _merge(numbers: Numbers, rows: Rows) -> str:
    _, tokens, heads, _ = misplaced.sizes(numbers)
    mixed = many(min(tokens, heads), "token")
    return (
        f"Without transpose reshape reads one head to its end before the next: token 0 (column t 0) holds "
        f"{_listed([row[0] for row in rows])}. W_O takes it for one token; it is made of {mixed}."
    )


def _width(numbers: Numbers, rows: Rows) -> str:
    _, _, heads, width = misplaced.sizes(numbers)
    taken = ", ".join(f"{heads * d:,}" for d in range(min(width, 3)))
    return (
        f"Head 0 takes features {taken}{', ...' if width > 3 else ''} of a token, one from every {heads:,}: "
        f"numbers of {many(rows[0][0].parts, 'head')}. Tokens stay apart, so a network trained with this "
        "split would learn heads of its own; weights trained with the other one lose theirs."
    )


WRONG: Mapping[str, Callable[[Numbers, Rows], str]] = {VIEW: _view, MERGE: _merge, WIDTH: _width}


def _listed(row: Sequence[Held]) -> str:
    told = "; ".join(cell(held) for held in row[:LISTED])
    return f"{told} and so on" if len(row) > LISTED else told


def count(numbers: Numbers, *, counted: int | None) -> str:
    """How much is wrong, why, and how it is known: counted number by number, or by arithmetic alone."""
    told = silent_mistake.sentence(numbers)
    if not misplaced.wrong_cells(numbers):
        return told
    how = "too many to move here, so by arithmetic alone" if counted is None else "counted one by one"
    if numbers["mistake"] == SOFTMAX:
        return f"{told} A weight stays only where the sums that divide its row and its column are equal."
    _, tokens, heads, width = misplaced.sizes(numbers)
    stay, features = misplaced.staying(numbers), numbers["mistake"] == WIDTH
    whole = (
        f"{heads * width:,} features of a token" if features else f"{heads * tokens:,} pieces of a sequence"
    )
    other = width if features else tokens
    return f"{told} Of {whole} gcd({heads - 1:,}, {other - 1:,}) + 1 = {stay:,} stay ({how})."


def count_table(numbers: Numbers, *, counted: int | None) -> Table:
    """Numbers in another place, of how many, and the share; what was counted rather than what should be."""
    of = misplaced.cells(numbers)
    found = misplaced.wrong_cells(numbers) if counted is None else counted
    rows: tuple[tuple[Cell, ...], ...] = (
        ("wrong", found),
        ("in all", of),
        ("share wrong", misplaced.share(found, of)),
        ("right", of - found),
    )
    return Table(("numbers", "count"), rows)


def softened(numbers: Numbers, weights: torch.Tensor, *, right: bool) -> str:
    """What a softmax over keys or over queries gives on scores that are drawn."""
    shown, (lowest, highest) = len(weights), _extent(weights.sum(dim=-1))
    first = (
        f"of the first {shown:,} of {numbers['tokens']:,} tokens, alone" if shown < numbers["tokens"] else ""
    )
    drawn = f"Scores {first or 'of ' + many(shown, 'token')}, drawn with mean 0 and deviation 1"
    if right:
        return f"{drawn}: softmax over the keys, each row sums to 1."
    if shown == 1:
        return f"{drawn}. {silent_mistake.sentence(numbers)}"
    return (
        f"{drawn}: softmax over the queries, each column sums to 1 and the rows to {lowest} to {highest}. "
        "A key is shared out among the queries; a query may get almost nothing, or more than one whole. "
        "torch raises nothing: the shape is the right one."
    )


def weights_table(weights: torch.Tensor) -> Table:
    """Every weight, and what its row sums to."""
    columns = ("query", *(f"key {key}" for key in range(len(weights))), "sum")
    rows = (
        (f"token {query}", *(round(weight, 3) for weight in row), round(sum(row), 2))
        for query, row in enumerate(weights.tolist())
    )
    return Table(columns, tuple(rows))


def _extent(values: torch.Tensor) -> tuple[str, str]:
    return f"{float(values.min()):.2f}", f"{float(values.max()):.2f}"


APART = {
    VIEW: "rows differ by",
    WIDTH: "rows differ by",
    MERGE: "cosine of outputs",
    SOFTMAX: "wrong row sums to",
}
"""What the last number of a token is."""


def meaning(numbers: Numbers, source: Read, maps: Meaning, held: Sequence[Held]) -> str:
    """How many tokens look elsewhere, how far the two maps part, and the telling pair of this head."""
    heads, tokens, width = source.heads.q.shape
    elsewhere = int((maps.right.argmax(dim=-1) != maps.wrong.argmax(dim=-1)).sum())
    where = f"{source.name}, head {numbers['head']}"
    whose = f"{where} ({many(heads, 'head')} of {width}, {many(tokens, 'token')})"
    same = "The same line" if misplaced.wrong_cells(numbers) else "Elsewhere it may do harm: the same line"
    told = f"{same} in {whose}: {elsewhere} of {tokens} have another strongest key"
    return f"{told}, {_apart(numbers, maps)}.{_example(numbers, source, maps, held)} {source.note}".rstrip()


def _apart(numbers: Numbers, maps: Meaning) -> str:
    (lowest, highest), mean = _extent(maps.apart), float(maps.apart.mean())
    if numbers["mistake"] == SOFTMAX:
        return f"and the rows sum to {lowest} to {highest} instead of 1"
    if numbers["mistake"] == MERGE:
        return f"and what W_O makes has a cosine of {mean:.2f} to the right output on average, from {lowest}"
    return f"and their rows differ by {mean:.2f} of at most 1 on average (total variation)"


def _example(numbers: Numbers, source: Read, maps: Meaning, held: Sequence[Held]) -> str:
    pair, names = telling_pair(maps.right, source.tokens), quoted(source.tokens)
    if pair is None:
        return ""
    query, key = pair
    best = int(maps.wrong[query].argmax())
    now = "" if best == key else f"most at {names[best]} "
    told = (
        f" {names[query]} looked at {names[key]} with {weighed(float(maps.right[query, key]))}, "
        f"now {now}with {weighed(float(maps.wrong[query, best]))}"
    )
    if numbers["mistake"] in {WIDTH, SOFTMAX}:
        return f"{told}."
    place = held[query]
    return f"{told}: its row is that of {names[place.token]} in head {place.head}."


def meaning_table(numbers: Numbers, source: Read, maps: Meaning, held: Sequence[Held]) -> Table:
    """Of each token: strongest key and its weight, right and wrong, and how far the two part."""
    names, keys = labels(source.tokens), placed(source.tokens)
    moved = numbers["mistake"] in {VIEW, MERGE}
    columns = ("query", "strongest key", "weight", "wrong: strongest key", "wrong: weight")
    rows: list[tuple[Cell, ...]] = []
    for query, name in enumerate(names):
        told: list[Cell] = []
        for weights in (maps.right[query], maps.wrong[query]):
            best = int(weights.argmax())
            told += [keys[best], round(float(weights[best]), 2)]
        place = held[query]
        holds = (f"{keys[place.token]}, head {place.head}",) if moved else ()
        rows.append((name, *told, round(float(maps.apart[query]), 2), *holds))
    return Table(
        (*columns, APART[numbers["mistake"]], *(("wrong: row is of",) if moved else ())), tuple(rows)
    )
