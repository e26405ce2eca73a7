"""render(spec) -> frames: the one way in to tensors. Knows no store, no queue and no page."""

import time
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module

import torch

from attention_engine.admission import TENSOR_BYTES, admit
from attention_engine.device import chosen_device, device_name, settle
from attention_engine.frames import Frame
from attention_engine.spec import ENGINE_VERSION, VisualizationSpec

MOST_FRAMES = 64
FRAME_BYTES = 16 * 1024
INLINE_NUMBERS = 512


class FrameTooLarge(ValueError):
    """A picture made a frame beyond what the wire admits: a fault of the picture, not of the spec."""


def render(spec: VisualizationSpec) -> Iterator[Frame]:
    """The frames of a spec, numbered from 0 and stamped, each as soon as it is computed.

    Raises TooLarge at once, before anything is allocated."""
    admit(spec)
    device = chosen_device()
    settle(device)
    return _stamped(spec, device)


def _stamped(spec: VisualizationSpec, device: torch.device) -> Iterator[Frame]:
    picture = import_module(f"attention_engine.visualizations.{spec.kind}")
    stamp = {"engine": ENGINE_VERSION, "torch": torch.__version__, "device": device_name(device)}
    started = time.perf_counter()
    for n, frame in enumerate(picture.frames(spec)):
        taken = round((time.perf_counter() - started) * 1000, 2)
        yield within_limits(replace(frame, n=n, stamp={**stamp, **frame.stamp, "ms": taken}))
        started = time.perf_counter()


def within_limits(frame: Frame) -> Frame:
    """The same frame. Raises FrameTooLarge with the number that is beyond its limit."""
    tensor = max((reference.bytes for reference in frame.tensors), default=0)
    measured = (
        ("frames", frame.n + 1, MOST_FRAMES),
        ("bytes of JSON", len(frame.as_bytes()), FRAME_BYTES),
        ("inline numbers", len(frame.values), INLINE_NUMBERS),
        ("bytes of a tensor", tensor, TENSOR_BYTES),
    )
    for name, number, most in measured:
        if number > most:
            raise FrameTooLarge(f"frame {frame.n} ({frame.step}): {number} {name}, above {most}")
    return frame
