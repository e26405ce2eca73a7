"""What a chain of operations may look like, and how one that is none is told."""

import pytest

from attention_engine.op_chain import BadChain, Op, parse, written

NAMES = {"B": 2, "T": 4, "H": 12, "D": 64}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("view(B, T, H, D).transpose(1, 2)", "x.view(2, 4, 12, 64).transpose(1, 2)"),
        ("x.view(B,T,H*D)", "x.view(2, 4, 768)"),
        ("q . reshape( ( 2, -1 ) )", "x.reshape(2, -1)"),
        ("view([2, 3*4])", "x.view(2, 12)"),
        ("view(-1)", "x.view(-1)"),
        ("view(())", "x.view(())"),
        ("flatten()", "x.flatten(0, -1)"),
        ("flatten(start_dim=1)", "x.flatten(1, -1)"),
        ("unflatten(-1, (H, D))", "x.unflatten(-1, (12, 64))"),
        ("unflatten(sizes=(12, 64), dim=2)", "x.unflatten(2, (12, 64))"),
        ("squeeze()\n.squeeze(1).squeeze((0, 1))", "x.squeeze().squeeze(1).squeeze((0, 1))"),
        ("T.contiguous()", "x.T.contiguous()"),
        ("mT", "x.mT"),
        ("narrow(1, 0, 2,).select(dim=0, index=-1)", "x.narrow(1, 0, 2).select(0, -1)"),
        ("expand(-1, 3)", "x.expand(-1, 3)"),
        ("unsqueeze(dim = (1))", "x.unsqueeze(1)"),
    ],
)
def test_a_chain_is_read_and_written_as_torch_code(text: str, code: str) -> None:
    ops = parse(text, NAMES)
    assert written(ops) == code
    assert parse(code, {}) == ops


def test_names_and_products_become_numbers() -> None:
    assert parse("view(B, T, H*D)", NAMES) == (Op("view", ((2, 4, 768),)),)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "at the end: an operation belongs here"),
        ("view(2, 4", 'at the end: "," belongs here'),
        ("view(2 4)", "at character 8: \",\" belongs here, not '4'"),
        ("view 2", "at character 6: \"(\" belongs here, not '2'"),
        ("view(2.5)", "at character 7: \",\" belongs here, not '.'"),
        ("__import__('os')", "at character 1: an operation belongs here"),
        ("x.view.__class__", "belongs here"),
        ("view(heads)", "a whole number or one of B, T, H, D belongs here, not 'heads'"),
        ("view(2**31)", "a whole number or one of"),
        ("view(2147483648)", "2147483648 is beyond 2^31 - 1"),
        ("view(99999999999999999999999)", "belongs here"),
        ("view()", "view takes whole numbers or one tuple"),
        ("view(size=(2, 4))", "view takes whole numbers or one tuple"),
        ("view((2, 4), 3)", "view takes whole numbers or one tuple"),
        ("view(1,1,1,1,1,1,1,1,1)", "view of 9 sizes; at most 8"),
        ("squeeze((0,0,0,0,0,0,0,0,0))", "at most 8 numbers belong between parentheses"),
        ("squeeze(0, 1)", "squeeze takes nothing, one axis, or one tuple"),
        ("transpose(1)", "transpose takes dim0, dim1; 1 given"),
        ("transpose(1, dim0=2)", "transpose takes dim0, dim1; 2 given"),
        ("transpose((1, 2), 3)", "transpose takes one whole number for dim0, not (1, 2)"),
        ("unflatten(1, 2)", "unflatten takes a tuple of sizes, as (12, 64) for sizes, not 2"),
        ("contiguous(1)", "contiguous takes nothing; 1 given"),
        ("flatten(0, 1, 2)", "flatten takes start_dim, end_dim; 3 given"),
        ("expand(-2, 4)", "expand keeps an axis by -1; -2 is no size"),
        ("T()", 'at character 2: "." belongs here'),
        (".".join(["T"] * 13), "13 operations in a chain; at most 12"),
        ("view(2)\u00a0;", '"." belongs here'),
        ("матрица(2)", "an operation belongs here"),
    ],
)
def test_what_is_no_chain_is_told_with_its_place_and_what_is_possible(text: str, says: str) -> None:
    with pytest.raises(BadChain) as bad:
        parse(text, NAMES)
    assert says in str(bad.value)
    assert len(str(bad.value)) < 230
    assert str(bad.value).isprintable()
