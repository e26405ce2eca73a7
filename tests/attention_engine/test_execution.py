"""Programs run and compared: equal ones are equal, every slip is seen, and torch's own words come first."""

import resource
import threading
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import linear

from attention_engine import program as language
from attention_engine.execution import compare
from attention_engine.execution.compare import EQUAL, UNDECIDED, Question, judge
from attention_engine.execution.difference import differ
from attention_engine.execution.hints import hint
from attention_engine.execution.warm import warm
from attention_engine.program import ProgramFault, inputs
from attention_engine.program.inputs import Sizes
from tests.attention_engine.hostile_programs import ALL as HOSTILE
from tests.attention_engine.mutation import mutants
from tests.attention_engine.programs import (
    BERT,
    GPT3,
    GROUPED,
    GROUPS,
    SAME_AFTER_ALL,
    SPLIT,
    SQUARE,
    Group,
    question,
)
from tests.attention_engine.timed_programs import timed

PROMISED_MS = 50
"""CPU time of one verdict, warm; tests allow ten times as much."""


@pytest.fixture(autouse=True, scope="module")
def _warm() -> None:
    torch.set_num_threads(1)
    warm()


def generated(group: Group) -> list[str]:
    """Every slip in every program of a group, once; every second is run, as there are many."""
    found = dict.fromkeys(one for text in (group.reference, *group.equal) for one in mutants(text))
    return list(found)[::2]


def test_the_corpus_is_as_large_as_it_should_be() -> None:
    assert sum(len(group.equal) for group in GROUPS) >= 60
    assert sum(len(group.wrong) + len(generated(group)) for group in GROUPS) >= 400
    assert len(set(HOSTILE)) >= 150


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_equal_programs_are_equal_in_every_number(group: Group) -> None:
    for text in (group.reference, *group.equal):
        outcome, spent = timed(text, group.reference, group.sizes)
        assert (text, outcome) == (text, EQUAL)
        assert spent < 10 * PROMISED_MS, text


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_no_slip_goes_through(group: Group) -> None:
    for text in (*group.wrong, *generated(group)):
        if text in SAME_AFTER_ALL:
            continue
        outcome, spent = timed(text, group.reference, group.sizes)
        assert outcome not in {EQUAL, UNDECIDED}, text
        assert spent < 10 * PROMISED_MS, text


def test_the_mutants_that_are_left_out_do_compute_the_same() -> None:
    made = {one for group in GROUPS for text in (group.reference, *group.equal) for one in mutants(text)}
    assert set(SAME_AFTER_ALL) <= made
    for text in SAME_AFTER_ALL:
        group = next(
            one for one in GROUPS for equal in (one.reference, *one.equal) if text in set(mutants(equal))
        )
        assert timed(text, group.reference, group.sizes)[0] == EQUAL


