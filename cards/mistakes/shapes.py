"""What people mix up in a tensor's shape, tried in turn on its computed key. Knows no card and no learner.

A transform gives wrong shapes; the first that is the learner's names the mistake. A sentence may use {answer}
and {key}. Axes that only changed places are for the answer type to see, but where a transpose is asked.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from attention_engine.shapes import contiguous_strides
from cards.keys import KeyProblem, compute, is_key

Sizes = tuple[int, ...]
Wrong = Callable[[Mapping[str, Any], Sizes], Iterator[Sizes]]
_SPLIT = ("view", "split", "transpose", "attend")
_MERGED = ("project", "merge")
_STREAM = ("input", "output")


@dataclass(frozen=True)
class Transform:
    """One mistake: its title, what is said about it, and the shapes it leads to."""

    title: str
    says: str
    wrong: Wrong

    @property
    def name(self) -> str:
        """The name a grade carries."""
        return self.wrong.__name__


def not_transposed(key: Mapping[str, Any], _right: Sizes) -> Iterator[Sizes]:
    """The shape or strides before the transpose."""
    if key.get("compute") == "shape_after_transpose":
        yield tuple(key["shape"])
    if key.get("compute") == "strides_after_transpose":
        yield contiguous_strides(tuple(key["shape"]))


def strides_of_a_copy(key: Mapping[str, Any], _right: Sizes) -> Iterator[Sizes]:
    """Strides as if the transpose had written the numbers anew."""
    if key.get("compute") == "strides_after_transpose":
        yield from (contiguous_strides(shape) for shape in _with(key, compute="shape_after_transpose"))


def forgot_batch(key: Mapping[str, Any], right: Sizes) -> Iterator[Sizes]:
    """One sequence where a batch is asked."""
    if _step(key) and len(right) > 1:
        yield right[1:]


def forgot_heads(key: Mapping[str, Any], right: Sizes) -> Iterator[Sizes]:
    """One head where all are asked."""
    step = _step(key)
    if step in ("view", "split"):
        yield (*right[:2], right[3])
    elif step in (*_SPLIT, "scores"):
        yield (right[0], *right[2:])


def merged_heads(key: Mapping[str, Any], _right: Sizes) -> Iterator[Sizes]:
    """All heads side by side in one axis, where they have one of their own."""
    if _step(key) in _SPLIT:
        yield from _with(key, step="merge")


def heads_not_merged(key: Mapping[str, Any], _right: Sizes) -> Iterator[Sizes]:
    """Heads in an axis of their own, where they are side by side."""
    if _step(key) in (*_MERGED, *_STREAM):
        yield from _with(key, step="view")
        yield from _with(key, step="transpose")


def model_width_for_head_width(key: Mapping[str, Any], right: Sizes) -> Iterator[Sizes]:
    """d_model where the width of one head belongs."""
    if _step(key) in _SPLIT:
        for merged in _with(key, step="input"):
            yield (*right[:-1], merged[-1])


def heads_for_width(key: Mapping[str, Any], right: Sizes) -> Iterator[Sizes]:
    """The number of heads where the width of one belongs."""
    if _step(key) in _SPLIT:
        yield (*right[:-1], key["num_heads"])


def stream_width_for_inner_width(key: Mapping[str, Any], _right: Sizes) -> Iterator[Sizes]:
    """d_model where all heads together have another width."""
    if _step(key) in _MERGED:
        yield from _with(key, step="input")


def inner_width_for_stream_width(key: Mapping[str, Any], _right: Sizes) -> Iterator[Sizes]:
    """The width of all heads together where d_model belongs."""
    if _step(key) in _STREAM:
        yield from _with(key, step="merge")


def queries_for_keys(key: Mapping[str, Any], _right: Sizes) -> Iterator[Sizes]:
    """Queries compared with themselves, where the keys come from another text."""
    if _step(key) == "scores" and key.get("key_tokens"):
        yield from _with(key, key_tokens=0)


def keys_for_queries(key: Mapping[str, Any], _right: Sizes) -> Iterator[Sizes]:
    """As many rows as there are keys, where each query has one."""
    if key.get("key_tokens") and _step(key) in (*_SPLIT, "scores", *_MERGED):
        yield from _with(key, tokens=key["key_tokens"])


def heads_and_width_exchanged(key: Mapping[str, Any], _right: Sizes) -> Iterator[Sizes]:
    """The number of heads for their width, and the width for the number."""
    if _step(key) in (*_SPLIT, "scores"):
        yield from _with(key, num_heads=key["d_head"], d_head=key["num_heads"])


def outputs_for_scores(key: Mapping[str, Any], _right: Sizes) -> Iterator[Sizes]:
    """Vectors of a head where there is one score for each key."""
    if _step(key) == "scores":
        yield from _with(key, step="attend")


def scores_for_outputs(key: Mapping[str, Any], _right: Sizes) -> Iterator[Sizes]:
    """One score for each key, where each query has a vector."""
    if _step(key) in ("transpose", "attend"):
        yield from _with(key, step="scores")


TRANSFORMS: tuple[Transform, ...] = (
    Transform("nothing is transposed", "{answer} is as it was before the transpose.", not_transposed),
    Transform(
        "a transpose copies nothing",
        "{answer} would be the strides of a copy. A transpose leaves the numbers where they are: {key}.",
        strides_of_a_copy,
    ),
    Transform(
        "the batch is missing", "{answer} is one sequence. The batch comes first: {key}.", forgot_batch
    ),
    Transform("the heads are missing", "{answer} is one head. All of them are {key}.", forgot_heads),
    Transform(
        "the heads are merged",
        "{answer} has all heads side by side in one axis. Here they have an axis of their own: {key}.",
        merged_heads,
    ),
    Transform(
        "the heads are not merged",
        "{answer} keeps an axis of heads. Here all of them stand side by side: {key}.",
        heads_not_merged,
    ),
    Transform(
        "the last axis is the width of the model",
        "{answer} ends with the width of the model. One head is narrower: {key}.",
        model_width_for_head_width,
    ),
    Transform(
        "the last axis counts the heads",
        "{answer} ends with the number of heads. The last axis is the width of one: {key}.",
        heads_for_width,
    ),
    Transform(
        "the last axis is the width of the stream",
        "{answer} ends with the width of the stream. All heads together are {key}.",
        stream_width_for_inner_width,
    ),
    Transform(
        "the last axis is the width of all heads",
        "{answer} ends with the width of all heads together. The stream is {key}.",
        inner_width_for_stream_width,
    ),
    Transform(
        "queries are compared with themselves",
        "{answer} compares the queries with themselves. The keys have a length of their own: {key}.",
        queries_for_keys,
    ),
    Transform(
        "rows are counted by keys",
        "{answer} has a row for each key. There is one for each query: {key}.",
        keys_for_queries,
    ),
    Transform(
        "heads and width are exchanged",
        "{answer} takes the width of a head for their number. Their number comes first: {key}.",
        heads_and_width_exchanged,
    ),
    Transform(
        "{answer} is a head's output",
        "{answer} has a vector for each query. Scores have one number for each key: {key}.",
        outputs_for_scores,
    ),
    Transform(
        "{answer} are scores",
        "{answer} has one number for each key. Here each row is as wide as a head: {key}.",
        scores_for_outputs,
    ),
)


def find(key: Mapping[str, Any], answer: Sizes) -> Transform | None:
    """The first transform that leads to a wrong shape; None for a right one and where none does."""
    return next((transform for transform, wrong in wrong_shapes(key) if wrong == answer), None)


def wrong_shapes(key: Mapping[str, Any]) -> Iterator[tuple[Transform, Sizes]]:
    """Every transform with each wrong shape it leads to. Raises KeyProblem where the key does not compute."""
    right = tuple(compute(key))
    key = {name: compute(value) if is_key(value) else value for name, value in key.items()}
    for transform in TRANSFORMS:
        for wrong in transform.wrong(key, right):
            moved_only = sorted(wrong) == sorted(right) and transform.wrong is not not_transposed
            if wrong != right and not moved_only:
                yield transform, wrong


def _step(key: Mapping[str, Any]) -> str:
    """The step of attention whose shape is asked; "" for another key."""
    return str(key.get("step", "")) if key.get("compute") == "shape_after" else ""


def _with(key: Mapping[str, Any], **changes: Any) -> Iterator[Sizes]:
    """The shape with other arguments, if it computes."""
    try:
        yield tuple(compute({**key, **changes}))
    except (KeyProblem, TypeError):
        return
