"""All lines of one's own ledger as a CSV file, a few thousand in memory at a time. Counts nothing."""

import csv
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.views.decorators.http import require_safe

from studyhub.study.models import Review, learner_of

CHUNK = 2_000
COLUMNS = {
    "id": "client_id",
    "kind": "kind",
    "study_day": "study_day",
    "answered_at": "answered_at",
    "received_at": "received_at",
    "time_zone": "time_zone",
    "card": "card__uuid",
    "card_slug": "card__slug",
    "variant_seed": "variant_seed",
    "rating": "rating",
    "suggested_rating": "suggested_rating",
    "elapsed_ms": "elapsed_ms",
    "state_before": "state_before",
    "interval_before_days": "interval_before",
    "recall_before_per_mille": "recall_before",
    "desired_retention": "desired_retention",
    "parameters_version": "parameters_version",
    "target_day": "target_day",
    "undoes": "voids__client_id",
    "device": "device",
}
"""Columns of the file and where they come from."""


@login_required
@require_safe
def reviews_file(request: HttpRequest) -> StreamingHttpResponse:
    """GET /progress/reviews.csv: every line of one's own ledger, as it was written."""
    learner = learner_of(request.user)  # type: ignore[arg-type]
    rows = Review.objects.filter(learner=learner).order_by("pk").values_list(*COLUMNS.values())
    lines = _streamed(rows) if isinstance(request, ASGIRequest) else _written(rows.iterator(CHUNK))
    headers = {"Content-Disposition": 'attachment; filename="reviews.csv"', "Cache-Control": "no-store"}
    return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8", headers=headers)


async def _streamed(rows: Any) -> AsyncIterator[str]:
    yield _line(COLUMNS)
    async for row in rows.aiterator(CHUNK):
        yield _line(map(_cell, row))


def _written(rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    yield _line(COLUMNS)
    for row in rows:
        yield _line(map(_cell, row))


class _Echo:
    """A file that gives back what is written to it."""

    @staticmethod
    def write(text: str) -> str:
        return text


_WRITER = csv.writer(_Echo())


def _line(cells: Iterable[Any]) -> str:
    return str(_WRITER.writerow(cells))


def _cell(value: Any) -> Any:
    """A cell as text; one that a spreadsheet would take for a formula is led by an apostrophe."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return (
        f"'{value}"
        if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
        else value
    )