def test_what_is_hostile_is_refused_quickly_and_leaves_nothing(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    threads, dtype, seed = torch.get_num_threads(), torch.get_default_dtype(), torch.random.get_rng_state()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for text in HOSTILE:
        outcome, spent = timed(text, "q")
        assert (text, outcome) == (text, "refused")
        assert spent < 10 * PROMISED_MS, text
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024
    assert not list(tmp_path.iterdir())
    assert (torch.get_num_threads(), torch.get_default_dtype()) == (threads, dtype)
    assert torch.equal(torch.random.get_rng_state(), seed)


def test_values_that_are_fewer_than_the_keys_never_reach_a_kernel() -> None:
    with pytest.raises(ProgramFault, match="one value for each key"):
        judge(question("F.scaled_dot_product_attention(q, k, v[:, :, :1])", "q"))


def test_the_same_program_has_one_verdict_from_many_threads() -> None:
    found: list[str] = []
    texts = ("q.view(B, H, T, D)", SPLIT.reference, "q.view(2, 4, 10, 76)")

    def tried() -> None:
        found.extend(judge(question(text, SPLIT.reference)).outcome for text in texts for _ in range(5))

    threads = [threading.Thread(target=tried) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(["wrong-values", "equal", "error"] * 20)


def test_a_hostile_reference_is_refused_like_a_program() -> None:
    for text in ("torch.ones(100000, 100000)", "q.repeat(10000, 1, 1, 1)", "q[q > 0]"):
        assert timed("q", text)[0] in {"refused", UNDECIDED}


def _unpacked() -> None:
    _b, _t = ROWS.shape


def _attribute() -> None:
    ROWS.chunk(12, -1).sum(0)  # type: ignore[attr-defined]


ROWS, QK = torch.zeros(2, 4, 768), torch.zeros(2, 12, 4, 64)


@pytest.mark.parametrize(
    ("text", "real", "told"),
    [
        (
            "q.view(2, 4, 10, 76)",
            lambda: ROWS.view(2, 4, 10, 76),
            "768 = 10 × 76 + 8; nearest to 10 that divide 768: 8, 12",
        ),
        ("q.view(B, T, 10, -1)", lambda: ROWS.view(2, 4, 10, -1), "768 = 10 × 76 + 8; nearest"),
        ("q.view(B, T, 12, 65)", lambda: ROWS.view(2, 4, 12, 65), "12 × 65 = 780, but the last axis has 768"),
        (
            "q.view(B, T, H, D).transpose(1, 2).view(B, T, H * D)",
            lambda: ROWS.view(2, 4, 12, 64).transpose(1, 2).view(2, 4, 768),
            "the strides are (3072, 64, 768, 1), so the numbers that (2, 4, 768) would join "
            "do not lie one after another. .contiguous() copies them into order first",
        ),
        (
            "q.unflatten(-1, (10, 76))",
            lambda: ROWS.unflatten(-1, (10, 76)),
            "10 × 76 = 760: 768 = 10 × 76 + 8; nearest",
        ),
        ("q @ k", lambda: QK @ QK, "Transposed, .transpose(-2, -1), the right one has 64 there"),
        ("x @ W_q.view(64, H * d_model)", lambda: ROWS @ torch.zeros(64, 9216), "last axis has 768"),
        (
            "torch.cat([k_cache, k_new], dim=1)",
            lambda: torch.cat([QK, QK[:, :, :1]], dim=1),
            "joined along dim=2",
        ),
        ("x + q @ k.mT", lambda: ROWS + QK @ QK.mT, "at axis -1 768 and 4 are neither equal nor 1"),
        ("x.permute(0, 2)", lambda: ROWS.permute(0, 2), "(2, 4, 768) has 3 axes, and permute names 2"),
        ("x.transpose(1, 3)", lambda: ROWS.transpose(1, 3), "there is no axis 3"),
        ("x.softmax(3)", lambda: ROWS.softmax(3), "there is no axis 3"),
        ("mask.softmax(-1)", lambda: torch.zeros(4, 4).bool().softmax(-1), ""),
        ("F.linear(x, W_q[:, 1:])", lambda: linear(ROWS, torch.zeros(768, 768)[:, 1:]), "has 767 in"),
        ("b, t = x.shape\nx", _unpacked, "There are 3: (2, 4, 768)"),
        ("x.chunk(12, -1).sum(0)", _attribute, "torch.stack or torch.cat makes one of them"),
    ],
)
def test_torchs_own_words_come_first_then_the_arithmetic(text: str, real: Any, told: str) -> None:
    program = language.read(text)
    failure = judge(Question(program, None, BERT, inputs.layout_of((program,)))).shapes.failure
    assert failure is not None
    with pytest.raises(Exception) as caught:  # noqa: PT011  whatever torch raises here
        real()
    assert failure.words == f"{type(caught.value).__name__}: {caught.value}"
    assert told in hint(failure)


def test_einops_words_are_passed_on_with_the_division_behind_them() -> None:
    import einops

    program = language.read("rearrange(q, 'b t (h d) -> b h t d', h=10)")
    failure = judge(Question(program, None, BERT, "rows")).shapes.failure
    assert failure is not None
    with pytest.raises(einops.EinopsError) as caught:
        einops.rearrange(torch.empty(2, 4, 768, device="meta"), "b t (h d) -> b h t d", h=10)
    assert failure.words == f"EinopsError: {caught.value}"
    assert hint(failure).startswith("768 = 10 × 76 + 8; nearest to 10 that divide 768: 8, 12")


def test_heads_of_k_that_are_fewer_are_evened_out_by_the_hint() -> None:
    program = language.read("q @ k.mT")
    failure = judge(Question(program, None, GROUPED, "heads")).shapes.failure
    assert failure is not None
    assert "8 = 2 × 4: .repeat_interleave(4, dim=1) evens them out" in hint(failure)


def test_the_first_wrong_number_is_traced_to_where_it_was_taken() -> None:
    verdict = judge(question("q.view(B, H, T, D)", SPLIT.reference))
    assert verdict.trial is not None
    difference, sizes = verdict.trial.difference, verdict.trial.sizes
    assert difference is not None
    q = torch.arange(sizes.B * sizes.T * sizes.H * sizes.D).view(sizes.of("B T H*D"))
    yours, right = q.view(sizes.of("B H T D")), q.view(sizes.of("B T H D")).transpose(1, 2)
    assert difference.wrong == int((yours != right).sum())
    assert difference.place == (0, 0, 1, 0)
    assert (difference.yours_from, difference.right_from) == (f"q[0, 0, {sizes.D}]", "q[0, 1, 0]")


@pytest.mark.parametrize(
    ("text", "sizes", "mode", "outcome"),
    [
        ("q.view(B, T, H, D).transpose(1, 2)", BERT, "primes", "equal"),
        ("q.view(2, 4, 12, 64).transpose(1, 2)", BERT, "substituted", "equal"),
        ("q.view(2, 12, 4, 64)", BERT, "substituted", "wrong-values"),
        ("q.view(2, 8, 8, 8).transpose(1, 2)", SQUARE, "own", "equal"),
        ("q.view(2, 8, 8, 8)", SQUARE, "own", "wrong-values"),
        ("q.view(B, H, T, D)", SQUARE, "primes", "wrong-values"),
        ("q.view(B, T, H, D)", SQUARE, "primes", "wrong-shape"),
        ("q.view(2, 4, 96, 128).transpose(1, 2)", GPT3, "substituted", "equal"),
        ("q.view(2, 96, 4, 128)", GPT3, "substituted", "wrong-values"),
    ],
)
def test_numbers_written_out_stand_for_sizes_where_that_is_clear(
    text: str, sizes: Sizes, mode: str, outcome: str
) -> None:
    verdict = judge(question(text, SPLIT.reference, sizes))
    assert verdict.plan is not None
    assert (verdict.plan.mode, verdict.outcome) == (mode, outcome)


def test_what_is_too_large_to_compare_is_undecided_with_its_reason() -> None:
    text = "(x @ W_q).view(2, 4, 96, 128).transpose(1, 2) / 8"
    huge = Sizes(B=2, T=4, K=4, H=96, H_kv=8, D=128, C=12288)
    verdict = judge(question(text, "(x @ W_q).view(B, T, H, D).transpose(1, 2) / 8", huge))
    assert (verdict.outcome, verdict.plan.mode if verdict.plan else "") == (UNDECIDED, "none")
    assert "too large to compare number by number" in verdict.reason


def test_a_seed_changes_the_numbers_and_never_the_verdict() -> None:
    for seed in range(20):
        assert judge(question("q.view(B, H, T, D)", SPLIT.reference, seed=seed)).outcome == compare.VALUES
        same = "q.reshape(B, T, H, D).mT.permute(0, 3, 1, 2)"
        assert judge(question(same, SPLIT.reference, seed=seed)).outcome == EQUAL


def test_numbers_that_are_not_numbers_equal_each_other_and_nothing_else() -> None:
    nan, inf = float("nan"), float("inf")
    assert differ(torch.tensor([nan, inf, 1.0]), torch.tensor([nan, inf, 1.0])) is None
    found = differ(torch.tensor([nan, inf, 1.0]), torch.tensor([nan, -inf, nan]))
    assert found is not None
    assert (found.wrong, found.place) == (2, (1,))


SIZE = st.sampled_from(["B", "T", "H", "D", "-1", "1", "2", "64", "768", "H * D", "0", "B * T", "G", "7"])
AXIS = st.sampled_from(["-3", "-2", "-1", "0", "1", "2", "3", "4"])
CALL = st.one_of(
    st.builds(lambda *sizes: f".view({', '.join(sizes)})", SIZE, SIZE, SIZE, SIZE),
    st.builds(lambda *sizes: f".reshape({', '.join(sizes)})", SIZE, SIZE, SIZE),
    st.builds(lambda *sizes: f".expand({', '.join(sizes)})", SIZE, SIZE, SIZE, SIZE),
    st.builds(lambda *sizes: f".repeat({', '.join(sizes)})", SIZE, SIZE, SIZE, SIZE),
    st.builds(lambda a, b: f".transpose({a}, {b})", AXIS, AXIS),
    st.builds(lambda a, b: f".flatten({a}, {b})", AXIS, AXIS),
    st.builds(lambda a, b, c: f".unflatten({a}, ({b}, {c}))", AXIS, SIZE, SIZE),
    st.builds(lambda a, b: f".chunk({a}, {b})", SIZE, AXIS),
    st.builds(lambda a, b: f".repeat_interleave({a}, {b})", SIZE, AXIS),
    st.builds(lambda a: f"[{a}]", AXIS),
    st.builds(lambda a, b: f"[..., {a} : {b}]", AXIS, SIZE),
    st.builds(lambda a: f".softmax({a})", AXIS),
    st.sampled_from(
        [".mT", ".T", ".sqrt()", " @ k", " @ x", " + k", " / D", " * q", " ** 2", " == 0", ".bool()"]
    ),
)


@settings(deadline=None, max_examples=150)
@given(
    start=st.sampled_from(
        ["q", "k", "x", "(x @ W_q)", "torch.arange(T)", "torch.ones(T, T)", "mask", "q.shape"]
    ),
    calls=st.lists(CALL, max_size=6),
)
def test_any_chain_of_operations_ends_in_a_verdict_or_a_refusal(start: str, calls: list[str]) -> None:
    text = start + "".join(calls)
    try:
        program = language.read(text)
        inputs.check(program)
        verdict = judge(Question(program, program, BERT, inputs.layout_of((program,))))
    except ProgramFault:
        return
    assert (verdict.shapes.failure is None) == (verdict.outcome != compare.ERROR) or verdict.trial is not None
    if verdict.shapes.failure is not None:
        assert ": " in verdict.shapes.failure.words
        hint(verdict.shapes.failure)
    else:
        assert verdict.outcome in {EQUAL, UNDECIDED, compare.ERROR}
