"""Errors of the API as RFC 9457 problem JSON, whatever raised them. Knows no operation."""

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import singledispatch
from http import HTTPStatus
from typing import Any

from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.core.signals import got_request_exception
from django.http import Http404, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from rest_framework import exceptions

from studyhub.api.problems.types import PROBLEM_TYPES

log = logging.getLogger(__name__)
MEDIA_TYPE = "application/problem+json"


@dataclass(frozen=True)
class FieldError:
    """What is wrong with one field; `offset` counts characters into its text, -1 when there is none."""

    field: str
    reason: str
    offset: int = -1

    def as_json(self) -> dict[str, Any]:
        """The entry of `errors`; the offset only where there is one."""
        entry: dict[str, Any] = {"field": self.field, "reason": self.reason}
        return entry | ({"offset": self.offset} if self.offset >= 0 else {})


class Problem(exceptions.APIException):
    """An error with its problem JSON: `name` is a row of the catalogue, or "" for a bare HTTP status."""

    def __init__(
        self,
        name: str,
        detail: str,
        *,
        errors: Iterable[FieldError] = (),
        status: int = 0,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        row = PROBLEM_TYPES.get(name)
        self.name = name
        self.status_code = status or (row.status if row else 500)
        self.title = row.title if row else HTTPStatus(self.status_code).phrase
        self.errors = tuple(errors)
        self.headers = dict(headers or {})

    def as_json(self) -> dict[str, Any]:
        """The members of RFC 9457 and our `errors`."""
        return {
            "type": f"/problems/{self.name}" if self.name else "about:blank",
            "title": self.title,
            "status": self.status_code,
            "detail": str(self.detail),
            "errors": [error.as_json() for error in self.errors],
        }


def invalid(field: str, reason: str, *, status: int = 422, offset: int = -1) -> Problem:
    """The problem of one field."""
    error = FieldError(field, reason, offset)
    return Problem("invalid-request", f"{field}: {reason}", errors=[error], status=status)


def not_found(what: str, field: str = "") -> Problem:
    """Missing and foreign are the same; `field` names the id that led nowhere."""
    errors = [FieldError(field, what)] if field else []
    return Problem("not-found", what, errors=errors)


def problem_response(problem: Problem) -> HttpResponse:
    """The problem as it goes out; a plain response, so that no renderer (a stream's) has a say."""
    return HttpResponse(
        json.dumps(problem.as_json(), ensure_ascii=False).encode("utf-8", "replace"),
        status=problem.status_code,
        content_type=MEDIA_TYPE,
        headers=problem.headers,
    )


def exception_handler(error: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """DRF's hook: every exception of a view becomes a problem; an unforeseen one is logged too."""
    problem = as_problem(error)
    if is_unforeseen(error, problem):
        request = getattr(context.get("request"), "_request", None)
        log.error("unforeseen error under %s", getattr(request, "path", "?"), exc_info=error)
        got_request_exception.send(sender=exception_handler, request=request)
    return problem_response(problem)


def is_unforeseen(error: Exception, problem: Problem) -> bool:
    """True for an exception nobody registered: a fault of ours."""
    return problem.status_code == 500 and not isinstance(error, exceptions.APIException)


@singledispatch
def as_problem(error: Exception) -> Problem:  # noqa: ARG001
    """The problem of an exception; rooms register theirs. What nobody registered is a fault of ours."""
    return Problem("", "The service failed; the fault is ours and was logged.", status=500)


@as_problem.register
def _(error: Problem) -> Problem:
    return error


@as_problem.register
def _(error: Http404) -> Problem:
    return not_found(str(error) or "no such thing")


@as_problem.register
def _(error: PermissionDenied) -> Problem:
    return Problem("", str(error) or "You may not do this.", status=403)


@as_problem.register(SuspiciousOperation)
@as_problem.register(BadRequest)
@as_problem.register(MultiPartParserError)
@as_problem.register(UnreadablePostError)
def _(error: Exception) -> Problem:
    return invalid("body", str(error) or "could not be read", status=400)


@as_problem.register
def _(error: RequestDataTooBig) -> Problem:
    return invalid("body", str(error), status=413)


@as_problem.register
def _(error: exceptions.APIException) -> Problem:
    return Problem("", str(error.detail), status=error.status_code, headers=_challenge(error))


@as_problem.register
def _(error: exceptions.NotFound) -> Problem:
    return not_found(str(error.detail))


@as_problem.register
def _(error: exceptions.ParseError) -> Problem:
    return invalid("body", str(error.detail), status=400)


@as_problem.register
def _(error: exceptions.UnsupportedMediaType) -> Problem:
    return invalid("Content-Type", f"{error.detail} Send application/json.", status=415)


@as_problem.register
def _(error: exceptions.NotAcceptable) -> Problem:
    return invalid("Accept", str(error.detail), status=406)


@as_problem.register
def _(error: exceptions.Throttled) -> Problem:
    seconds = max(1, int(getattr(error, "wait", None) or 1))
    detail = f"Too many requests; try again in {seconds} s."
    return Problem("rate-limited", detail, headers={"Retry-After": str(seconds)})


@as_problem.register
def _(error: exceptions.ValidationError) -> Problem:
    errors = list(flatten(error.detail))
    detail = "; ".join(f"{one.field}: {one.reason}" for one in errors[:3])
    return Problem("invalid-request", detail, errors=errors[:20])


def flatten(detail: Any, path: tuple[str, ...] = ()) -> Iterator[FieldError]:
    """DRF's nested messages as one list; fields are dotted paths such as `response.choices.3`."""
    if isinstance(detail, Mapping):
        for key, inner in detail.items():
            own = () if key == "non_field_errors" else (str(key),)
            yield from flatten(inner, path + own)
    elif isinstance(detail, list):
        for index, inner in enumerate(detail):
            nested = isinstance(inner, Mapping | list)
            yield from flatten(inner, path + ((str(index),) if nested and inner else ()))
    else:
        yield FieldError(".".join(path) or "body", str(detail))


def _challenge(error: exceptions.APIException) -> dict[str, str]:
    """The WWW-Authenticate that DRF hangs on a 401."""
    header = getattr(error, "auth_header", "")
    return {"WWW-Authenticate": header} if header else {}
