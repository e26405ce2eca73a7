"""render(spec) -> frames: the one way in to tensors. Knows no store, no queue and no page."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module

import torch

from attention_engine.admission import admit
from attention_engine.device import chosen_device, device_name, settle
from attention_engine.frames import Frame, within_limits
from attention_engine.kinds.trained import NAMES
from attention_engine.memory import guarded, make_room
from attention_engine.spec import ENGINE_VERSION, VisualizationSpec


def render(spec: VisualizationSpec) -> Iterator[Frame]:
    """The frames of a spec, numbered from 0 and stamped, each as soon as it is computed.

    Raises TooLarge, and OutOfMemory where this device has no room for it now, before anything is allocated;
    OutOfMemory too while it is drawn, when the memory it held is free again."""
    cost = admit(spec)
    device = chosen_device()
    settle(device)
    make_room(cost.peak_bytes, device)
    return guarded(_stamped(spec, device), device)


def prepare(specs: Sequence[VisualizationSpec]) -> None:
    """Reads what these pictures look at, each text once and several in one pass, for `render` to find."""
    from attention_engine.trained import models

    asked = [(spec.parameters.get("model"), spec.parameters.get("sentence")) for spec in specs]
    models.read_together([(name, text) for name, text in asked if name in NAMES and text], chosen_device())


def _stamped(spec: VisualizationSpec, device: torch.device) -> Iterator[Frame]:
    picture = import_module(f"attention_engine.visualizations.{spec.kind}")
    stamp = {"engine": ENGINE_VERSION, "torch": torch.__version__, "device": device_name(device)}
    started = time.perf_counter()
    for n, frame in enumerate(picture.frames(spec)):
        taken = round((time.perf_counter() - started) * 1000, 2)
        yield within_limits(replace(frame, n=n, stamp={**stamp, **frame.stamp, "ms": taken}))
        started = time.perf_counter()
