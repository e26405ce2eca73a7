"""Turns what failed outside a view under /api/v1/ into a problem. Knows no operation."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

from studyhub.api.problems.problem import MEDIA_TYPE, Problem, not_found, problem_response

PREFIX = "/api/v1"


@sync_and_async_middleware
def ProblemMiddleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:  # noqa: N802
    """Middleware and Django's own error pages speak HTML; under /api/v1/ they speak problem JSON."""
    if iscoroutinefunction(get_response):

        async def asynchronous(request: HttpRequest) -> HttpResponseBase:
            waiting: Awaitable[HttpResponseBase] = get_response(request)
            return as_problem_response(request, await waiting)

        return asynchronous

    def synchronous(request: HttpRequest) -> HttpResponseBase:
        return as_problem_response(request, get_response(request))

    return synchronous


def as_problem_response(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """The response, or a problem with its status when it is an error in another language."""
    ours = request.path_info == PREFIX or request.path_info.startswith(PREFIX + "/")
    if not ours or response.status_code < 400 or response.headers.get("Content-Type") == MEDIA_TYPE:
        return response
    return problem_response(_bare(response.status_code))


def _bare(status: int) -> Problem:
    """The problem of a status of which nothing else is known."""
    if status == 404:
        return not_found("no such address")
    name = "invalid-request" if status in {400, 413} else ""
    return Problem(name, f"The request ended as {status} {HTTPStatus(status).phrase}.", status=status)
