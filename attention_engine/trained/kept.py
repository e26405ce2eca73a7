"""Readings that were made just now, for whoever looks at the same text next. Knows no model.

A learner who goes from head to head asks for a picture each time, and the reading is most of its work."""

import threading
from collections.abc import Hashable

from attention_engine.trained.reading import Reading

MOST_BYTES = 32 * 1024 * 1024
"""What is kept in all: MiniLM's reading of 512 tokens is 14 MiB."""


class Kept:
    """The readings used last, up to so many bytes. Threads share it; nobody may write into what it gives."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most, self._held = most, 0
        self._readings: dict[Hashable, Reading] = {}
        self._lock = threading.Lock()

    def find(self, key: Hashable) -> Reading | None:
        """The reading kept under this key, which is now the last to go."""
        with self._lock:
            found = self._readings.pop(key, None)
            if found is not None:
                self._readings[key] = found
            return found

    def keep(self, key: Hashable, reading: Reading) -> Reading:
        """The same reading, kept unless it is larger than all that may be."""
        weight = size_of(reading)
        with self._lock:
            if key not in self._readings and weight <= self._most:
                self._readings[key] = reading
                self._held += weight
            while self._held > self._most:
                self._held -= size_of(self._readings.pop(next(iter(self._readings))))
        return reading


def size_of(reading: Reading) -> int:
    """Bytes of its heads."""
    return sum(t.numel() * t.element_size() for heads in reading.layers for t in (heads.q, heads.k, heads.v))
