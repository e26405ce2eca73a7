"""A wrong program is told which listed mistake it equals; another right one is as good as the reference."""

import time
from typing import Any

import pytest
import torch

from attention_engine.admission import admit
from attention_engine.engine import render
from attention_engine.execution.warm import warm
from attention_engine.kinds.answers.program import MOST_LISTED, parted, written
from attention_engine.spec import InvalidSpec, facts, make_spec
from tests.attention_engine.test_programs_attacked import SLOW, SLOW_LINES

SPLIT = "q.view(B, T, H, D).transpose(1, 2)"
MERGE = "out.transpose(1, 2).reshape(B, T, H*D)"
SCORES = "q @ k.mT / math.sqrt(D)"
MOST_MS = 2_000
"""CPU time of a picture whose program is made to be slow and is held against every listed one."""


def verdict(program: str, reference: str, **given: Any) -> dict[str, Any]:
    """The verdict of the last frame; no other frame has one."""
    spec = make_spec("answer_executed", {"program": program, "reference": reference, **given})
    *before, last = render(spec)
    assert not any("verdict" in frame.as_json() for frame in before)
    return dict(last.as_json()["verdict"])


@pytest.mark.parametrize(
    ("program", "reference", "mistaken", "place"),
    [
        ("q.view(2, 12, 4, 64)", SPLIT, ["q.view(B, T, H, D)", "q.view(B, H, T, D)"], 1),
        ("q.unflatten(-1, (H, D))", SPLIT, ["q.view(B, T, H, D)", "q.view(B, H, T, D)"], 0),
        ("q.reshape(B, H, T, D) * 2", SPLIT, ["q.view(B, T, H, D)", "q.view(B, H, T, D)"], -1),
        ("(q @ k.mT) * D ** -1", SCORES, ["q @ k.mT", "q @ k.mT / D"], 1),
        ("torch.einsum('bhqd,bhkd->bhqk', q, k)", SCORES, ["q @ k.mT", "q @ k.mT / D"], 0),
        ("out.permute(0, 2, 1, 3).view(2, 4, 768)", MERGE, ["out.transpose(1, 2).view(B, T, H*D)"], 0),
        ("q.view(2, 4, 10, 76)", SPLIT, ["q.view(2, 4, 11, 69)", "q.view(2, 4, 10, 76)"], 1),
        ("q.view(2, 4, 10, 76)", SPLIT, ["q.view(2, 4, 11, 69)", "q.view(B, T, H, D)"], -1),
    ],
)
def test_a_wrong_program_is_told_which_mistake_it_equals(
    program: str, reference: str, mistaken: list[str], place: int
) -> None:
    found = verdict(program, reference, mistaken=written(mistaken))
    assert found["outcome"] != "equal"
    assert found["mistaken"] == place


def test_a_program_equal_to_another_right_one_is_equal_and_to_none_of_the_mistakes() -> None:
    found = verdict(
        "q.unflatten(2, (H, D))", SPLIT, accepts="q\n---\nq.view(B, T, H, D)", mistaken="q @ k.mT"
    )
    assert (found["outcome"], found["mistaken"]) == ("equal", -1)
    assert verdict("q.view(B, T, H, D)", SPLIT)["outcome"] == "wrong-shape"


def test_a_right_program_is_no_mistake_even_where_a_mistake_equals_it() -> None:
    found = verdict(SPLIT, SPLIT, mistaken=SPLIT)
    assert (found["outcome"], found["mistaken"]) == ("equal", -1)


@pytest.mark.parametrize(
    ("program", "line"),
    [
        ("heads = q.view(B, T, H, D)\nheads = heads.transpose(1, 3)\nheads.contiguous()", 2),
        ("heads = q.view(B, H, T, D)\nheads * 1", 1),
        ("heads = q.view(B, T, H, D)\nheads", 2),
        ("heads = q.view(B, T, H, D)\n\nheads.view(2, 4, 10, 76)", 3),
    ],
)
def test_the_line_that_is_told_is_the_first_after_which_nothing_is_the_references(
    program: str, line: int
) -> None:
    assert verdict(program, SPLIT)["line"] == line


def test_torchs_words_are_passed_on_with_the_line_that_it_refused() -> None:
    with pytest.raises(RuntimeError) as caught:
        torch.zeros(2, 4, 768).view(2, 4, 10, 76)
    found = verdict("y = q\ny.view(2, 4, 10, 76)", SPLIT)
    assert (found["words"], found["line"]) == (f"RuntimeError: {caught.value}", 2)
    assert (found["outcome"], found["statement"]) == ("error", "y.view(2, 4, 10, 76)")


