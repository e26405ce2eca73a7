"""All lines of one's own ledger as a CSV file, a few thousand in memory at a time. Counts nothing."""

import csv
from collections.abc import AsyncIterator, Iterator
from io import StringIO
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.views.decorators.http import require_safe

from studyhub.study.models import Learner, Review, learner_of

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
    pages = _async_pages(learner) if isinstance(request, ASGIRequest) else _pages(learner)
    headers = {"Content-Disposition": 'attachment; filename="reviews.csv"', "Cache-Control": "no-store"}
    return StreamingHttpResponse(pages, content_type="text/csv; charset=utf-8", headers=headers)


def _pages(learner: Learner) -> Iterator[str]:
    """The file, a page at a time: no query stays open while a slow reader reads."""
    text, last = _text([tuple(COLUMNS)]), 0
    while text:
        yield text
        text, last = _page(learner, last)


async def _async_pages(learner: Learner) -> AsyncIterator[str]:
    text, last = _text([tuple(COLUMNS)]), 0
    while text:
        yield text
        text, last = await sync_to_async(_page)(learner, last)


def _page(learner: Learner, after: int) -> tuple[str, int]:
    """The lines that follow one, and which is the last of them; "" at the end."""
    lines = Review.objects.filter(learner=learner, pk__gt=after).order_by("pk")
    rows = list(lines.values_list("pk", *COLUMNS.values())[:CHUNK])
    return _text([tuple(map(_cell, row[1:])) for row in rows]), rows[-1][0] if rows else after


def _text(rows: list[tuple[Any, ...]]) -> str:
    file = StringIO()
    csv.writer(file).writerows(rows)
    return file.getvalue()


def _cell(value: Any) -> Any:
    """A cell as text; one that a spreadsheet would take for a formula is led by an apostrophe."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return (
        f"'{value}"
        if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
        else value
    )
