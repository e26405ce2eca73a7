"""What the frames of head_split say, and the one element they follow. Knows shapes, computes no tensor."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from attention_engine.kinds import head_split as kind
from attention_engine.kinds import layer
from attention_engine.kinds.operations import many
from attention_engine.shapes import offset

KEYED = {"latent", "rope_key", "keys", "values"}
UNSURE = {"partly verified", "unverified"}
Numbers = Mapping[str, Any]
Sentence = Callable[[torch.Tensor, Numbers], str]


@dataclass(frozen=True)
class Element:
    """One number of q by its place: sequence, token, head, and place in the head."""

    b: int
    t: int
    h: int
    d: int

    def __str__(self) -> str:
        return f"t {self.t:,}, h {self.h:,}, d {self.d:,}"

    def index(self, step: str, width: int, group: int = 1) -> tuple[int, ...]:
        """Its index after a step where heads are `width` wide and `group` query heads read one K/V head.

        The other steps have no such element: there it is made from, or goes into, the whole row."""
        flat = (self.b, self.t, self.h * width + self.d)
        planes = (self.b, self.h, self.t, self.d)
        shared = (self.b, self.h // group, self.t, self.d)
        places = {"view": (self.b, self.t, self.h, self.d), "keys": shared, "values": shared}
        return flat if step in {"project", "merge"} else places.get(step, planes)


def followed(numbers: Numbers, step: str = "") -> Element:
    """The element that the sentences follow: not the first of anything, where there is more than one.

    Of the keys it is that of the same token, or the last there is."""
    place = kind.traced(numbers)
    return Element(b=0, **place | {"t": min(place["t"], tokens_of(step, numbers) - 1)})


def tokens_of(step: str, numbers: Numbers) -> int:
    """Tokens of a step's tensor: K and V may come from another text."""
    return int(numbers["key_tokens" if step in KEYED else "tokens"])


def width_of(step: str, numbers: Numbers) -> int:
    """Width of one head after a step: values and what is mixed from them may have their own."""
    return int(numbers["d_head_v" if step in {"values", "attend", "merge"} else "d_head"])


def _inner(numbers: Numbers, width: str = "d_head") -> int:
    return int(numbers["num_heads"] * numbers[width])


def _input(_: torch.Tensor, numbers: Numbers) -> str:
    batch, tokens, d_model = (numbers[name] for name in ("batch", "tokens", "d_model"))
    count = "1 token" if batch * tokens == 1 else f"{batch:,} × {tokens:,} tokens, each"
    told = f"x holds {count} {many(d_model, 'number')} wide."
    config = layer.own(numbers)
    if config is None or config.status not in UNSURE:
        return told
    return f"{told} The table marks {config.name} as {config.status}: {config.note}."


def _project(_: torch.Tensor, numbers: Numbers) -> str:
    d_model, inner = numbers["d_model"], _inner(numbers)
    product = f"{numbers['num_heads']:,} × {numbers['d_head']:,} = {inner:,}"
    square = "" if inner == d_model else f" {product} is not d_model {d_model:,}."
    each = f"each of {inner:,} numbers" if inner > 1 else "1 number"
    source = f"all {d_model:,}" if d_model > 1 else "the 1"
    made = f"W_Q, {d_model:,} × {inner:,}, makes {each} from {source} of x.{square}"
    return f"{made} {kind.LEFT_OUT}" if kind.latent(numbers) else made


def _view(tensor: torch.Tensor, numbers: Numbers) -> str:
    element, d_head = followed(numbers), numbers["d_head"]
    place = f"{element.h:,} × {d_head:,} + {element.d:,} = {element.h * d_head + element.d:,}"
    return (
        f"The last axis is read as {many(numbers['num_heads'], 'head')} of {d_head:,}. No number moves: "
        f"element {element} is number {place} of its token, at offset {_lies(tensor, 'view', numbers):,}."
    )


def _transpose(tensor: torch.Tensor, numbers: Numbers) -> str:
    element, latent = followed(numbers), kind.latent(numbers)
    terms = f"{element.t:,} × {_inner(numbers):,} + {element.h:,} × {numbers['d_head']:,} + {element.d:,}"
    turned = f" The last {latent.d_head_rope:,} of each head turn by their position next." if latent else ""
    return (
        f"No number moves. Element {element} stays at {terms} = {_lies(tensor, 'transpose', numbers):,}; "
        f"H and T change places, two sizes with their strides.{turned}"
    )


def _latent(tensor: torch.Tensor, numbers: Numbers) -> str:
    config, heads, d_model = kind.latent(numbers), numbers["num_heads"], numbers["d_model"]
    rank, rope = tensor.shape[-1], config.d_head_rope if config else 0
    plain = heads * (numbers["d_head"] + numbers["d_head_v"])
    return (
        f"W_DKV, {d_model:,} × {rank:,}, makes one c_kv of {rank:,} numbers a token for all heads. "
        f"With the rotary key of {rope:,} it is all that is cached: {rank + rope:,} numbers a token, "
        f"where K and V of {heads:,} heads would be {plain:,}."
    )


