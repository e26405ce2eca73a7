"""Pictures over HTTP: asked for, polled, streamed, and their tensors. Knows no kind of picture."""

import gzip
import re
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.db import connections
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from drf_spectacular.types import OpenApiTypes
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from attention_engine.admission import TooLarge
from attention_engine.spec import InvalidSpec, make_spec
from attention_engine.store import OwnerBusy, Reading, StoreFull, StoreUnavailable
from studyhub import delivery
from studyhub.api.problems.problem import FieldError, Problem, as_problem, invalid, not_found
from studyhub.api.reading.requests import valid_body
from studyhub.api.schema import picture_shapes as shapes
from studyhub.api.schema.operations import answered, header, in_path, operation, query, sent

HEX = re.compile(r"[0-9a-f]{64}", re.ASCII)
EVENT_ID = re.compile(r"([0-9]{1,16}-[0-9]{1,9})?", re.ASCII)
POLL_MS = 250
FOR_A_YEAR = "private, max-age=31536000, immutable"
WORTH_PACKING = 1024  # bytes
ADDRESS = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
DIGEST = in_path("digest", ADDRESS, "The picture's digest.")
AFTER = query("after", {"type": "string", "maxLength": 26}, "The last event id you have.")
LAST_EVENT_ID = header(
    "Last-Event-ID", {"type": "string"}, "The last event id you have; one that leads nowhere starts anew."
)


class BytesRenderer(BaseRenderer):
    """Lets a client ask for a tensor as what it is; the view makes the response itself."""

    media_type = "application/octet-stream"
    format = "bytes"

    def render(self, data: Any, *_: Any, **__: Any) -> Any:
        """As it is."""
        return data


class EventStreamRenderer(BytesRenderer):
    """Lets EventSource ask for `text/event-stream`."""

    media_type = "text/event-stream"
    format = "events"


class Visualizations(APIView):
    """POST a spec."""

    throttle_scope = "visualizations"

    @operation(
        "post_visualization",
        {202: shapes.RequestedShape, 200: shapes.RequestedShape},
        body=shapes.VisualizationBody,
        problems=[429, 503],
        examples=[
            sent("BERT-base", shapes.SENT),
            answered("To be drawn", shapes.REQUESTED, 202),
            answered("Drawn already", shapes.REQUESTED | {"state": "done"}, 200),
        ],
    )
    def post(self, request: Request) -> Response:
        """Asks for a picture: its facts at once, its frames by stream or poll."""
        body = valid_body(shapes.VisualizationBody, request)
        spec = make_spec(body["kind"], body["parameters"], body["seed"])
        requested = delivery.request_visualization(spec, str(request.user.pk))
        answer = {
            "digest": requested.digest,
            "state": requested.state,
            "stream": reverse("api:stream", args=[requested.digest]),
            "poll": reverse("api:visualization", args=[requested.digest]),
            "facts": requested.facts,
            "parameters": spec.as_json()["parameters"],
            "seed": spec.seed,
        }
        return Response(answer, status=200 if requested.state == "done" else 202)


@method_decorator(gzip_page, name="dispatch")
class Visualization(APIView):
    """GET the frames drawn so far, packed: tables of a long sentence repeat their words."""

    @operation(
        "get_visualization",
        {200: shapes.FramesShape},
        problems=[503],
        parameters=[DIGEST, AFTER],
        examples=[answered("Drawn", shapes.FRAMES)],
    )
    def get(self, request: Request, digest: str) -> Response:
        """The frames after an event id; for clients that cannot hold a stream."""
        reading = _reading(digest, _after(request))
        return Response(
            {
                "state": reading.state,
                "reset": reading.reset,
                "frames": [{"id": event, "frame": frame} for event, frame in reading.frames],
                "code": reading.code,
                "sentence": reading.sentence,
                "retry_after_ms": 0 if reading.ended else POLL_MS,
            }
        )


