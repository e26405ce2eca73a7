"""All heads of a model: measures, names, order and pair against the maps themselves, worked out in numpy."""

import math
import time
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attention_engine.admission import admit
from attention_engine.configs import ModelConfig, all_models
from attention_engine.encoding import thumbnail
from attention_engine.engine import render
from attention_engine.frames import Frame
from attention_engine.kinds import head_atlas as kind
from attention_engine.kinds.head_atlas import MEASURES, PATTERNS, SENTENCE, SMALL_BYTES
from attention_engine.spec import InvalidSpec, facts, make_spec
from attention_engine.trained import models
from attention_engine.visualizations.atlas import measures as measuring
from attention_engine.visualizations.atlas import tables
from attention_engine.visualizations.atlas.pair import pair_of, place_of
from tests.attention_engine.conftest import Draw
from tests.attention_engine.decoding import decode
from tests.attention_engine.memory import measured
from tests.attention_engine.tiny_models import write_bert, write_llama
from tests.attention_engine.twins_of_atlas import place_of as head_of

LONG = " ".join([SENTENCE] * 40)[:2000]
NAMES = [measure.name for measure in MEASURES]
Maps = list[np.ndarray[Any, Any]]
TRAINED = pytest.mark.parametrize("model", ["minilm", "smollm2"])


@pytest.fixture(autouse=True)
def _weights(request: pytest.FixtureRequest) -> None:
    """Where a test names a model, its weights."""
    name = getattr(getattr(request.node, "callspec", None), "params", {}).get("model")
    if name in {"minilm", "smollm2"}:
        request.getfixturevalue(name)


def tensor(frame: Frame, role: str) -> Any:
    """A tensor of a frame as a client decodes it."""
    at = [one.role for one in frame.tensors].index(role)
    return decode(frame.tensors[at], frame.blobs[at])


