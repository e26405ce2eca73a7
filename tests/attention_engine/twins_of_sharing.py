"""Rules of table_twins for tables of shared K and V: who reads which pair, and how far outputs move."""

from collections.abc import Callable
from typing import Any

from tests.attention_engine.twins_of_maps import error_of


def check_readers(drawn: Any) -> None:
    """Each query head in turn with the pair of its group, and the error that the frame holds of it."""
    scheme = {one["step"]: one for one in drawn.facts["schemes"]}[drawn.frame.step]
    heads, pairs = drawn.facts["num_heads"], scheme["kv_heads"]
    assert drawn.frame.shape == (heads,)
    assert [row[0] for row in drawn.rows] == [*range(heads)]
    reads = [f"pair {head // (heads // pairs)}" if pairs else "the latent" for head in range(heads)]
    assert [row[1] for row in drawn.rows] == reads
    assert [row[2] for row in drawn.rows] == list(drawn.frame.values)


def check_variants(drawn: Any) -> None:
    """Bytes follow from the numbers of a token in each layer; errors are the frame's values."""
    each = drawn.facts["layers"] * drawn.facts["bytes_per_value"]
    both = drawn.facts["d_head"] + drawn.facts["d_head_v"]
    for name, numbers, size, _ in drawn.rows:
        count = int(str(name).removeprefix("latent of ").split(" ")[0].replace(",", ""))
        assert numbers == (count if str(name).startswith("latent") else count * both)
        assert size == each * numbers
    assert [row[3] for row in drawn.rows] == list(drawn.frame.values)


def check_scheme_maps(drawn: Any) -> None:
    """Of each token and scheme a key that has the largest weight of its row, and that weight."""
    reference, sent = drawn.tensor("maps")
    assert drawn.frame.shape == sent.shape == (4, len(drawn.rows), len(drawn.rows))
    slack = error_of(reference, sent)
    for n, row in enumerate(drawn.rows):
        for scheme in range(4):
            key, weight = row[1 + 2 * scheme], row[2 + 2 * scheme]
            assert isinstance(key, int)
            assert isinstance(weight, float)
            assert abs(sent[scheme, n, key] - weight) <= slack[scheme, n, key] + 5.1e-4, row
            assert sent[scheme, n, key] >= sent[scheme, n].max() - 2 * slack[scheme, n].max(), row


def check_pairs_read(drawn: Any) -> None:
    """The pair that each query head read when the answer ran."""
    assert [row[0] for row in drawn.rows] == [*range(drawn.facts["num_heads"])]
    assert [float(row[1]) for row in drawn.rows] == list(drawn.frame.values)
    size = drawn.facts["num_heads"] // drawn.facts["answer"]["kv_heads"]
    assert all(row[1] == row[0] // size for row in drawn.rows)


def check_lines_run(drawn: Any) -> None:
    """What torch said of each line, the frame's own words among them."""
    assert drawn.frame.error in [row[1] for row in drawn.rows]
    heads, given = drawn.facts["num_heads"], drawn.facts["answer"]["kv_heads"]
    assert drawn.rows[1][1].startswith(f"(1, {heads // given * given}, ")


Rule = tuple[Callable[[tuple[str, ...]], bool], Callable[[Any], None]]
SHARED: tuple[Rule, ...] = (
    (lambda columns: columns == ("query head", "reads", "output moved by"), check_readers),
    (lambda columns: columns == ("query head", "K/V head it read"), check_pairs_read),
    (lambda columns: columns == ("line", "what came of it"), check_lines_run),
    (lambda columns: columns[1:2] == ("numbers a token and layer",), check_variants),
    (lambda columns: columns[:2] == ("query", "MHA key"), check_scheme_maps),
)