class Stream(APIView):
    """GET a picture as server-sent events, where this process can hold a stream."""

    renderer_classes = (EventStreamRenderer,)

    @operation(
        "get_stream",
        {200: OpenApiTypes.STR, 204: None},
        problems=[503],
        parameters=[DIGEST, LAST_EVENT_ID],
    )
    def get(self, request: Request, digest: str) -> HttpResponseBase:
        """Events frame, reset, done, failed; resumes after Last-Event-ID; 204 when there is nothing more."""
        _refuse_misspelt(digest)
        if not isinstance(request._request, ASGIRequest):
            raise Problem(
                "stream-elsewhere", "This process serves no streams; poll, or ask the streaming one."
            )
        last_event_id = request.headers.get("Last-Event-ID", "")[:64]
        if delivery.is_over(_reading(digest, last_event_id), last_event_id):
            return HttpResponse(status=204)
        _let_go_of_databases()
        headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no", "Vary": "Accept-Encoding"}
        events = delivery.follow(digest, last_event_id)
        if _takes_gzip(request):
            events, headers["Content-Encoding"] = delivery.packed(events), "gzip"
        return StreamingHttpResponse(events, content_type="text/event-stream", headers=headers)


class Tensor(APIView):
    """GET the bytes of a tensor."""

    renderer_classes = (BytesRenderer,)

    @operation(
        "get_tensor",
        {200: OpenApiTypes.BINARY, 304: None},
        problems=[503],
        parameters=[in_path("sha256", ADDRESS, "Of the raw bytes.")],
    )
    def get(self, request: Request, sha256: str) -> HttpResponseBase:
        """Raw little-endian numbers in C order; the frame says how to read them."""
        headers = {"ETag": f'"{sha256}"', "Cache-Control": FOR_A_YEAR, "Vary": "Accept-Encoding"}
        known = HEX.fullmatch(sha256) is not None
        if known and sha256 in request.headers.get("If-None-Match", ""):
            return HttpResponse(status=304, headers=headers)
        body = delivery.tensor(sha256) if known else None
        if body is None:
            raise not_found("no such tensor, or kept no longer: ask for its picture again", "sha256")
        if len(body) >= WORTH_PACKING and _takes_gzip(request):
            body, headers["Content-Encoding"] = gzip.compress(body, compresslevel=1, mtime=0), "gzip"
        return HttpResponse(body, content_type="application/octet-stream", headers=headers)


def _takes_gzip(request: Request) -> bool:
    return "gzip" in request.headers.get("Accept-Encoding", "")


def _reading(digest: str, after: str) -> Reading:
    """The picture as of now. Raises Problem 404."""
    _refuse_misspelt(digest)
    reading = delivery.read_frames(digest, after)
    if reading.state == "absent":
        raise not_found("no such picture, or kept no longer: ask for it again", "digest")
    return reading


def _refuse_misspelt(digest: str) -> None:
    """Raises Problem 404 for what no picture is ever called."""
    if not HEX.fullmatch(digest):
        raise not_found("no picture has such a digest", "digest")


def _after(request: Request) -> str:
    """The event id of the query, "" when there is none. Raises Problem 422."""
    event = request.query_params.get("after", "")
    if not EVENT_ID.fullmatch(event):
        raise invalid("after", "is no event id; send the id of the last frame you have")
    return event


def _let_go_of_databases() -> None:
    """A stream lives for minutes and needs no database; Django would hold the connection until its end."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


@as_problem.register
def _(error: InvalidSpec) -> Problem:
    field = error.field if error.field in {"", "kind", "seed", "parameters"} else f"parameters.{error.field}"
    told = FieldError(field or "parameters", str(error), error.offset)
    return Problem("invalid-config", str(error), errors=[told])


@as_problem.register
def _(error: TooLarge) -> Problem:
    return Problem("too-large-shape", str(error), errors=[FieldError("parameters", str(error))])


@as_problem.register
def _(error: OwnerBusy) -> Problem:
    return Problem("queue-full", str(error), headers={"Retry-After": "2"})


@as_problem.register
def _(error: StoreFull) -> Problem:
    return Problem("queue-full", str(error), status=503, headers={"Retry-After": "5"})


@as_problem.register
def _(error: StoreUnavailable) -> Problem:  # noqa: ARG001 - its words are for the log
    detail = "Pictures cannot be drawn or read now; answering and rating go on without them."
    return Problem("pictures-unavailable", detail, headers={"Retry-After": "5"})
