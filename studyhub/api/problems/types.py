"""The catalogue of problem types: name, status, and what each means to people. Knows no exception."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class ProblemType:
    """A row of the catalogue behind /problems/<name>."""

    name: str
    status: int
    title: str
    meaning: str


_CATALOGUE = (
    ProblemType(
        "invalid-request",
        422,
        "The request is not valid",
        "A field, a header or the body itself is not what the operation takes. `errors` names each field and "
        "says why. Nothing was stored. Mend the request; sending it again unchanged gives the same answer.",
    ),
    ProblemType(
        "unreadable-answer",
        422,
        "The answer could not be read",
        "The answer is not wrong, it could not be read as this kind of answer. `errors` gives the field and, "
        "where known, the offset in its text. Nothing was stored: let the learner mend it, and send it again "
        "with the same id.",
    ),
    ProblemType(
        "idempotency-conflict",
        422,
        "This id was used for another request",
        "The id was stored before with another body. The stored outcome stands. A new answer or review needs "
        "a new id.",
    ),
    ProblemType(
        "undo-refused",
        422,
        "This cannot be undone",
        "A line of the ledger can be undone for 24 hours after it was received, and an undo not at all. The "
        "detail gives its age and what can be done instead. Nothing was stored.",
    ),
    ProblemType(
        "too-large-shape",
        422,
        "The shape is too large to compute",
        "The picture would need more memory or arithmetic than the service gives one. The detail says how "
        "much, and what is admitted. Nothing was allocated.",
    ),
    ProblemType(
        "invalid-config",
        422,
        "The configuration does not work out",
        "A parameter of the picture is unknown, missing, out of bounds or does not fit the others. `errors` "
        "names it and gives the arithmetic.",
    ),
    ProblemType(
        "not-found",
        404,
        "There is no such thing here",
        "The address or the id leads nowhere, or to something that is not yours; the two are not told apart.",
    ),
    ProblemType(
        "rate-limited",
        429,
        "Too many requests",
        "This account sent more requests in a minute than the operation takes. Wait as many seconds as "
        "`Retry-After` says.",
    ),
    ProblemType(
        "queue-full",
        429,
        "Too many unfinished pictures",
        "This account (429) or the whole service (503) has as many unfinished pictures as it may. Wait for "
        "one to finish. Answers and reviews do not wait for pictures.",
    ),
    ProblemType(
        "pictures-unavailable",
        503,
        "Pictures are not available now",
        "The store of pictures cannot be reached. Studying goes on without it; ask for the picture later.",
    ),
    ProblemType(
        "stream-elsewhere",
        503,
        "Event streams are served elsewhere",
        "This process cannot hold a stream open. Use the address of the streaming service, or poll.",
    ),
)
PROBLEM_TYPES: Mapping[str, ProblemType] = {row.name: row for row in _CATALOGUE}
