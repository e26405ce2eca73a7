"""Frames of decode_cache from its steps: counters, one row of weights, the tables. Decides nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import torch

from attention_engine.encoding import encode
from attention_engine.frames import Cell, Frame, Table
from attention_engine.kinds import decode_cache as kind
from attention_engine.kinds.kv.cache_bytes import CacheSizes
from attention_engine.kinds.kv.decoder_flops import flops
from attention_engine.kinds.trained import trained
from attention_engine.visualizations.decode import words as told
from attention_engine.visualizations.decode.cells import CountedCache, token_axes
from attention_engine.visualizations.decode.compare import Beside, Other, Recomputed
from attention_engine.visualizations.decode.run import Step, likeliest
from attention_engine.visualizations.decode.source import Source

WHOLE_ROW, STRONGEST = 16, 8
"""Up to so many tokens a step's table has each; of more the strongest, and the rest in one row."""
WHOLE_PROMPT, FIRST, LAST = 96, 8, 48
"""Of a longer prompt the table has the first and the last tokens, and the strongest between them."""
EVICTED_NAMES = (
    "log p, this cache",
    "log p, whole cache",
    "KL",
    "entropy, this cache",
    "entropy, whole cache",
    "weight on evicted",
)
WHOLE_NAMES = ("log p, with cache", "log p, without", "KL", "FLOPs with cache", "FLOPs without cache")


@dataclass(frozen=True)
class Scene:
    """What all frames of one picture share."""

    numbers: told.Numbers
    sizes: CacheSizes
    source: Source
    note: str
    """Said where no trained model was run."""

    @property
    def speaks(self) -> bool:
        """True where tokens have a text."""
        return not self.note


def rounded(number: float) -> float:
    """Four significant digits."""
    return float(f"{number:.4g}")


def step_frame(step: Step, scene: Scene) -> Frame:
    """The cache once a token is in it: the axes are those of K in the layer shown, the values counters."""
    texts = scene.source.text(step.ids)
    k = step.cache.k[scene.numbers["layer"]]
    weights = encode(step.weights.numpy(), role="weights", axes=("row", "T"), encoding="u8sqrt")
    name = "prompt" if step.n == 0 else f"t{step.n}"
    return Frame(
        step=name,
        layout="grid",
        title=told.title(name, texts[-1] if step.n else ""),
        sentence=_sentence(step, texts[-1], scene),
        axes=("H_kv", "T", "D"),
        shape=tuple(k.shape),
        strides=tuple(k.stride()),
        contiguous=k.is_contiguous(),
        dtype=str(k.dtype).removeprefix("torch."),
        values=counters(step, scene),
        table=_table(step, texts, numbers=scene.numbers),
        tensors=(weights[0],),
        blobs=(weights[1],),
        stamp=_stamp(step, scene),
    )


def _sentence(step: Step, text: str, scene: Scene) -> str:
    """Of the prompt or of a token; at the last step that it is, and what was answered."""
    numbers = scene.numbers
    if step.n == 0:
        said = [told.prompt(step, scene.sizes, numbers=numbers, cut=scene.source.cut), scene.note]
    else:
        said = [told.token(step, text, scene.sizes, numbers=numbers)]
    ends = scene.speaks and step.n < numbers["new_tokens"] and scene.source.ends(likeliest(step))
    if ends:
        said.append("Here the model ends its text.")
    if ends or step.n == numbers["new_tokens"]:
        said.append(told.answered(numbers, scene.sizes, held=len(step.held), seen=len(step.ids)))
    return " ".join(part for part in said if part)


def _stamp(step: Step, scene: Scene) -> dict[str, str | float]:
    """Whose weights, and what the token took; nothing was timed where no model was run."""
    stamp: dict[str, str | float] = dict(scene.source.stamp)
    return stamp | ({"token_ms": round(step.ms, 1)} if scene.speaks else {})


def counters(step: Step, scene: Scene) -> tuple[float, ...]:
    """The numbers named by `kind.COUNTERS`, as many of them as this source has."""
    held, seen, each = len(step.held), len(step.ids), scene.sizes.bytes_per_token
    told_of = (step.position, held, seen - held, step.cache.nbytes, held * each, seen * each)
    shares = tuple(rounded(share) for share in step.sinks)
    if not scene.speaks:
        return (*told_of, *shares)
    model, new = trained(scene.numbers["model"]), 1 if step.n else seen
    cached = flops(model, new, cached=held - new)
    nats = (rounded(step.entropy), rounded(step.log_p))
    return (*told_of, *shares, *nats, cached, flops(model, seen, cached=0))


def _table(step: Step, texts: Sequence[str], *, numbers: told.Numbers) -> Table:
    """Position, token and both weights; what is left out is summed up in a last row."""
    mean, head = step.weights.tolist()
    every = list(range(len(step.held)))
    listed = _listed(every, mean, prompt=step.n == 0)
    rows: list[tuple[Cell, ...]] = [
        (step.held[n], told.shown(texts[step.held[n]]), rounded(mean[n]), rounded(head[n])) for n in listed
    ]
    if rest := sorted(set(every) - set(listed)):
        sums = (rounded(sum(row[n] for n in rest)) for row in (mean, head))
        rows.append(("others", f"{len(rest)} tokens", *sums))
    return Table(("position", "token", "mean of heads", f"head {numbers['head']}"), tuple(rows))


