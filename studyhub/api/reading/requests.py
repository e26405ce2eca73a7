"""What a view takes from a request: a validated body, a bounded query, the learner. Knows no operation."""

import re
from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from studyhub.api.problems.problem import invalid, not_found
from studyhub.study.models import Learner, learner_of
from studyhub.study.scheduling import zone_names

_SLUG = re.compile(r"[a-z0-9][a-z0-9._-]{0,119}", re.ASCII)
_INTEGER = re.compile(r"[0-9]{1,9}", re.ASCII)


def valid_body(shape: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """The body as the serializer reads it. Raises ValidationError or Problem."""
    if lacks_length(request):
        raise invalid("Content-Length", "is missing; send the length of the body", status=411)
    body = shape(data=request.data)
    body.is_valid(raise_exception=True)
    return dict(body.validated_data)


def lacks_length(request: HttpRequest | Request) -> bool:
    """True for a body of unknown length ("chunked"), which Django takes for none or reads without bound."""
    return "Transfer-Encoding" in request.headers and not request.META.get("CONTENT_LENGTH")


def query_integer(request: Request, name: str, *, default: int, lowest: int, highest: int) -> int:
    """A number of the query within its bounds. Raises Problem 422."""
    text = request.query_params.get(name)
    if text is None:
        return default
    if not _INTEGER.fullmatch(text) or not lowest <= int(text) <= highest:
        raise invalid(name, f"must be an integer from {lowest} to {highest}")
    return int(text)


def query_choice(request: Request, name: str, choices: Sequence[str]) -> str:
    """One of a few words of the query, the first where there is none. Raises Problem 422."""
    text = request.query_params.get(name, choices[0])
    if text not in choices:
        raise invalid(name, f"must be one of {', '.join(choices)}")
    return text


def query_slug(request: Request, name: str) -> str:
    """A slug of the query, "" when there is none. Raises Problem 422."""
    text = request.query_params.get(name, "")
    if text and not _SLUG.fullmatch(text):
        raise invalid(name, "must be a slug: lower-case letters, digits, dots and hyphens")
    return text


def query_zone(request: Request, name: str) -> str:
    """A time zone of the query, "" when there is none. Raises Problem 422."""
    text = request.query_params.get(name, "")
    if text and text not in zone_names():
        raise invalid(name, "must be an IANA time zone such as Europe/Berlin")
    return text


def path_slug(slug: str, what: str) -> str:
    """A slug of the path. Raises Problem 404, as for one that leads nowhere."""
    if not _SLUG.fullmatch(slug):
        raise not_found(f"no {what} has such a slug", "slug")
    return slug


def current_learner(request: Request) -> Learner:
    """The learner who is signed in, made on first sight."""
    assert isinstance(request.user, AbstractBaseUser)  # the permission class saw to it
    return learner_of(request.user)
