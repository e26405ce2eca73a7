"""Leads someone who is signed out to sign in and back to what they were doing. Knows no page."""

from collections.abc import Callable
from functools import wraps
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse

ANSWERING = "answering"
Page = Callable[[HttpRequest], HttpResponse]


def signed_in(page: Page) -> Page:
    """The page for those signed in; others sign in first, and a form they sent leads back to its card."""

    @wraps(page)
    def led(request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated:
            return page(request)
        sent = request.POST if request.method == "POST" else QueryDict()
        back = {"next": _back(sent) if request.method == "POST" else request.get_full_path()}
        query = back | ({ANSWERING: "1"} if sent.get("card") else {})
        return redirect(f"{reverse('account_login')}?{urlencode(query, safe='/')}")

    return led


def _back(sent: QueryDict) -> str:
    """Where a form that was sent signed out is asked again: its card, or the answer it was about."""
    asked = {name: sent[name][:120] for name in ("card", "attempt") if sent.get(name)}
    return reverse("web:study") + (f"?{urlencode(asked)}" if asked else "")
