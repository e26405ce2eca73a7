"""The frames from x to the layer's output, computed; one element is followed there and back."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import torch

from attention_engine.admission import admit, why_no_values
from attention_engine.device import META, Chance, chosen_device
from attention_engine.encoding import compact, encode
from attention_engine.frames import Cell, Frame, Table, TensorRef
from attention_engine.kinds import head_split as kind
from attention_engine.pipeline import Step
from attention_engine.shapes import offset
from attention_engine.spec import VisualizationSpec
from attention_engine.visualizations.split import words as told
from attention_engine.visualizations.split.layer import tensors
from attention_engine.visualizations.split.words import Element, followed, tokens_of, width_of

FOLLOWED = 8
WHOLE_ROWS = {"input", "latent", "rope_key", "output"}
"""Steps without heads: an element of q is made from, or goes into, all of its token's row."""
UNBROKEN = {"project", "merge"}
STAMPS = {"law": "random weights, by their law", "pinned": "random weights, each head's by its own seed"}


def frames(spec: VisualizationSpec) -> Iterator[Frame]:
    """A frame for each step of the facts, from input to output."""
    carries = admit(spec).carries_values
    numbers = spec.parameters
    device = chosen_device() if carries else META
    steps = {step.name: step for step in kind.steps(numbers)}
    for name, tensor in tensors(numbers, Chance(spec.seed, device), spec.seed):
        sentence = told.SENTENCES[name](tensor, numbers)
        if name == "input" and not carries:
            sentence += f" Shapes only, run on torch's meta device: with values {why_no_values(spec)}."
        yield _frame(steps[name], tensor, numbers=numbers, sentence=sentence)


def _frame(step: Step, tensor: torch.Tensor, *, numbers: Mapping[str, Any], sentence: str) -> Frame:
    sent = [] if tensor.is_meta else [_drawn(step, tensor, numbers)]
    return Frame(
        step=step.name,
        layout="blocks",
        title=_title(step.name, numbers),
        sentence=sentence,
        axes=step.axes,
        shape=tuple(tensor.shape),
        strides=tuple(tensor.stride()),
        contiguous=tensor.is_contiguous(),
        dtype=str(tensor.dtype).removeprefix("torch."),
        table=_table(step, tensor, numbers),
        tensors=tuple(reference for reference, _ in sent),
        stamp={"device": "meta"} if tensor.is_meta else {"weights": STAMPS[numbers["weights"]]},
        blobs=tuple(body for _, body in sent),
    )


def _drawn(step: Step, tensor: torch.Tensor, numbers: Mapping[str, Any]) -> tuple[TensorRef, bytes]:
    """What a drawing shows: item 0, the first tokens, (T, H, D) or (T, width) whatever the order of axes.

    Steps that share a storage so send the same bytes. Long rows are sampled, short ones whole."""
    first = tensor[0]
    if step.name not in UNBROKEN | WHOLE_ROWS | {"view"}:
        first = first.transpose(0, 1)
    shown = first[: kind.shown_rows(numbers)]
    axes = tuple(axis for axis in step.axes[1:] if axis.startswith("T"))
    axes += tuple(axis for axis in step.axes[1:] if not axis.startswith("T"))
    if step.name in UNBROKEN:
        shown = shown.view(len(shown), numbers["num_heads"], -1)
        axes = (axes[0], *axes[1].split("*"))
    values, encoding = compact(shown.cpu().numpy(), kind.tensor_bytes(numbers))
    return encode(values, role="values", axes=axes, encoding=encoding)


def _title(step: str, numbers: Mapping[str, Any]) -> str:
    sizes = ", ".join(str(numbers[name]) for name in ("batch", "tokens", "num_heads", "d_head"))
    titles = {
        "input": "x",
        "project": "project: q = x W_Q",
        "view": f"view({sizes})",
        "transpose": "transpose(1, 2)",
        "latent": "latent: c_kv = x W_DKV",
        "rope_key": "rotary key: x W_KR, turned",
        "keys": "k",
        "values": "v",
        "merge": "merge: transpose(1, 2), contiguous, view",
        "output": "W_O",
    }
    return titles.get(step, step)


def _elements(step: str, numbers: Mapping[str, Any]) -> list[Element]:
    """The element that the sentences follow first, then corners of the first and last head."""
    last_b, last_h = numbers["batch"] - 1, numbers["num_heads"] - 1
    last_t, last_d = tokens_of(step, numbers) - 1, width_of(step, numbers) - 1
    corners = product((0, last_b), (0, last_h), (0, last_t), (0, last_d))
    elements = [Element(b=b, t=t, h=h, d=d) for b, h, t, d in corners]
    return list(dict.fromkeys([followed(numbers, step), *elements]))[:FOLLOWED]


def _table(step: Step, tensor: torch.Tensor, numbers: Mapping[str, Any]) -> Table:
    valued = () if tensor.is_meta else ("value",)
    row = _whole_row if step.name in WHOLE_ROWS else _row
    rows = [row(step, tensor, element, numbers) for element in _elements(step.name, numbers)]
    return Table(columns=("element", *step.axes, "offset", *valued), rows=tuple(rows))


def _row(step: Step, tensor: torch.Tensor, element: Element, numbers: Mapping[str, Any]) -> tuple[Cell, ...]:
    group = numbers["num_heads"] // kind.kv_heads(numbers)
    index = element.index(step.name, width_of(step.name, numbers), group)
    value = () if tensor.is_meta else (round(float(tensor[index]), 4),)
    return (str(element), *index, offset(tensor.stride(), index), *value)


def _whole_row(
    _step: Step, tensor: torch.Tensor, element: Element, _numbers: Mapping[str, Any]
) -> tuple[Cell, ...]:
    """The element is made from, or goes into, all of its token's row."""
    width = tensor.shape[-1]
    first = offset(tensor.stride(), (element.b, element.t, 0))
    value = () if tensor.is_meta else ("all",)
    return (
        str(element),
        element.b,
        element.t,
        f"0..{width - 1:,}",
        f"{first:,}..{first + width - 1:,}",
        *value,
    )