def test_what_gives_no_tensor_is_an_error_in_our_words() -> None:
    found = verdict("q.chunk(2, -1)", SPLIT)
    assert (found["outcome"], "not one tensor" in str(found["words"])) == ("error", True)


@pytest.mark.parametrize(
    "program",
    [
        "x.unsqueeze(0).repeat(90000, 9, 9, 9)",
        "q.expand(10**9, 2, 4, 768)",
        "torch.tril(torch.ones(99999, 99999))",
        "torch.einsum('btd,xyz->btdxyz', q, q)",
        "q.repeat_interleave(10**9, dim=0)",
    ],
)
def test_what_is_too_large_at_every_size_is_wrong(program: str) -> None:
    found = verdict(program, SPLIT)
    assert (found["outcome"], found["reason"]) == ("error", "")
    assert "numbers, above 2,000,000" in str(found["words"])


def test_what_is_too_large_here_and_right_on_small_numbers_is_undecided() -> None:
    given = {"reference": "q @ k.mT", "tokens": 64, "inputs": "heads"}
    pairs = "(q[:, :, :, None] * k[:, :, None])"
    found = verdict(f"{pairs}.sum(-1)", **given)
    assert (found["outcome"], found["words"]) == ("undecided", "")
    assert "(2, 12, 64, 64, 64) holds 6,291,456 numbers" in str(found["reason"])
    assert verdict(f"{pairs}.mean(-1)", **given)["outcome"] == "error"


def test_without_a_reference_there_is_no_verdict() -> None:
    spec = make_spec("answer_executed", {"program": "q.chunk(2, -1)"})
    assert not any("verdict" in frame.as_json() for frame in render(spec))


def test_lists_have_one_form_so_that_equal_ones_have_equal_digests() -> None:
    given = {"program": "q", "reference": "q", "mistaken": "\nk\n---  \nv\n"}
    tidy = given | {"mistaken": written(["k", "v"])}
    assert parted(tidy["mistaken"]) == ("k", "v")
    assert (
        make_spec("answer_executed", given).digest()
        == make_spec("answer_executed", tidy).digest()
        != make_spec("answer_executed", given | {"mistaken": "v\n---\nk"}).digest()
    )


@pytest.mark.parametrize("name", ["accepts", "mistaken"])
@pytest.mark.parametrize(
    ("listed", "told"),
    [
        ("q\n---\nimport os", "nothing is imported"),
        ("q\n---\n", "at least one line"),
        ("q\n---\nnobody", "nobody is not given"),
        (written(["q"] * (MOST_LISTED + 1)), "at most 8"),
        ("q" * 2_401, "2400 characters"),
        ("q\n---\n" + "q + " * 150 + "q", "at most 600 characters"),
    ],
)
def test_a_list_that_cannot_be_compared_is_refused_by_its_name(name: str, listed: str, told: str) -> None:
    with pytest.raises(InvalidSpec, match=told) as refused:
        make_spec("answer_executed", {"program": "q", "reference": "q", name: listed})
    assert refused.value.field == name


@pytest.mark.parametrize("name", ["accepts", "mistaken"])
def test_a_list_needs_a_reference(name: str) -> None:
    for given in ({}, {"program": "q"}):
        with pytest.raises(InvalidSpec, match="give"):
            make_spec("answer_executed", given | {name: "q"})


def test_what_listed_programs_hold_is_admitted_before_they_run() -> None:
    alone = {"program": "q", "reference": "q"}
    more = alone | {"mistaken": "q + k + v"}
    costs = [admit(make_spec("answer_executed", given)) for given in (alone, more)]
    assert costs[1].peak_bytes > costs[0].peak_bytes
    assert set(facts(make_spec("answer_executed", more))["names"]) == {"q"}


@pytest.mark.parametrize(
    "text", [*("q" + 28 * one for one in SLOW[:7]), *("\n".join([one] * 10) for one in SLOW_LINES)]
)
def test_a_slow_program_beside_a_full_list_ends_soon(text: str) -> None:
    torch.set_num_threads(1)
    warm()
    listed = written([f"q * {number}" for number in range(2, 2 + MOST_LISTED)])
    spec = make_spec(
        "answer_executed", {"program": text, "reference": "q * 11", "accepts": listed, "mistaken": listed}
    )
    started = time.process_time()
    assert list(render(spec))
    assert (time.process_time() - started) * 1000 < MOST_MS