def maps_of(model: str, sentence: str) -> tuple[tuple[str, ...], Maps]:
    """Tokens and, a layer at a time, (H, T, T) by the textbook's formula in float64."""
    reading = models.read(model, sentence, torch.device("cpu"))
    found = []
    for layer in reading.layers:
        q, k = (part.double().numpy() for part in (layer.q, layer.k))
        scores = q @ np.repeat(k, len(q) // len(k), axis=0).transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        if model == "smollm2":
            scores[:, ~np.tri(len(reading.tokens), dtype=bool)] = -np.inf
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        found.append(weights / weights.sum(axis=-1, keepdims=True))
    return tuple(reading.tokens), found


def marks(tokens: Sequence[str]) -> list[int]:
    """Positions after the first of [SEP] and of tokens that are punctuation."""
    return [
        at
        for at, token in enumerate(tokens)
        if at and (token == "[SEP]" or all(unicodedata.category(letter)[0] == "P" for letter in token))
    ]


def by_hand(weights: np.ndarray[Any, Any], tokens: Sequence[str]) -> Mapping[str, float]:
    """The measures of one map as their definitions say, a weight at a time."""
    count = len(weights)
    after = range(1, count)

    def mean(values: Sequence[float]) -> float:
        return sum(values) / len(values)

    return {
        "entropy": mean([-sum(p * math.log(p) for p in row if p > 0) for row in weights]),
        "sink": mean([weights[i][0] for i in after]),
        "locality": mean([sum(weights[i][j] * abs(i - j) for j in range(count)) for i in after]),
        "previous": mean([weights[i][i - 1] for i in after]),
        "own": mean([weights[i][i] for i in after]),
        "next": mean([weights[i][i + 1] for i in range(count - 1)]),
        "separator": mean([sum(weights[i][j] for j in marks(tokens)) for i in after]),
    }


@TRAINED
def test_every_measure_of_every_head_is_what_its_definition_says(model: str, draw: Draw) -> None:
    measures = tensor(draw("head_atlas", model=model)["maps"], "measures")
    tokens, maps = maps_of(model, SENTENCE)
    assert measures.shape == (7, len(maps), len(maps[0]))
    for layer, heads in enumerate(maps):
        for head, weights in enumerate(heads):
            wanted = by_hand(weights, tokens)
            found = dict(zip(NAMES, measures[:, layer, head], strict=True))
            assert found == pytest.approx(wanted, abs=2e-4), (layer, head)


@TRAINED
def test_small_maps_are_the_maps_pooled_by_their_largest(model: str, draw: Draw) -> None:
    small = tensor(draw("head_atlas", model=model, sentence=SENTENCE * 5)["maps"], "thumbnails")
    _, maps = maps_of(model, SENTENCE * 5)
    side = small.shape[-1]
    assert small.shape == (len(maps), len(maps[0]), side, side)
    assert side < maps[0].shape[-1]
    for layer in (0, 3, len(maps) - 1):
        pooled = thumbnail(maps[layer].astype(np.float32), side)
        assert np.abs(np.sqrt(small[layer]) - np.sqrt(pooled)).max() <= 0.5 / 255 + 1e-3


@TRAINED
def test_each_step_sorts_all_heads_by_its_own_measure(model: str, draw: Draw) -> None:
    frames = draw("head_atlas", model=model)
    measures = tensor(frames["maps"], "measures")
    for step in set(frames) & set(NAMES):
        places = [head_of(row[0]) for row in frames[step].table.rows]
        sorted_by = [measures[NAMES.index(step)][place] for place in places]
        assert sorted_by == sorted(sorted_by, reverse=True)
        assert len(set(places)) == measures[0].size
        assert f"{sorted_by[0]:.1f}"[:3] in frames[step].sentence or step not in {"entropy", "locality"}


@TRAINED
def test_the_pair_is_ranked_by_the_weights_that_attention_pattern_draws(model: str, draw: Draw) -> None:
    frame = draw("head_atlas", model=model, query="it", key="animal")["pair"]
    tokens, maps = maps_of(model, SENTENCE)
    query, key = tokens.index("it"), tokens.index("animal")
    assert frame.values == (query, key)
    assert tensor(frame, "pair") == pytest.approx(np.stack(maps)[:, :, query, key], abs=1e-5)
    told = [row[1] for row in frame.table.rows]
    assert all(float(one) >= float(other) for one, other in pairwise(told))
    layer, head = head_of(frame.table.rows[0][0])
    shown = draw("attention_pattern", model=model, layer=layer, head=head)["weights"]
    assert tensor(shown, "weights")[query, key] == pytest.approx(told[0], abs=0.005)
    assert f"layer {layer}, head {head} sends most" in frame.sentence


@pytest.mark.usefixtures("minilm")
def test_the_classic_head_of_minilm_sends_most_from_it_to_animal(draw: Draw) -> None:
    frame = draw("head_atlas")["pair"]
    assert frame.table.rows[0][0] == "L3 H1"
    assert "From “it” to “animal”, layer 3, head 1 sends most, 0.68" in frame.sentence


def test_of_the_usual_pair_one_word_can_be_changed_and_another_sentence_has_no_usual_pair() -> None:
    def pair(**given: str) -> tuple[str, str]:
        parameters = make_spec("head_atlas", given).parameters
        return parameters["query"], parameters["key"]

    assert pair(key="street") == ("it", "street")
    assert pair(query="", key=" ") == ("", "")
    assert pair(sentence="It rained.") == ("", "")


@pytest.mark.usefixtures("minilm")
def test_names_follow_the_rule_that_the_facts_tell(draw: Draw) -> None:
    maps = draw("head_atlas")["maps"]
    measures, codes = tensor(maps, "measures"), tensor(maps, "patterns")
    count = maps.shape[-1]
    tokens, _ = maps_of("minilm", SENTENCE)
    even = by_hand(np.full((count, count), 1 / count), tokens)
    ways = dict(zip(("sink", "previous", "next", "own", "separator"), PATTERNS[1:6], strict=True))
    for place in np.ndindex(*codes.shape):
        own = dict(zip(NAMES, (float(one[place]) for one in measures), strict=True))
        fit = {ways[name]: own[name] for name in ways if own[name] >= max(0.4, 2 * even[name])}
        broad = own["entropy"] >= 0.8 * even["entropy"]
        wanted = max(fit, key=lambda name: fit[name]) if fit else "broad" if broad else "none"
        assert PATTERNS[int(codes[place])] == wanted, place
    assert {PATTERNS[int(code)] for code in codes.flat} >= {"sink", "previous token", "next token", "broad"}


def test_even_weights_are_broad_and_a_clean_diagonal_is_named() -> None:
    tokens = [f"word{n}" for n in range(8)] + ["."]
    by, even = measuring.kernels(tokens), measuring.even(9, causal=False)
    shifted = {name: torch.eye(9).roll(by, 1) for name, by in (("previous", -1), ("own", 0), ("next", 1))}
    sink, separator = torch.zeros(2, 9, 9)
    sink[:, 0] = separator[:, 8] = 1
    weights = torch.stack([even, *shifted.values(), sink, separator])
    codes = measuring.named(measuring.measured(weights, by), measuring.measured(even[None], by)[0])
    wanted = ["broad", "previous token", "own token", "next token", "sink", "separator"]
    assert [PATTERNS[int(code)] for code in codes] == wanted


def test_a_mark_that_stands_first_is_a_sink_and_no_separator() -> None:
    separator = measuring.kernels(["!", "a", ",", "b"])[NAMES.index("separator") - 1]
    assert separator.sum(dim=0).tolist() == pytest.approx([0, 0, 1, 0])


@pytest.mark.parametrize("causal", [False, True])
def test_two_tokens_name_nothing_for_there_even_weights_are_half(causal: bool) -> None:
    by, even = measuring.kernels(["a", "b"]), measuring.even(2, causal=causal)
    weights = torch.tensor([[[1.0, 0.0], [0.6, 0.4]], [[1.0, 0.0], [0.4, 0.6]]])
    codes = measuring.named(measuring.measured(weights, by), measuring.measured(even[None], by)[0])
    assert {PATTERNS[int(code)] for code in codes} <= {"broad", "none"}


@TRAINED
def test_all_small_maps_of_a_long_text_keep_to_120_kb_and_frames_to_theirs(model: str) -> None:
    spec = make_spec("head_atlas", {"model": model, "sentence": LONG})
    assert admit(spec).carries_values
    frames = list(render(spec))
    assert frames[0].shape[-1] > 400
    sent = {one.role: one.bytes for one in frames[0].tensors}
    assert sent["thumbnails"] <= SMALL_BYTES
    assert sum(sent.values()) <= 128_000
    assert [frame.step for frame in frames] == [step["step"] for step in facts(spec)["steps"]]


@pytest.mark.usefixtures("minilm")
def test_once_a_sentence_is_read_its_atlas_takes_a_moment() -> None:
    """The goal is 300 ms, measured are 75 to 150; a busy machine is allowed four times the goal."""
    spec = make_spec("head_atlas", {"sentence": LONG})
    models.read("minilm", spec.parameters["sentence"], torch.device("cpu"))
    began = time.perf_counter()
    assert next(render(spec)).shape[-1] > 400
    assert time.perf_counter() - began <= 1.2


@pytest.mark.parametrize("config", all_models(), ids=lambda config: config.slug)
def test_every_published_model_is_counted_without_a_map_that_was_not_computed(config: ModelConfig) -> None:
    spec = make_spec("head_atlas", {"model": config.slug})
    if spec.parameters["model"] in {"minilm", "smollm2"}:
        assert facts(spec)["heads"] == config.layers * config.num_heads
        return
    heads, groups = render(spec)
    assert heads.shape == (config.layers, config.num_heads)
    assert heads.tensors == groups.tensors == ()
    assert f"make {config.layers * config.num_heads:,} heads" in heads.sentence
    assert "Its weights are not here" in heads.sentence
    assert len(groups.table.rows) == max(1, config.num_kv_heads)
    assert not admit(spec).carries_values


def test_another_sentence_makes_no_other_picture_of_a_model_without_weights() -> None:
    one, other = (make_spec("head_atlas", {"model": "bert-base", "sentence": text}) for text in ("A.", "B."))
    assert one.digest() == other.digest() == make_spec("head_atlas", {"model": "bert-base"}, 7).digest()


def test_the_slug_of_a_trained_model_is_the_trained_model() -> None:
    one, other = (make_spec("head_atlas", {"model": name}) for name in ("all-minilm-l6-v2", "minilm"))
    assert one.digest() == other.digest()
    assert make_spec("head_atlas", {"model": "smollm2-135m"}).parameters["model"] == "smollm2"


HOSTILE = [
    "🙂🙃🙂",
    "注意头看整个输入。",
    "שלום עולם, מה שלומך?",
    "a" * 2000,
    "!?!?" * 500,
    "\u0301x\u200d\u202e",
    "한국어 음절",
]


@pytest.mark.parametrize("sentence", HOSTILE, ids=range(len(HOSTILE)))
@TRAINED
def test_odd_sentences_are_drawn_within_the_limits(model: str, sentence: str) -> None:
    shown = sentence if model == "minilm" else sentence[:300]
    spec = make_spec("head_atlas", {"model": model, "sentence": shown, "query": "🙂", "key": "0"})
    for frame in render(spec):
        assert frame.sentence.isprintable()
        assert frame.table.rows
        numbers = [cell for row in frame.table.rows for cell in row if isinstance(cell, float)]
        assert all(math.isfinite(number) for number in numbers)


@pytest.mark.parametrize("model", ["random", "minilm", "smollm2"])
def test_one_token_is_an_atlas_of_ones(model: str, draw: Draw) -> None:
    frames = draw("head_atlas", model=model, sentence="x")
    count = frames["maps"].shape[-1]
    measures = tensor(frames["maps"], "measures")
    assert np.isfinite(measures).all()
    if count == 1:
        assert {name: float(measures[n].max()) for n, name in enumerate(NAMES)} == pytest.approx(
            {"entropy": 0, "sink": 1, "locality": 0, "previous": 0, "own": 1, "next": 0, "separator": 0},
            abs=1e-6,
        )
        assert "to itself" in frames["pair"].sentence
        assert {row[1] for row in frames["maps"].table.rows} == {"none"}


@pytest.mark.parametrize("family", ["bert", "llama"])
def test_a_folder_of_ones_own_is_measured_by_the_maps_that_transformers_gives(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, draw: Draw
) -> None:
    pytest.importorskip("transformers")
    folder = tmp_path / "own"
    peer = {"bert": write_bert, "llama": write_llama}[family](folder)
    monkeypatch.setenv("STUDYHUB_MODEL_DIR", str(folder))
    frames = draw("head_atlas", model="local", sentence="the animal did not cross the street")
    from attention_engine.trained.loading import loaded

    encoded = loaded("local", torch.device("cpu")).tokenizer.encode("the animal did not cross the street")
    with torch.no_grad():
        maps = peer(torch.tensor([encoded.ids]), output_attentions=True).attentions
    wanted = torch.stack([layer[0, :, 1:, 0].mean(dim=-1) for layer in maps]).numpy()
    sink = tensor(frames["maps"], "measures")[NAMES.index("sink")]
    assert sink == pytest.approx(wanted, abs=1e-5)
    assert frames["maps"].tensors[0].packed == ("tril" if family == "llama" else "none")


def test_a_random_layer_is_the_one_that_attention_pattern_draws(draw: Draw) -> None:
    atlas = draw("head_atlas", seed=5, model="random")
    small = tensor(atlas["maps"], "thumbnails")
    for head in range(4):
        shown = draw("attention_pattern", seed=5, model="random", head=head)["weights"]
        assert np.array_equal(small[0, head], tensor(shown, "weights"))
    assert "Random layer, seed 5." in atlas["sink"].sentence


@pytest.mark.usefixtures("no_minilm")
@pytest.mark.parametrize("name", ["minilm", "smollm2"])
def test_without_weights_one_random_layer_of_the_same_widths_says_so(name: str, draw: Draw) -> None:
    frame = draw("head_atlas", model=name)["maps"]
    heads = facts(make_spec("head_atlas", {"model": name}))["num_heads"]
    assert frame.shape[:2] == (1, heads)
    assert "A random layer in the widths of" in frame.sentence
    assert "Random layer, seed 0" in frame.sentence


def test_it_holds_at_once_what_was_admitted_and_not_much_less() -> None:
    words = " ".join(chr(0x4E00 + n) for n in range(300))
    spec = make_spec("head_atlas", {"model": "random", "sentence": words})
    list(render(spec))
    with measured() as meter:
        list(render(spec))
    assert meter.peak <= admit(spec).peak_bytes <= 2 * meter.peak + 2**22


def test_a_model_too_large_for_its_maps_is_counted_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    from attention_engine import admission

    monkeypatch.setattr(admission, "MOST_FLOPS", 10**6)
    (frame,) = render(make_spec("head_atlas", {}))
    assert (frame.step, frame.shape, frame.tensors) == ("heads", (6, 12), ())
    assert "MiniLM-L6 is not drawn: it would take" in frame.sentence


def test_heads_beyond_the_frames_of_a_picture_are_counted_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from attention_engine.frames import MAX_FRAMES

    values, patterns = torch.full((len(NAMES), 50, 32), 100.123), torch.full((50, 32), 2)
    by_place = len(list(tables.pages(*tables.by_place(values, patterns))))
    by_measure = len(list(tables.pages(*tables.by_measure("sink", values[0], patterns))))
    assert by_place + (len(NAMES) + 1) * by_measure <= MAX_FRAMES
    monkeypatch.setattr(kind, "MOST_HEADS", 71)
    spec = make_spec("head_atlas", {})
    (frame,) = render(spec)
    assert "MiniLM-L6 is not drawn: 72 heads are above 71." in frame.sentence
    assert not admit(spec).carries_values


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ("animal", 1),
        ("Animal", 1),
        ("2", 2),
        ("99", None),
        ("tokenization", 3),
        ("ization", 4),
        ("zebra", None),
    ],
)
def test_a_word_is_found_as_a_token_as_pieces_or_by_position(asked: str, place: int | None) -> None:
    assert place_of(asked, ["[CLS]", "animal", "it", "token", "##ization", "[SEP]"]) == place


