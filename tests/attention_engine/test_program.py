"""The language of programs: what is read, what is refused, and where in the learner's own text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_engine import program as language
from attention_engine.execution import operations
from attention_engine.execution.given import SHAPES_ONLY
from attention_engine.program import ProgramFault, UnreadableProgram, inputs, words
from attention_engine.program.text import LONGEST
from tests.attention_engine.programs import GROUPS


def refused(text: str) -> UnreadableProgram:
    with pytest.raises(UnreadableProgram) as caught:
        inputs.check(language.read(text))
    return caught.value


def test_lines_are_assignments_and_the_names_they_read_are_known() -> None:
    program = language.read("b, t, d = x.shape\nq = (x @ W_q).view(b, t, H, -1)\nq.transpose(1, 2)")
    assert [(one.targets, one.line) for one in program.statements] == [
        (("b", "t", "d"), 1),
        (("q",), 2),
        ((), 3),
    ]
    assert program.reads == ("x", "W_q", "H")


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.name)
def test_every_program_of_the_corpus_is_read(group: object) -> None:
    for text in (group.reference, *group.equal, *group.wrong):
        inputs.check(language.read(text))


@pytest.mark.parametrize(
    ("text", "character", "says"),
    [
        ("q.vieww(2)", "v", ".vieww is not an operation of the language; close to it: view"),
        ("q.transpose(1, 2).masked_fill_(mask, 0)", "masked_fill_", "write masked_fill"),
        ("torch.lod(q)", "lod", "torch.lod is not a function of the language"),
        ("q.softmax(axis=1)", "1", "axis= is not taken here: dim"),
        ("q +  nobody", "nobody", "nobody is not given. Given are q, k, v, x, B, T, H, D and others"),
        ("a = q\na + bb\nbb = 1", "bb", "bb is read before it is assigned"),
        ("q.view(*k.shape)", "*", "write the sizes out, without *"),
        ("q if k else v", "q", "a program has no conditions"),
        ("q += 1", "q", "write the operation out: x = x / 8"),
        ("import os", "import", "nothing is imported: torch, F, math and einops are there"),
        ("q.view(2", "(", "line 1 cannot be read: '(' was never closed"),
        ("q.view(1.5, ٤)", "٤", "(ARABIC-INDIC DIGIT FOUR) is not part of the language: write ASCII"),
        ("q.view(0x1f)", "0x1f", "0x1f is not a decimal number"),
        ("torch = q", "torch", "torch keeps its meaning: take another name"),
        ("q.view", "view", ".view is called: .view(...)"),
        ("q < k < v", "q", "one comparison at a time"),
        ("2147483648 + q", "2147483648", "a whole number is at most 2,147,483,647"),
        ("q[0] = 1", "q[0]", "only a plain name is assigned"),
    ],
)
def test_what_is_not_in_the_language_is_told_with_its_place(text: str, character: str, says: str) -> None:
    fault = refused(text)
    assert says in fault.message
    assert text[fault.offset :].startswith(character)


def test_the_place_is_in_the_learners_own_text_with_its_margin_and_typography() -> None:
    text = "\r\n    y = q × −1\r\n    y.vew(“a”)"
    fault = refused(text)
    assert text[fault.offset :].startswith("vew(“a”)")


def test_typographic_signs_and_a_pasted_margin_are_read() -> None:
    program = language.read("    q = q.reshape（B, T, −1）\n    rearrange(q, ‘b t d -> b d t’)")
    assert program.statements[0].code == "q = q.reshape(B, T, -1)"


@pytest.mark.parametrize("text", ["q" * 601, "q" + "+q" * 126, "q" + ".mT" * 61, "-" * 61 + "q"])
def test_a_program_is_bounded_in_length_parts_and_depth(text: str) -> None:
    refused(text)


def test_every_operation_of_the_table_is_one_of_torch_einops_or_ours() -> None:
    for name in words.METHODS:
        assert callable(operations.method(name, SHAPES_ONLY))
    for name in words.FUNCTIONS:
        assert callable(operations.function(name, SHAPES_ONLY))
    for name in words.CONSTANTS:
        assert operations.constant(name, SHAPES_ONLY) is not None


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("q.view(B, T, H, D)", "rows"),
        ("b, t, c = q.shape\nq.view(b, t, H, D)", "rows"),
        ("rearrange(q, 'b t (h d) -> b h t d', h=H)", "rows"),
        ("torch.stack(q.chunk(H, -1), 1)", "rows"),
        ("q @ k.mT", "heads"),
        ("q.transpose(1, 2).reshape(B, T, H * D)", "heads"),
        ("q.view(B, H_kv, G, T, D)", "heads"),
        ("a, b = q.chunk(2, -1)\na", "heads"),
        ("torch.einsum('bhqd,bhkd->bhqk', q, k)", "heads"),
        ("torch.einsum('bqd,bkd->bqk', q, k)", "rows"),
    ],
)
def test_q_comes_as_it_is_used(text: str, layout: str) -> None:
    assert inputs.layout_of((language.read(text),)) == layout


TOKENS = (
    *("q", "k", "x", "W_q", "mask", "B", "T", "H", "D", "torch", "F", "math", "einops", "rearrange", "float"),
    *(
        ".view",
        ".transpose",
        ".mT",
        ".shape",
        ".softmax",
        ".einsum",
        ".ones",
        ".sqrt",
        ".cat",
        ".__class__",
        ".",
    ),
    *(
        "(",
        ")",
        "[",
        "]",
        ",",
        ":",
        "...",
        "=",
        "==",
        "+",
        "-",
        "*",
        "**",
        "/",
        "//",
        "@",
        "%",
        "<",
        "~",
        "&",
    ),
    *(
        "0",
        "1",
        "2",
        "-1",
        "64",
        "9999999999",
        "1.5",
        "1e9",
        "'b t (h d) -> b h t d'",
        "'",
        '"',
        "\n",
        " ",
        "#",
    ),
    *(
        "dim=",
        "lambda",
        "for",
        "in",
        "if",
        "not",
        "import",
        "None",
        "True",
        "é",
        "\\",
        "\x00",
        "\t",
        "x0",
        "1j",
    ),
)


def fault_of(text: str) -> ProgramFault | None:
    """The domain error a text meets; None where it is read. Anything else breaks the test."""
    try:
        inputs.check(language.read(text))
    except ProgramFault as fault:
        return fault
    return None


@settings(deadline=None, max_examples=250)
@given(st.lists(st.sampled_from(TOKENS), max_size=60))
def test_any_tokens_in_a_row_are_read_or_refused_in_words(tokens: list[str]) -> None:
    fault = fault_of("".join(tokens))
    assert fault is None or (fault.message and 0 <= fault.offset <= max(len("".join(tokens)), LONGEST))


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=80))
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    fault = fault_of(text)
    assert fault is None or 0 <= fault.offset <= len(text)