def _rope_key(tensor: torch.Tensor, numbers: Numbers) -> str:
    d_model, rope = numbers["d_model"], tensor.shape[-1]
    return (
        f"W_KR, {d_model:,} × {rope:,}, makes one key of {rope:,} a token, turned by its position; "
        f"all {numbers['num_heads']:,} heads share it: what is unpacked from c_kv carries no position."
    )


def _keys(tensor: torch.Tensor, numbers: Numbers) -> str:
    latent, shared = kind.latent(numbers), tensor.shape[1]
    width, heads = numbers["d_head"], numbers["num_heads"]
    if latent:
        nope, rope = width - latent.d_head_rope, latent.d_head_rope
        return (
            f"W_UK, {latent.kv_rank:,} × {heads * nope:,}, unpacks {nope:,} numbers of a key for each head "
            f"from c_kv; the one rotary key is joined to each: {nope:,} + {rope:,} = {width:,}."
        )
    group = heads // shared
    readers = many(group, "query head")
    read = f"each is read by {readers}" if shared > 1 else f"it is read by all {readers}"
    own = "" if numbers["d_head_v"] != width else " V has the same shape."
    made = f"W_K, {numbers['d_model']:,} × {shared * width:,}, makes {many(shared, 'head')} of {width:,}"
    head = followed(numbers).h
    return f"{made}: {read}. Query head {head:,} reads K head {head // group:,}.{own}"


def _values(tensor: torch.Tensor, numbers: Numbers) -> str:
    latent, (shared, width) = kind.latent(numbers), (tensor.shape[1], tensor.shape[-1])
    source, name = (latent.kv_rank, "W_UV") if latent else (numbers["d_model"], "W_V")
    d_head = numbers["d_head"]
    beside = f"as wide as q and k, {width:,}"
    if width != d_head:
        beside = f"{width:,} wide: q and k need one width, {d_head:,}, for their product, and V has its own"
    return f"{name}, {source:,} × {shared * width:,}, makes V with {many(shared, 'head')}, each {beside}."


def _attend(_: torch.Tensor, numbers: Numbers) -> str:
    num_heads, shared, keys = numbers["num_heads"], kind.kv_heads(numbers), numbers["key_tokens"]
    pairs = "pair" if numbers["tokens"] * keys == 1 else "pairs"
    other = f" K and V come from another text of {many(keys, 'token')}." if keys != numbers["tokens"] else ""
    left = "Masks are" if kind.latent(numbers) else "Masks and positions are"
    told = (
        f"Each head weighs its own {numbers['tokens']:,} × {keys:,} {pairs} by {_softmax(numbers)} and mixes "
        f"its values: new numbers, written in order. {left} left out: shapes do not depend on them."
        f"{_sharper(numbers)}{other}"
    )
    if shared == num_heads:
        return told
    if shared == 1:
        return f"{told} K and V have 1 head, read by all {num_heads:,} query heads."
    return f"{told} K and V have {shared:,} heads, each read by {num_heads // shared:,} query heads."


def _softmax(numbers: Numbers) -> str:
    """softmax(q k / sqrt(64)), with what the model's own rule puts there."""
    rule = kind.scale(numbers)
    if rule.name == "none":
        return "softmax(q k), undivided,"
    sharpened = f" × {rule.mscale:.4f}^2" if rule.name == "mla" else ""
    return f"softmax(q k{sharpened} / sqrt({rule.root_of:,}))"


def _sharper(numbers: Numbers) -> str:
    """What undivided scores do here and not in a model that starts its W_Q smaller for them."""
    if kind.scale(numbers).name != "none":
        return ""
    root = f"sqrt({numbers['d_head']:,})"
    return f" The model starts its W_Q smaller by {root} for that; this layer does not, so it weighs sharper."


def _merge(tensor: torch.Tensor, numbers: Numbers) -> str:
    tokens, num_heads, width = (numbers[name] for name in ("tokens", "num_heads", "d_head_v"))
    if tokens == 1 or num_heads == 1:
        held = f"{many(tokens, 'token')} and {many(num_heads, 'head')}"
        return f"With {held} nothing has to move: a view is enough."
    element = followed(numbers)
    before = element.t * width + element.h * tokens * width + element.d
    return (
        f"{tensor.numel():,} numbers are copied so that the heads of a token lie side by side: "
        f"element {element} goes from offset {before:,} to {_lies(tensor, 'merge', numbers):,}."
    )


def _output(_: torch.Tensor, numbers: Numbers) -> str:
    d_model, inner = numbers["d_model"], _inner(numbers, "d_head_v")
    return f"W_O, {inner:,} × {d_model:,}, mixes all heads of a token: d_model {d_model:,} again."


def _lies(tensor: torch.Tensor, step: str, numbers: Numbers) -> int:
    """Where the followed element lies after a step."""
    return offset(tensor.stride(), followed(numbers).index(step, width_of(step, numbers)))


SENTENCES: Mapping[str, Sentence] = {
    "input": _input,
    "project": _project,
    "view": _view,
    "transpose": _transpose,
    "latent": _latent,
    "rope_key": _rope_key,
    "keys": _keys,
    "values": _values,
    "attend": _attend,
    "merge": _merge,
    "output": _output,
}
"""What each step says, given its tensor."""
