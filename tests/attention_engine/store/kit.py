"""Builders for the tests of the stores and of what works on them: specs, frames, a drawn picture, a clock."""

from attention_engine.frames import Frame, TensorRef
from attention_engine.spec import VisualizationSpec, make_spec
from attention_engine.store import FrameStore

HOUR = 3600
START = 1_800_000_000.0


class Clock:
    """A clock that stands still until told."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now

    def passes(self, seconds: float) -> None:
        self.now += seconds


def event(attempt: int, n: int) -> str:
    """The id of the n-th frame of an attempt of a picture that was first asked for at the clock's start."""
    return f"{int(START * 1000) + attempt}-{n}"


def spec(seed: int = 0) -> VisualizationSpec:
    return make_spec("head_split", {"d_model": 768, "num_heads": 12}, seed)


def frame(n: int, *, sentence: str = "", tensors: tuple[TensorRef, ...] = ()) -> Frame:
    return Frame(step=f"step {n}", layout="text", title="", sentence=sentence, n=n, tensors=tensors)


def reference(sha256: str, size: int) -> TensorRef:
    return TensorRef("values", ("D",), (size,), "u8", 0.0, 1.0, sha256, size)


def drawn(store: FrameStore, seed: int = 0, frames: int = 3) -> str:
    """A picture with all its frames; its digest."""
    digest = store.claim(spec(seed), "ben").digest
    lease = store.start(digest)
    assert lease
    for n in range(frames):
        store.append(lease.token, frame(n))
    store.finish(lease.token)
    return digest


def ids(store: FrameStore, digest: str, after: str = "") -> list[str]:
    return [id_ for id_, _ in store.read(digest, after).frames]
