"""MiniLM's embeddings: those of its publisher, remembered by text, the same whatever they come with."""

import random
import socket
import threading
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attention_engine.trained import embedding, loading, models
from attention_engine.trained.embedding import Embedder, Memory, embed, plain_text

pytestmark = pytest.mark.usefixtures("minilm")
WORDS = """
query key value head width token softmax score scale mask cache layer weight because so that when not
größer 大きい مفتاح ключ 64 768 d_model QK^T sqrt(64) 0.125 naïve Élan emoji😀 a I
"""


def varied(count: int) -> list[str]:
    """Texts of 1 to 320 words in several scripts, by chance and always the same."""
    chance, words = random.Random(0), WORDS.split()
    lengths = [chance.choice((1, 2, 3, 5, 9, 20, 45)) for _ in range(count - 4)]
    odd = ["word " * 320, "ﬁne ﬃ ligature", "e\u0301gal", "no"]
    return [" ".join(chance.choices(words, k=length)) for length in lengths] + odd


def transformers_embed(texts: list[str]) -> Any:
    """(N, 384) as the model's page computes them: mean over tokens, then length 1."""
    from transformers import BertModel

    folder = loading.folder_of("minilm")
    assert isinstance(folder, Path)
    model, rows = BertModel.from_pretrained(folder, add_pooling_layer=False).eval(), []
    tokenizer = loading.loaded("minilm", torch.device("cpu")).tokenizer
    with torch.no_grad():
        for text in texts:
            ids = tokenizer.encode(text).ids
            ids = ids if len(ids) <= 256 else [*ids[:255], ids[-1]]
            rows.append(model(torch.tensor([ids])).last_hidden_state[0].mean(dim=0))
    return torch.nn.functional.normalize(torch.stack(rows)).numpy()


@pytest.mark.skipif(find_spec("transformers") is None, reason="transformers is not installed")
def test_200_texts_are_embedded_as_transformers_does() -> None:
    texts = varied(200)
    made = embed(texts)
    assert made.shape == (200, 384)
    assert float((made * transformers_embed(texts)).sum(axis=1).min()) >= 0.9999


def fresh() -> Embedder:
    made = embedding.embedder()
    return Embedder(made.encoder, made.tokenizer, made.device, Memory())


def test_a_lone_text_is_what_it_is_among_others() -> None:
    texts = varied(24)
    together = fresh().embed(texts)
    alone = np.concatenate([fresh().embed([text]) for text in texts])
    assert float(np.abs(together - alone).max()) <= 1e-5
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)


def test_near_texts_have_the_larger_cosine() -> None:
    near, also, far = embed(
        ["The heads share keys and values.", "K and V are shared by heads.", "It rained."]
    )
    assert near @ also > 0.5 > near @ far


def test_composed_letters_and_any_white_space_are_one_text() -> None:
    assert plain_text(" e\u0301gal\t\n x\u00a0y ") == "\u00e9gal x y"
    one, other = embed(["\u00e9gal  x", "e\u0301gal\nx"])
    assert np.array_equal(one, other)


@pytest.mark.parametrize("nothing", ["", " \t\n\u00a0", "\u200b"])
def test_a_text_with_nothing_in_it_is_refused_in_a_sentence(nothing: str) -> None:
    with pytest.raises(ValueError, match=r"text 2 of 2 is empty|no sign that the model reads"):
        embed(["x", nothing])


def test_no_text_gives_no_row() -> None:
    assert embed([]).shape == (0, 384)


def test_a_text_embedded_before_is_not_computed_again_and_costs_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = fresh()
    first = own.embed(["The scores grow with the width of a head."])
    monkeypatch.setattr(Embedder, "_ids", None)
    rounds = []
    for _ in range(50):
        started = time.thread_time()
        again = own.embed(["The scores  grow with the width of a head. "])
        rounds.append(time.thread_time() - started)
    assert np.array_equal(first, again)
    assert min(rounds) < 50e-6


def test_what_is_remembered_is_bounded_and_the_oldest_is_forgotten() -> None:
    memory = Memory(most=3)
    for text in "abcd":
        memory.keep(text, np.zeros(384, np.float32))
        memory.find("a")
    assert len(memory) == 3
    assert [memory.find(text) is not None for text in "abcd"] == [True, False, True, True]


def test_nobody_can_write_into_what_is_remembered() -> None:
    own = fresh()
    own.embed(["x"])[0][:] = 0
    found = own.memory.find("x")
    assert found is not None
    assert np.linalg.norm(found) == pytest.approx(1, abs=1e-6)
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 1


def test_threads_that_embed_at_once_agree() -> None:
    own, texts = fresh(), varied(12)
    right, wrong = fresh().embed(texts), []

    def check(seed: int) -> None:
        order = random.Random(seed).sample(range(12), 12)
        made = own.embed([texts[n] for n in order])
        if np.abs(made - right[order]).max() > 1e-5:
            wrong.append(seed)

    threads = [threading.Thread(target=check, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_embedding_asks_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    embedding._made.cache_clear()
    assert embed(["no network"]).shape == (1, 384)


class Drawn:
    """An embedder that gives these rows in so many seconds of CPU."""

    def __init__(self, rows: Any, seconds: float) -> None:
        self.rows, self.seconds = rows, seconds

    def embed(self, _texts: object) -> Any:
        return self.rows

    def _computed(self, _texts: object) -> None:
        until = time.process_time() + self.seconds
        while time.process_time() < until:
            pass


def test_the_rounded_encoder_is_taken_only_if_it_is_near_and_faster() -> None:
    rows = np.eye(6, 384, dtype=np.float32)
    off = rows * np.float32(0.9998)
    exact = Drawn(rows, 0.003)
    assert embedding.pays(Drawn(rows, 0.001), exact)  # type: ignore[arg-type]
    assert not embedding.pays(Drawn(off, 0.001), exact)  # type: ignore[arg-type]
    assert not embedding.pays(Drawn(rows, 0.004), exact)  # type: ignore[arg-type]


def test_without_weights_the_way_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "why_missing", lambda _name: "MiniLM is not installed yet")
    with pytest.raises(ValueError, match="MiniLM is not installed yet; make models fetches it"):
        embed(["x"])
