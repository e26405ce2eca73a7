"""Rules of table_twins for a cache that grows: weights of what is held, counts, two caches side by side."""

from attention_engine.kinds import decode_cache
from tests.attention_engine.twins_of_maps import Drawn, Rule, error_of


def check_row(drawn: Drawn) -> None:
    """Each position is held and has the weights that were sent; what is left out is the rest of 1."""
    reference, sent = drawn.tensor("weights")
    counters = dict(zip(decode_cache.COUNTERS, drawn.frame.values, strict=False))
    position = int(counters["position"])
    whole = drawn.frame.step == "prompt"
    held = list(range(position + 1)) if whole else list(decode_cache.kept(drawn.spec.parameters, position))
    assert len(held) == counters["held"] == sent.shape[1]
    assert counters["bytes held"] == counters["bytes by formula"]
    slack, sums = error_of(reference, sent), [0.0, 0.0]
    for place, _, *cells in drawn.rows:
        assert place == "others" or place in held
        for row, cell in enumerate(cells):
            assert isinstance(cell, float)
            sums[row] += cell
            if place != "others":
                at = held.index(int(place))
                assert abs(cell - sent[row, at]) <= slack[row, at] + 1e-4, (place, cell)
    assert all(abs(total - 1) <= 1e-3 for total in sums), sums
    if held[0] == 0 and drawn.rows[0][0] == 0:
        assert drawn.rows[0][2:] == (counters["sink share, mean"], counters["sink share, head"])


def check_counts(drawn: Drawn) -> None:
    """The counters by name."""
    assert drawn.rows == tuple(zip(decode_cache.COUNTERS, drawn.frame.values, strict=False))


def check_beside_whole(drawn: Drawn) -> None:
    """A row for each new token, its numbers those of the frame; then what the whole cache writes."""
    width = drawn.frame.shape[1]
    own = [row for row in drawn.rows if row[1] != ""]
    assert [row[0] for row in drawn.rows] == list(range(1, len(drawn.rows) + 1))
    assert [cell for row in own for cell in row[2 : 2 + width]] == list(drawn.frame.values)
    steps = [frame for frame in drawn.frames.values() if frame.step.startswith("t")]
    assert len(own) == len(steps)
    if "log p, this cache" in drawn.columns:
        at = decode_cache.COUNTERS.index("log p")
        assert [row[2] for row in own] == [frame.values[at] for frame in steps]


DECODING: tuple[Rule, ...] = (
    (lambda columns: columns[0] == "position", check_row),
    (lambda columns: columns == ("count", "number"), check_counts),
    (lambda columns: columns[:2] == ("step", "token"), check_beside_whole),
)
