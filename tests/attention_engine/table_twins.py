"""Whether a frame's table says what its frame holds: a rule for each way a table is headed. Knows no kind.

A table that no rule knows is a failure, so that a new kind needs a rule here or one of these headings."""

import math
from collections.abc import Iterator, Mapping, Sequence

from attention_engine.frames import Cell, Frame, TensorRef
from attention_engine.shapes import offset
from tests.attention_engine.twins_of_atlas import ATLAS
from tests.attention_engine.twins_of_configs import CONFIGS
from tests.attention_engine.twins_of_decoding import DECODING
from tests.attention_engine.twins_of_lines import LINES, told_truly
from tests.attention_engine.twins_of_maps import MAPS, Drawn, Rule, error_of
from tests.attention_engine.twins_of_sharing import SHARED
from tests.attention_engine.twins_of_timings import TIMINGS

LINE = 64
ITEM_BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}


def whole(cell: Cell) -> int:
    """ "1,925" and 1925 -> 1925."""
    return int(str(cell).replace(",", ""))


def check_offsets(drawn: Drawn) -> None:
    """Each row's offset is its index times the strides; its byte and cache line follow from the offset."""
    frame, columns = drawn.frame, drawn.columns
    first = columns.index("offset") - len(frame.axes)
    assert columns[first : first + len(frame.axes)] == frame.axes
    begin = _storage_offset(drawn)
    for row in drawn.rows:
        index = row[first : first + len(frame.axes)]
        spans = [_span(cell) for cell in index]
        assert all(0 <= low <= high < size for (low, high), size in zip(spans, frame.shape, strict=True)), row
        ends = [begin + offset(frame.strides, [span[end] for span in spans]) for end in (0, 1)]
        at = dict(zip(columns[first + len(frame.axes) :], row[first + len(frame.axes) :], strict=True))
        assert list(_span(at["offset"])) == ends, row
        if "byte" in at:
            assert at["byte"] == ends[0] * ITEM_BYTES[frame.dtype], row
            assert at["cache line"] == at["byte"] // LINE, row
        if "right offset" in at:
            assert at["right offset"] == _right_offset(drawn, [low for low, _ in spans]), row
    if "value" in columns:
        _check_values(drawn, first)


def _span(cell: Cell) -> tuple[int, int]:
    """ "0..767" -> (0, 767); 5 -> (5, 5)."""
    low, _, high = str(cell).partition("..")
    return whole(low), whole(high or low)


def _storage_offset(drawn: Drawn) -> int:
    steps = {step["step"]: step for step in drawn.facts.get("steps", ())}
    return int(steps.get(drawn.frame.step, {}).get("offset", 0))


def _right_offset(drawn: Drawn, index: Sequence[int]) -> int:
    """Where the last tensor of the chain has the number of that index."""
    last = [frame for step, frame in drawn.frames.items() if step != drawn.frame.step][-1]
    return offset(last.strides, index) + int(drawn.facts["steps"][-1]["offset"])


def _check_values(drawn: Drawn, first: int) -> None:
    """Numbers of the first sequence stand in what was sent, or in the bin that a larger one stands for."""
    reference, sent = drawn.tensor("values")
    checked = 0
    for row in drawn.rows:
        index = row[first : first + len(drawn.frame.axes)]
        value = row[drawn.columns.index("value")]
        at = dict(zip(drawn.frame.axes, index, strict=True))
        if value == "all" or at["B"] != 0 or whole(at["T"]) >= sent.shape[0]:
            continue
        place, is_whole = _place_in(drawn.frame, reference, at)
        near, slack = float(sent[place]), float(error_of(reference, sent)[place]) + 1e-4
        assert isinstance(value, float)
        assert abs(near - value) <= slack if is_whole else abs(near) >= abs(value) - slack, (row, near)
        checked += 1
    assert checked or all(row[-1] == "all" for row in drawn.rows)