def _listed(every: Sequence[int], mean: Sequence[float], *, prompt: bool) -> list[int]:
    """Which held tokens a table names, in their order."""
    if len(every) <= (WHOLE_PROMPT if prompt else WHOLE_ROW):
        return list(every)
    strongest = sorted(every, key=lambda n: mean[n], reverse=True)[:STRONGEST]
    ends = {*every[:FIRST], *every[-LAST:]} if prompt else {every[-1]}
    return sorted(ends | set(strongest))


def whole_frame(found: Recomputed, steps: Sequence[Step], scene: Scene) -> Frame:
    """The run's tokens with the cache and in one pass without it."""
    model = trained(scene.numbers["model"])
    costs = [
        (flops(model, 1, cached=step.position), flops(model, len(step.ids), cached=0)) for step in steps[1:]
    ]
    cells = [
        (*map(rounded, (row.here, row.whole, row.divergence)), *cost)
        for row, cost in zip(found.rows, costs, strict=True)
    ]
    cache = scene.source.stamp.get("cache", "")
    sentence = told.whole(found, cache=cache, flops=costs[-1])
    stamp = {"whole_ms": round(found.ms, 1)}
    return _series("whole", "without a cache", cells=cells, names=WHOLE_NAMES, steps=steps, scene=scene,
                   sentence=sentence, stamp=stamp)  # fmt: skip


def evicted_frame(
    rows: Sequence[Beside], other: Other | None, steps: Sequence[Step], *, scene: Scene
) -> Frame:
    """The run's tokens under this cache and under the whole one; beside them what the whole one writes."""
    if other is None:
        gone = [(rounded(row.gone),) for row in rows]
        return _series("evicted", "what was evicted", cells=gone, names=EVICTED_NAMES[-1:], steps=steps,
                       scene=scene, sentence=told.evicted_weights(rows), stamp={})  # fmt: skip
    cells = [
        tuple(
            rounded(number)
            for number in (row.here, row.whole, row.divergence, row.entropy_here, row.entropy_whole, row.gone)
        )
        for row in rows
    ]
    prompt = steps[0].ids
    own, others = scene.source.text(steps[-1].ids), scene.source.text((*prompt, *other.ids))
    sentence = told.evicted(rows, other, (own[len(prompt) :], others[len(prompt) :]))
    frame = _series("evicted", "what evicting changed", cells=cells, names=EVICTED_NAMES, steps=steps,
                    scene=scene, sentence=sentence, stamp={})  # fmt: skip
    return _with_other(frame, other, others[len(prompt) :])


def _with_other(frame: Frame, other: Other, texts: Sequence[str]) -> Frame:
    """Three more columns in the table: the other text and both caches' log-probabilities of it."""
    names = ("whole cache writes", "its log p, this cache", "its log p, whole cache")
    width = len(frame.table.columns)
    rows: list[tuple[Cell, ...]] = list(frame.table.rows)
    rows += [(n + 1, *[""] * (width - 1)) for n in range(len(rows), len(other.ids))]
    added: list[tuple[Cell, ...]] = [
        (told.shown(text), rounded(here), rounded(whole))
        for text, here, whole in zip(texts, other.here, other.whole, strict=True)
    ]
    added += [("", "", "")] * (len(rows) - len(added))
    joined: list[tuple[Cell, ...]] = [row + more for row, more in zip(rows, added, strict=True)]
    return replace(frame, table=Table((*frame.table.columns, *names), tuple(joined)))


def _series(
    step: str,
    title: str,
    *,
    cells: Sequence[tuple[float, ...]],
    names: Sequence[str],
    steps: Sequence[Step],
    scene: Scene,
    sentence: str,
    stamp: dict[str, Any],
) -> Frame:
    """A row for each new token: its number, its text and its numbers, which are the frame's values."""
    texts = scene.source.text(steps[-1].ids)
    rows: list[tuple[Cell, ...]] = [
        (one.n, told.shown(texts[one.position]), *row) for one, row in zip(steps[1:], cells, strict=True)
    ]
    values = torch.tensor(cells)
    timed = {"token_ms": round(median(one.ms for one in steps[1:]), 1)} if scene.speaks else {}
    return Frame(
        step=step,
        layout="series",
        title=title,
        sentence=sentence,
        axes=("x", "series"),
        shape=tuple(values.shape),
        strides=tuple(values.stride()),
        contiguous=True,
        dtype="float32",
        values=tuple(number for row in cells for number in row),
        table=Table(("step", "token", *names), tuple(rows)),
        stamp={**scene.source.stamp, **timed, **stamp},
    )


def counted_frame(n: int, cache: CountedCache, tokens: tuple[int, int], *, sentence: str) -> Frame:
    """Storage of `tokens` (held, seen) without values."""
    held, seen = tokens
    k, each = cache.layers[0][0], cache.sizes.bytes_per_token
    values = (seen - 1, held, seen - held, cache.nbytes, held * each, seen * each)
    name = "prompt" if n == 0 else f"t{n}"
    return Frame(
        step=name,
        layout="grid",
        title=told.title(name, ""),
        sentence=sentence,
        axes=token_axes(cache.sizes),
        shape=tuple(k.shape),
        strides=tuple(k.stride()),
        contiguous=k.is_contiguous(),
        dtype="bfloat16",
        values=values,
        table=Table(("count", "number"), tuple(zip(kind.COUNTERS, values, strict=False))),
        stamp={"weights": "its published sizes"},
    )
