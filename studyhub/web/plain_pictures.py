"""What a picture says on a page without a script or a worker: title, sentence, table, exceptions.

Made from the facts of its kind alone; knows no frame and no tensor.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attention_engine import spec

Facts = Mapping[str, Any]
LONGEST_CODE = 60
MISTAKEN = {
    "view_as_heads": "a view without the transpose",
    "merge_without_transpose": "a merge without the transpose",
    "width_before_heads": "a split by width before heads",
    "softmax_over_queries": "a softmax over the queries",
}
HIDDEN = {
    "none": "nothing hidden",
    "causal": "later tokens hidden",
    "sliding_window": "a window of {window:,} keys",
    "padding": "{padding:,} tokens of filler hidden",
}
HIDES = {
    "none": "nothing is hidden",
    "causal": "later tokens are hidden",
    "sliding_window": "later tokens are hidden, and those more than {window:,} keys back",
    "padding": "the last {padding:,} tokens are filler",
}


@dataclass(frozen=True)
class Table:
    """Named columns and rows of words."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Plain:
    """The picture in words: a sentence, a table, and where its rule has exceptions."""

    sentence: str = ""
    table: Table | None = None
    exceptions_title: str = ""
    exceptions: tuple[str, ...] = ()


def title_of(kind: str, facts: Facts, *, role: str) -> str:
    """What the picture shows, with its own numbers, and whose they are where they are the learner's."""
    maker = _TITLES.get(kind)
    found = maker(facts, role) if maker and facts else ""
    known = spec.KINDS.get(kind)
    return found or (known.title if known else kind.replace("_", " "))


def plain_of(kind: str, facts: Facts) -> Plain:
    """The words of a picture; of a kind that has none of its own, its plain facts in one sentence."""
    if not facts:
        return Plain()
    return _PLAIN.get(kind, _listed)(facts)


def shape_text(sizes: Sequence[int]) -> str:
    """(2, 4, 768), (8,)."""
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def _whose(role: str) -> str:
    return ", as you answered" if role == "yours" else ""


def _split_title(facts: Facts, role: str) -> str:
    view = next((step for step in facts.get("steps", ()) if step.get("step") in {"view", "split"}), None)
    told = f"What the split does with {view['shape'][2]} heads" if view else "What the split does"
    return f"{told}{_whose(role)}"


def _executed_title(facts: Facts, _role: str) -> str:
    if facts.get("asks") == "program":
        return "Running a program"
    return f"Running {facts['num_heads']} heads" if facts.get("num_heads") else "Running the answer"


def _tape_title(facts: Facts, role: str) -> str:
    answer = facts["answer"]
    if answer:
        whose = "your strides" if role == "yours" else "the strides"
        return f"Memory read with {whose} {shape_text(answer['strides'])}"
    return f"What {facts['code']} does in memory" if len(facts["code"]) <= LONGEST_CODE else ""


def _mistake_title(facts: Facts, role: str) -> str:
    return f"What {MISTAKEN[facts['mistake']]} gets wrong{_whose(role)}" if facts["wrong_cells"] else ""


def _saturation_title(facts: Facts, role: str) -> str:
    divided = "undivided" if facts["divisor"] == "none" else f"divided by {facts['divisor_value']}"
    return f"Scores of heads of {facts['d_head']}, {divided}{_whose(role)}"


def _pattern_title(facts: Facts, role: str) -> str:
    scale = "undivided" if facts["scale"] == "no division" else f"scale {facts['scale']}"
    hidden = HIDDEN[facts["mask"]].format_map(facts)
    return f"Where each token looks: {hidden}, {scale}{', as you answered' if role == 'yours' else ''}"


_TITLES: Mapping[str, Callable[[Facts, str], str]] = {
    "head_split": _split_title,
    "answer_executed": _executed_title,
    "memory_tape": _tape_title,
    "silent_mistake": _mistake_title,
    "saturation": _saturation_title,
    "attention_pattern": _pattern_title,
}


def _tape(facts: Facts) -> Plain:
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


def _mistake(facts: Facts) -> Plain:
    columns = ("line", "code", "shape", "strides")
    shape = shape_text(facts["shape"])
    rows = (
        ("right", str(facts["code_right"]), shape, shape_text(facts["strides_right"])),
        ("wrong", str(facts["code_wrong"]), shape, shape_text(facts["strides_wrong"])),
    )
    return Plain(
        str(facts["sentence"]), Table("The line that works and the one that is wrong", columns, rows)
    )


def _saturation(facts: Facts) -> Plain:
    """The spread before and after the divisor, the usual one, and who divides otherwise."""
    divided = "undivided" if facts["divisor"] == "none" else f"divided by {facts['divisor_value']}"
    score = (
        f"A score is a sum of {facts['d_head']:,} products. Where they are independent, of variance 1, its"
    )
    spread = f"standard deviation is {facts['std_before']}; {divided}, it is {facts['std_after']}."
    usual = "" if facts["works"] else f" The right divisor here is {facts['right_divisor']}."
    entropy = f" Over {facts['keys']:,} keys the entropy is at most {facts['max_entropy']} nats."
    title = "Models that divide otherwise" if facts["exceptions"] else ""
    told = f"{score} {spread}{usual}{entropy} The rule: {facts['scale_rule']}."
    return Plain(told, None, title, tuple(map(str, facts["exceptions"])))


def _pattern(facts: Facts) -> Plain:
    heads, shared = facts["num_heads"], facts["num_kv_heads"]
    keys = f"{shared:,} for keys and values" if shared else "keys and values unpacked from a latent"
    hidden = HIDES[facts["mask"]].format_map(facts)
    turned = (
        "" if facts["rotary"] == "none" else f" Queries and keys are turned by position ({facts['rotary']})."
    )
    widths = f"{heads:,} query heads of {facts['d_head']:,}, {keys}"
    return Plain(f"{facts['attention']}: {widths}. Scale: {facts['scale']}; {hidden}.{turned}")


def _listed(facts: Facts) -> Plain:
    plain = {
        name: value
        for name, value in facts.items()
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "" and name != "asks"
    }
    return Plain(", ".join(f"{name} {value}" for name, value in plain.items()))


_PLAIN: Mapping[str, Callable[[Facts], Plain]] = {
    "memory_tape": _tape,
    "silent_mistake": _mistake,
    "saturation": _saturation,
    "attention_pattern": _pattern,
}