def _place_in(frame: Frame, reference: TensorRef, at: Mapping[str, Cell]) -> tuple[tuple[int, ...], bool]:
    """Where an index stands in what was sent, and whether every number of its row was."""
    index, widths = dict(at), dict(zip(frame.axes, frame.shape, strict=True))
    for axis in [axis for axis in frame.axes if "*" in axis]:
        heads, inner = axis.split("*")
        widths[inner] = widths[axis] // reference.shape[reference.axes.index(heads)]
        index[heads], index[inner] = divmod(whole(index[axis]), widths[inner])
    last, sent = reference.axes[-1], reference.shape[-1]
    starts = [i * widths[last] // sent for i in range(sent)]
    bin_ = sum(start <= whole(index[last]) for start in starts) - 1
    return (*(whole(index[axis]) for axis in reference.axes[:-1]), bin_), sent == widths[last]


def check_count(drawn: Drawn) -> None:
    """Wrong, right and all numbers, as the values of the frame and the facts have them."""
    told = dict(drawn.rows)
    wrong, of = (int(value) for value in drawn.frame.values)
    assert (told["wrong"], told["in all"], told["right"]) == (wrong, of, of - wrong)
    assert of == math.prod(drawn.frame.shape) == drawn.facts["cells"]
    assert wrong == drawn.facts["wrong_cells"]
    bound, _, percent = str(told["share wrong"]).removesuffix(" %").rpartition(" ")
    low, high = {"over": (1e-9, 0.1), "under": (-0.1, -1e-9), "": (-0.0501, 0.0501)}[bound]
    assert low <= 100 * wrong / of - float(percent) <= high
    assert drawn.frame.title == f"{told['share wrong']} wrong"


def check_series(drawn: Drawn) -> None:
    """Each column after the first is a series, and all of them are the values of the frame."""
    cells = [row[1:] for row in drawn.rows]
    assert [value for row in cells for value in row] == list(drawn.frame.values)
    if cells:
        assert drawn.frame.shape == (len(cells), len(cells[0]))
    places = [float(row[0]) for row in drawn.rows]
    assert places == sorted(set(places))


def check_axes(drawn: Drawn) -> None:
    """Axis by axis what the frame says of its tensor; beside it what the learner gave."""
    frame, columns = drawn.frame, drawn.columns
    across = dict(zip(columns, zip(*drawn.rows, strict=True), strict=True))
    last = [one for step, one in drawn.frames.items() if step not in {frame.step, "run"}][-1:]
    if columns == ("axis", "size", "stride"):
        wanted = (frame.axes, frame.shape, frame.strides)
        assert (across["axis"], across["size"], across["stride"]) == wanted
    elif "your stride" in columns:
        assert across["your stride"] == tuple(drawn.spec.parameters["answer_strides"])
        assert across["right stride"] == last[0].strides
        assert across["axis"] == last[0].axes
    else:
        right = tuple(size for size in across["right"] if size != "")
        assert right == drawn.frames["right"].shape
        yours = tuple(size for size in across["yours"] if size != "")
        assert yours in {tuple(drawn.spec.parameters["answer_shape"]), drawn.frames["run"].shape}


def check_whose(drawn: Drawn) -> None:
    """Shape and strides that do not go together, beside those that do."""
    last = [frame for step, frame in drawn.frames.items() if step != drawn.frame.step][-1]
    told = {row[0]: row[1:] for row in drawn.rows}
    assert told["right"] == (str(last.shape), str(last.strides))
    assert told["yours"][1] == str(tuple(drawn.spec.parameters["answer_strides"]))


RULES: tuple[Rule, ...] = (
    *SHARED,
    *TIMINGS,
    *CONFIGS,
    (lambda columns: "offset" in columns, check_offsets),
    (lambda columns: columns == ("numbers", "count"), check_count),
    (lambda columns: columns[0] in {"q·k", "d_head", "layer"}, check_series),
    (lambda columns: columns[0] == "axis", check_axes),
    (lambda columns: columns == ("whose", "shape", "strides"), check_whose),
    *ATLAS,
    *DECODING,
    *MAPS,
    *LINES,
)


def problems(drawn: Drawn) -> Iterator[str]:
    """What is wrong with the table of a frame; nothing if it is its twin."""
    columns = drawn.columns
    if not columns:
        yield f"{drawn.frame.step} has no table"
        return
    if any(len(row) != len(columns) for row in drawn.rows):
        yield f"{drawn.frame.step}: a row has not {len(columns)} cells"
    if not drawn.rows and (drawn.frame.values or drawn.frame.tensors):
        yield f"{drawn.frame.step}: numbers, but an empty table"
    rule = next((check for knows, check in RULES if knows(columns)), None)
    if rule is None:
        yield f"{drawn.frame.step}: no rule of table_twins knows a table headed {columns}"
    elif drawn.rows:
        rule(drawn)
    yield from told_truly(drawn)
