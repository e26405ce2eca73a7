"""How long an answer takes to grade, type by type in one process, and beside two peers on the same pairs."""

import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks.peers import formulas
from cards.answer_types import answer_type
from cards.grading import Question, Response
from tests.cards.grading.corpus_rows import Row, rows, verdict_on
from tests.oracle.pairs import Tree, latex, plain, trees

GOALS_MS = {
    "numeric": 1, "formula": 3, "matrix_formula": 3, "shape": 2, "program": 10, "ordering": 5,
    "choice": 1, "multi_choice": 1, "table": 8, "cloze": 8, "einsum": 2, "words": 1, "rubric": 1, "reveal": 1,
}  # fmt: skip
"""p95 of one answer; tables and clozes are held to 2 ms a cell, with four cells."""
LINE = "{:<16} {:>7} {:>9} {:>9} {:>9} {:>8}  {}"
PAIRS = 150


@dataclass(frozen=True)
class Times:
    """Of many calls, in ms."""

    p50: float
    p95: float
    most: float
    calls: int


def main(*, rounds: int) -> int:
    """Prints both tables; 1 where a goal is missed."""
    missed = _types(rounds)
    _peers(rounds)
    return missed


def _types(rounds: int) -> int:
    """The corpus, type by type: each answer graded once to warm up, then `rounds` times."""
    by_type: dict[str, list[Row]] = defaultdict(list)
    for row in rows():
        by_type[row.type].append(row)
    print(LINE.format("type", "answers", "p50 ms", "p95 ms", "max ms", "goal", ""))
    missed = 0
    for name in sorted(by_type):
        found = times([lambda row=row: verdict_on(row) for row in by_type[name]], rounds)
        late = found.p95 > GOALS_MS[name]
        missed |= late
        print(_line(name, found, goal=GOALS_MS[name], said="LATE" if late else "ok"), flush=True)
    longest = times([_twenty_items], rounds * 20)
    print(_line("ordering, n=20", longest, goal=5, said="LATE" if longest.p95 > 5 else "ok"))
    return int(missed or longest.p95 > 5)


def _twenty_items() -> object:
    """Twenty items in two chains, given with the chains mixed and one pair the wrong way round."""
    items = [{"id": f"i{n}", "text": str(n)} for n in range(20)]
    before = [[f"i{n}", f"i{n + 2}"] for n in range(18)]
    order = [f"i{n}" for n in (0, 1, 3, 2, 4, 5, 7, 6, 10, 8, *range(9, 20, 2), *range(12, 20, 2))]
    return answer_type("ordering").grade(
        Question({"items": items, "before": before}), Response(order=tuple(order))
    )


def _peers(rounds: int) -> None:
    """The same pairs for all: p50, p95, how often each is right, and their time over ours."""
    asked = [(tree, other, _right(change)) for tree, other, change in trees()][:PAIRS]
    print(f"\n{len(asked)} pairs of formulas, rewritten (equal) or changed (not), 5 s for each at most")
    ours = times([lambda a=a, b=b: _ours(plain(a), plain(b)) for a, b, _ in asked], rounds)
    right = sum(_ours(plain(a), plain(b)) is equal for a, b, equal in asked)
    print(_line("StudyHub", ours, said=f"{right}/{len(asked)} right"))
    for name, judge in formulas.judges().items():
        write = python if "sympy" in name else latex
        calls = [(partial(judge, write(a), write(b)), equal) for a, b, equal in asked]
        found = times([call for call, _ in calls], 1, warm=False)
        good = sum(call() is equal for call, equal in calls)
        ratio = f"p50 {found.p50 / ours.p50:.0f}x, p95 {found.p95 / ours.p95:.0f}x of ours"
        print(_line(name, found, said=f"{good}/{len(asked)} right, {ratio}"), flush=True)
    for package in formulas.missing():
        print(f"SKIPPED: {package} is not installed (the bench extra has it)")


def times(calls: Sequence[Callable[[], object]], rounds: int, *, warm: bool = True) -> Times:
    """CPU time of this thread for each call, several rounds."""
    if warm:
        for call in calls:
            call()
    found = sorted(_ms(call) for _ in range(rounds) for call in calls)
    cuts = statistics.quantiles(found, n=20) if len(found) > 1 else found * 19
    return Times(statistics.median(found), cuts[18], found[-1], len(found))


def _ms(call: Callable[[], object]) -> float:
    started = time.thread_time()
    call()
    return (time.thread_time() - started) * 1000


def _line(name: str, found: Times, *, goal: int | str = "", said: str = "") -> str:
    return LINE.format(
        name, found.calls, f"{found.p50:.3f}", f"{found.p95:.3f}", f"{found.most:.2f}", goal, said
    )


def _right(change: str) -> bool:
    """Whether trees changed in this way stay equal."""
    from tests.oracle.pairs import REWRITES

    return change in {one.__name__.strip("_") for one in REWRITES}


def _ours(a: str, b: str) -> bool | None:
    answer = {"type": "formula", "key": a, "symbols": _letters(a, b), "domain": "positive"}
    outcome = answer_type("formula").grade(Question(answer), Response(b)).outcome
    return {"correct": True, "incorrect": False}.get(outcome)


def _letters(*texts: str) -> list[str]:
    found: Iterable[str] = "".join(texts).replace("\\sqrt", "")
    return sorted({letter for letter in found if letter.isalpha()})


def python(tree: Tree) -> str:
    """A tree in Python's notation, for sympy."""
    match tree:
        case ("sqrt", inner):
            return f"sqrt({python(inner)})"
        case ("-", inner):
            return f"-({python(inner)})"
        case ("^", base, power):
            return f"({python(base)})**({python(power)})"
        case (sign, left, right):
            return f"({python(left)}){sign}({python(right)})"
        case (_, leaf):
            return str(leaf)
    raise AssertionError(tree)
