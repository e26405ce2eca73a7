"""The lab: every kind of picture, open to change, its state in the address. Knows no card and no answer."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from attention_engine.spec import KINDS
from studyhub.web.lab_page import index_rows, picture_page
from studyhub.web.lab_state import asked_in

CANNOT_BE = 422
"""The status of an address that asks for a picture that cannot be, as of the call that asks for it."""


@login_required
@require_safe
def lab(request: HttpRequest) -> HttpResponse:
    """GET /lab/: what there is to look at."""
    return render(request, "web/lab/index.html", {"here": "lab", "kinds": index_rows()})


@login_required
@require_safe
def picture(request: HttpRequest, kind: str) -> HttpResponse:
    """GET /lab/<kind>/?parameters: one picture; 404 for a kind that is none, 422 with the reason for numbers
    that cannot be."""
    if kind not in KINDS:
        raise Http404
    asked = asked_in(kind, request.GET.dict())
    context = {"here": "lab", "here_is": "true", **picture_page(asked)}
    return render(request, "web/lab/picture.html", context, status=CANNOT_BE if asked.refusal else 200)
