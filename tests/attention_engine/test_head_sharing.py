"""The same queries under four ways of sharing K and V: who reads what, what it costs, what it changes."""

import gzip
import json
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional

from attention_engine import arithmetic
from attention_engine.admission import admit
from attention_engine.configs import ModelConfig, all_models, model
from attention_engine.engine import render
from attention_engine.frames import Frame
from attention_engine.kinds.kv.schemes import usual_groups
from attention_engine.spec import InvalidSpec, facts, make_spec
from attention_engine.visualizations.sharing import kv
from attention_engine.visualizations.sharing.answer import read_by_repeat, read_by_sdpa
from attention_engine.visualizations.sharing.layer import layer_of
from tests.attention_engine.memory import measured

CPU = torch.device("cpu")
SHORT = "It is late."
LONG = " ".join(f"w{n * 37 % 101}" for n in range(80))
STEPS = ["mha", "gqa", "mqa", "mla", "compare", "maps"]


@pytest.fixture(params=all_models(), ids=lambda config: config.slug)
def config(request: pytest.FixtureRequest) -> ModelConfig:
    found: ModelConfig = request.param
    return found


@st.composite
def shared_layers(draw: st.DrawFn) -> dict[str, int]:
    """Query heads, two numbers of K/V heads that divide them, and widths that follow from nothing else."""
    heads = draw(st.sampled_from([1, 2, 6, 9, 12, 36, 48, 71]))
    some = st.sampled_from(arithmetic.divisors(n=heads))
    return {
        "heads": heads,
        "own": draw(some),
        "groups": draw(some),
        "d_head": draw(st.integers(1, 9)),
        "d_head_v": draw(st.integers(1, 9)),
        "tokens": draw(st.integers(1, 7)),
    }


def drawn(layer: dict[str, int], seed: int = 0) -> tuple[kv.Queries, kv.Pairs]:
    chance = torch.Generator().manual_seed(seed)
    tokens, d_head = layer["tokens"], layer["d_head"]
    q = torch.randn(layer["heads"], tokens, d_head, generator=chance)
    k = torch.randn(layer["own"], tokens, d_head, generator=chance)
    v = torch.randn(layer["own"], tokens, layer["d_head_v"], generator=chance)
    mask = torch.ones(tokens, tokens, dtype=torch.bool).tril()
    return kv.Queries(q, mask, d_head**-0.5), kv.Pairs(k, v)


def schemes(**parameters: Any) -> dict[str, dict[str, Any]]:
    told = facts(make_spec("head_sharing", parameters))
    return {scheme["step"]: scheme for scheme in told["schemes"]}


# Bytes.


def test_the_bytes_of_a_models_own_scheme_are_those_of_its_cache(config: ModelConfig) -> None:
    told = facts(make_spec("head_sharing", {"model": config.slug, "cache_tokens": 4096}))
    scheme = {one["step"]: one for one in told["schemes"]}[told["own"]]
    if config.kv_elements:
        assert scheme["bytes_per_token"] == arithmetic.kv_bytes_per_token(model=config.slug)
        assert scheme["bytes"] == arithmetic.kv_bytes(model=config.slug, tokens=4096)
    else:
        assert "no cache of this model" in told["ships"]


def test_the_other_schemes_cost_what_the_closed_form_says_of_so_many_heads(config: ModelConfig) -> None:
    told = schemes(model=config.slug)
    for step in ("mha", "gqa", "mqa"):
        heads = told[step]["kv_heads"]
        assert told[step]["bytes_per_token"] == arithmetic.kv_bytes_per_token(
            model=config.slug, num_kv_heads=heads
        )


@pytest.mark.parametrize(
    ("slug", "sizes"),
    [
        ("llama-3-70b", {"mha": 2_621_440, "gqa": 327_680, "mqa": 40_960, "mla": 92_160}),
        ("deepseek-v3-r1-671b", {"mha": 4_997_120, "gqa": 312_320, "mqa": 39_040, "mla": 70_272}),
        ("mistral-small-4-119b-2603", {"mla": 36 * 320 * 2}),
        ("falcon-7b", {"mqa": 8_192, "gqa": 581_632}),
    ],
)
def test_bytes_of_known_models(slug: str, sizes: dict[str, int]) -> None:
    told = schemes(model=slug)
    assert {step: told[step]["bytes_per_token"] for step in sizes} == sizes


