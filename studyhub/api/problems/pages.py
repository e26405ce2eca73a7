"""The public page behind a problem's `type`: what it means and what to do."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from studyhub.api.problems.types import PROBLEM_TYPES


@require_safe
def problem_page(request: HttpRequest, name: str) -> HttpResponse:  # noqa: ARG001
    """GET /problems/<name>: plain text, for people."""
    row = PROBLEM_TYPES.get(name)
    if row is None:
        raise Http404(f"no problem type {name}")
    text = f"{row.title}\n{row.name} (HTTP {row.status})\n\n{row.meaning}\n"
    return HttpResponse(text, content_type="text/plain; charset=utf-8")