def test_what_is_not_asked_is_where_the_strongest_head_sends_most() -> None:
    tokens, most = ["[CLS]", "it", "saw", "the", "animal", "it", "."], torch.zeros(7, 7)
    most[1, 0], most[6, 4] = 1.0, 1.0  # no words
    most[1, 2], most[5, 1] = 0.9, 0.9  # side by side, and the same word
    most[4, 1], most[1, 3] = 0.8, 0.7

    def found(query: str, key: str, **more: bool) -> tuple[int, int]:
        pair = pair_of(query, key, tokens, most, **more)
        return pair.query, pair.key

    assert found("", "") == (4, 1)
    assert found("it", "") == (1, 3)
    assert found("6", "4") == (6, 4)
    asked = pair_of("it", "zebra", tokens, most)
    assert (asked.query, asked.key) == (1, 3)
    assert asked.note == "No token here is “zebra”: the strongest is taken instead."


def test_of_a_decoder_the_first_token_is_not_what_is_followed() -> None:
    tokens, most = ["The", "cat", "saw", "dogs"], torch.zeros(4, 4)
    most[3, 0], most[3, 1] = 1.0, 0.2
    assert pair_of("", "", tokens, most).key == 0
    assert pair_of("", "", tokens, most, causal=True).key == 1


def test_of_a_decoder_what_is_hidden_is_never_the_strongest() -> None:
    none = torch.zeros(2, 2)
    found = pair_of("", "", ["The", "cat"], none, causal=True)
    assert (found.query, found.key) == (1, 0)
    found = pair_of("", "cat", ["The", "cat"], none, causal=True)
    assert (found.query, found.key) == (1, 1)
    found = pair_of("The", "cat", ["The", "cat"], none, causal=True)
    assert (found.query, found.key) == (0, 1)


