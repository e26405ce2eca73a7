"""Rules of table_twins for tables of code and its outcome, and for arithmetic in words. Knows no kind."""

import math
import re
from collections.abc import Callable, Iterator
from typing import Any

SHAPE = re.compile(r"\((?:-?\d+, ?)*-?\d*,?\)")
SUM = r"(?:\d[\d,]*\d|\d)"
EQUATION = re.compile(
    rf"(?<![\d.,×+^/] )(?<![\d.,^(])({SUM}(?: [×+] {SUM})*) = ({SUM}(?: [×+] {SUM})*)"
    r"(?![\d^/x*]|\.\d|,\d| [-/×+*^])"
)
COUNTED = re.compile(rf"shape (\([\d, ]+\)), ({SUM}) numbers")


def sizes(text: str) -> tuple[int, ...]:
    """ "(2, 4, 768)" -> (2, 4, 768)."""
    return tuple(int(size) for size in re.findall(r"-?\d+", text))


def value_of(written: str) -> int:
    """ "2 × 768 + 6 × 64 + 5" -> 1925."""
    terms = written.replace(",", "").split(" + ")
    return sum(math.prod(int(factor) for factor in term.split(" × ")) for term in terms)


def told_truly(drawn: Any) -> Iterator[str]:
    """Equations and counts of shapes in the sentence, the title and the cells hold."""
    cells = [str(cell) for row in drawn.rows for cell in row]
    for text in (drawn.frame.sentence, drawn.frame.title, *cells):
        for left, right in EQUATION.findall(text):
            if value_of(left) != value_of(right):
                yield f"{drawn.frame.step}: {left} is not {right} in {text!r}"
        for shape, numbers in COUNTED.findall(text):
            if math.prod(sizes(shape)) != value_of(numbers):
                yield f"{drawn.frame.step}: {numbers} numbers are not of shape {shape}"


def shape_that_runs(outcome: str) -> tuple[int, ...] | None:
    """The shape in "runs: shape (2, 4)"; None where the line gives none."""
    return sizes(outcome) if outcome.startswith("runs: shape ") else None


def check_outcomes(drawn: Any) -> None:
    """The frame's own line has the frame's own shape, or torch's words for it."""
    frame, told = drawn.frame, {row[0]: str(row[1]) for row in drawn.rows}
    own = told.get(frame.title)
    if frame.error:
        assert frame.error in told.values()
    elif own is not None and (shape := shape_that_runs(own)) is not None:
        assert shape == frame.shape
    for line, outcome in told.items():
        shape = shape_that_runs(outcome)
        written = re.search(r"(?:view|reshape)(\([\d, ]+\))$", str(line))
        if shape is not None and written:
            assert shape == sizes(written[1]), (line, outcome)


def check_ways(drawn: Any) -> None:
    """Lines that copy instead of a refused one say how many bytes: those of every number."""
    each = {"float32": 4, "float16": 2, "bfloat16": 2}[drawn.frame.dtype]
    assert drawn.rows[0][1:] == (drawn.frame.error, 0)
    for _, outcome, copied in drawn.rows[1:]:
        shape = shape_that_runs(outcome)
        assert shape is not None
        assert copied == math.prod(shape) * each
    before = list(drawn.frames.values())[-2 if drawn.frame.step != "answer" else -3]
    assert all(copied == math.prod(before.shape) * each for *_, copied in drawn.rows[1:])


def check_nearest(drawn: Any) -> None:
    """Heads that divide: their width makes the whole of q, and torch runs them."""
    for heads, width, line, outcome in drawn.rows:
        assert heads * width == drawn.facts["q_width"]
        assert shape_that_runs(outcome) == sizes(line)
        assert sizes(line)[-2:] == (heads, width)
        assert f"{heads:,}" in drawn.frame.sentence


def check_program(drawn: Any) -> None:
    """Operations in the order of their lines; the last has the frame's shape, or torch's words."""
    frame, numbered = drawn.frame, [row for row in drawn.rows if row[0] != ""]
    assert [row[0] for row in numbered] == sorted(row[0] for row in numbered)
    if not numbered:
        assert "not run" in drawn.rows[-1][3]
        return
    *_, (_, _, shape, outcome) = numbered
    if frame.error:
        assert (shape, outcome) == ("", frame.error)
    else:
        assert sizes(shape) == frame.shape
        assert ("not contiguous" in outcome) == (not frame.contiguous)


def check_beside(drawn: Any) -> None:
    """Yours and the reference: shapes of the frames before, and the sentence's count of what differs."""
    told = {str(row[0]): row[1:] for row in drawn.rows}
    run, tiny = drawn.frames["run"], drawn.frames.get("tiny")
    assert told["shape"][0] == (str(run.shape) if not run.error else "refused")
    if "shape, small" in told:
        assert tiny is not None
        assert told["shape, small"][0] == (str(tiny.shape) if not tiny.error else "refused")
    differ = told.get("numbers that differ", ("0",))[0]
    if differ != "0":
        wrong, of = (value_of(part) for part in differ.split(" of "))
        assert tiny is not None
        assert 0 < wrong <= of == math.prod(tiny.shape)
        assert f"{differ} numbers differ" in drawn.frame.sentence


Rule = tuple[Callable[[tuple[str, ...]], bool], Callable[[Any], None]]
LINES: tuple[Rule, ...] = (
    (lambda columns: columns == ("line", "outcome"), check_outcomes),
    (lambda columns: columns == ("line", "outcome", "bytes copied"), check_ways),
    (lambda columns: columns == ("num_heads", "d_head", "line", "outcome"), check_nearest),
    (lambda columns: columns == ("line", "code", "shape", "outcome"), check_program),
    (lambda columns: columns == ("what", "yours", "reference"), check_beside),
)
