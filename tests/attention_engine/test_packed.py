"""Several texts in one pass come out as each alone, and what was read is kept within its bound."""

import threading
from collections.abc import Iterator

import pytest
import torch

from attention_engine.device import Chance
from attention_engine.trained import encoder, models, packed
from attention_engine.trained.encoder import Encoder, LayerHeads, Sizes
from attention_engine.trained.kept import Kept, size_of
from attention_engine.trained.reading import Reading

CPU = torch.device("cpu")
SMALL = Sizes(layers=3, d_model=96, num_heads=4, d_inner=192, vocabulary=50, positions=64)
LENGTHS = (5, 1, 2, 33, 64, 7, 12, 12)


@pytest.fixture(scope="module")
def model() -> Encoder:
    return Encoder(encoder.random_weights(SMALL, Chance(3, CPU)), SMALL)


def texts() -> list[torch.Tensor]:
    return [torch.arange(length) * 7 % 50 for length in LENGTHS]


def parts(heads: LayerHeads) -> Iterator[torch.Tensor]:
    yield from (heads.q, heads.k, heads.v)


def test_heads_of_a_pack_are_those_of_each_text_alone(model: Encoder) -> None:
    for text, layers in zip(texts(), packed.heads_of(model, texts()), strict=True):
        for one, alone in zip(layers, model.heads(text), strict=True):
            for mine, theirs in zip(parts(one), parts(alone), strict=True):
                assert mine.shape == theirs.shape
                assert mine.stride() == theirs.stride()  # the same kernels see it next
                torch.testing.assert_close(mine, theirs, atol=1e-5, rtol=0)


def test_the_output_of_a_pack_is_that_of_each_text_alone(model: Encoder) -> None:
    together = packed.run(model, texts())
    alone = torch.cat([model.run(text) for text in texts()])
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=0)


def test_a_text_that_is_kept_does_not_keep_those_it_was_read_with(model: Encoder) -> None:
    layers = packed.heads_of(model, texts())[1]
    assert layers[0].q.untyped_storage().nbytes() == 3 * SMALL.d_model * 4


def test_a_text_longer_than_the_encoder_has_places_is_refused_with_both_numbers(model: Encoder) -> None:
    with pytest.raises(ValueError, match="65 tokens, but the encoder has 64 places"):
        packed.run(model, [torch.arange(3), torch.arange(65) % 50])


def test_packs_hold_neighbours_up_to_so_many_tokens_and_longer_texts_alone() -> None:
    assert list(packed.packs([60, 60, 20, 200, 5, 5], most=128)) == [
        slice(0, 2),
        slice(2, 3),
        slice(3, 4),
        slice(4, 6),
    ]
    assert list(packed.packs([])) == []


def reading(tokens: int) -> Reading:
    row = torch.zeros(1, tokens, 4)
    return Reading(tokens=("x",) * tokens, layers=(LayerHeads(row, row, row),), cut=False)


def test_readings_are_kept_up_to_their_bytes_and_the_one_used_longest_ago_goes_first() -> None:
    kept = Kept(most=3 * size_of(reading(10)))
    for name in "abc":
        kept.keep(name, reading(10))
    kept.find("a")
    kept.keep("d", reading(10))
    assert [kept.find(name) is not None for name in "abcd"] == [True, False, True, True]
    kept.keep("huge", reading(1000))
    assert kept.find("huge") is None
    assert kept.find("d") is not None


def test_threads_share_what_is_kept_and_its_bound_holds() -> None:
    kept = Kept(most=20 * size_of(reading(10)))

    def use(first: int) -> None:
        for n in range(300):
            kept.find(n % 37) or kept.keep(n % 37, reading(10))
            kept.keep((first, n), reading(1 + n % 10))

    users = [threading.Thread(target=use, args=(n,)) for n in range(4)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert kept._held == sum(map(size_of, kept._readings.values())) <= kept._most


def test_sentences_read_together_are_found_and_equal_those_read_alone(
    minilm: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = ["a cat", "a dog sat", "the animal did not cross the street because it was tired", "a cat"]
    monkeypatch.setattr(models, "_kept", Kept(most=0))
    alone = [models.read("minilm", sentence, CPU) for sentence in sentences]
    monkeypatch.setattr(models, "_kept", Kept())
    models.read_together([("minilm", sentence) for sentence in sentences], CPU)
    monkeypatch.setattr(Encoder, "heads", None)  # nothing is read again
    for before, sentence in zip(alone, sentences, strict=True):
        found = models.read("minilm", sentence, CPU)
        assert (found.tokens, found.cut, found.stamp) == (before.tokens, before.cut, before.stamp)
        for one, other in zip(found.layers, before.layers, strict=True):
            torch.testing.assert_close(one.q, other.q, atol=1e-5, rtol=0)
