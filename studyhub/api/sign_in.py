"""Bounds on what may be sent to sign in, before allauth reads it. Knows no account."""

import json
from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

from studyhub.api.problems.problem import FieldError, Problem
from studyhub.api.reading.parsers import read_json, refusals
from studyhub.api.reading.requests import lacks_length

PREFIX = "/_allauth/"
MAX_BYTES = 16 * 1024
MAX_NAME = 254  # the longest e-mail address


class BoundedNames:
    """Ends a login by a name no account can have: SQLite refuses LIKE for patterns beyond 50,000 bytes.

    Has no `get_user`: nobody is ever signed in by it.
    """

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> None:  # noqa: ARG002
        """Nobody. Raises PermissionDenied, after which no further backend is asked."""
        names = (credentials.get("username"), credentials.get("email"))
        if any(isinstance(name, str) and len(name) > MAX_NAME for name in names):
            raise PermissionDenied


@sync_and_async_middleware
def SignInMiddleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:  # noqa: N802
    """Refuses bodies that no JSON reader should be given, in the format allauth documents."""
    if iscoroutinefunction(get_response):

        async def asynchronous(request: HttpRequest) -> HttpResponseBase:
            return refusal(request) or await get_response(request)

        return asynchronous

    def synchronous(request: HttpRequest) -> HttpResponseBase:
        return refusal(request) or get_response(request)

    return synchronous


def refusal(request: HttpRequest) -> HttpResponse | None:
    """The 400 or 413 for a body out of bounds, None for any other request."""
    if not request.path_info.startswith(PREFIX) or request.method in {"GET", "HEAD", "OPTIONS"}:
        return None
    declared = str(request.META.get("CONTENT_LENGTH") or "0")
    if lacks_length(request):
        return _error(411, "Send the length of the body (Content-Length).")
    if not declared.isdecimal() or len(declared) > 12 or int(declared) > MAX_BYTES:
        return _error(413, f"The body is longer than {MAX_BYTES} bytes.")
    try:
        fault = next(refusals(read_json(request.body)), None) if request.body else None
    except Problem as problem:
        fault = problem.errors[0]
    return _refused(fault) if fault else None


def _refused(fault: FieldError) -> HttpResponse:
    return _error(400, f"{fault.field}: {fault.reason}.")


def _error(status: int, message: str) -> HttpResponse:
    """allauth's error format."""
    body = {"status": status, "errors": [{"message": message, "code": "invalid"}]}
    return HttpResponse(json.dumps(body), status=status, content_type="application/json")
