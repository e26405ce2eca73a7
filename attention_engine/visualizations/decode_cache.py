"""A prompt continued token by token behind a KV cache, and what evicting changes. Knows no learner."""

from collections.abc import Iterator, Sequence

import torch

from attention_engine.boundaries import boundary
from attention_engine.device import META, chosen_device
from attention_engine.frames import Frame
from attention_engine.kinds import decode_cache as kind
from attention_engine.kinds.kv import cache_bytes
from attention_engine.kinds.reading import prompt_room
from attention_engine.spec import VisualizationSpec
from attention_engine.trained import models
from attention_engine.visualizations.decode import frames as drawn
from attention_engine.visualizations.decode import words as told
from attention_engine.visualizations.decode.cells import CountedCache
from attention_engine.visualizations.decode.compare import beside_whole, other_text, recomputed
from attention_engine.visualizations.decode.frames import Scene
from attention_engine.visualizations.decode.run import Step, decode, lightened
from attention_engine.visualizations.decode.source import Source, StandIn, Trained


def frames(spec: VisualizationSpec) -> Iterator[Frame]:
    """prompt, one frame a token, then whole or evicted, which compare; of a row of the table bytes alone."""
    if kind.source(spec.parameters["model"]) == "table":
        yield from _counted(spec)
        return
    scene = Scene(spec.parameters, kind.cached_sizes(spec.parameters), *_source(spec))
    steps: list[Step] = []
    for step in decode(scene.source, spec.parameters):
        yield drawn.step_frame(step, scene)
        steps.append(lightened(step) if step.n else step)
        boundary()
    if len(steps) > 1 and _compares(steps, scene):
        yield _compared(steps, scene)


def _source(spec: VisualizationSpec) -> tuple[Source, str]:
    """The trained decoder where it can be read, else seeded layers of its sizes that say so."""
    numbers, device = spec.parameters, chosen_device()
    name = numbers["model"]
    missing = models.why_missing(name) if name != "random" else ""
    if name == "random" or missing:
        sizes = kind.cached_sizes(numbers)
        stand_in = StandIn(numbers, sizes, seed=spec.seed, device=device)
        why = f" ({missing})" if missing else ""
        note = f"Random layers of these sizes, seed {spec.seed}{why}: they learned nothing and write no text."
        return stand_in, note
    room = prompt_room(name, numbers["new_tokens"], kind.MOST_PROMPT)
    return Trained(name, prompt=numbers["prompt"], layer=numbers["layer"], device=device, most=room), ""


def _compares(steps: Sequence[Step], scene: Scene) -> bool:
    """Behind a whole cache only a text is compared, and only of a prompt that may be run twice."""
    if scene.numbers["keep"] != "all":
        return True
    return scene.speaks and len(steps[0].ids) <= kind.MOST_RUN_TWICE


def _compared(steps: Sequence[Step], scene: Scene) -> Frame:
    """The last frame."""
    if scene.numbers["keep"] == "all":
        return drawn.whole_frame(recomputed(scene.source, steps), steps, scene)
    rows, whole = beside_whole(scene.source, steps)
    other = other_text(scene.source, steps, whole, numbers=scene.numbers) if len(whole) else None
    return drawn.evicted_frame(rows, other, steps, scene=scene)


def _counted(spec: VisualizationSpec) -> Iterator[Frame]:
    """Storage that grows and is given up, without values: each word of the prompt stands for a token."""
    numbers, sizes = spec.parameters, kind.cached_sizes(spec.parameters)
    first, new = len(kind.prompt_words(numbers)), numbers["new_tokens"]
    real = sizes.bytes_per_token * (first + new) <= kind.MOST_KEPT_BYTES
    cache = CountedCache(sizes, torch.device("cpu") if real else META)
    for n in range(new + 1):
        seen = first + n
        held = seen if n == 0 else len(kind.kept(numbers, seen - 1))
        cache.hold(held)
        said = [told.held_only(sizes, (held, seen), cache.nbytes, real=real)]
        if n == 0:
            said.append(told.read_only(sizes, cache_bytes.full_attention_note(sizes)))
        if n == new:
            said.append(told.answered(numbers, sizes, held=held, seen=seen))
        yield drawn.counted_frame(n, cache, (held, seen), sentence=" ".join(filter(None, said)))
        boundary()
