"""A program as a picture: what the request refuses, the facts at once, and the frames of the worker."""

import gzip
import json
from typing import Any

import pytest
import torch

from attention_engine.admission import TooLarge, admit
from attention_engine.configs import all_models
from attention_engine.engine import render
from attention_engine.frames import Frame
from attention_engine.kinds.answers.program import UnreadableProgramSpec
from attention_engine.spec import InvalidSpec, facts, make_spec, spec_from_json
from tests.attention_engine.hostile_programs import ALL as HOSTILE
from tests.attention_engine.memory import measured
from tests.attention_engine.programs import BERT, GPT3, GROUPS
from tests.attention_engine.test_command_line import run as command

SPLIT = "q.view(B, T, H, D).transpose(1, 2)"
KIB = 1024


def test_a_view_without_a_transpose_has_the_right_shape_and_wrong_contents(draw: Any) -> None:
    frames = draw("answer_executed", program="q.view(B, H, T, D)", reference=SPLIT)
    assert list(frames) == ["run", "tiny", "compare"]
    assert (frames["run"].shape, frames["run"].error) == ((2, 12, 4, 64), "")
    assert frames["run"].axes == ("B", "H", "T", "D")
    assert frames["tiny"].shape == (3, 5, 7, 11)
    assert frames["compare"].sentence.startswith(
        "The shape is right, (3, 5, 7, 11), and the contents are not: 1,056 of 1,155 numbers differ. "
        "The first at [0, 0, 1, 0] holds q[0, 0, 11] (token 0, head 1, feature 0), where the reference has "
        "q[0, 1, 0] (token 1, head 0, feature 0)."
    )


def test_an_equal_program_is_equal_in_three_trials(draw: Any) -> None:
    frames = draw("answer_executed", program="rearrange(q, 'b t (h d) -> b h t d', h=H)", reference=SPLIT)
    assert frames["compare"].sentence == "Every number equals the reference's, in 3 trials."
    assert ("numbers that differ", "0", "") in frames["compare"].table.rows


def test_a_line_that_torch_refuses_is_told_in_its_words_beside_the_reference(draw: Any) -> None:
    frames = draw("answer_executed", program="y = q\ny.view(2, 4, 10, 76)", reference=SPLIT)
    run = frames["run"]
    with pytest.raises(RuntimeError) as caught:
        torch.zeros(2, 4, 768).view(2, 4, 10, 76)
    assert run.error == f"RuntimeError: {caught.value}"
    assert run.title == "y.view(2, 4, 10, 76)"
    assert run.table.rows[-1] == (2, "y.view(2, 4, 10, 76)", "", run.error)
    assert run.sentence.startswith("Line 2, y.view(2, 4, 10, 76) is refused. (2, 4, 10, 76) asks for 6,080")
    assert frames["compare"].sentence == "Yours stops; the reference runs and gives (2, 12, 4, 64)."
    assert "tiny" not in frames


def test_a_program_alone_runs_on_shapes_and_on_primes(draw: Any) -> None:
    frames = draw("answer_executed", program="q @ k.mT / math.sqrt(D)", model="bert-base")
    assert list(frames) == ["run", "tiny"]
    assert [row[1:3] for row in frames["run"].table.rows] == [
        ("k.mT", "(2, 12, 64, 4)"),
        ("q @ k.mT", "(2, 12, 4, 4)"),
        ("q @ k.mT / math.sqrt(D)", "(2, 12, 4, 4)"),
    ]


def test_a_wrong_shape_is_told_with_both(draw: Any) -> None:
    frames = draw("answer_executed", program="q.view(B, T, H, D)", reference=SPLIT)
    assert frames["compare"].sentence == "Yours is (2, 4, 12, 64), the reference (2, 12, 4, 64)."


def test_a_shape_that_is_right_by_chance_is_found_out(draw: Any) -> None:
    frames = draw(
        "answer_executed", program="q.view(B, T, H, D)", reference=SPLIT, tokens=8, num_heads=8, d_model=64
    )
    assert (
        "but that is chance: with other sizes (3, 7, 5, 11) beside (3, 5, 7, 11)"
        in frames["compare"].sentence
    )