def test_a_model_without_a_latent_takes_deepseeks_by_a_stated_convention() -> None:
    llama, deepseek = (facts(make_spec("head_sharing", {"model": slug})) for slug in ("llama-3-70b", "glm-5"))
    assert "DeepSeek's 512 latent and 64 rotary numbers per layer, by convention" in llama["ships"]
    assert "convention" not in deepseek["ships"]
    assert "Its latent is 512 + 64 wide" in deepseek["ships"]


@pytest.mark.parametrize(("heads", "own", "groups"), [(64, 8, 8), (12, 12, 6), (71, 1, 71), (128, 0, 8)])
def test_the_grouped_scheme_is_the_models_own_or_the_nearest_to_eight(
    heads: int, own: int, groups: int
) -> None:
    assert usual_groups(heads, own=own) == groups


# Who reads what.


@pytest.mark.parametrize("heads", [1, 2, 9, 12, 64, 71, 128, 256])
def test_the_pair_that_a_query_head_reads_is_that_of_torchs_repeat_interleave(heads: int) -> None:
    for pairs in arithmetic.divisors(n=heads):
        by_torch = torch.arange(pairs).repeat_interleave(heads // pairs).tolist()
        assert read_by_sdpa(heads, pairs) == read_by_repeat(heads, pairs) == by_torch
        assert by_torch == [
            arithmetic.kv_head_of(query_head=head, num_heads=heads, num_kv_heads=pairs)
            for head in range(heads)
        ]


def test_the_table_of_a_scheme_says_what_each_head_reads() -> None:
    frames = pictured(model="llama-3-70b", sentence=SHORT)
    for step, pairs in (("mha", 64), ("gqa", 8), ("mqa", 1)):
        told = [row[1] for row in frames[step].table.rows]
        assert told == [f"pair {n}" for n in torch.arange(pairs).repeat_interleave(64 // pairs).tolist()]
    assert {row[1] for row in frames["mla"].table.rows} == {"the latent"}


@pytest.mark.parametrize(("heads", "given"), [(64, 5), (64, 48), (9, 2), (12, 24), (71, 8)])
def test_an_answer_that_does_not_divide_meets_torchs_own_words(heads: int, given: int) -> None:
    numbers = {"model": "", "num_heads": heads, "d_head": 4, "answer_kv_heads": given, "sentence": SHORT}
    frame = next(render(make_spec("head_sharing", numbers)))
    with pytest.raises(RuntimeError) as refused:
        functional.scaled_dot_product_attention(
            torch.zeros(1, heads, 2, 4),
            torch.zeros(1, given, 2, 4),
            torch.zeros(1, given, 2, 4),
            enable_gqa=True,
        )
    assert frame.error == f"RuntimeError: {refused.value}"
    with pytest.raises(RuntimeError) as other:
        torch.zeros(1, heads, 2, 4) @ torch.zeros(1, given, 2, 4).repeat_interleave(heads // given, 1).mT
    assert frame.table.rows[-1][1] == f"RuntimeError: {other.value}"
    near = arithmetic.nearest_divisors(n=heads, near=given)
    assert facts(make_spec("head_sharing", numbers))["answer"]["nearest"] == near
    assert frame.sentence.startswith(f"num_kv_heads {given} does not divide num_heads {heads}")
    assert frame.verdict == {"works": 0, "left_over": heads % given}


def test_an_answer_that_divides_runs_and_becomes_the_grouped_scheme() -> None:
    frames = pictured(model="llama-3-70b", answer_kv_heads=16, sentence=SHORT)
    assert frames["answer"].error == ""
    assert frames["answer"].table.rows[21] == (21, 5)
    assert frames["gqa"].title == "64 query heads, 16 pairs of keys and values"
    assert "16 divides 64: 4 query heads read each pair." in frames["answer"].sentence


# K and V of another scheme.


@settings(max_examples=60, deadline=None)
@given(shared_layers())
def test_repeating_pairs_changes_no_bit_of_any_map(layer: dict[str, int]) -> None:
    queries, pairs = drawn(layer)
    own = kv.attended(queries, pairs)
    for groups in arithmetic.divisors(n=layer["heads"]):
        if groups % layer["own"] == 0:
            again = kv.attended(queries, kv.of_groups(pairs, layer["heads"], groups))
            assert torch.equal(again.maps, own.maps)
            assert torch.equal(again.output, own.output)


@settings(max_examples=60, deadline=None)
@given(shared_layers())
def test_fewer_pairs_are_the_means_of_what_their_query_heads_read(layer: dict[str, int]) -> None:
    heads, own, groups = layer["heads"], layer["own"], layer["groups"]
    _, pairs = drawn(layer)
    found = kv.shared(pairs.k, heads, groups)
    size = heads // groups
    for group in range(groups):
        read = [pairs.k[head // (heads // own)] for head in range(group * size, (group + 1) * size)]
        assert torch.allclose(found[group], torch.stack(read).mean(dim=0), atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(shared_layers())
def test_attending_equals_torchs_own_grouped_attention(layer: dict[str, int]) -> None:
    queries, pairs = drawn(layer)
    found = kv.attended(queries, pairs)
    right = functional.scaled_dot_product_attention(
        queries.q[None],
        pairs.k[None],
        pairs.v[None],
        attn_mask=queries.mask,
        scale=queries.scale,
        enable_gqa=True,
    )
    assert torch.allclose(found.output, right[0], atol=1e-5)
    assert torch.allclose(found.maps.sum(dim=-1), torch.ones(()), atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(shared_layers())
def test_a_latent_as_wide_as_there_are_tokens_keeps_every_map(layer: dict[str, int]) -> None:
    queries, pairs = drawn(layer)
    own = kv.attended(queries, pairs)
    basis = kv.basis_of(pairs, own.maps)
    for rank in (layer["tokens"], layer["tokens"] + 500):
        again = kv.attended(queries, kv.of_latent(pairs, basis, rank))
        assert torch.allclose(again.maps, own.maps, atol=1e-5)
        assert torch.allclose(again.output, own.output, atol=1e-4)


def test_a_latent_is_the_truncated_svd_of_k_and_v_weighed_by_attention() -> None:
    layer = {"heads": 6, "own": 3, "groups": 3, "d_head": 5, "d_head_v": 4, "tokens": 9}
    queries, pairs = drawn(layer)
    maps = kv.attended(queries, pairs).maps
    found = kv.of_latent(pairs, kv.basis_of(pairs, maps), 2)
    k, v = (one.double() / one.double().norm() for one in (pairs.k, pairs.v))
    weight = maps.double().mean(dim=(0, 1)).sqrt()[:, None]
    joint = torch.cat([k, v], dim=-1).transpose(0, 1).flatten(1)
    u, s, vt = torch.linalg.svd(weight * joint, full_matrices=False)
    rebuilt = (u[:, :2] * s[:2] @ vt[:2] / weight).view(9, 3, 9).transpose(0, 1)
    assert torch.allclose(found.k.double(), rebuilt[..., :5] * pairs.k.double().norm(), atol=1e-5)
    assert torch.allclose(found.v.double(), rebuilt[..., 5:] * pairs.v.double().norm(), atol=1e-5)


def test_likeness_is_pearsons_correlation_within_groups_and_between_them() -> None:
    maps = torch.rand(4, 5, 5, generator=torch.Generator().manual_seed(1))
    seen = torch.ones(5, 5, dtype=torch.bool).tril()
    like = kv.likeness(maps, seen)
    by_torch = torch.corrcoef(maps[:, seen])
    assert torch.allclose(like, by_torch, atol=1e-5)
    found = kv.within_and_between(like, 2)
    assert found is not None
    assert found[0] == pytest.approx(float((by_torch[0, 1] + by_torch[2, 3]) / 2), abs=1e-5)
    assert found[1] == pytest.approx(float(by_torch[:2, 2:].mean()), abs=1e-5)
    assert kv.within_and_between(like, 4) is kv.within_and_between(like, 1) is None


def test_maps_of_one_token_correlate_with_nothing_and_none_is_claimed() -> None:
    assert kv.within_and_between(kv.likeness(torch.ones(4, 1, 1), None), 2) is None
    frames = pictured(model="", num_heads=8, d_model=64, sentence="a")
    assert "correlate" not in frames["compare"].sentence
    assert "One token is one direction" in frames["mla"].sentence


def test_one_query_head_and_one_own_pair_are_told_in_the_singular() -> None:
    alone = facts(make_spec("head_sharing", {"model": "", "num_heads": 1, "d_model": 64}))
    assert alone["no_groups"] == "One query head reads one K/V pair: MQA, GQA and MHA are the same."
    shared = pictured(model="falcon-7b", sentence="a b")["compare"].sentence
    assert "More pairs than one repeat the layer's own and change nothing." in shared


# Pictures.


def pictured(**parameters: Any) -> dict[str, Frame]:
    return {frame.step: frame for frame in render(make_spec("head_sharing", parameters))}


def test_every_published_model_is_drawn_at_the_scheme_it_has(config: ModelConfig) -> None:
    spec = make_spec("head_sharing", {"model": config.slug, "sentence": "It is."})
    told = facts(spec)
    frames = {frame.step: frame for frame in render(spec)}
    assert [*frames] == STEPS == [step["step"] for step in told["steps"]]
    own = frames[told["opens"]]
    assert set(own.values) == {0.0}
    assert "the layer's own, to the bit" in own.sentence
    for step in STEPS[:4]:
        note = next(one["note"] for one in told["steps"] if one["step"] == step)
        assert frames[step].sentence.startswith(note)


@pytest.mark.parametrize("heads", [1, 2, 7, 63, 97, 256])
def test_numbers_of_ones_own_are_drawn_for_any_number_of_heads(heads: int) -> None:
    frames = pictured(model="", num_heads=heads, d_head=5, d_model=33, layers=3, sentence=SHORT)
    assert [*frames] == STEPS
    assert frames["mha"].shape == (heads,)
    assert "no published model" in facts(make_spec("head_sharing", {"model": "", "d_head": 5}))["ships"]


def test_a_latent_of_fewer_numbers_moves_the_output_more() -> None:
    frames = pictured(model="llama-3-70b", kv_rank=4)
    rows = [row for row in frames["compare"].table.rows if str(row[0]).startswith("latent")]
    errors = [float(row[3]) for row in rows]
    assert errors == sorted(errors)
    assert errors[0] == 0 < errors[-1]
    assert "4 numbers a token cannot hold all 14 directions" in frames["mla"].sentence


def test_the_map_of_a_scheme_is_that_of_the_followed_head(monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.attention_engine.decoding import decode

    spec = make_spec("head_sharing", {"model": "llama-3-8b", "head": 9, "sentence": SHORT})
    layer = layer_of(spec, CPU)
    own = kv.attended(layer.queries, layer.pairs)
    frame = {one.step: one for one in render(spec)}["maps"]
    sent = decode(frame.tensors[0], frame.blobs[0])
    assert sent.shape == (4, 4, 4)
    for n in (0, 1):  # MHA repeats the pairs of the model's own GQA
        assert abs(sent[n] - own.maps[9].numpy()).max() <= 0.01
    assert abs(sent[2] - own.maps[9].numpy()).max() > 0.01


def test_all_of_it_stays_small_on_the_wire() -> None:
    """64 tokens that see each other, the most there are, and as many heads as any model has."""
    spec = make_spec("head_sharing", {"model": "t5-11b", "sentence": LONG})
    total = len(gzip.compress(json.dumps(facts(spec)).encode(), 6))
    for frame in render(spec):
        total += len(gzip.compress(frame.as_bytes(), 6))
        total += sum(len(gzip.compress(body, 6)) for body in frame.blobs)
    assert total <= 25_000


@pytest.mark.parametrize(
    "asked",
    [
        {"model": "falcon-180b", "sentence": LONG},
        {"model": "deepseek-v2-lite-16b", "sentence": LONG},
        {"model": "", "num_heads": 64, "d_head": 200, "sentence": LONG},
        {"model": "", "num_heads": 2, "d_head": 8, "d_model": 200_000, "sentence": LONG},
    ],
)
def test_it_holds_what_was_admitted_and_no_less_than_half_of_it(asked: dict[str, Any]) -> None:
    told = admit(make_spec("head_sharing", asked)).peak_bytes
    pictured(model="falcon-7b", sentence="a b")  # what is loaded once is not held by one picture
    with measured() as meter:
        pictured(**asked)
    assert meter.peak <= told <= 2 * meter.peak + 2**22


@pytest.mark.usefixtures("minilm")
def test_a_trained_layer_is_read_where_its_weights_are() -> None:
    frames = pictured(model="all-minilm-l6-v2", layer=3, sentence=SHORT)
    assert frames["maps"].stamp["weights"] == "all-MiniLM-L6-v2"
    assert frames["maps"].table.rows[0][0] == "[CLS]"
    assert "Layer 3 of MiniLM-L6." in frames["compare"].sentence
    assert "mean of the own pairs" in frames["mqa"].sentence


def test_smollm2_has_its_own_three_pairs() -> None:
    from attention_engine.trained import models

    if models.why_missing("smollm2"):
        pytest.skip("SmolLM2 is not installed: make models")
    spec = make_spec("head_sharing", {"layer": 10})
    layer = layer_of(spec, CPU)
    assert (len(layer.queries.q), len(layer.pairs.k)) == (9, 3)
    frames = {frame.step: frame for frame in render(spec)}
    assert "SmolLM2" in str(frames["gqa"].stamp["weights"])
    assert "These are the layer's own K and V." in frames["gqa"].sentence


@pytest.mark.usefixtures("no_minilm")
def test_without_weights_a_random_layer_of_the_same_widths_says_so() -> None:
    frames = pictured(model="minilm", sentence=SHORT)
    said = "The layer is random, seed 0, in the widths, K/V heads and scale of MiniLM-L6"
    assert said in frames["compare"].sentence
    assert frames["mha"].shape == (12,)


# Specs.


def test_one_model_has_one_picture_whatever_it_is_called() -> None:
    digests = {make_spec("head_sharing", {"model": name}).digest() for name in ("smollm2", "smollm2-135m")}
    assert digests == {make_spec("head_sharing", {}).digest()}
    written = {"model": "llama-3-70b", "num_kv_heads": 8, "kv_rank": 512, "head": 16, "layers": 80}
    assert (
        make_spec("head_sharing", written).digest()
        == make_spec("head_sharing", {"model": "llama-3-70b"}).digest()
    )


@pytest.mark.parametrize(
    ("parameters", "field", "said"),
    [
        ({"model": "llama-3-70b", "num_kv_heads": 5}, "num_kv_heads", "64 = 5*12 + 4"),
        ({"model": "bert"}, "model", "close to it"),
        ({"model": "smollm2", "num_heads": 12}, "num_heads", "is 9, not 12"),
        ({"model": "", "num_heads": 10}, "num_heads", "768 = 10*76 + 8"),
        ({"model": "llama-3-8b", "head": 32}, "head", "heads 0 to 31"),
        ({"model": "smollm2", "layer": 30}, "layer", "layers 0 to 29"),
        ({"sentence": "  "}, "sentence", "at least one word"),
        ({"num_heads": 257}, "num_heads", "1 to 256"),
    ],
)
def test_what_cannot_be_is_refused_with_the_numbers(
    parameters: dict[str, Any], field: str, said: str
) -> None:
    with pytest.raises(InvalidSpec, match=said.replace("*", r"\*").replace("+", r"\+")) as refused:
        make_spec("head_sharing", parameters)
    assert refused.value.field == field


def test_widths_beside_d_model_are_taken_as_given() -> None:
    assert model("gemma-7b").num_heads * model("gemma-7b").d_head != model("gemma-7b").d_model
    told = facts(make_spec("head_sharing", {"model": "gemma-7b"}))
    assert (told["d_head"], told["d_model"], told["own"]) == (256, 3072, "mha")
