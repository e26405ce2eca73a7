"""What a comparison of two programs means, in sentences made from it. Knows no grade."""

from collections.abc import Callable, Mapping

from attention_engine.execution import compare
from attention_engine.execution.compare import Question, Verdict
from attention_engine.execution.ran import Ran
from attention_engine.program.inputs import ROWS, Sizes
from attention_engine.program.plan import OWN


def shape_of(ran: Ran | None) -> str:
    """The shape of what came out, "refused" where nothing did."""
    return "refused" if ran is None or ran.tensor is None else str(tuple(ran.tensor.shape))


def verdict_words(asked: Question, verdict: Verdict, reference: Ran) -> str:
    """The sentence of the frame that compares."""
    right = shape_of(reference)
    words: Mapping[str, Callable[[], str]] = {
        compare.EQUAL: lambda: _equal(verdict),
        compare.VALUES: lambda: _wrong_values(asked, verdict),
        compare.SHAPE: lambda: _wrong_shape(verdict, right),
        compare.ERROR: lambda: f"Yours stops; the reference runs and gives {right}.",
        compare.UNDECIDED: lambda: f"Not decided: {verdict.reason}.",
    }
    return words[verdict.outcome]()


def _equal(verdict: Verdict) -> str:
    assert verdict.plan is not None
    if verdict.plan.mode == OWN:
        return "Every number equals the reference's, at the layer's own sizes."
    return f"Every number equals the reference's, in {len(verdict.plan.sizes)} trials."


def _wrong_shape(verdict: Verdict, right: str) -> str:
    mine = shape_of(verdict.shapes)
    if mine != right:
        return f"Yours is {mine}, the reference {right}."
    trial = verdict.trial
    assert trial is not None
    small, wanted = (shape_of(one) for one in (trial.yours, trial.right))
    chance = f"At the layer's own sizes both are {mine}, but that is chance"
    return f"{chance}: with other sizes {small} beside {wanted}."


def _wrong_values(asked: Question, verdict: Verdict) -> str:
    trial = verdict.trial
    assert trial is not None
    difference = trial.difference
    assert difference is not None
    share = f"{difference.wrong:,} of {difference.of:,} numbers differ"
    told = f"The shape is right, {shape_of(trial.yours)}, and the contents are not: {share}."
    if not (difference.yours_from and difference.right_from):
        first = f"The first at {list(difference.place)}"
        return f"{told} {first}: {difference.yours:.4g} for {difference.right:.4g}."
    mine, theirs = (
        _meaning(where, asked, trial.sizes) for where in (difference.yours_from, difference.right_from)
    )
    first = f"The first at {list(difference.place)} holds {mine}"
    return f"{told} {first}, where the reference has {theirs}."


def _meaning(place: str, asked: Question, sizes: Sizes) -> str:
    """ "q[0, 1, 13]" of rows -> "q[0, 1, 13] (token 1, head 1, feature 2)"."""
    name, _, inside = place.partition("[")
    index = [int(part) for part in inside.rstrip("]").split(",")]
    if asked.layout != ROWS or name not in {"q", "k", "v"} or len(index) != 3:
        return place
    head, feature = divmod(index[2], sizes.D)
    return f"{place} (token {index[1]}, head {head}, feature {feature})"
