"""Seven frames from x to the layer's output, computed; one element is followed there and back."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import torch

from attention_engine.admission import admit, why_no_values
from attention_engine.attention import attention_weights
from attention_engine.device import META, Chance, chosen_device
from attention_engine.encoding import encode
from attention_engine.frames import Cell, Frame, Table
from attention_engine.heads import merge_heads, repeat_heads, split_heads
from attention_engine.kinds import head_split as kind
from attention_engine.shapes import axes_of, offset
from attention_engine.spec import VisualizationSpec
from attention_engine.visualizations import _split_words as told
from attention_engine.visualizations._split_words import Element, followed

FOLLOWED = 8


def frames(spec: VisualizationSpec) -> Iterator[Frame]:
    """The frames input, project, view, transpose, attend, merge, output."""
    carries = admit(spec).carries_values
    numbers = spec.parameters
    device = chosen_device() if carries else META
    for step, tensor in _steps(numbers, Chance(spec.seed, device)):
        sentence = told.SENTENCES[step](tensor, numbers)
        if step == "input" and not carries:
            sentence += f" Shapes only, run on torch's meta device: with values {why_no_values(spec)}."
        yield _frame(step, tensor, numbers=numbers, sentence=sentence)


def _steps(numbers: Mapping[str, Any], chance: Chance) -> Iterator[tuple[str, torch.Tensor]]:
    """One attention layer with random weights, one weight in memory at a time."""
    d_model, num_heads, d_head = (numbers[name] for name in ("d_model", "num_heads", "d_head"))
    kv_inner = kind.kv_heads(numbers) * d_head

    def project(x: torch.Tensor, width: int) -> torch.Tensor:
        return x @ chance.normal((x.shape[-1], width), deviation=x.shape[-1] ** -0.5)

    x = chance.normal((numbers["batch"], numbers["tokens"], d_model))
    yield "input", x
    q = project(x, num_heads * d_head)
    yield "project", q
    yield "view", q.view(*q.shape[:2], num_heads, d_head)
    heads = split_heads(q, num_heads)
    yield "transpose", heads
    seen = x if numbers["key_tokens"] == numbers["tokens"] else _other_text(numbers, chance)
    k, v = (repeat_heads(split_heads(project(seen, kv_inner), kv_inner // d_head), num_heads) for _ in "kv")
    mixed = attention_weights(heads, k) @ v
    yield "attend", mixed
    merged = merge_heads(mixed)
    yield "merge", merged
    yield "output", project(merged, d_model)


def _other_text(numbers: Mapping[str, Any], chance: Chance) -> torch.Tensor:
    """(B, T_k, d_model): the text that K and V are made from, where it is not the one that asks."""
    return chance.normal((numbers["batch"], numbers["key_tokens"], numbers["d_model"]))


def _frame(step: str, tensor: torch.Tensor, *, numbers: Mapping[str, Any], sentence: str) -> Frame:
    sent = (
        []
        if tensor.is_meta
        else [encode(tensor.cpu().numpy(), role="values", axes=axes_of(step), encoding="f16")]
    )
    return Frame(
        step=step,
        layout="blocks",
        title=_title(step, numbers),
        sentence=sentence,
        axes=axes_of(step),
        shape=tuple(tensor.shape),
        strides=tuple(tensor.stride()),
        contiguous=tensor.is_contiguous(),
        dtype=str(tensor.dtype).removeprefix("torch."),
        table=_table(step, tensor, numbers),
        tensors=tuple(reference for reference, _ in sent),
        stamp={"device": "meta"} if tensor.is_meta else {},
        blobs=tuple(body for _, body in sent),
    )


def _title(step: str, numbers: Mapping[str, Any]) -> str:
    sizes = ", ".join(str(numbers[name]) for name in ("batch", "tokens", "num_heads", "d_head"))
    titles = {
        "input": "x",
        "project": "project: q = x W_Q",
        "view": f"view({sizes})",
        "transpose": "transpose(1, 2)",
        "merge": "merge: transpose(1, 2), contiguous, view",
        "output": "W_O",
    }
    return titles.get(step, step)


def _elements(numbers: Mapping[str, Any]) -> list[Element]:
    """The element that the sentences follow first, then corners of the first and last head."""
    tokens, num_heads, d_head = (numbers[name] for name in ("tokens", "num_heads", "d_head"))
    last_b, last_t, last_h, last_d = numbers["batch"] - 1, tokens - 1, num_heads - 1, d_head - 1
    corners = product((0, last_b), (0, last_h), (0, last_t), (0, last_d))
    elements = [Element(b=b, t=t, h=h, d=d) for b, h, t, d in corners]
    return list(dict.fromkeys([followed(numbers), *elements]))[:FOLLOWED]


def _table(step: str, tensor: torch.Tensor, numbers: Mapping[str, Any]) -> Table:
    valued = () if tensor.is_meta else ("value",)
    row = _whole_row if step in {"input", "output"} else _row
    rows = [row(step, tensor, element, numbers["d_head"]) for element in _elements(numbers)]
    return Table(columns=("element", *axes_of(step), "offset", *valued), rows=tuple(rows))


def _row(step: str, tensor: torch.Tensor, element: Element, d_head: int) -> tuple[Cell, ...]:
    index = element.index(step, d_head)
    value = () if tensor.is_meta else (round(float(tensor[index]), 4),)
    return (str(element), *index, offset(tensor.stride(), index), *value)


def _whole_row(_step: str, tensor: torch.Tensor, element: Element, _d_head: int) -> tuple[Cell, ...]:
    """x and y have no heads: the element is made from, or goes into, the whole row of its token."""
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
