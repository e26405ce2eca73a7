"""What the wire takes: what the engine lets pass, both stores keep, whatever alphabet it is written in."""

import pytest

from attention_engine.drawing import draw
from attention_engine.frames import TooBig
from attention_engine.spec import make_spec
from attention_engine.store import FrameStore
from tests.attention_engine.store.kit import frame, spec

SENTENCES = {
    "512 emoji": "😀 " * 512,
    "512 pairs of CJK": " ".join(chr(0x4E00 + n) + chr(0x4F00 + n) for n in range(512)),
    "512 pairs beyond the BMP": " ".join(chr(0x20000 + n) + chr(0x20400 + n) for n in range(512)),
    "24 long words of CJK": " ".join("龍" * 24 + chr(0x4E00 + n) for n in range(24)),
    "quotes and backslashes": ('"\\' * 12 + " ") * 24,
}


@pytest.mark.parametrize("name", SENTENCES)
@pytest.mark.parametrize("causal", [0, 1])
def test_a_sentence_of_any_alphabet_is_drawn_to_its_end(store: FrameStore, name: str, causal: int) -> None:
    asked = {"model": "random", "sentence": SENTENCES[name][:2000], "causal": causal}
    digest = store.claim(make_spec("attention_pattern", asked), "ben").digest
    draw(store, digest)
    reading = store.read(digest)
    assert (reading.state, reading.count) == ("done", 5), reading.sentence


def test_too_large_a_frame_or_tensor_is_refused_with_its_size(store: FrameStore) -> None:
    store.claim(spec(), "ben")
    lease = store.start(spec().digest())
    assert lease
    with pytest.raises(TooBig, match="bytes of JSON, above 16384"):
        store.append(lease.token, frame(0, sentence="x" * 17_000))
    store.append(lease.token, frame(0, sentence="龍" * 5_000))
    with pytest.raises(TooBig, match="2097153"):
        store.put(bytes(2 * 1024 * 1024 + 1))


def test_the_65th_frame_is_refused(store: FrameStore) -> None:
    store.claim(spec(), "ben")
    lease = store.start(spec().digest())
    assert lease
    for n in range(64):
        store.append(lease.token, frame(n))
    with pytest.raises(TooBig, match="65 frames, above 64"):
        store.append(lease.token, frame(64))