def test_what_is_too_large_is_not_run_and_says_why(draw: Any) -> None:
    run = draw("answer_executed", program="torch.ones(100000, 100000)", reference=SPLIT)["run"]
    assert run.error == ""
    assert "(100000, 100000) holds 10,000,000,000 numbers, above 2,000,000" in run.sentence


def test_a_reference_that_does_not_run_decides_nothing(draw: Any) -> None:
    frames = draw("answer_executed", program=SPLIT, reference="q.view(B, T, H, 3)")
    assert frames["compare"].sentence.startswith(
        "Not decided: the reference does not run: RuntimeError: shape"
    )


@pytest.mark.parametrize("name", ["program", "reference"])
def test_an_unreadable_program_is_refused_at_the_request_with_its_offset(name: str) -> None:
    text = "a = q\na.vieww(2)"
    with pytest.raises(UnreadableProgramSpec) as caught:
        make_spec("answer_executed", {"program": SPLIT, name: text})
    assert isinstance(caught.value, InvalidSpec)
    assert (caught.value.field, text[caught.value.offset :]) == (name, "vieww(2)")
    assert f"{name} cannot be run: line 2: .vieww is not an operation" in str(caught.value)


@pytest.mark.parametrize(
    ("parameters", "field", "says"),
    [
        ({"reference": SPLIT}, "reference", "give a program too"),
        ({"program": SPLIT, "num_heads": 10}, "num_heads", "768 = 10*76 + 8"),
        (
            {"program": SPLIT, "num_kv_heads": 5},
            "num_kv_heads",
            "num_heads 12 is not a multiple of num_kv_heads 5",
        ),
        ({"program": "q" * 601}, "program", "a text of 0 to 600 characters"),
        ({"program": "  "}, "program", "a program has at least one line"),
        ({"program": SPLIT, "inputs": "columns"}, "inputs", "one of auto, rows, heads"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_its_field(parameters: Any, field: str, says: str) -> None:
    with pytest.raises(InvalidSpec) as caught:
        make_spec("answer_executed", parameters)
    assert caught.value.field == field
    assert says in str(caught.value)


def test_a_hostile_program_is_refused_at_the_request_or_told_in_a_frame() -> None:
    for text in HOSTILE:
        try:
            spec = make_spec("answer_executed", {"program": text})
            admit(spec)
        except (InvalidSpec, TooLarge):
            continue
        frames = list(render(spec)) if text else []
        assert all("not run: " in str(frame.table.rows[-1][-1]) and not frame.error for frame in frames), text


def test_the_facts_say_what_the_names_stand_for_before_anything_runs() -> None:
    told = facts(
        make_spec("answer_executed", {"program": "k.repeat_interleave(G, 1) @ x", "model": "llama-3-70b"})
    )
    assert told["asks"] == "program"
    assert told["names"] == {"k": [2, 8, 4, 128], "G": 8, "x": [2, 4, 8192]}
    assert told["code"] == "k.repeat_interleave(G, 1) @ x"
    assert (told["reference"], told["runs"], told["works"]) == ("", None, None)


def test_the_layout_of_q_is_found_or_given() -> None:
    def layout(**given: Any) -> str:
        return str(make_spec("answer_executed", given).parameters["inputs"])

    assert layout(program="q.view(B, T, H, D)") == "rows"
    assert layout(program="q @ k.mT") == "heads"
    assert layout(program="q.view(B, H, T, D)", reference="q.transpose(1, 2)") == "heads"
    assert layout(program="q @ k.mT", inputs="rows") == "rows"


def test_a_program_comes_back_from_its_json_with_the_same_digest() -> None:
    spec = make_spec("answer_executed", {"program": SPLIT, "reference": "q @ k.mT", "model": "gemma-7b"}, 5)
    assert spec_from_json(json.loads(spec.canonical())).digest() == spec.digest()


@pytest.mark.parametrize("config", all_models(), ids=lambda config: config.slug)
def test_every_published_layer_splits_its_q(config: Any) -> None:
    given = {"model": config.slug, "program": "q.view(B, T, H, D).permute(0, 2, 1, 3)", "reference": SPLIT}
    spec = make_spec("answer_executed", given)
    run, tiny, compare = render(spec)
    assert run.shape == (2, config.num_heads, 4, config.d_head)
    assert tiny.error == ""
    assert compare.sentence == "Every number equals the reference's, in 3 trials."


def wire(frames: list[Frame]) -> int:
    """Bytes of a whole picture as it is sent, gzipped."""
    return len(gzip.compress(b"\n".join(frame.as_bytes() for frame in frames)))


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_a_picture_of_a_program_is_at_most_3_kilobytes(group: Any) -> None:
    sizes = group.sizes
    given = {"batch": sizes.B, "tokens": sizes.T, "num_heads": sizes.H, "num_kv_heads": sizes.H_kv}
    given |= {"d_head": sizes.D, "d_model": sizes.C}
    for text in (group.equal[-1], group.wrong[0], group.wrong[-1]):
        spec = make_spec("answer_executed", {**given, "program": text, "reference": group.reference})
        assert wire(list(render(spec))) <= 3 * KIB, text


@pytest.mark.parametrize(
    "parameters", [{"num_heads": 10}, {"answer_shape": [2, 12, 4, 64]}, {"line": "module"}]
)
def test_the_other_pictures_of_an_answer_are_at_most_3_kilobytes(parameters: Any) -> None:
    assert wire(list(render(make_spec("answer_executed", parameters)))) <= 3 * KIB


WIDE = {"tokens": 8, "num_heads": 8}
HELD = [
    {"program": "q.view(B, H, T, D)", "reference": SPLIT},
    {"program": "q.view(2, 8, 8, 512).contiguous()", "reference": SPLIT, "d_head": 512, **WIDE},
    {
        "program": "F.softmax((x @ W_q).view(2, 8, 8, 96).transpose(1, 2), -1)",
        "reference": "(x @ W_q).view(B, T, H, D).transpose(1, 2).softmax(-1)",
        **WIDE,
    },
    {
        "program": "x @ W_q @ W_o + x @ W_k @ W_o + x @ W_v @ W_o[..., : D // 2 * 2 * H]",
        "reference": "x @ (W_q + W_k + W_v) @ W_o",
        "num_heads": 8,
        "num_kv_heads": 8,
    },
    {"program": "torch.ones(300, 300)", "reference": "torch.full((300, 300), 1.5)"},
    {"program": "torch.ones(300, 300).mT", "reference": "torch.full((300, 300), 1.5).mT"},
    {"program": "torch.ones(600, 800) * 2", "reference": "torch.ones(600, 800)"},
]


@pytest.mark.parametrize("parameters", HELD)
def test_a_program_holds_what_was_admitted(parameters: Any) -> None:
    spec = make_spec("answer_executed", parameters)
    with measured():
        list(render(make_spec("answer_executed", HELD[0])))
        list(render(spec))
    with measured() as meter:
        list(render(spec))
    told = admit(spec).peak_bytes
    assert meter.peak <= told <= 2 * meter.peak + 4 * KIB * KIB, f"{meter.peak:,} held, {told:,} told"


def test_a_layer_no_tensor_has_is_refused() -> None:
    huge = {"program": "q @ k.mT", "batch": 2**31 - 1, "tokens": 2**31 - 1}
    with pytest.raises(TooLarge):
        admit(make_spec("answer_executed", huge))


def test_a_layer_beyond_memory_runs_on_shapes(draw: Any) -> None:
    frames = draw(
        "answer_executed", program=SPLIT, reference=SPLIT, model="gpt-3-175b", batch=64, tokens=2048
    )
    assert frames["run"].shape == (64, 96, 2048, 128)
    assert frames["compare"].sentence == "Every number equals the reference's, in 3 trials."


def test_a_program_reads_well_in_a_terminal() -> None:
    done = command("answer_executed", "--program", "q.view(B,H,T,D)", "--reference", SPLIT)
    assert (done.returncode, done.stderr) == (0, "")
    assert "The shape is right, (3, 5, 7, 11), and the contents are not" in done.stdout
    refused = command("answer_executed", "--program", "q.vew(1)")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        "attention_engine: program cannot be run: line 1: .vew is not an operation of the language; "
        "close to it: view, view_as (character 3)\n"
    )


def test_the_corpus_sizes_are_real_layers() -> None:
    assert (BERT.of("B T H*D"), GPT3.of("B H T D")) == ((2, 4, 768), (2, 96, 4, 128))