def test_heads_that_are_all_alike_are_told_at_once(draw: Draw) -> None:
    one = draw("head_atlas", model="random", sentence="a")
    assert one["entropy"].sentence.startswith(
        "One token sees itself alone, so no head differs: each has 0.00."
    )
    assert one["pair"].sentence.startswith("From “a” to itself every head sends 1.00.")
    without_marks = draw("head_atlas", model="random", sentence="a b c")["separator"].sentence
    assert "0.00 in every head. Even weights would give 0.00." in without_marks


@pytest.mark.usefixtures("smollm2")
def test_a_key_after_its_query_is_hidden_from_every_head_of_a_decoder(draw: Draw) -> None:
    frame = draw("head_atlas", model="smollm2", query="animal", key="it")["pair"]
    assert "a causal model hides it, so no head sends any" in frame.sentence
    assert not tensor(frame, "pair").any()


def test_more_heads_than_fit_a_frame_go_on_in_the_next() -> None:
    values = torch.rand(40, 32)
    columns, rows = tables.by_measure("sink", values, torch.zeros(40, 32, dtype=torch.int64))
    pages = list(tables.pages(columns, rows))
    assert len(pages) > 1
    assert [row for page in pages for row in page.rows] == rows
    assert len({row[0] for row in rows}) == 40 * 32


@pytest.mark.parametrize(
    ("parameters", "field"),
    [({"sentence": ""}, "sentence"), ({"model": "gpt-9"}, "model"), ({"query": "x" * 81}, "query")],
)
def test_what_cannot_be_drawn_is_refused_by_field(parameters: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidSpec) as refused:
        make_spec("head_atlas", parameters)
    assert refused.value.field == field
