"""How operations describe themselves in the OpenAPI schema. Knows no operation."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema

from studyhub.api.problems.problem import MEDIA_TYPE
from studyhub.api.schema.shapes import ProblemShape

_MEANINGS = {
    400: "The body is not JSON, or holds a value that cannot be stored",
    401: "Not signed in, or the token is no longer good",
    403: "The CSRF token is missing (sessions only)",
    404: "Missing, or not yours",
    406: "Only application/json is spoken",
    411: "The body comes without its length",
    413: "The body is over 1 MiB",
    415: "The body is not application/json in UTF-8",
    422: "A field is not valid; `errors` names it",
    429: "Too many requests; see Retry-After",
    503: "Not available now; see the problem's type",
}
_ALWAYS = (401, 404, 406)
_WITH_BODY = (400, 403, 411, 413, 415, 422)


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """An access token from /_allauth/app/v1/auth/login in `Authorization: Bearer`."""

    target_class = "allauth.headless.contrib.rest_framework.authentication.JWTTokenAuthentication"
    name = "bearer"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:  # noqa: ARG002
        """The OpenAPI security scheme."""
        return {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}


class Operations(AutoSchema):
    """Components by the names of things: `Grade`, not `GradeShape`."""

    def get_serializer_name(self, serializer: Any, direction: Any) -> str:
        """The class's name without its role."""
        name = str(super().get_serializer_name(serializer, direction))
        return name.removesuffix("Shape").removesuffix("Body")


def operation(
    name: str,
    answers: Mapping[int, Any],
    *,
    body: Any = None,
    problems: Sequence[int] = (),
    parameters: Sequence[OpenApiParameter] = (),
    examples: Sequence[OpenApiExample] = (),
) -> Callable[..., Any]:
    """`extend_schema` with a stable operationId and every problem the operation may answer."""
    statuses = sorted({*_ALWAYS, *(_WITH_BODY if body else ()), *problems})
    responses: dict[Any, Any] = dict(answers) | {
        (status, MEDIA_TYPE): OpenApiResponse(ProblemShape, description=_MEANINGS[status])
        for status in statuses
    }
    decorate: Callable[..., Any] = extend_schema(
        operation_id=name,
        request=body,
        responses=responses,
        parameters=list(parameters),
        examples=list(examples),
    )
    return decorate


def sent(name: str, value: Any) -> OpenApiExample:
    """An example of a body."""
    return OpenApiExample(name, value=value, request_only=True)


def answered(name: str, value: Any, status: int = 200) -> OpenApiExample:
    """An example of an answer with this status."""
    return OpenApiExample(name, value=value, response_only=True, status_codes=[str(status)])


def query(name: str, schema: Any, description: str) -> OpenApiParameter:
    """A parameter of the query; `schema` is OpenAPI's own."""
    return OpenApiParameter(name, schema, OpenApiParameter.QUERY, description=description)


def header(name: str, schema: Any, description: str) -> OpenApiParameter:
    """A header the operation reads."""
    return OpenApiParameter(name, schema, OpenApiParameter.HEADER, description=description)


def in_path(name: str, schema: Any, description: str) -> OpenApiParameter:
    """A parameter of the path."""
    return OpenApiParameter(name, schema, OpenApiParameter.PATH, description=description)
