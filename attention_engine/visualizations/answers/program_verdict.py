"""What a comparison decided, as the last frame carries it for who asked. Knows no grade."""

from collections.abc import Mapping

from attention_engine.execution.compare import EQUAL, ERROR, UNDECIDED
from attention_engine.execution.diverging import diverging
from attention_engine.execution.listed import Judged
from attention_engine.execution.ran import Failure
from attention_engine.program import RefusedProgram, TooMuch

Verdict = Mapping[str, str | int]


def verdict_of(judged: Judged) -> Verdict:
    """{"outcome", "reason", "words", "line", "statement", "mistaken"}: torch's words where it refused, the
    first statement that is not the reference's, the place of the listed mistake it equals or -1."""
    verdict = judged.verdict
    tried = verdict.trial.yours if verdict.trial and not verdict.shapes.failure else verdict.shapes
    failure = tried.failure if tried else None
    line, statement = _where(judged, failure)
    return _told(
        verdict.outcome,
        reason=verdict.reason,
        words=failure.words if failure else "",
        line=line,
        statement=statement,
        mistaken=judged.mistaken,
    )


def verdict_of_refused(refused: RefusedProgram) -> Verdict:
    """A program that was not run to its end: too large to be judged, or no tensor as its result."""
    if isinstance(refused, TooMuch):
        return _told(UNDECIDED, reason=refused.message)
    return _told(ERROR, words=refused.message)


def _where(judged: Judged, failure: Failure | None) -> tuple[int, str]:
    """The line and statement that is told of; (0, "") where there is none."""
    if failure is not None:
        return failure.line, failure.statement
    if judged.verdict.outcome in {EQUAL, UNDECIDED}:
        return 0, ""
    statement = diverging(judged.question, judged.verdict)
    return (statement.line, statement.code) if statement else (0, "")


def _told(
    outcome: str,
    *,
    reason: str = "",
    words: str = "",
    line: int = 0,
    statement: str = "",
    mistaken: int = -1,
) -> Verdict:
    return {
        "outcome": outcome,
        "reason": reason,
        "words": words,
        "line": line,
        "statement": statement,
        "mistaken": mistaken,
    }
